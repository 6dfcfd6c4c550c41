"""CPU per accepted push beside nghttpd's in the same turns, over connections and pushes in flight."""

from __future__ import annotations

import statistics

from bench import Bench
from figures import Beside, Figure, Result, Target

_HEADLINE = (10, 100)
#: Of design §8, for the headline with `synchronous=FULL`.
_BOUND = 1.4


async def durable(bench: Bench) -> Result:
    return await _matrix(bench, "full", Target(_BOUND, of_ratio=True))


async def relaxed(bench: Bench) -> Result:
    return await _matrix(bench, "relaxed", None)


async def _matrix(bench: Bench, durability: str, target: Target | None) -> Result:
    rig = await bench.rig(durability)
    result = Result(details={"tokens": len(rig.fleet.tokens), "pushes_per_second": {}})
    cells = [(1, 1), _HEADLINE] if bench.settings.quick else [(c, m) for c in (1, 10, 100) for m in (1, 100)]
    for cell in cells:
        shape = bench.shape(*cell)
        bench.say(f"  {shape}")
        turns = await bench.against_nghttpd(rig, shape)
        result.figures.append(Figure(
            f"CPU a push, {shape}", "µs", turns.cpu("gatewayd"), Beside("nghttpd", turns.cpu("nghttpd")),
            target if cell == _HEADLINE else None, is_headline=cell == _HEADLINE))
        if cell == _HEADLINE:
            headline = [
                Figure(f"of it on the store's thread, {shape}", "µs", turns.thread("gatewayd", "gateway-store")),
                Figure(f"pushes a second on one core, {shape}", "/s", turns.rate("gatewayd"),
                       Beside("nghttpd", turns.rate("nghttpd")))]
        result.details["pushes_per_second"][str(shape)] = {
            name: round(statistics.median(turns.rate(name))) for name in ("gatewayd", "nghttpd")}
    result.figures += headline
    result.details["resident_kilobytes"] = rig.gateway.resident_kilobytes()
    return result
