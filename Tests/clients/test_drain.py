"""A stop in the midst of a load: what the last GOAWAY counts as accepted has its answer, on every connection.

The client is one that goes on sending until it has read the goodbye, as any busy one does. A server that closed its
socket over those bytes would send a reset, which throws away the answers that the client has not read yet.
"""

from __future__ import annotations

import asyncio
import signal

from device import Device
from flood import GOAWAY, Flood, Push

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
