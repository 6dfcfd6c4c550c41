"""From a push to the event on its device's stream, while others push at half of what the gateway can take."""

from __future__ import annotations

import asyncio
import statistics

from bench import Bench
from crowd import bring
from figures import Figure, Result, Target
from h2load import Shape, load_by_many
from probe import UNCHARGED, Probe
from rig import pushing
from servers import configure, start

#: Processes of the load, begun this many seconds apart: a paced h2load sends its pushes in ten bursts a second.
_PROCESSES, _APART = 20, 0.005


async def run(bench: Bench) -> Result:
    seconds = bench.settings.pick(20, 6)
    registrations = bench.settings.size("TOKENS", 10_000, 2000)
    gateway = bench.gateway()
    configure(gateway, bench.settings.loops, {})
    gateway.append(UNCHARGED)
    await asyncio.to_thread(start, gateway)
    environment = bench.settings.environment
    tokens = [member.token for member in await asyncio.to_thread(
        bring, gateway, registrations, environment=environment)]
    backend, server = await pushing(gateway, environment)
    files = [server.addresses(tokens[n::_PROCESSES], bench.folder / f"load-{n}") for n in range(_PROCESSES)]
    bench.say("  full load")
    full = statistics.median(
        [(await load_by_many(server, files, Shape(_PROCESSES, 50, requests=100_000), bench.body)).requests_per_wall
         for _ in range(4)][1:])
    probe = Probe(environment)
    await probe.connect(gateway)
    bench.say(f"  {full:,.0f} pushes a second at full load; without load")
    quiet = await probe.run(seconds / 2)
    bench.say("  with half of full load")
    loading = asyncio.create_task(load_by_many(
        server, files, Shape(_PROCESSES, 100, seconds=seconds + 2, warm_up=1, rate=full / 2), bench.body,
        apart=_APART))
    await asyncio.sleep(2)
    loaded = await probe.run(seconds)
    rate = (await loading).rate
    await probe.close()
    await backend.close()
    event, still = loaded["push_to_event_ms"], quiet["push_to_event_ms"]
    return Result(
        [Figure("push to event, p99 at half of full load", "ms", [event["p99"]], target=Target(10)),
         Figure("push to event, p50 at half of full load", "ms", [event["p50"]]),
         Figure("push to event, p99 without load", "ms", [still["p99"]]),
         Figure("push to answer, p99 at half of full load", "ms", [loaded["push_to_answer_ms"]["p99"]])],
        [f"full load {full:,.0f} pushes a second, half of it {rate:,.0f}; {loaded['pushes']:,} pushes were timed, "
         f"the slowest took {event['max']:.1f} ms to its event"],
        {"full_load_per_second": round(full), "load_per_second": round(rate), "quiet": quiet, "loaded": loaded})
