"""What a service manager sees: readiness, status, the watchdog, a second TERM, an end that is not whole.

The manager is played by a datagram socket ($NOTIFY_SOCKET), as sd_notify(3) has it; `make test-systemd` does the same
with the real one.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from device import Device
from flood import Flood, Push
from gateway import Gateway
from provider import Provider

PTRACE_ATTACH, PTRACE_DETACH = 16, 17
WATCHDOG = 1.0


class Manager:
    """Hears what the service says of itself."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notify"
        self.heard: list[tuple[float, str]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.setblocking(False)

    def environment(self, *, watchdog: float | None = None) -> dict[str, str]:
        named = {**os.environ, "NOTIFY_SOCKET": str(self.path)}
        if watchdog is not None:
            named["WATCHDOG_USEC"] = str(int(watchdog * 1e6))
        return named

    def listen(self) -> list[tuple[float, str]]:
        with contextlib.suppress(BlockingIOError):
            while True:
                self.heard.append((time.monotonic(), self._socket.recv(65536).decode()))
        return self.heard

    def said(self, text: str, since: float = 0) -> bool:
        return any(text in message and at >= since for at, message in self.listen())

    async def until(self, text: str, since: float = 0, deadline: float = 60) -> None:
        async with asyncio.timeout(deadline):
            while not self.said(text, since):
                await asyncio.sleep(0.02)


@pytest.fixture
def manager(gateway: Gateway) -> Iterator[Manager]:
    manager = Manager(gateway.directory)
    yield manager
    manager._socket.close()


def thread(gateway: Gateway, name: str) -> int:
    assert gateway.process is not None
    for task in Path(f"/proc/{gateway.process.pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            return int(task.name)
    raise LookupError(f"no thread {name}")


@contextlib.contextmanager
def frozen(task: int) -> Iterator[None]:
    """Stops one thread of another process, as a disk or a bug may, and lets it go on."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(PTRACE_ATTACH, task, None, None) != 0:
        pytest.skip(f"one thread cannot be stopped here: {os.strerror(ctypes.get_errno())}")
    os.waitpid(task, 0x40000000)  # __WALL
    try:
        yield
    finally:
        libc.ptrace(PTRACE_DETACH, task, None, None)


async def test_status_says_what_the_gateway_does(gateway: Gateway, manager: Manager) -> None:
    gateway.start(env=manager.environment(watchdog=WATCHDOG))
    await manager.until("READY=1")
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        for _ in range(50):
            assert (await backend.push(token)).status == 200
        await manager.until(" pushes/s, 1 widget waiting")
        await manager.until("1 provider and 1 device connection, 0 devices on a stream")
        gateway.admin("PUT", "/v1/developer-mode",
                      {"app": "com.example.caffeine", "seconds": 60, "who": "ada", "why": "status"})
        await manager.until("STATUS=developer mode active (1 grant), ")
    # A reload that fails is in the status, in `gatewayctl status` and in a metric, until one succeeds.
    assert gateway.process is not None
    config = gateway.config.read_text()
    gateway.config.write_text(config + "\nnonsense = 1\n")
    since = time.monotonic()
    gateway.process.send_signal(signal.SIGHUP)
    await manager.until("RELOADING=1", since)
    await manager.until("STATUS=the last reload failed, an older configuration is served", since)
    failed = gateway.admin("GET", "/v1/status")[1]["lastReload"]
    assert not failed["succeeded"] and "nonsense" in failed["problems"][0]
    metrics = gateway.admin("GET", "/metrics")[1]
    assert 'gatewayd_reloads_total{outcome="failed"} 1' in metrics and "gatewayd_reload_failed 1" in metrics
    # A pipe that nobody writes to would keep the reload, and every later signal, waiting.
    gateway.config.unlink()
    os.mkfifo(gateway.config)
    gateway.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(30):
        while "cannot read the configuration: not a regular file" not in gateway.log.read_text():
            await asyncio.sleep(0.02)
    gateway.config.unlink()
    gateway.config.write_text(config)
    gateway.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(30):
        while "gatewayd_reload_failed 0" not in gateway.admin("GET", "/metrics")[1]:
            await asyncio.sleep(0.02)
    assert gateway.admin("GET", "/v1/status")[1]["lastReload"]["succeeded"]
    assert await asyncio.to_thread(gateway.stop) == 0
    assert manager.said("STOPPING=1")


@pytest.mark.parametrize(
    ("loops", "name"),
    [(1, "gateway-loop"), (1, "gateway-store"), (2, "gateway-ledger"), (2, "gateway-loop-1")])
async def test_the_watchdog_is_fed_only_while_everything_turns(
    gateway: Gateway, manager: Manager, loops: int, name: str
) -> None:
    gateway.set({"loops": loops})
    gateway.start(env=manager.environment(watchdog=WATCHDOG))
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        await manager.until("WATCHDOG=1")
        with frozen(thread(gateway, name)):
            # A store that has nothing to do sleeps, and stands still for nobody.
            push = asyncio.create_task(backend.push(token))
            await asyncio.sleep(3 * WATCHDOG)
            since = time.monotonic()
            await asyncio.sleep(3 * WATCHDOG)
            fed = manager.said("WATCHDOG=1", since)
            stuck = manager.said("STATUS=stuck")
            # The push may have come over the other loop.
            assert not push.done() or name.startswith("gateway-loop-"), "what is not durable is not answered"
        if name != "gateway-store":
            assert not fed and stuck
        since = time.monotonic()
        await manager.until("WATCHDOG=1", since)
        assert (await asyncio.wait_for(push, 60)).status == 200


async def test_a_store_that_hangs_in_a_commit_is_not_fed_for(gateway: Gateway, manager: Manager, frozen_disk) -> None:
    """A disk that answers nothing, not even with an error: the writes hang in the kernel until it is thawed."""
    gateway.set({"store.database": str(frozen_disk.path / "gateway.sqlite")})
    gateway.start(env=manager.environment(watchdog=WATCHDOG))
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        assert (await backend.push(token)).status == 200
        with frozen_disk.frozen():
            push = asyncio.create_task(backend.push(token))
            await manager.until("STATUS=stuck")
            since = time.monotonic()
            await asyncio.sleep(3 * WATCHDOG)
            assert not manager.said("WATCHDOG=1", since)
            assert not push.done()
            # The loop itself answers whoever asks.
            assert gateway.admin("GET", "/healthz")[0] == 200
        since = time.monotonic()
        await manager.until("WATCHDOG=1", since)
        assert (await asyncio.wait_for(push, 60)).status == 200


async def test_a_second_term_ends_at_once_and_loses_nothing(start) -> None:
    gateway = start({"lifecycle.drain": "10m", "checks.pushes-per-token-per-minute": 0})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    answered = [0]

    def note(push: Push) -> None:
        answered[0] = max(answered[0], push.number)

    numbers = iter(range(1, 1 << 40))
    load = Flood(gateway, 300, lambda: Push(token, next(numbers)), note)
    load.start()
    while answered[0] < 2000:
        await asyncio.sleep(0.01)
    # A client that reads nothing more would hold the drain up for its whole time.
    async with await Provider.connect(gateway) as deaf:
        assert (await deaf.push(token)).status == 200
        deaf.connection._transport.pause_reading()
        gateway.process.send_signal(signal.SIGTERM)
        gateway.process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        assert await asyncio.to_thread(gateway.process.wait, 60) == 0
        assert time.monotonic() - begun < 20
    await asyncio.to_thread(load.join, 60)
    await asyncio.to_thread(gateway.start)
    await device.redial()
    refresh = await (await device.updates()).next()
    assert refresh.data["payload"].get("n", answered[0]) >= answered[0]
    await device.close()


async def test_an_end_whose_last_commits_failed_is_no_success(gateway: Gateway) -> None:
    gateway.start()
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        assert (await backend.push(token)).status == 200
        other = sqlite3.connect(gateway.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        push = asyncio.create_task(backend.push(token))
        async with asyncio.timeout(30):
            while gateway.is_ready():
                await asyncio.sleep(0.01)
        assert (await backend.push(token)).status == 503
        gateway.process.send_signal(signal.SIGTERM)
        gateway.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(gateway.process.wait, 60) == 1
        with contextlib.suppress(Exception):
            assert (await asyncio.wait_for(push, 5)).status != 200
        other.close()
    assert "nobody was told that they were accepted" in gateway.log.read_text()
    await asyncio.to_thread(gateway.start)
    assert gateway.is_ready()
