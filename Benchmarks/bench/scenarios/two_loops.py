"""What several loops cost: the same load on a gateway with one and on a gateway with two, both on one core."""

from __future__ import annotations

from bench import Bench
from figures import Beside, Figure, Result, Target


async def run(bench: Bench) -> Result:
    tokens = bench.settings.size("TOKENS", 10_000, 2000)
    rigs = {loops: await bench.build_rig(tokens, loops=loops) for loops in (2, 1)}
    shape = bench.shape(10, 100)
    names = {1: "one", 2: "two"}
    turns = await bench.take_turns(*(
        bench.contestant(rig.server, [rig.addresses], shape, name=names[loops]) for loops, rig in rigs.items()))
    for rig in rigs.values():
        rig.check()
    return Result([Figure(f"CPU a push with two loops, {shape}", "µs", turns.cpu("two"),
                          Beside("one", turns.cpu("one")), Target(1.15, of_ratio=True), is_headline=True)])
