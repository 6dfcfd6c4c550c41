"""A gateway under the load of the design: ten thousand tokens, no device for half of them, and the budgets of the other
half spent, so that nearly every push is checked, marked, deferred and committed, which is what a gateway does all day."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device import SMALL
from fleet import Fleet
from gateway import Gateway
from h2load import Shape, load
from machine import BenchFailed
from provider import Provider, widgets_topic
from servers import Server, configure, start

#: Idle streams would ask for heartbeats while few pushes a second are measured, and be part of their cost.
_QUIET = {"device.heartbeat": "30m", "budget.burst": 1}


async def pushing(gateway: Gateway, environment: str) -> tuple[Provider, Server]:
    """A backend, and the gateway as h2load sees it."""
    assert gateway.process is not None
    backend = await Provider.connect(gateway, environment)
    headers = (f"authorization: {backend.authorization}", f"apns-topic: {widgets_topic()}", "apns-push-type: widgets")
    base = f"https://127.0.0.1:{gateway.provider_port(environment)}/3/device/"
    return backend, Server("gatewayd", gateway.process.pid, base, headers)


@dataclass
class Rig:
    gateway: Gateway
    fleet: Fleet
    backend: Provider
    server: Server
    addresses: Path

    @classmethod
    async def build(cls, gateway: Gateway, tokens: int, body: Path, *, environment: str, loops: int | None = None,
                    widgets: Sequence[dict[str, Any]] = (SMALL,), **settings: object) -> Rig:
        configure(gateway, loops, {**_QUIET, **settings})
        await asyncio.to_thread(start, gateway)
        fleet = await Fleet.enrol(gateway, tokens, environment=environment, widgets=widgets)
        backend, server = await pushing(gateway, environment)
        rig = cls(gateway, fleet, backend, server, server.addresses(fleet.tokens, gateway.directory / "addresses"))
        await rig._spend_budgets(body)
        return rig

    async def _spend_budgets(self, body: Path) -> None:
        connected = len(self.fleet.connected_tokens)
        for _ in range(10):
            # Each client of h2load begins with the first token, so that all tokens are pushed to ten times.
            await load(self.server, self.addresses, Shape(10, 100, requests=10 * len(self.fleet.tokens)), body)
            await self.fleet.settle()
            if self.fleet.events >= connected:
                break
        else:
            raise BenchFailed(f"after ten passes the devices were refreshed only {self.fleet.events} times")
        for token in self.fleet.tokens[:2]:
            refresh = (await self.backend.push(token)).refresh
            if refresh["sent"] != 0 or refresh["deferred"] == 0:
                raise BenchFailed(f"a push is not deferred, as this load needs it: {refresh}")

    def check(self) -> None:
        self.fleet.check()
        if not self.gateway.is_running:
            raise BenchFailed("gatewayd has ended")

    async def leave(self) -> None:
        """All but the gateway."""
        await self.fleet.leave()
        await self.backend.close()
