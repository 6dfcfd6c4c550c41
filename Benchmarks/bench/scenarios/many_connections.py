"""Whether a push costs more when others are connected too: a thousand in flight, dealt to ever more connections."""

from __future__ import annotations

from dataclasses import replace

from bench import Bench
from figures import Beside, Figure, Result
from h2load import LoadStuck
from machine import BenchFailed, descriptors

_IN_FLIGHT = 1000
_COUNTS = (1, 100, 1000, 10_000)
#: Of one process that are no connection of this load.
_OTHER_DESCRIPTORS = 600
#: Of one process of the load, and the seconds that it has to connect them: nghttpd's queue of new connections has room for
#: a thousand, and h2load comes to no end when one of its connections is turned away for long.
_CONNECTIONS, _APART = 500, 0.5
#: Connections that come in while others push already, at least.
_A_SECOND = 700


async def run(bench: Bench) -> Result:
    # Busy turns take 16 new connections each, and the last of ten thousand would wait for long.
    rig = await bench.build_rig(bench.settings.size("TOKENS", 10_000, 2000), **{"limits.handshakes-per-turn": 1000})
    limit = min(descriptors() - _OTHER_DESCRIPTORS, 13_000)
    result = Result(details={"most_connections": limit})
    counts = _COUNTS[:3] if bench.settings.quick else _COUNTS
    for wanted in counts:
        count = min(wanted, limit)
        processes = -(-count // _CONNECTIONS)
        shape = bench.shape(count, max(1, _IN_FLIGHT // count), warm_up=0.4 + count / _A_SECOND)
        if processes > 1 and shape.seconds:  # which begin and end at about the same time
            shape = replace(shape, seconds=3.0)
        bench.say(f"  {shape}")
        try:
            turns = await bench.against_nghttpd(
                rig, shape, repeats=max(1, bench.settings.repeats // 3) if count > 1000 else None,
                processes=processes, apart=_APART)
        except LoadStuck as failure:
            result.notes.append(f"{count:,} connections could not be measured: {failure}")
            continue
        result.figures.append(Figure(
            f"CPU a push, {shape}", "µs", turns.cpu("gatewayd"), Beside("nghttpd", turns.cpu("nghttpd")),
            is_headline=True))
        if count < wanted:
            result.notes.append(f"{count:,} connections and not {wanted:,}: a process may open {descriptors():,} files")
    if not result.figures:
        raise BenchFailed(result.notes[0])
    return result
