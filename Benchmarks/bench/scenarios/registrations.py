"""Whether a push costs more among a million registrations than among a thousand. No device is connected: each push is
checked, found, marked, journalled and committed, and makes a row dirty that the checkpoint writes one day."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench import Bench
from crowd import bring
from figures import Beside, Figure, Result, Target
from h2load import Run, Shape, load_by_many
from million import CLIENTS
from rig import pushing
from servers import Server, configure, start
from turns import Contestant

_FEW = 1000
#: Design §8.
_BOUND = Target(1.2, of_ratio=True)


async def thousand(bench: Bench) -> Result:
    few = await _among_few(bench)
    turns = await bench.take_turns(few)
    return Result([Figure(f"CPU a push among {_FEW:,}", "µs", turns.cpu(few.name))])


async def million(bench: Bench) -> Result:
    crowd = await bench.million()
    bench.say("  loading it")
    crowd.restart()
    backend, server = await pushing(crowd.gateway, bench.settings.environment)
    few = await _among_few(bench)
    result = Result(details={"registrations": crowd.count})
    tokens = min(_requests(bench), crowd.count)
    seeds = iter(range(1000))
    same = crowd.spread(server, _folder(bench, "same"), min(10_000, tokens), 0)
    for what, files in (
            ("10 thousand of them pushed to again and again", lambda: same),
            ("each push to another one", lambda: crowd.spread(server, _folder(bench, "other"), tokens, next(seeds)))):
        bench.say(f"  {what}")
        many = _contestant(bench, f"{crowd.count:,}", server, files)
        await many.run()
        turns = await bench.take_turns(many, few)
        result.figures.append(Figure(
            f"CPU a push among {crowd.count:,}, {what}", "µs", turns.cpu(many.name),
            Beside(few.name, turns.cpu(few.name)), _BOUND, is_headline=True))
        result.figures.append(Figure(
            "of it on the store's thread", "µs", turns.thread(many.name, "gateway-store"),
            Beside(few.name, turns.thread(few.name, "gateway-store"))))
    result.details["resident_kilobytes"] = crowd.gateway.resident_kilobytes()
    await backend.close()
    crowd.stop()
    return result


def _requests(bench: Bench) -> int:
    return bench.settings.requests or (50_000 if bench.settings.quick else 100_000)


def _folder(bench: Bench, name: str) -> Path:
    folder = bench.folder / name
    folder.mkdir(exist_ok=True)
    return folder


def _contestant(bench: Bench, name: str, server: Server, files: Callable[[], list[Path]]) -> Contestant:
    async def run() -> Run:
        return await load_by_many(server, files(), Shape(CLIENTS, 100, requests=_requests(bench)), bench.body)

    return Contestant(name, run)


async def _among_few(bench: Bench) -> Contestant:
    gateway = bench.gateway()
    configure(gateway, bench.settings.loops, {"device.heartbeat": "30m"})
    start(gateway)
    tokens = [member.token for member in bring(gateway, _FEW, environment=bench.settings.environment)]
    backend, server = await pushing(gateway, bench.settings.environment)
    await backend.close()
    folder = _folder(bench, "few")
    files = [server.addresses(tokens[client::CLIENTS], folder / f"{client}.addresses") for client in range(CLIENTS)]
    contestant = _contestant(bench, f"{_FEW:,}", server, lambda: files)
    await contestant.run()  # pages and caches
    return contestant
