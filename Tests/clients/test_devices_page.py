"""docs/devices.md's device in Python, run as it stands there: it gets each refresh once, whatever dies."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable

import pytest

from gateway import BUNDLE, ROOT, Gateway

PAGE = (ROOT / "docs" / "devices.md").read_text()
PROGRAM = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
DEADLINE = 60


class Run:
    """The program with its state file; ended by SIGKILL."""

    def __init__(self, gateway: Gateway, program: Path, state: Path) -> None:
        self.lines: list[str] = []
        self.errors = ""
        self.process = subprocess.Popen(
            [sys.executable, program, f"https://localhost:{gateway.device_port}", gateway.ca, gateway.enrolment_key,
             BUNDLE, state], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    def refreshes(self) -> list[str]:
        return [line for line in self.lines if line.startswith("refresh ")]

    def token(self, number: int = 1) -> str:
        """Said once for each connection."""
        until(lambda: len([line for line in self.lines if line.startswith("token ")]) >= number, self)
        return [line for line in self.lines if line.startswith("token ")][number - 1].split()[1]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(DEADLINE)


def until(condition: Callable[[], bool], run: Run) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert run.process.poll() is None and time.monotonic() < end, "\n".join(run.lines) + run.errors
        time.sleep(0.02)


def received(gateway: Gateway, token: str) -> bool:
    return "received" in gateway.ctl("explain", token, "--table").stdout


@pytest.fixture
def program(tmp_path: Path) -> Path:
    assert len(PROGRAM) == 1
    file = tmp_path / "device.py"
    file.write_text(PROGRAM[0])
    return file


def test_the_program_has_fewer_than_60_lines() -> None:
    assert len(PROGRAM[0].splitlines()) < 60


def test_each_refresh_comes_once_over_the_death_of_either_side(
        serving: Gateway, program: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    run = Run(serving, program, state)
    try:
        token = run.token()
        # U+2028 ends a line for much that is not an event stream.
        payload = '{"aps":{"content-changed":true},"note":"one\u2028two"}'
        pushed = serving.ctl("push", token, "--payload", payload)
        assert "200" in pushed.stdout, pushed
        until(lambda: len(run.refreshes()) == 1, run)
        assert "\u2028" in run.refreshes()[0] or "\\u2028" in run.refreshes()[0]
        until(lambda: received(serving, token), run)
        assert state.stat().st_mode & 0o777 == 0o600

        serving.kill()
        serving.start()
        assert run.token(2) == token
        assert "200" in serving.ctl("push", token).stdout
        until(lambda: len(run.refreshes()) == 2, run)
        until(lambda: serving.ctl("explain", token, "--table").stdout.count("received") >= 2, run)
    finally:
        run.kill()

    # Pushed while it is dead; the second instance is the same device.
    assert "sent=0, deferred=1" in serving.ctl("push", token).stdout
    again = Run(serving, program, state)
    try:
        assert again.token() == token
        until(lambda: len(again.refreshes()) == 1, again)
        until(lambda: serving.ctl("explain", token, "--table").stdout.count("received") >= 3, again)
        assert len(again.refreshes()) == 1
    finally:
        again.kill()


def test_a_device_that_the_gateway_has_forgotten_enrols_anew(
        serving: Gateway, program: Path, tmp_path: Path) -> None:
    run = Run(serving, program, tmp_path / "state.json")
    try:
        first = run.token()
        serving.kill()
        for file in serving.database.parent.glob(serving.database.name + "*"):
            file.unlink()
        serving.start()
        second = run.token(2)
        assert second != first
        assert "200" in serving.ctl("push", second).stdout
        until(lambda: len(run.refreshes()) == 1, run)
    finally:
        run.kill()
