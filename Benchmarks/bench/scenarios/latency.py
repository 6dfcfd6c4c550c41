"""How long one push takes that is alone, its fsync included."""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

from bench import Bench
from figures import Beside, Figure, Result, Target


async def run(bench: Bench) -> Result:
    rig = await bench.rig()
    syncs: list[float] = []
    turns = await bench.against_nghttpd(rig, bench.shape(1, 1))
    for _ in range(bench.settings.repeats):
        syncs.append(_mean_sync(rig.gateway.directory / "sync"))
    return Result([
        Figure("mean latency, one in flight", "ms", turns.mean("gatewayd"), Beside("nghttpd", turns.mean("nghttpd")),
               Target(4, of_ratio=True), is_headline=True),
        Figure("of it, one fdatasync of 4 KB on this disk", "ms", syncs)])


def _mean_sync(file: Path) -> float:
    """Milliseconds for an append and its fdatasync, with nothing else in between."""
    taken = []
    with file.open("wb", buffering=0) as log:
        for _ in range(300):
            begun = time.perf_counter()
            log.write(bytes(4096))
            os.fdatasync(log.fileno())
            taken.append(1000 * (time.perf_counter() - begun))
    file.unlink()
    return statistics.fmean(taken)
