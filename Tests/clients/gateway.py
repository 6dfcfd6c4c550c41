"""One gateway as a process of its own: made with `gatewayd init`, served, asked over its admin socket, ended."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUNDLE = "com.example.caffeine"
ROOT = Path(__file__).resolve().parents[2]


def find_binaries() -> Path:
    if given := os.environ.get("GATEWAYD_BIN_DIR"):
        return Path(given)
    shown = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True, check=True)
    return Path(shown.stdout.strip())


def free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago; all are held until all are chosen, so that no two are the same."""
    held = []
    for _ in range(count):
        family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(("::" if family == socket.AF_INET6 else "0.0.0.0", 0))
        held.append(listener)
    ports = [listener.getsockname()[1] for listener in held]
    for listener in held:
        listener.close()
    return ports


def set_key(text: str, path: str, value: Any) -> str:
    """`gatewayd.toml` with one key set: "budget.burst", "provider[1].listen", "loops". The table is added when absent.

    The file is edited and not written anew, since its comments are part of what is tested.
    """
    table, _, key = path.rpartition(".")
    line = f"{key} = {_toml(value)}"
    indexed = re.fullmatch(r"(.+)\[(\d+)\]", table)
    name, index, header = (
        (indexed[1], int(indexed[2]), f"[[{indexed[1]}]]") if indexed else (table, 0, f"[{table}]"))
    lines = text.splitlines()
    if name:
        starts = [i for i, row in enumerate(lines) if row.split("#")[0].strip() == header]
        if len(starts) <= index:
            return "\n".join([*lines, "", header, line, ""])
        start = starts[index] + 1
    else:
        start = 0
    end = next((i for i in range(start, len(lines)) if lines[i].lstrip().startswith("[")), len(lines))
    for i in range(start, end):
        if re.match(rf"\s*{re.escape(key)}\s*=", lines[i]):
            lines[i] = line
            return "\n".join(lines) + "\n"
    lines.insert(start, line)
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True)
class Credential:
    """One `[[provider-key]]` of the configuration."""

    team: str
    key_id: str
    file: Path


class Gateway:
    def __init__(self, binaries: Path, bundle: str = BUNDLE) -> None:
        self.binaries = binaries
        # Not pytest's folder: the admin socket's path has to fit into the 108 bytes of a Unix socket's address.
        self.directory = Path(tempfile.mkdtemp(prefix="gateway-"))
        self.setup = self.directory / "setup"
        self.config = self.setup / "gatewayd.toml"
        self.log = self.directory / "log"
        self.process: subprocess.Popen[bytes] | None = None
        self.development_port, self.production_port, self.device_port, self.admin_port = free_ports(4)
        self.initialise(bundle)

    # Programs

    def program(self, name: str, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end; never longer than a minute."""
        return subprocess.run(
            [self.binaries / name, *arguments], capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL, **options)

    def initialise(self, bundle: str) -> None:
        done = self.program(
            "gatewayd", "init", "--directory", self.setup, "--bundle-id", bundle,
            "--provider-port", str(self.development_port), "--production-port", str(self.production_port),
            "--device-port", str(self.device_port), "--admin-port", str(self.admin_port))
        assert done.returncode == 0, done.stderr
        # So that the whole suite can be run with several loops.
        if loops := os.environ.get("GATEWAYD_LOOPS"):
            self.set({"loops": int(loops)})

    def ctl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.program("gatewayctl", "--config", self.config, *arguments)

    # Configuration

    def set(self, settings: dict[str, Any]) -> None:
        text = self.config.read_text()
        for path, value in settings.items():
            text = set_key(text, path, value)
        self.config.write_text(text)

    def append(self, text: str) -> None:
        self.config.write_text(self.config.read_text() + "\n" + text + "\n")

    @property
    def configuration(self) -> dict[str, Any]:
        return tomllib.loads(self.config.read_text())

    def path(self, name: str) -> Path:
        """A path as the configuration names it: relative ones count from its own folder."""
        return self.setup / name

    @property
    def ca(self) -> str:
        return str(self.setup / "ca.pem")

    def credential(self, environment: str = "development") -> Credential:
        for entry in self.configuration["provider-key"]:
            if entry["environment"] == environment:
                return Credential(entry["team"], entry["key-id"], self.path(entry["file"]))
        raise LookupError(f"no provider key for {environment}")

    @property
    def enrolment_key(self) -> str:
        return self.path(self.configuration["enrolment"][0]["key-file"]).read_text().strip()

    @property
    def database(self) -> Path:
        return self.path(self.configuration["store"]["database"])

    def provider_port(self, environment: str = "development") -> int:
        return self.development_port if environment == "development" else self.production_port

    # The process

    def spawn(self, **options: Any) -> subprocess.Popen[bytes]:
        assert self.process is None or self.process.poll() is not None, "it is running already"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.binaries / "gatewayd", "serve", "--config", self.config], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, **options)
        return self.process

    def start(self, deadline: float = 60, **options: Any) -> None:
        process = self.spawn(**options)
        end = time.monotonic() + deadline
        while not self.is_ready():
            assert process.poll() is None, f"gatewayd ended with {process.returncode}"
            assert time.monotonic() < end, "gatewayd did not become ready"
            time.sleep(0.01)

    def is_ready(self) -> bool:
        try:
            return self.admin("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def kill(self) -> None:
        """SIGKILL: nothing is written, nothing is said."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self, deadline: float = 60) -> int:
        """SIGTERM: drains. The exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(deadline)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def resident_kilobytes(self) -> int:
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]

    def clean_up(self) -> None:
        if self.is_running:
            assert self.process is not None
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    # Admin

    def admin(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status, and the body: decoded where it is JSON, text otherwise."""
        connection = _UnixConnection(str(self.path(self.configuration["admin"]["socket"])))
        try:
            content = None if body is None else json.dumps(body)
            headers = {} if body is None else {"content-type": "application/json"}
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            text = response.read().decode()
            is_json = "json" in (response.getheader("content-type") or "")
            return response.status, json.loads(text) if is_json and text else text
        finally:
            connection.close()
