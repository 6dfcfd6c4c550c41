"""Who is measured: gatewayd, and nghttpd, nghttp2's own server, which only answers."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gateway import Gateway, free_ports
from machine import SERVER_CORE, BenchFailed, on_server_core

#: What would end a load that one client makes alone, or leave it out.
UNLIMITED = {
    "checks.pushes-per-token-per-minute": 0, "enrolment[0].maximum-devices": 100_000_000, "enrolment[0].per-minute": 0,
    "enrolment[0].per-address-per-minute": 0, "limits.errors-per-minute": 0, "limits.connections": 15_000,
    "limits.connections-per-address": 0, "limits.handshakes": 15_000, "limits.handshake-timeout": "1m"}


@dataclass(frozen=True)
class Server:
    name: str
    pid: int
    #: A device token completes it.
    base: str
    headers: tuple[str, ...]

    def addresses(self, tokens: Iterable[str], file: Path) -> Path:
        """A file of URIs for h2load, one for each token."""
        with file.open("w") as lines:
            lines.writelines(f"{self.base}{token}\n" for token in tokens)
        return file


class Nghttpd:
    """Answers each POST from one empty file: the tokens are in the query, so that it looks up no file per token.
    `/3?device/<token>` is as long as `/3/device/<token>`."""

    def __init__(self, gateway: Gateway, folder: Path) -> None:
        """Shows the gateway's certificate."""
        tls = gateway.configuration["tls"]
        documents = folder / "documents"
        documents.mkdir()
        (documents / "3").touch()
        self.port = free_ports(1)[0]
        self._process = subprocess.Popen(
            ["taskset", "--cpu-list", str(SERVER_CORE), "nghttpd", "--address", "127.0.0.1", "--htdocs", documents,
             str(self.port), gateway.path(tls["key"]), gateway.path(tls["certificate"])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while not _accepts(self.port):
            if self._process.poll() is not None or time.monotonic() > end:
                raise BenchFailed("nghttpd did not start")
            time.sleep(0.02)

    def server(self, headers: tuple[str, ...]) -> Server:
        return Server("nghttpd", self._process.pid, f"https://127.0.0.1:{self.port}/3?device/", headers)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def configure(gateway: Gateway, loops: int | None, settings: dict[str, object]) -> None:
    gateway.set({**UNLIMITED, **({} if loops is None else {"loops": loops}), **settings})


def start(gateway: Gateway, deadline: float = 120) -> None:
    try:
        gateway.start(deadline, preexec_fn=on_server_core)
    except AssertionError as failure:
        said = gateway.log.read_text().splitlines()
        raise BenchFailed(f"{failure}: {said[-1] if said else 'it said nothing'}") from None


def metric(gateway: Gateway, name: str) -> float:
    """Of all its series the sum."""
    found = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", gateway.admin("GET", "/metrics")[1], re.MULTILINE)
    if not found:
        raise BenchFailed(f"/metrics has no {name}")
    return sum(map(float, found))


def store_bytes(gateway: Gateway) -> dict[str, int]:
    """`database`, `wal`, and `journal`: what of the database is not in tables yet."""
    file = gateway.database
    wal = file.with_name(file.name + "-wal")
    return {"database": file.stat().st_size, "wal": wal.stat().st_size if wal.exists() else 0,
            "journal": int(metric(gateway, "gatewayd_journal_bytes"))}
