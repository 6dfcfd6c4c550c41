"""Half of full load over very many registrations, for as long as is asked for: whether journal and WAL stay flat."""

from __future__ import annotations

import asyncio
import statistics
import time

from bench import Bench
from figures import Beside, Figure, Result, Target
from gateway import Gateway
from h2load import Shape, load_by_many
from million import CLIENTS
from probe import UNCHARGED, Probe
from rig import pushing
from servers import store_bytes

#: Until then files grow to what the load needs; later they are to be flat, and no larger than so.
_GROWS = 60
_FLAT = Target(1.2, of_ratio=True)


async def run(bench: Bench) -> Result:
    million = await bench.million()
    duration = bench.settings.duration
    gateway = million.gateway
    if UNCHARGED not in gateway.config.read_text():
        gateway.append(UNCHARGED)
    bench.say("  loading the registrations")
    await asyncio.to_thread(million.restart)
    backend, server = await pushing(gateway, bench.settings.environment)
    folder = bench.folder / "sustained"
    folder.mkdir(exist_ok=True)
    files = million.spread(server, folder, million.count, 0)
    probe = Probe(bench.settings.environment)
    await probe.connect(gateway)
    quiet = await probe.run(5)
    full = (await load_by_many(
        server, files, Shape(CLIENTS, 100, requests=300_000), bench.body)).requests_per_wall
    bench.say(f"  {full:,.0f} pushes a second at full load; {duration} s with half of it")
    loading = asyncio.create_task(load_by_many(
        server, files, Shape(CLIENTS, 100, seconds=duration, warm_up=1, rate=full / 2), bench.body, apart=0.01))
    await asyncio.sleep(1.5)
    samples: list[dict[str, float]] = []
    sampling = asyncio.create_task(_sample(gateway, samples, duration / 40))
    latencies = []
    begun = time.monotonic()
    while (left := duration - 2 - (time.monotonic() - begun)) > 0.5:
        latencies.append(await probe.run(min(left, (duration - 2) / 4)))
        bench.say("  {0:.0f} s: push to answer p99 {1} ms, journal {journal:,.0f} KB, WAL {wal:,.0f} KB".format(
            time.monotonic() - begun, latencies[-1]["push_to_answer_ms"]["p99"],
            **{name: bytes / 1000 for name, bytes in samples[-1].items()}))
    sampling.cancel()
    ran = await loading
    await probe.close()
    await backend.close()
    million.stop()
    figures = [_flatness(name, samples, duration) for name in ("journal", "wal")]
    p99 = [part["push_to_answer_ms"]["p99"] for part in latencies]
    return Result(
        [*figures,
         Figure("push to answer, p99 in each quarter", "ms", p99),
         Figure("push to event, p99 in each quarter", "ms", [part["push_to_event_ms"]["p99"] for part in latencies],
                target=Target(10)),
         Figure("CPU a push at half of full load", "µs", [ran.cpu])],
        [f"{million.count:,} registrations, {ran.rate:,.0f} pushes a second for {duration} s "
         f"({ran.requests:,} pushes); p99 to the answer without load {quiet['push_to_answer_ms']['p99']:.1f} ms"],
        {"registrations": million.count, "load_per_second": round(ran.rate), "duration": duration,
         "samples": samples, "latencies": latencies, "quiet": quiet})


async def _sample(gateway: Gateway, samples: list[dict[str, float]], apart: float) -> None:
    while True:
        samples.append(await asyncio.to_thread(store_bytes, gateway))
        await asyncio.sleep(apart)


def _flatness(name: str, samples: list[dict[str, float]], duration: int) -> Figure:
    """The last quarter of the time beside a quarter that begins when the files have grown."""
    sizes = [sample[name] / 1e6 for sample in samples]
    quarter = max(1, len(sizes) // 4)
    grown = min(duration / 2, _GROWS)
    first = int(len(sizes) * grown / duration)
    shown = "write-ahead log" if name == "wal" else name
    return Figure(f"{shown}, last quarter of {duration} s", "MB", [statistics.fmean(sizes[-quarter:])],
                  Beside(f"from {grown:.0f} s on", [max(0.001, statistics.fmean(sizes[first:first + quarter]))]), _FLAT)
