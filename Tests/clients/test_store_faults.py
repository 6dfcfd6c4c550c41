"""A store that cannot write: 503 and nothing else while it cannot, no 200 of before lost, and on its own feet again when
the cause has gone.

A full disk is a real one of 20 MB (root is needed to mount it; else that test is skipped). For minutes of it:
`Tests/clients/run -k full_disk --rounds 20`.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import sqlite3
import threading
from collections.abc import Iterator

import pytest

from device import Device
from disk import SmallDisk
from flood import Flood, Push
from gateway import Gateway
from provider import Provider

DEVICES = 60


class Load:
    """Pushes to many registrations over two connections, and what was promised to each."""

    def __init__(self, gateway: Gateway, tokens: list[str]) -> None:
        self.gateway = gateway
        self.tokens = tokens
        self.promised = dict.fromkeys(tokens, 0)
        self.accepted = 0
        self._sent = dict.fromkeys(tokens, 0)
        self._lock = threading.Lock()
        half = len(tokens) // 2
        self.lanes = [self._lane(tokens[:half]), self._lane(tokens[half:])]

    def _lane(self, tokens: list[str]) -> Flood:
        turn = 0

        def choose() -> Push:
            nonlocal turn
            turn += 1
            token = tokens[turn % len(tokens)]
            self._sent[token] += 1
            return Push(token, self._sent[token])

        def answered(push: Push) -> None:
            with self._lock:
                self.accepted += 1
                self.promised[push.token] = max(self.promised[push.token], push.number)

        return Flood(self.gateway, 200, choose, answered)

    def start(self) -> None:
        for lane in self.lanes:
            lane.start()

    async def join(self) -> None:
        for lane in self.lanes:
            await asyncio.to_thread(lane.join, 60)
            assert lane.finding is None, lane.finding


async def registered(gateway: Gateway, count: int) -> tuple[list[Device], list[str]]:
    connection = await Device.dial(gateway)
    devices = [await Device.enrol(gateway, connection=connection) for _ in range(count)]
    tokens = [(await device.register())["token"] for device in devices]
    await connection.close()
    return devices, tokens


async def until(condition, deadline: float = 60) -> None:
    async with asyncio.timeout(deadline):
        while not condition():
            await asyncio.sleep(0.01)


async def expect_promises_kept(gateway: Gateway, devices: list[Device], promised: dict[str, int]) -> None:
    """No device was connected before, so every marked widget has its whole budget and is refreshed at once."""
    connection = await Device.dial(gateway)
    for device, token in zip(devices, promised, strict=True):
        device.connection = connection
        if promised[token]:
            refresh = await (await device.updates()).next()
            assert refresh.data["payload"]["n"] >= promised[token], "a push that was answered 200 is lost"
    await connection.close()


def rounds(request: pytest.FixtureRequest) -> int:
    return max(1, request.config.getoption("--rounds") // 5)


async def test_a_full_disk_under_load_answers_503_only_and_loses_nothing(
    gateway: Gateway, small_disk: SmallDisk, request: pytest.FixtureRequest
) -> None:
    gateway.set({
        "store.database": str(small_disk.path / "gateway.sqlite"), "checks.pushes-per-token-per-minute": 0,
        "limits.errors-per-minute": 0,
    })
    gateway.start()
    devices, tokens = await registered(gateway, DEVICES)
    load = Load(gateway, tokens)
    load.start()
    await until(lambda: load.accepted > 1000)
    async with await Provider.connect(gateway) as backend:
        for _ in range(rounds(request)):
            small_disk.fill(leaving=0)
            await until(lambda: not gateway.is_ready())
            # What was under way when it became full waits for its commit. A smaller one may still find room in the
            # WAL; then that is taken too.
            accepted = -1
            async with asyncio.timeout(60):
                while gateway.is_ready() or accepted != load.accepted:
                    accepted = load.accepted
                    await asyncio.sleep(1)
            for turn in range(500):
                answer = await backend.push(tokens[turn % len(tokens)])
                assert answer.status == 503 and answer.json["reason"] == "ServiceUnavailable"
                assert answer.header("retry-after") == "1"
            assert not gateway.is_ready()
            assert load.accepted == accepted, "a push was answered 200 while nothing could be written"
            status, ready = gateway.admin("GET", "/readyz")
            assert status == 503 and "free space" in ready["why"]
            small_disk.empty()
            await until(gateway.is_ready)
            await until(lambda accepted=accepted: load.accepted > accepted + 500)
            wal = (small_disk.path / "gateway.sqlite-wal").stat().st_size
            assert wal < 8_000_000, "the WAL has taken the room that the database needs to grow, and will take more"
        gateway.kill()
    await load.join()
    gateway.start()
    await expect_promises_kept(gateway, devices, load.promised)


@contextlib.contextmanager
def nothing_grows(gateway: Gateway, _: SmallDisk | None = None) -> Iterator[str]:
    """Each write beyond a file's end fails with EFBIG."""
    pid = gateway.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    yield "disk I/O error"
    resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextlib.contextmanager
def locked(gateway: Gateway) -> Iterator[str]:
    other = sqlite3.connect(gateway.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield "another program holds a lock"
    other.execute("ROLLBACK")
    other.close()


@contextlib.contextmanager
def moved(gateway: Gateway) -> Iterator[str]:
    away = gateway.database.with_suffix(".away")
    gateway.database.rename(away)
    yield "put the file back"
    away.rename(gateway.database)


@pytest.mark.parametrize("fault", [nothing_grows, locked, moved])
async def test_a_store_that_cannot_write_answers_503_and_heals(start, fault) -> None:
    gateway = start({"checks.pushes-per-token-per-minute": 0, "limits.errors-per-minute": 0})
    devices, tokens = await registered(gateway, 10)
    load = Load(gateway, tokens)
    load.start()
    await until(lambda: load.accepted > 500)
    for _ in range(2):
        with fault(gateway) as cause:
            await until(lambda: not gateway.is_ready())
            # Answers may be on their way to their connections still.
            accepted = -1
            async with asyncio.timeout(30):
                while accepted != load.accepted:
                    accepted = load.accepted
                    await asyncio.sleep(0.3)
            async with await Provider.connect(gateway) as backend:
                for turn in range(200):
                    assert (await backend.push(tokens[turn % len(tokens)])).status == 503
            assert load.accepted == accepted
            assert cause in gateway.admin("GET", "/readyz")[1]["why"]
            assert cause in gateway.admin("GET", "/v1/status")[1]["store"]["failing"]
        await until(gateway.is_ready)
        await until(lambda accepted=accepted: load.accepted > accepted + 200)
    assert gateway.log.read_text().count("the store takes commits again") >= 2
    gateway.kill()
    await load.join()
    gateway.start()
    await expect_promises_kept(gateway, devices, load.promised)


def test_a_disk_that_can_only_be_read_is_named_at_the_start(gateway: Gateway, small_disk: SmallDisk) -> None:
    gateway.set({"store.database": str(small_disk.path / "gateway.sqlite")})
    gateway.start()
    assert gateway.stop() == 0
    small_disk.remount("ro")
    process = gateway.spawn()
    assert process.wait(60) == 1
    said = gateway.log.read_text()
    assert "store.database: " in said and "Read-only file system" in said, said
    small_disk.remount("rw")
    gateway.start()
    assert gateway.is_ready()
