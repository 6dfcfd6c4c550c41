"""What is on its way between connections and the ledger when one of them goes: with one loop a call into the other, with
several a message that may come late.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import signal
import socket
import ssl
import time
import uuid

import pytest

from device import Device
from gateway import BUNDLE, Gateway
from http2 import client_context
from provider import Provider
from test_service import frozen, thread
from wire import ACK, DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, Wire, block, frame, rst_stream, settings

pytestmark = pytest.mark.parametrize("loops", [1, 2])


def dial(gateway: Gateway) -> ssl.SSLSocket:
    raw = socket.create_connection(("127.0.0.1", gateway.device_port), timeout=10)
    return client_context(gateway.ca).wrap_socket(raw, server_hostname="localhost")


def updates(device: Device) -> bytes:
    return frame(HEADERS, END_HEADERS | END_STREAM, 1, block([
        (":method", "GET"), (":scheme", "https"), (":path", f"/v1/devices/{device.id}/updates"),
        (":authority", "localhost"), ("authorization", f"Bearer {device.key}")]))


def spread(gateway: Gateway, count: int) -> None:
    """Gives as many other devices the registration that there is."""
    head, line = gateway.ctl("registrations", "export").stdout.splitlines()[:2]
    others = (dict(json.loads(line), device=str(uuid.uuid4()), token=secrets.token_hex(32)) for _ in range(count))
    file = gateway.directory / "registrations.jsonl"
    file.write_text("\n".join([head, *(json.dumps(other) for other in others), ""]))
    done = gateway.ctl("registrations", "import", str(file))
    assert done.returncode == 0, done.stderr


async def test_a_stream_that_is_asked_for_by_a_connection_at_its_end_is_nobodys(gateway: Gateway, loops: int) -> None:
    gateway.set({"loops": loops})
    gateway.start()
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        with contextlib.closing(dial(gateway)) as broken, contextlib.suppress(OSError):
            with frozen(thread(gateway, "gateway-ledger")) if loops > 1 else contextlib.nullcontext():
                # Behind the request an error that ends the connection: DATA on stream 0.
                broken.sendall(PREFACE + settings() + updates(phone) + frame(DATA, 0, 0, b"bad"))
                while broken.recv(65536):
                    pass
                time.sleep(0.2)
            time.sleep(0.5)
        assert gateway.admin("GET", "/v1/status")[1]["connectedDevices"] == 0
        assert (await backend.push(token)).refresh == {"sent": 0, "deferred": 1, "dropped": 0}
        assert (await phone.register())["widgets"][0]["remaining"] == 4


async def test_watchers_that_leave_at_once_take_no_place(gateway: Gateway, loops: int) -> None:
    gateway.set({"loops": loops})
    gateway.start()
    async with await Device.enrol(gateway) as phone:
        await phone.register()
        spread(gateway, 20_000)
        wire = Wire(gateway, "00" * 32)
        body = b'{"payload":{"aps":{"content-changed":true}}}'
        fan_outs = f"/v1/apps/{BUNDLE}/fan-outs"
        wire.send(wire.head(1, wire.fields(method="POST", path=fan_outs)) + frame(DATA, END_STREAM, 1, body))
        place = wire.answer(1)[1]["location"]
        watch = wire.fields(method="GET", path=f"{place}/events")
        # A fan-out follows the pace of commits: while there are none it is running.
        with frozen(thread(gateway, "gateway-store")):
            for stream in range(3, 3 + 2 * 40, 2):
                wire.send(wire.head(stream, watch, ends=True) + rst_stream(stream))
            time.sleep(0.3)
            stream = 3 + 2 * 40
            wire.send(wire.head(stream, watch, ends=True))
            wire.until(HEADERS, stream)
            assert wire.fields_of[stream][":status"] == "200"
        wire.close()


async def test_a_stream_that_is_being_opened_does_not_hold_a_drain_up(gateway: Gateway, loops: int) -> None:
    gateway.set({"loops": loops, "device.heartbeat": "60s", "lifecycle.drain": "60s"})
    gateway.start()
    async with await Device.enrol(gateway) as phone:
        await phone.register()
    with contextlib.closing(dial(gateway)) as silent:
        silent.sendall(PREFACE + settings())
        silent.recv(65536)
        silent.sendall(settings(flags=ACK))
        with frozen(thread(gateway, "gateway-ledger" if loops > 1 else "gateway-loop")):
            silent.sendall(updates(phone))
            time.sleep(0.2)
            assert gateway.process is not None
            gateway.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
        # Far below the heartbeat, and the end of the drain.
        assert gateway.process.wait(30) == 0


async def test_all_loops_call_a_token_by_the_same_name(gateway: Gateway, loops: int) -> None:
    gateway.set({"loops": loops})
    gateway.start()
    for _ in range(2):
        async with await Provider.connect(gateway) as one, await Provider.connect(gateway) as other:
            for backend in (one, other):
                assert (await backend.push("ab" * 32)).reason == "BadDeviceToken"
    end = time.monotonic() + 10
    while len(names := re.findall(r" token=(\S+)", gateway.log.read_text())) < 4 and time.monotonic() < end:
        time.sleep(0.02)
    assert len(names) == 4 and len(set(names)) == 1
