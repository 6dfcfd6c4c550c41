"""`gatewayctl simulate` as a process: a crowd that a fan-out reaches whole, files, limits, and a picture that is XML."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from gateway import BUNDLE, ROOT, Gateway

DEADLINE = 120


class Crowd:
    def __init__(self, gateway: Gateway, *arguments: str | Path, descriptors: int | None = None) -> None:
        def limit() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if descriptors is not None:
                hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard))

        self.gateway = gateway
        self.process = subprocess.Popen(
            [gateway.binaries / "gatewayctl", "--config", gateway.config, "simulate", "--json", "--quiet", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, self.gateway.admin("GET", "/v1/status")
            time.sleep(0.05)

    def connected(self) -> int:
        return int(re.search(r"devices +\d+, (\d+) connected", self.gateway.ctl("status").stdout)[1])  # type: ignore[index]

    def report(self) -> dict[str, Any]:
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=DEADLINE)
        report = json.loads(output.splitlines()[-1])
        report["exit"] = self.process.returncode
        assert not errors, errors
        return report


@pytest.fixture
def crowd(serving: Gateway) -> Iterator[Callable[..., Crowd]]:
    begun: list[Crowd] = []

    def begin(*arguments: str | Path, descriptors: int | None = None) -> Crowd:
        begun.append(Crowd(serving, *arguments, descriptors=descriptors))
        return begun[-1]

    yield begin
    for one in begun:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def fan_out(gateway: Gateway, *arguments: str) -> dict[str, Any]:
    payload = json.dumps({"aps": {"content-changed": True}, "sent": time.time() * 1000})
    done = gateway.ctl("fan-out", "start", BUNDLE, "--payload", payload, "--json", *arguments)
    assert done.returncode == 0, done
    return json.loads(done.stdout.splitlines()[-1])


def test_a_fan_out_reaches_the_whole_crowd_and_the_reports_agree(
        serving: Gateway, crowd: Callable[..., Crowd]) -> None:
    platforms = [word for name in ("iOS", "iPadOS", "macOS", "watchOS", "visionOS") for word in ("--platform", name)]
    # The soft limit of descriptors is too low for it, and is raised.
    devices = crowd("--devices", "300", "--widgets", "3", "--seed", "11", *platforms, descriptors=64)
    devices.until(lambda: devices.connected() == 300)
    report = fan_out(serving)
    assert (report["state"], report["matched"], report["marked"]) == ("done", 900, 900), report
    devices.until(lambda: json.loads(
        serving.ctl("fan-out", "show", report["id"], "--json").stdout)["received"] == 900)
    # A second one, for some of them: the others have missed nothing.
    second = fan_out(serving, "--platform", "watchOS")
    assert second["matched"] == 180
    devices.until(lambda: json.loads(
        serving.ctl("fan-out", "show", second["id"], "--json").stdout)["received"] == 180)
    result = devices.report()
    assert result["exit"] == 0, result
    assert (result["devices"], result["ready"], result["refreshes"]) == (300, 300, 360)
    assert result["refreshedWidgets"] == 1080
    assert result["behind"] == {"missed": 0, "budget": 0, "away": 0, "unread": 0}
    assert result["duplicates"] == result["unexplainedDuplicates"] == 0
    assert result["latency"]["count"] == 360 and 0 <= result["latency"]["p50"] <= result["latency"]["max"]
    assert result["gaps"]["count"] == 180
    rows = {(row["platform"], row["family"]): row for row in result["widgets"]}
    assert rows["watchOS", "accessoryCircular"]["refreshes"] == 120
    assert rows["visionOS", "systemSmall"]["refreshes"] == 60
    assert ("macOS", "accessoryCircular") not in rows
    assert serving.ctl("registrations").stdout == "No registrations.\n"


def test_devices_that_lose_receipts_explain_their_duplicates(
        serving: Gateway, crowd: Callable[..., Crowd], tmp_path: Path) -> None:
    file = tmp_path / "profiles.json"
    file.write_text(json.dumps({"profiles": [
        {"name": "calm"}, {"name": "wild", "like": "flaky", "connected": "400ms", "away": "100ms"}]}))
    devices = crowd("--devices", "60", "--profiles", file)
    devices.until(lambda: serving.admin("GET", "/v1/status")[1]["registrations"] == 60)
    for _ in range(3):
        fan_out(serving)
        time.sleep(1)
    result = devices.report()
    assert [(row["profile"], row["devices"]) for row in result["profiles"]] == [("calm", 30), ("wild", 30)]
    calm, wild = result["profiles"]
    assert calm["refreshes"] == 90 and calm["duplicates"] == calm["reconnects"] == 0, calm
    assert wild["reconnects"] > 0 and wild["lostReceipts"] > 0 and wild["duplicates"] > 0, wild
    assert result["unexplainedDuplicates"] == 0 and result["behind"]["missed"] == 0, result


def test_the_profiles_of_the_page_are_read_and_the_picture_is_xml(
        serving: Gateway, crowd: Callable[..., Crowd], tmp_path: Path) -> None:
    page = (ROOT / "docs" / "devices.md").read_text()
    text = re.findall(r"^```json profiles\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    file, picture = tmp_path / "profiles.json", tmp_path / "wrist.svg"
    file.write_text(text[0])
    devices = crowd("--devices", "5", "--profiles", file, "--profile", "wrist", "--snapshot", picture)
    devices.until(lambda: picture.exists() and "4 as placed" in picture.read_text())
    fan_out(serving)
    devices.until(lambda: "4 widgets: 4 fresh" in picture.read_text())
    assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    drawn = picture.read_text()
    assert "watchOS 26.1" in drawn and "Watch face, accented" in drawn and "Smart Stack, full colour" in drawn
    assert devices.report()["exit"] == 0


def test_more_connections_than_the_process_may_have_are_refused_before_any(serving: Gateway) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

    done = serving.program("gatewayctl", "--config", serving.config, "simulate", "--devices", "200", preexec_fn=limit)
    assert done.returncode == 1
    assert "200 connections need 232 file descriptors, and this process may have 100" in done.stderr
    assert "--devices-per-connection" in done.stderr
