"""A stop in the midst of a load: what the last GOAWAY counts as accepted has its answer, on every connection.

The client is one that goes on sending until it has read the goodbye, as any busy one does. A server that closed its
socket over those bytes would send a reset, which throws away the answers that the client has not read yet.
"""

from __future__ import annotations

import asyncio
import signal

from device import Device
from flood import GOAWAY, Flood, Push
from provider import Provider

ROUNDS = 6
FIRST = 0x7FFF_FFFF


class LeavingFlood(Flood):
    """Remembers what the goodbyes said, and takes them for no finding."""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.last_streams: list[int] = []

    def _handle(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == GOAWAY:
            self.last_streams.append(int.from_bytes(payload[:4], "big"))
        else:
            super()._handle(kind, flags, stream, payload)


async def test_every_stream_that_the_goodbye_counts_is_answered(start) -> None:
    gateway = start({"checks.pushes-per-token-per-minute": 0, "lifecycle.drain": "10s"})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    for _ in range(ROUNDS):
        lanes = [LeavingFlood(gateway, 300, lambda: Push(token, 1), lambda _: None) for _ in range(2)]
        for lane in lanes:
            lane.start()
        while any(lane._next < 3000 for lane in lanes):
            await asyncio.sleep(0.01)
        gateway.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(gateway.process.wait, 30) == 0
        for lane in lanes:
            await asyncio.to_thread(lane.join, 30)
            assert lane.finding is None
            assert lane.last_streams[0] == FIRST
            unanswered = [stream for stream in lane.open if stream <= lane.last_streams[-1]]
            assert not unanswered, f"{len(unanswered)} pushes up to stream {lane.last_streams[-1]} have no answer"
        await asyncio.to_thread(gateway.start)


async def test_a_thousand_pushes_under_way_are_answered_and_delivered_or_were_never_taken(start) -> None:
    """The promise of a stop, whole: on each connection what the last GOAWAY counts is answered 200, and what was answered
    200 is with its device after the next start; the rest was never processed, and says so by its number."""
    gateway = start({"checks.pushes-per-token-per-minute": 0, "lifecycle.drain": "10s"})
    connection = await Device.dial(gateway)
    devices = [await Device.enrol(gateway, connection=connection) for _ in range(40)]
    tokens = [(await device.register())["token"] for device in devices]
    await connection.close()
    sent, answered = dict.fromkeys(tokens, 0), dict.fromkeys(tokens, 0)

    def note(push: Push) -> None:
        answered[push.token] = max(answered[push.token], push.number)

    def lane(own: list[str]) -> LeavingFlood:
        turn = iter(range(1 << 40))

        def choose() -> Push:
            token = own[next(turn) % len(own)]
            sent[token] += 1
            return Push(token, sent[token])

        return LeavingFlood(gateway, 500, choose, note)

    lanes = [lane(tokens[:20]), lane(tokens[20:])]
    for one in lanes:
        one.start()
    while any(one._next < 4000 for one in lanes):
        await asyncio.sleep(0.01)
    assert sum(len(one.open) for one in lanes) >= 900
    gateway.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(gateway.process.wait, 30) == 0
    for one in lanes:
        await asyncio.to_thread(one.join, 30)
        assert one.finding is None and one.refused == 0
        assert not [stream for stream in one.open if stream <= one.last_streams[-1]]
    await asyncio.to_thread(gateway.start)
    connection = await Device.dial(gateway)
    for device, token in zip(devices, tokens, strict=True):
        device.connection = connection
        refresh = await (await device.updates()).next()
        assert answered[token] <= refresh.data["payload"]["n"] <= sent[token]
    await connection.close()


async def test_a_client_that_hears_nothing_does_not_hold_the_end_up(start) -> None:
    """Python's h2 answers no PING after a GOAWAY, and a client that blocks reads neither before its next push."""
    gateway = start({"lifecycle.drain": "10m"})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200
        backend.connection._transport.pause_reading()
        gateway.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(gateway.process.wait, 60) == 0


async def test_a_request_that_its_client_leaves_half_sent_does_not_hold_the_end_up(start) -> None:
    """httpx and hyper, when a GOAWAY comes between a push's headers and its body: the body never follows."""
    gateway = start({"lifecycle.drain": "10m"})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    async with await Provider.connect(gateway) as backend:
        answer = await backend.push(token)
        assert answer.status == 200
        engine = backend.connection._h2
        fields = [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                  (":path", f"/3/device/{token}"), ("authorization", backend.authorization)]
        engine.send_headers(engine.get_next_available_stream_id(), fields)
        backend.connection._flush()
        gateway.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(gateway.process.wait, 60) == 0
