"""A week's worth of pushes on one store, as fast as they go: whether files and costs stay as they were.

A week's worth is what budgets would let through: 50 pushes a day for seven days, to each registration. The gateway's
clock is not hurried, so budgets are raised instead: a tenth of the devices is connected and is handed over what it can
be handed over, with receipts; for the others it waits.
"""

from __future__ import annotations

import asyncio
import time

from bench import Bench
from crowd import bring
from crowds import simulated
from figures import Beside, Figure, Result, Target
from h2load import Run, Shape, load
from rig import pushing
from servers import configure, start, store_bytes

_PUSHES = 7 * 50
_PARTS = 10


async def run(bench: Bench) -> Result:
    registrations = bench.settings.size("REGISTRATIONS", 4000, 1000)
    environment = bench.settings.environment
    gateway = bench.gateway()
    configure(gateway, bench.settings.loops, {"budget.refreshes-per-day": 1_000_000, "budget.burst": 1_000_000 - 1})
    await asyncio.to_thread(start, gateway)
    await asyncio.to_thread(bring, gateway, registrations, environment=environment)
    runs: list[Run] = []
    with simulated(gateway, registrations // 10, nice=10, environment=environment):
        rows = gateway.ctl("registrations", "export", "-").stdout.splitlines()
        tokens = [row.split('"token":"', 1)[1].split('"', 1)[0] for row in rows if '"token":"' in row]
        backend, server = await pushing(gateway, environment)
        addresses = server.addresses(tokens, bench.folder / "week")
        samples = [await asyncio.to_thread(store_bytes, gateway)]
        each = Shape(10, 100, requests=len(tokens) * _PUSHES // _PARTS // 10 * 10)
        await load(server, addresses, Shape(10, 100, requests=10 * len(tokens)), bench.body)
        for part in range(_PARTS):
            runs.append(await load(server, addresses, each, bench.body))
            samples.append(await asyncio.to_thread(store_bytes, gateway))
            bench.say(f"  {part + 1}/{_PARTS}: {runs[-1].cpu:.2f} µs a push, " + ", ".join(
                f"{name} {bytes / 1e6:.1f} MB" for name, bytes in samples[-1].items()))
        await backend.close()
    gateway.stop()
    begun = time.monotonic()
    await asyncio.to_thread(start, gateway)
    ready = time.monotonic() - begun
    flat = Target(1.2, of_ratio=True)

    def size(name: str, shown: str) -> Figure:
        return Figure(f"{shown} after the last tenth", "MB", [samples[-1][name] / 1e6],
                      Beside("half way", [max(0.001, samples[_PARTS // 2][name] / 1e6)]), flat if name == "database" else None)

    return Result(
        [Figure("CPU a push, last tenth", "µs", [runs[-1].cpu], Beside("first", [runs[0].cpu]), flat,
                is_headline=True),
         size("database", "database"), size("wal", "write-ahead log"), size("journal", "journal"),
         Figure("until ready after it", "s", [ready])],
        [f"{len(tokens):,} registrations, {_PUSHES} pushes to each ({each.requests * _PARTS:,} in all), "
         "a tenth of the devices connected"],
        {"samples": samples, "cpu_us_per_push": [round(run.cpu, 3) for run in runs]})
