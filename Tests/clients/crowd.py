"""Very many devices at once: written as the lines of an export, and imported. Their keys are known here, so that any of
them can be played as if it had enrolled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device import MEDIUM, SMALL, Device
from gateway import BUNDLE, Gateway
from http2 import Connection


@dataclass(frozen=True)
class Member:
    id: str
    token: str
    number: int

    @property
    def key(self) -> str:
        return _key(self.number).hex()

    def device(self, gateway: Gateway, connection: Connection) -> Device:
        return Device(gateway, connection, self.id, self.key)


def _key(number: int) -> bytes:
    return hashlib.sha256(b"crowd key %d" % number).digest()


def bring(gateway: Gateway, count: int, *, first: int = 1, environment: str = "development",
          widgets: Sequence[dict[str, Any]] = (SMALL, MEDIUM)) -> list[Member]:
    """Registers so many devices, with two widgets each unless others are named, in the order of the list. Numbers from
    `first` on are theirs, so that a very large crowd can come in parts."""
    enrolment = {"key": hashlib.sha256(gateway.enrolment_key.encode()).hexdigest()[:16], "bundle-ids": [BUNDLE],
                 "environments": ["development", "production"]}
    head = {"platform": "iOS", "os": "26", "enrolment": enrolment, "app": BUNDLE, "environment": environment,
            "widgets": list(widgets)}
    shared = json.dumps(head)[1:]
    members = [Member(f"00000000-0000-4000-8000-{number:012x}", hashlib.sha256(b"%d" % number).hexdigest(), number)
               for number in range(first, first + count)]
    file: Path = gateway.directory / "crowd.jsonl"
    with file.open("w") as lines:
        for member in members:
            hashed = hashlib.sha256(_key(member.number)).hexdigest()
            lines.write(f'{{"device":"{member.id}","key-sha256":"{hashed}","token":"{member.token}",{shared}\n')
    done = gateway.ctl("registrations", "import", str(file), "--json")
    report = json.loads(done.stdout)
    assert (report["added"], report["refused"]) == (count, 0), done.stderr
    return members
