"""What a connected device takes of memory, TLS and HTTP/2 included, when nothing happens to it."""

from __future__ import annotations

import asyncio

from bench import Bench
from crowds import simulated
from figures import Figure, Result, Target
from machine import descriptors
from servers import configure, start

#: The connections of the gateway's own, of those who ask it, and of the simulation.
_OTHER_DESCRIPTORS = 1000


async def run(bench: Bench) -> Result:
    devices = min(bench.settings.size("DEVICES", 3000, 500), descriptors() - _OTHER_DESCRIPTORS)
    gateway = bench.gateway()
    configure(gateway, bench.settings.loops, {"device.heartbeat": "10s"})
    await asyncio.to_thread(start, gateway)
    # What the first few bring with them is no device's.
    with simulated(gateway, 50):
        await asyncio.sleep(1)
    await asyncio.sleep(1)
    before = gateway.resident_kilobytes()
    bench.say(f"  {devices:,} devices")
    with simulated(gateway, devices):
        at_once = gateway.resident_kilobytes()
        bench.say("  connected; two heartbeats and more")
        await asyncio.sleep(bench.settings.pick(25, 12))
        after = gateway.resident_kilobytes()
    return Result(
        [Figure("resident memory per idle connected device", "KB", [(after - before) * 1.024 / devices],
                target=Target(45))],
        [f"{devices:,} devices, each over a connection of its own, two widgets each"],
        {"devices": devices, "resident_kilobytes": {"before": before, "connected": at_once, "idle": after}})
