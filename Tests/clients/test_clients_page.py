"""What docs/clients.md tells people to write is what works: its lines are run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from device import Device
from gateway import ROOT, Gateway
from libraries import CLIENTS

PAGE = (ROOT / "docs" / "clients.md").read_text()
#: Those of the languages that the tests have; `javascript` is for people, as its library is not to be had.
PROGRAMS = {"python": [sys.executable, "-W", "ignore::DeprecationWarning", "-c"], "sh": ["sh", "-euc"], "js": ["node", "-e"]}
BLOCKS = [(heading, language, text) for heading, section in re.findall(
              r"^### (.+)\n((?:(?!^##).*\n)*)", PAGE, re.MULTILINE)
          for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
          if language in PROGRAMS]


@pytest.fixture(scope="module")
def gateway(binaries: Path) -> Iterator[Gateway]:
    gateway = Gateway(binaries)
    gateway.start()
    # The page's folder.
    (gateway.directory / "run").symlink_to(gateway.setup)
    yield gateway
    gateway.clean_up()


@pytest.mark.parametrize(("language", "text"), [block[1:] for block in BLOCKS], ids=[block[0] for block in BLOCKS])
async def test_the_lines_of_the_page_push(gateway: Gateway, language: str, text: str) -> None:
    async with await Device.enrol(gateway) as phone:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        assert "2197" in text
        done = subprocess.run(
            [*PROGRAMS[language], text.replace("2197", str(gateway.provider_port()))], cwd=gateway.directory,
            env=os.environ | {"TOKEN": token, "PATH": f"{gateway.binaries.resolve()}:{os.environ['PATH']}"},
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr + done.stdout
        assert (await updates.next()).data["payload"] == {"aps": {"content-changed": True}}


def test_the_page_has_lines_for_each_client_that_is_tested() -> None:
    assert {heading for heading, _, _ in BLOCKS} == {
        "aioapns", "apns2-up and PyAPNs2", "kalyke-apns", "pyapns-client3", "httpx", "curl", "nghttp", "node-apn"}
    for client in CLIENTS:
        assert client.package in PAGE.lower() or client.package == "nodejs"


def test_the_page_names_the_versions_that_are_tested() -> None:
    pins = dict(re.findall(r"^([\w-]+)(?:\[\w+\])?==(\S+)$", (Path(__file__).parent / "requirements.txt").read_text(),
                           re.MULTILINE))
    for package in ("aioapns", "apns2-up", "kalyke-apns", "pyapns-client3", "httpx"):
        row = re.search(rf"^\| \[{package}\]\(#[\w-]+\) (\S+)", PAGE, re.MULTILINE)
        assert row and row[1] == pins[package]
