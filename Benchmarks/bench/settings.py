"""What the environment asks for: how long, how often, how large, and how the result is printed."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The clients of the tests play providers and devices here too.
sys.path.insert(1, str(ROOT / "Tests" / "clients"))


class BadSetting(Exception):
    """A variable that says nothing that can be done."""


def _whole(name: str, least: int = 1) -> int | None:
    text = os.environ.get(name, "")
    if not text:
        return None
    if not text.isdecimal() or int(text) < least:
        raise BadSetting(f"{name}={text}: a whole number from {least} is expected")
    return int(text)


@dataclass(frozen=True)
class Settings:
    quick: bool
    #: Of each load, in place of a time.
    requests: int | None
    repeats: int
    #: Seconds that each load is measured.
    seconds: float
    #: Seconds of `sustained`.
    duration: int
    environment: str
    #: None: as the configuration has it.
    loops: int | None
    output: str
    #: Whose results are replaced by these.
    page: Path | None

    @classmethod
    def read(cls) -> Settings:
        quick = bool(os.environ.get("QUICK"))
        environment = os.environ.get("ENVIRONMENT") or "development"
        if environment not in ("development", "production"):
            raise BadSetting(f"ENVIRONMENT={environment}: development or production is expected")
        output = "json" if os.environ.get("JSON") else "markdown" if os.environ.get("MARKDOWN") else "text"
        page = Path(os.environ["PAGE"]) if os.environ.get("PAGE") else None
        if page is not None and not page.is_file():
            raise BadSetting(f"PAGE={page}: no such file")
        return cls(
            quick, _whole("REQUESTS"), _whole("REPEATS") or (2 if quick else 3), 0.7 if quick else 1.2,
            _whole("DURATION", 8) or (12 if quick else 60), environment, _whole("LOOPS"), output,
            page)

    def size(self, name: str, standard: int, quick: int) -> int:
        """What the variable says, or a standard."""
        return _whole(name) or self.pick(standard, quick)

    def pick(self, standard: int, quick: int) -> int:
        return quick if self.quick else standard
