"""All scenarios, in the order of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bench import Bench
from figures import Result

from . import (answers, connections, events, fan_out, idle_devices, latency, many_connections, pushes, registrations,
               start, sustained, two_loops, week)

SCENARIOS: dict[str, Callable[[Bench], Awaitable[Result]]] = {
    "push-durable": pushes.durable,
    "push-relaxed": pushes.relaxed,
    "latency": latency.run,
    "refused": answers.refused,
    "deferred": answers.deferred,
    "connections": connections.run,
    "many-connections": many_connections.run,
    "two-loops": two_loops.run,
    "push-to-event": events.run,
    "fan-out": fan_out.run,
    "idle-devices": idle_devices.run,
    "push-1k": registrations.thousand,
    "push-1m": registrations.million,
    "start": start.run,
    "sustained": sustained.run,
    "week": week.run,
}
