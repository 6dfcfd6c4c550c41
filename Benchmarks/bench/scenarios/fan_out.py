"""One request to each of a hundred thousand registrations, a thousand of their devices connected, and pushes meanwhile."""

from __future__ import annotations

import asyncio
import time

from bench import Bench
from crowd import bring
from crowds import simulated
from figures import Figure, Result, Target, percentiles
from gateway import BUNDLE, Gateway
from machine import BenchFailed, cpu_nanoseconds
from probe import UNCHARGED, Probe
from servers import configure, metric, start

#: Those of the registrations and of the simulated devices, and not the probe's.
_FAN_OUT = b'{"kinds":["caffeine","widget-1"]}'


async def run(bench: Bench) -> Result:
    registrations = bench.settings.size("REGISTRATIONS", 100_000, 20_000)
    devices = bench.settings.size("DEVICES", 1000, 200)
    environment = bench.settings.environment
    gateway = bench.gateway()
    configure(gateway, bench.settings.loops, {"budget.refreshes-per-day": 1_000_000, "budget.burst": 1000})
    gateway.append(UNCHARGED)
    await asyncio.to_thread(start, gateway)
    bench.say(f"  {registrations:,} registrations, {devices:,} devices")
    for first in range(1, registrations + 1, 50_000):
        await asyncio.to_thread(
            bring, gateway, min(50_000, registrations - first + 1), first=first, environment=environment)
    # The devices share a core with what measures, which must not wait for them.
    with simulated(gateway, devices, nice=10, environment=environment):
        probe = Probe(environment)
        await probe.connect(gateway)
        quiet = await probe.run(bench.settings.pick(8, 3))
        reports, answers, events = [], [], []
        for _ in range(2 * bench.settings.repeats):
            reports.append(await _fan_out(gateway, probe))
            answers += probe.answers
            events += probe.events
            bench.say("  {marked:,} marks in {seconds:.2f} s, {sent:,} of them sent meanwhile".format(**reports[-1]))
            await asyncio.sleep(2)
        await probe.close()
    meanwhile = {"pushes": len(answers), "push_to_answer_ms": percentiles(answers),
                 "push_to_event_ms": percentiles(events)}
    return Result(
        [Figure("marks a second", "/s", [report["marked"] / report["seconds"] for report in reports],
                target=Target(100_000, at_least=True)),
         Figure("CPU a mark, what is sent and pushed meanwhile included", "µs",
                [report["cpu_us_per_mark"] for report in reports]),
         Figure("push to event meanwhile, p99", "ms", [meanwhile["push_to_event_ms"]["p99"]], target=Target(10)),
         Figure("push to event before, p99", "ms", [quiet["push_to_event_ms"]["p99"]])],
        [f"{meanwhile['pushes']:,} pushes were timed while the fan-outs ran"],
        {"registrations": registrations, "connected": devices, "quiet": quiet, "meanwhile": meanwhile,
         "fan_outs": reports})


async def _fan_out(gateway: Gateway, probe: Probe) -> dict:
    assert gateway.process is not None
    done = asyncio.Event()
    probing = asyncio.create_task(probe.run(until=done))
    await asyncio.sleep(0.2)
    authorization = [("authorization", probe.backend.authorization)]
    commits, cpu = metric(gateway, "gatewayd_commit_seconds_count"), cpu_nanoseconds(gateway.process.pid)
    begun = time.perf_counter()
    answer = await probe.backend.connection.request(
        "POST", f"/v1/apps/{BUNDLE}/fan-outs", authorization, _FAN_OUT)
    if answer.status != 202:
        raise BenchFailed(f"the fan-out was not accepted: {answer}")
    location, report = answer.header("location") or "", answer.json
    while report["state"] == "running":
        await asyncio.sleep(0.01)
        report = (await probe.backend.connection.request("GET", location, authorization)).json
    taken = time.perf_counter() - begun
    used = cpu_nanoseconds(gateway.process.pid) - cpu
    done.set()
    await probing
    return {"seconds": round(taken, 3), **{name: report[name] for name in ("matched", "marked", "skipped", "sent")},
            "commits": metric(gateway, "gatewayd_commit_seconds_count") - commits,
            "cpu_us_per_mark": round(used / 1000 / max(1, report["marked"]), 2)}
