"""Single pushes at a steady pace, to devices of their own, and when their answers and their events come.

It is written in Python and shares a core with all load, ahead of which it is scheduled where it may be (root). Its own
millisecond a push is part of each figure, so that a run without load stands beside one with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import time
from collections.abc import Iterator

from device import Device, StreamEnded, UpdateStream
from figures import percentiles
from gateway import BUNDLE, Gateway
from machine import BenchFailed
from provider import Provider

_DEVICES, _A_SECOND = 50, 100
_WIDGET = {"kind": "probe", "family": "systemSmall"}
#: For the gateway's configuration: each of its pushes is handed over.
UNCHARGED = '[[budget.override]]\nkind = "probe"\nmode = "off"'


@contextlib.contextmanager
def _ahead_of_the_load() -> Iterator[None]:
    """What is to be measured is the gateway, and not how long this process waits for the core that it shares with the
    load, or collects garbage. Processes that begin meanwhile do not inherit it."""
    gc.collect()
    gc.disable()
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        gc.enable()


class Probe:
    def __init__(self, environment: str) -> None:
        self._environment = environment
        self.answers: list[float] = []
        self.events: list[float] = []
        #: By device, oldest first: an event answers for all pushes to its widget that came before, too.
        self._sent: list[dict[str, float]] = [{} for _ in range(_DEVICES)]
        self._readers: list[asyncio.Task[None]] = []
        self._tokens: list[str] = []
        self._pending: set[asyncio.Task[None]] = set()
        self._number = 0
        self._failure: str | None = None

    async def connect(self, gateway: Gateway) -> None:
        self.backend = await Provider.connect(gateway, self._environment)
        self._connection = await Device.dial(gateway)
        for number in range(_DEVICES):
            device = await Device.enrol(gateway, connection=self._connection)
            self._tokens.append((await device.register(BUNDLE, _WIDGET, environment=self._environment))["token"])
            self._readers.append(asyncio.create_task(self._read(number, await device.updates())))
        await self.backend.push(self._tokens[0])  # one stream at a time until the first valid provider token

    async def _read(self, number: int, updates: UpdateStream) -> None:
        waiting = self._sent[number]
        try:
            while True:
                refresh = await updates.next(deadline=86_400)
                while refresh.apns_id in waiting:
                    sent = waiting.pop(next(iter(waiting)))
                    self.events.append(1000 * (time.perf_counter() - sent))
        except StreamEnded:
            self._failure = "an update stream ended"

    async def _push(self, number: int) -> None:
        id = f"00000000-0000-4000-8000-{number:012X}"
        begun = time.perf_counter()
        self._sent[number % _DEVICES][id] = begun
        answer = await self.backend.push(self._tokens[number % _DEVICES], id=id)
        self.answers.append(1000 * (time.perf_counter() - begun))
        if answer.status != 200:
            self._failure = str(answer)

    async def run(self, seconds: float | None = None, until: asyncio.Event | None = None) -> dict:
        """Latencies of the pushes of this run, in milliseconds."""
        with _ahead_of_the_load():
            return await self._run(seconds, until)

    async def _run(self, seconds: float | None, until: asyncio.Event | None) -> dict:
        self.answers, self.events = [], []
        begun = time.perf_counter()
        count = 0
        while not (until and until.is_set()) and (seconds is None or time.perf_counter() - begun < seconds):
            self._number += 1
            task = asyncio.create_task(self._push(self._number))
            self._pending.add(task)
            task.add_done_callback(self._pending.discard)
            count += 1
            await asyncio.sleep(max(0, begun + count / _A_SECOND - time.perf_counter()))
        if self._pending:
            await asyncio.wait(self._pending)
        try:
            async with asyncio.timeout(60):
                while any(self._sent):
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise BenchFailed("a probe's push never reached its device") from None
        if self._failure is not None:
            raise BenchFailed(f"a probe failed: {self._failure}")
        return {"pushes": count, "push_to_answer_ms": percentiles(self.answers),
                "push_to_event_ms": percentiles(self.events)}

    async def close(self) -> None:
        for reader in self._readers:
            reader.cancel()
        await self.backend.close()
        await self._connection.close()
