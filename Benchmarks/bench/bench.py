"""What the scenarios of one run share: settings, files, and what is dear to make and made once."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from gateway import Gateway
from h2load import Run, Shape, load_by_many
from million import Million
from noise import Noise
from provider import REFRESH
from rig import Rig
from servers import Nghttpd, Server
from settings import Settings
from turns import Contestant, Turns, take_turns


class Bench:
    def __init__(self, settings: Settings, binaries: Path) -> None:
        self.settings = settings
        self.binaries = binaries
        self.noise = Noise()
        self.folder = Path(tempfile.mkdtemp(prefix="bench-"))
        self.body = self.folder / "body"
        self.body.write_bytes(REFRESH)
        self._began = time.monotonic()
        self._rigs: dict[str, Rig] = {}
        #: Those of one scenario, and those of all.
        self._passing: list[Gateway | Rig] = []
        self._shared: list[Gateway | Rig] = []
        self._million: Million | None = None
        self._nghttpd: Nghttpd | None = None

    def say(self, text: str) -> None:
        """Progress; standard output is the result's alone."""
        print(f"{time.monotonic() - self._began:5.0f} s  {text}", file=sys.stderr, flush=True)

    # Gateways

    def gateway(self, *, is_shared: bool = False) -> Gateway:
        """A new one, not begun; it goes with the scenario, unless later ones share it."""
        gateway = Gateway(self.binaries)
        (self._shared if is_shared else self._passing).append(gateway)
        return gateway

    async def rig(self, durability: str = "full") -> Rig:
        if durability not in self._rigs:
            tokens = self.settings.size("TOKENS", 10_000, 2000)
            self.say(f"  {tokens:,} registrations, every other device connected, budgets spent; durability {durability}")
            self._rigs[durability] = await self.build_rig(tokens, is_shared=True, **{"store.durability": durability})
        return self._rigs[durability]

    async def build_rig(self, tokens: int, *, loops: int | None = None, is_shared: bool = False,
                        **settings: object) -> Rig:
        """A new one, as long as a gateway."""
        rig = await Rig.build(self.gateway(is_shared=is_shared), tokens, self.body,
                              environment=self.settings.environment, loops=loops or self.settings.loops, **settings)
        (self._shared if is_shared else self._passing).append(rig)
        return rig

    async def million(self) -> Million:
        """The gateway with very many registrations, not running."""
        if self._million is None:
            self._million = await Million.build(self)
        await asyncio.to_thread(self._million.stop)
        return self._million

    def nghttpd(self, like: Server, gateway: Gateway) -> Server:
        """The other server, asked with the same headers."""
        if self._nghttpd is None:
            self._nghttpd = Nghttpd(gateway, self.folder)
        return self._nghttpd.server(like.headers)

    # Loads

    def shape(self, connections: int, in_flight: int, **more: object) -> Shape:
        requests = self.settings.requests
        return Shape(connections, in_flight, requests=requests, seconds=None if requests else self.settings.seconds,
                     **more)  # type: ignore[arg-type]

    def contestant(self, server: Server, addresses: Sequence[Path], shape: Shape, *, name: str | None = None,
                   apart: float = 0) -> Contestant:
        async def run() -> Run:
            return await load_by_many(server, addresses, shape, self.body, apart=apart)

        return Contestant(name or server.name, run)

    async def take_turns(self, *contestants: Contestant, repeats: int | None = None) -> Turns:
        return await take_turns(list(contestants), repeats or self.settings.repeats, self.noise)

    async def against_nghttpd(self, rig: Rig, shape: Shape, tokens: list[str] | None = None, *,
                              status: str = "2xx", repeats: int | None = None, processes: int = 1,
                              apart: float = 0) -> Turns:
        """The rig's gateway and nghttpd in turns; the former answers with `status`, the latter always with 200."""
        tokens = rig.fleet.tokens if tokens is None else tokens
        ours = rig.server.addresses(tokens, self.folder / "gatewayd.addresses")
        nghttpd = self.nghttpd(rig.server, rig.gateway)
        theirs = nghttpd.addresses(tokens, self.folder / "nghttpd.addresses")
        turns = await self.take_turns(
            self.contestant(rig.server, [ours] * processes, shape.answered(status), apart=apart),
            self.contestant(nghttpd, [theirs] * processes, shape, apart=apart), repeats=repeats)
        rig.check()
        return turns

    async def end_scenario(self) -> None:
        """Nothing of it goes on while the next one is measured."""
        await _take_down(self._passing)

    async def close(self) -> None:
        await _take_down(self._passing)
        await _take_down(self._shared)
        if self._nghttpd is not None:
            self._nghttpd.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


async def _take_down(things: list[Gateway | Rig]) -> None:
    while things:
        thing = things.pop()
        if isinstance(thing, Rig):
            await thing.leave()
        else:
            await asyncio.to_thread(thing.clean_up)


