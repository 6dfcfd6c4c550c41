"""Limits: whoever takes all there is keeps nobody else out, and the gateway says what it lacks.

When it is full the oldest idle provider connections go first, with a GOAWAY, and strangers before those that have shown
a credential. Handshakes that never end, requests that never end and a log that nobody reads hold nothing up.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import socket
import subprocess

from device import Device
from gateway import Gateway
from http2 import Connection
from provider import Provider

IDLE = 1.2


def metric(gateway: Gateway, name: str) -> float:
    text = gateway.admin("GET", "/metrics")[1]
    return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name + " "))


def connections(gateway: Gateway) -> int:
    counted = gateway.admin("GET", "/v1/status")[1]["connections"]
    return counted["provider"] + counted["device"]


async def until(condition, deadline: float = 60) -> None:
    async with asyncio.timeout(deadline):
        while not condition():
            await asyncio.sleep(0.02)


def has_left(connection: Connection) -> bool:
    return connection.goaway is not None


async def test_when_full_the_oldest_idle_provider_goes_first_and_strangers_before_it(start) -> None:
    gateway = start({"limits.connections": 6})
    device = await Device.enrol(gateway)
    token = (await device.register())["token"]
    updates = await device.updates()
    backends = [await Provider.connect(gateway) for _ in range(3)]
    for backend in backends:
        assert (await backend.push(token)).status == 200
    # Newer than all of them, and has shown nothing.
    strangers = [await Provider.connect(gateway) for _ in range(2)]
    assert connections(gateway) == 6
    await asyncio.sleep(IDLE)
    # Not idle any more.
    assert (await backends[0].push(token)).status == 200
    newcomers = [await Provider.connect(gateway) for _ in range(3)]
    for newcomer in newcomers:
        assert (await newcomer.push(token)).status == 200
    await until(lambda: all(has_left(left.connection) for left in [*strangers, backends[1]]))
    assert b"IdleTimeout" in strangers[0].connection.goaway.additional_data
    assert not has_left(backends[0].connection) and not has_left(backends[2].connection)
    assert metric(gateway, "gatewayd_connections_evicted_total") == 3
    # A device is never sent away for a backend.
    assert (await updates.next()).data["app"]
    # Nobody is idle now: one more is turned away, and the others stay.
    for backend in [backends[0], backends[2], *newcomers]:
        assert (await backend.push(token)).status == 200
    with contextlib.suppress(Exception):
        refused = await asyncio.wait_for(Provider.connect(gateway), 10)
        await asyncio.wait_for(refused.push(token), 10)
        raise AssertionError("a connection beyond the limit was served")
    assert (await backends[2].push(token)).status == 200
    for backend in [*backends, *strangers, *newcomers]:
        await backend.close()
    await device.close()


async def test_one_address_has_no_more_than_its_share(start) -> None:
    gateway = start({"limits.connections-per-address": 3})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
        backends = [await Provider.connect(gateway) for _ in range(2)]
        with contextlib.suppress(Exception):
            refused = await asyncio.wait_for(Provider.connect(gateway), 10)
            await asyncio.wait_for(refused.push(token), 10)
            raise AssertionError("a connection beyond the share was served")
        await backends[0].close()
        # A socket lingers a moment, so that the last words of its connection arrive.
        async with asyncio.timeout(60):
            while True:
                try:
                    async with await Provider.connect(gateway) as backend:
                        assert (await backend.push(token)).status == 200
                    break
                except OSError:
                    await asyncio.sleep(0.1)
        await backends[1].close()


async def test_handshakes_that_never_end_keep_nobody_out(start) -> None:
    gateway = start({"limits.handshakes": 20, "limits.handshake-timeout": "5m", "limits.connections": 1000})
    silent = [socket.create_connection(("127.0.0.1", gateway.provider_port())) for _ in range(100)]
    await until(lambda: metric(gateway, "gatewayd_handshakes") == 20)
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        assert (await backend.push(token)).status == 200
    assert connections(gateway) <= 24
    for one in silent:
        one.close()
    await until(lambda: metric(gateway, "gatewayd_handshakes") == 0)


async def test_a_request_that_comes_drop_by_drop_is_reset_and_its_connection_serves_others(start) -> None:
    gateway = start({"limits.request-timeout": "1s"})
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        assert (await backend.push(token)).status == 200
        engine = backend.connection._h2
        stream = engine.get_next_available_stream_id()
        engine.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", f"/3/device/{token}"),
            ("authorization", backend.authorization)])
        backend.connection._flush()
        await until(lambda: metric(gateway, "gatewayd_requests_overdue_total") == 1)
        assert (await backend.push(token)).status == 200


async def test_too_few_files_are_said_and_are_a_limit_of_connections(gateway: Gateway) -> None:
    gateway.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 200)))
    limits = dict(zip(("soft", "hard"), resource.prlimit(gateway.process.pid, resource.RLIMIT_NOFILE), strict=True))
    assert limits == {"soft": 200, "hard": 200}, "the soft limit was not raised to the hard one"
    assert "LimitNOFILE" in gateway.log.read_text()
    room = int(metric(gateway, "gatewayd_connections_limit"))
    assert 50 <= room < 200
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    open_ones = []
    for _ in range(2 * room):
        with contextlib.suppress(Exception):
            open_ones.append(await asyncio.wait_for(Provider.connect(gateway), 5))
    # It is full of connections, and not out of files: the store and the operator have theirs.
    assert connections(gateway) <= room + max(8, room // 8)
    assert metric(gateway, "process_open_fds") < metric(gateway, "process_max_fds") == 200
    assert gateway.is_ready()
    await asyncio.sleep(IDLE)
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200
    for one in open_ones:
        await one.close()


async def test_a_log_that_nobody_reads_stops_nothing(gateway: Gateway) -> None:
    gateway.set({"log.level": "debug", "limits.errors-per-minute": 0})
    reader, writer = os.pipe()
    process = gateway.process = subprocess.Popen(
        [gateway.binaries / "gatewayd", "serve", "--config", gateway.config], stdin=subprocess.DEVNULL,
        stdout=writer, stderr=writer)
    os.close(writer)
    await until(gateway.is_ready)
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        # Each reload that fails has a long line; the pipe takes 64 KiB of them.
        gateway.config.write_text(gateway.config.read_text() + "\n" + "".join(f"wrong{n} = 1\n" for n in range(2000)))
        async with asyncio.timeout(120):
            while metric(gateway, "gatewayd_log_lines_lost_total") == 0:
                process.send_signal(signal.SIGHUP)
                await asyncio.sleep(0.1)
                assert (await asyncio.wait_for(backend.push(token), 10)).status == 200
        assert gateway.is_ready()
    read = bytearray()

    def drain() -> None:
        while piece := os.read(reader, 1 << 16):
            read.extend(piece)

    reading = asyncio.create_task(asyncio.to_thread(drain))
    assert await asyncio.to_thread(gateway.stop) == 0
    await reading
    os.close(reader)
    assert b"lines of this log were lost" in read and b"gatewayd has ended" in read
