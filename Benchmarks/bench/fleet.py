"""The devices behind the tokens that are pushed to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from crowd import Member, bring
from device import SMALL, Device, StreamEnded, UpdateStream
from gateway import Gateway
from http2 import Connection
from machine import BenchFailed

#: Streams on one connection, at most; what is measured is pushes and not sockets.
_STREAMS = 250
#: Left for receipts.
_OTHER_STREAMS = 10
_RECEIPTS_AT_ONCE = 50


class Fleet:
    """Every other device holds its stream, so that each part of the load is of both kinds."""

    def __init__(self, gateway: Gateway, members: list[Member]) -> None:
        self._gateway = gateway
        self.tokens = [member.token for member in members]
        self.connected_tokens = self.tokens[::2]
        self._members = members
        self._connections: list[Connection] = []
        self._readers: list[asyncio.Task[None]] = []
        self.events = 0
        self._ended = 0
        self._newest: dict[str, tuple[Device, str]] = {}

    @classmethod
    async def enrol(cls, gateway: Gateway, count: int, *, environment: str,
                    widgets: Sequence[dict[str, Any]] = (SMALL,)) -> Fleet:
        fleet = cls(gateway, await asyncio.to_thread(
            bring, gateway, count, environment=environment, widgets=widgets))
        rest = fleet._members[::2]
        while rest:
            connection = await Device.dial(gateway)
            fleet._connections.append(connection)
            room = min(_STREAMS, connection.concurrent_streams - _OTHER_STREAMS)
            here, rest = rest[:room], rest[room:]
            for member in here:
                device = member.device(gateway, connection)
                fleet._readers.append(asyncio.create_task(fleet._read(device, await device.updates())))
        return fleet

    async def _read(self, device: Device, updates: UpdateStream) -> None:
        try:
            while True:
                refresh = await updates.next(deadline=86_400)
                self.events += 1
                self._newest[device.id] = (device, refresh.id)
        except StreamEnded:
            self._ended += 1

    async def settle(self) -> None:
        """Waits until what the devices were given has come, and acknowledges it."""
        before = -1
        while before != self.events:
            before = self.events
            await asyncio.sleep(0.5)
        newest, self._newest = list(self._newest.values()), {}
        for start in range(0, len(newest), _RECEIPTS_AT_ONCE):
            await asyncio.gather(*(device.receipt(id) for device, id in newest[start:start + _RECEIPTS_AT_ONCE]))

    def check(self) -> None:
        if self._ended:
            raise BenchFailed(f"{self._ended} update streams ended meanwhile")

    async def leave(self) -> None:
        for reader in self._readers:
            reader.cancel()
        for connection in self._connections:
            await connection.close()
