"""A start with very many registrations: how long until ready, and how much memory and disk they take."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

from bench import Bench
from figures import Figure, Result, Target
from machine import peak_kilobytes
from million import Million
from servers import configure, start


async def run(bench: Bench) -> Result:
    million = await bench.million()
    count = million.count
    empty = await _empty(bench)
    seconds, resident, peak = [], [], []
    for _ in range(bench.settings.repeats):
        million.restore()
        seconds.append(await asyncio.to_thread(_seconds_until_ready, million))
        resident.append(million.gateway.resident_kilobytes() * 1024.0)
        peak.append(peak_kilobytes(million.gateway.process.pid) / 1024)  # type: ignore[union-attr]
        bench.say(f"  ready after {seconds[-1]:.1f} s")
    backup = await asyncio.to_thread(_backup, million)
    disk = os.stat(million.gateway.database).st_size / 1e6
    million.restore()
    _forget(million.gateway.database)
    cold = await asyncio.to_thread(_seconds_until_ready, million)
    million.stop()
    of = f"{count:,} registrations"
    return Result(
        [Figure(f"until ready with {of}", "s", seconds, target=Target(10)),
         Figure("the same, the database not in memory", "s", [cold]),
         Figure("peak resident memory", "MB", peak),
         Figure("resident memory a registration", "bytes", [(bytes - empty) / count for bytes in resident],
                target=Target(400)),
         Figure("database", "MB", [disk]),
         Figure("backup, with its check", "s", [backup])],
        [f"two widgets and one device for each registration; without any, {empty / 2**20:.0f} MB are resident"],
        {"registrations": count})


async def _empty(bench: Bench) -> float:
    """Bytes that are resident without any registration."""
    gateway = bench.gateway()
    configure(gateway, bench.settings.loops, {})
    await asyncio.to_thread(start, gateway)
    bytes = gateway.resident_kilobytes() * 1024.0
    gateway.clean_up()
    return bytes


def _seconds_until_ready(million: Million) -> float:
    begun = time.monotonic()
    start(million.gateway)
    return time.monotonic() - begun


def _backup(million: Million) -> float:
    gateway = million.gateway
    file = gateway.directory / "backup.sqlite"
    begun = time.monotonic()
    subprocess.run([gateway.binaries / "gatewayctl", "--config", gateway.config, "backup", file], check=True,
                   stdout=subprocess.DEVNULL)
    taken = time.monotonic() - begun
    file.unlink()
    return taken


def _forget(file: Path) -> None:
    """Out of the page cache, so that it is read from the disk."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
