"""`make run`'s demonstration: what its table says, the line that it prints to paste, and its end on Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway import ROOT

DEADLINE = 60


class Demonstration:
    """The script as a person starts it, in the way of a terminal: a process group of its own, one stream of text."""

    def __init__(self, binaries: Path, directory: Path, *arguments: str) -> None:
        self.text = ""
        self.process = subprocess.Popen(
            [ROOT / "Scripts/run-demo.sh", "--binaries", binaries, "--directory", directory, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
            # A runner in the background ignores SIGINT, and a shell cannot trap what was ignored when it began.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.text += line

    def wait_for(self, pattern: str) -> re.Match[str]:
        end = time.monotonic() + DEADLINE
        while not (match := re.search(pattern, self.text, re.MULTILINE)):
            assert self.process.poll() is None and time.monotonic() < end, f"no {pattern!r} in:\n{self.text}"
            time.sleep(0.02)
        return match

    def end(self) -> int:
        code = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        return code

    def interrupt(self) -> int:
        """As Ctrl-C does: to the whole group in the foreground."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.end()

    def rows(self) -> list[dict[str, str]]:
        """The table's rows; cells that repeat those above are filled in."""
        lines = self.text.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("PUSH "))
        header = lines[start]
        columns = {match[0]: match.start() for match in re.finditer(r"\S+", header)}
        ends = [*list(columns.values())[1:], None]
        table: list[dict[str, str]] = []
        for line in lines[start + 1:]:
            if not line.strip() or line.startswith("=="):
                break
            row = {name: line[begin:end].strip() for (name, begin), end in zip(columns.items(), ends)}
            table.append(row if row["PUSH"] else row | {"PUSH": table[-1]["PUSH"], "APNS-ID": table[-1]["APNS-ID"]})
        return table


@pytest.fixture
def directory() -> Iterator[Path]:
    # Not pytest's folder: the admin socket's path has to be short.
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        yield Path(folder) / "run"


def processes_of(directory: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if str(directory) in command:
                found.append(command)
    return found


def test_the_table_says_what_became_of_each_push_and_why(binaries: Path, directory: Path) -> None:
    demonstration = Demonstration(binaries, directory, "--once")
    assert demonstration.end() == 0, demonstration.text
    rows = demonstration.rows()
    said = [(row["PUSH"], row["OUTCOME"]) for row in rows]
    assert said == [
        ("first", "sent"), ("first", "sent"), ("second", "sent"), ("second", "sent"),
        ("third", "superseded"), ("third", "superseded"), ("fourth", "deferred"), ("fourth", "deferred"),
        ("in use", "sent"), ("dev 1", "sent"), ("dev 2", "sent"), ("dev 3", "sent"),
        ("now or never", "dropped"), ("can wait", "deferred"), ("wrong body", "refused")], demonstration.text
    why = {row["PUSH"]: row["WHY"] for row in rows}
    assert why["first"].startswith("charged") and why["first"].endswith("received")
    assert "budget" in why["fourth"]
    assert why["in use"].startswith("exempt")
    assert all(why[f"dev {n}"].startswith("bypass: developer mode") for n in (1, 2, 3))
    assert "not connected" in why["now or never"] and "not connected" in why["can wait"]
    assert why["wrong body"].startswith("PayloadEmpty: ") and "content-available" in why["wrong body"]
    until = {row["PUSH"]: row["UNTIL"] for row in rows}
    assert re.fullmatch(r"\d\d:\d\d:\d\dZ", until["fourth"]), demonstration.text
    assert not until["can wait"], "no time alone brings a device back"
    assert all(re.fullmatch(r"[0-9A-F]{8}", row["APNS-ID"]) for row in rows)
    assert processes_of(directory) == []


def test_the_printed_line_works_when_pasted_and_ctrl_c_ends_everything(binaries: Path, directory: Path) -> None:
    demonstration = Demonstration(binaries, directory)
    line = demonstration.wait_for(r"^curl .*$")[0]
    pasted = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE)
    assert pasted.stdout.startswith("HTTP/2 200"), pasted
    assert "gateway-refresh: sent=1, deferred=0, dropped=0" in pasted.stdout
    apns_id = re.search(r"apns-id: (\S+)", pasted.stdout)
    assert apns_id
    demonstration.wait_for(rf"^.* in-dev +refresh .*{apns_id[1]}$")
    secrets = [directory.joinpath(name).read_text().strip() for name in ("enrolment.key", "server.key")]
    before = (directory / "gatewayd.toml").read_bytes()
    assert demonstration.interrupt() == 0, demonstration.text
    assert processes_of(directory) == []
    assert not any(secret in demonstration.text for secret in secrets) and "eyJ" not in demonstration.text
    assert "gatewayd has ended" in (directory / "gatewayd.log").read_text()

    again = Demonstration(binaries, directory, "--once")
    assert again.end() == 0, again.text
    assert "is reused" in again.text
    assert [row["OUTCOME"] for row in again.rows()] == [row["OUTCOME"] for row in demonstration.rows()]
    assert (directory / "gatewayd.toml").read_bytes() == before
