"""A gateway with a million registrations of two widgets each: imported once, and brought back to that state for each use."""

from __future__ import annotations

import asyncio
import hashlib
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from crowd import bring
from gateway import Gateway
from servers import Server, configure, start

if TYPE_CHECKING:
    from bench import Bench

#: Registrations in one import.
_PART = 50_000
#: As many clients, each with tokens of its own.
CLIENTS = 10


class Million:
    def __init__(self, gateway: Gateway, count: int) -> None:
        self.gateway = gateway
        self.count = count
        self._original = gateway.directory / "original.sqlite"

    @classmethod
    async def build(cls, bench: Bench) -> Million:
        count = bench.settings.size("REGISTRATIONS", 1_000_000, 100_000)
        million = cls(bench.gateway(is_shared=True), count)
        configure(million.gateway, bench.settings.loops, {"device.heartbeat": "30m"})
        await asyncio.to_thread(start, million.gateway)
        for first in range(1, count + 1, _PART):
            if first % 250_000 == 1:
                bench.say(f"  importing {count:,} registrations: {first - 1:,} are there")
            part = min(_PART, count - first + 1)
            await asyncio.to_thread(
                bring, million.gateway, part, first=first, environment=bench.settings.environment)
        million.stop()
        shutil.copyfile(million.gateway.database, million._original)
        return million

    def stop(self) -> None:
        if self.gateway.is_running:
            self.gateway.stop()

    def restore(self) -> None:
        """As it was after the import; the gateway is not running then."""
        self.stop()
        for file in self.gateway.database.parent.glob(self.gateway.database.name + "-*"):
            file.unlink()
        shutil.copyfile(self._original, self.gateway.database)

    def restart(self) -> None:
        self.restore()
        start(self.gateway)

    def some_tokens(self, count: int, seed: int) -> list[str]:
        """Others for each seed, in no order that the store knows."""
        return [hashlib.sha256(b"%d" % number).hexdigest()
                for number in random.Random(seed).sample(range(1, self.count + 1), count)]

    def spread(self, server: Server, folder: Path, count: int, seed: int) -> list[Path]:
        """So many tokens, dealt to the files of the clients."""
        tokens = self.some_tokens(count, seed)
        return [server.addresses(tokens[client::CLIENTS], folder / f"{client}.addresses") for client in range(CLIENTS)]
