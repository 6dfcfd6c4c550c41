"""Connections that are set up for a second of CPU: accept, TLS 1.3 with P-256, HTTP/2, one push, goodbye."""

from __future__ import annotations

from bench import Bench
from figures import Beside, Figure, Result
from h2load import Shape


async def run(bench: Bench) -> Result:
    rig = await bench.rig()
    count = bench.settings.size("CONNECTIONS", 800, 300)
    turns = await bench.against_nghttpd(rig, Shape(count, 1, requests=count))

    def a_second(name: str) -> list[float]:
        return [1e6 / cpu for cpu in turns.cpu(name)]

    return Result([Figure("connections set up for a second of CPU", "", a_second("gatewayd"),
                          Beside("nghttpd", a_second("nghttpd")), is_headline=True)])
