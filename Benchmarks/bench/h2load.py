"""The load: nghttp2's h2load, on the core of its own, and what the server used meanwhile.

What is compared is CPU time of all threads per request and not requests per second: on shared machines the wall clock
jumps, CPU time hardly does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from machine import LOAD_CORE, BenchFailed
from noise import Moment
from servers import Server

#: Seconds that a load may take above those it was given.
_PATIENCE = 40
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


class LoadStuck(BenchFailed):
    """Not all of a load's connections were there in time: then a timed h2load waits for ever."""


@dataclass(frozen=True)
class Shape:
    """Either so many requests, or whatever comes in so many seconds once all is connected."""

    connections: int
    in_flight: int
    requests: int | None = None
    seconds: float | None = None
    #: Before the seconds: connecting, and the first push of each connection, which goes alone.
    warm_up: float = 0.4
    status: str = "2xx"
    #: Requests a second, of all connections together; None is as fast as it goes.
    rate: float | None = None

    def answered(self, status: str) -> Shape:
        return replace(self, status=status)

    def __str__(self) -> str:
        return f"-c {self.connections} -m {self.in_flight}"


@dataclass(frozen=True)
class Run:
    requests: int
    #: Microseconds for each request, all threads.
    cpu: float
    #: Of them, by the names of the threads.
    threads: dict[str, float]
    #: Requests a second.
    rate: float
    #: Milliseconds from a request's first byte to its answer's last.
    mean: float
    #: The share of the server's core that other processes took.
    others: float
    #: Seconds; of a number of requests with what it took to connect.
    wall: float

    @property
    def requests_per_wall(self) -> float:
        """Of several processes with a number of requests each, which do not end together."""
        return self.requests / self.wall


async def load(server: Server, addresses: Path, shape: Shape, body: Path) -> Run:
    return _together([await _load(server, addresses, shape, body)], server)


async def load_by_many(server: Server, addresses: Sequence[Path], shape: Shape, body: Path, *,
                       apart: float = 0) -> Run:
    """As many processes as files, each with its share of the connections and with tokens of its own, begun so many
    seconds apart. Clients of one process walk through the same tokens at the same time, and a paced one sends ten bursts
    a second."""
    count = len(addresses)

    async def one(number: int, file: Path) -> _Part:
        await asyncio.sleep(number * apart)
        return await _load(server, file, replace(
            shape, connections=shape.connections // count, requests=shape.requests and shape.requests // count,
            warm_up=shape.warm_up + (count - number) * apart, rate=shape.rate and shape.rate / count), body)

    return _together(await asyncio.gather(*(one(number, file) for number, file in enumerate(addresses))), server)


@dataclass(frozen=True)
class _Part:
    """One process's share of a load."""

    shape: Shape
    requests: int
    rate: float
    mean: float
    before: Moment
    after: Moment


def _together(parts: Sequence[_Part], server: Server) -> Run:
    requests = sum(part.requests for part in parts)
    rate = sum(part.rate for part in parts)
    if requests == 0:
        raise BenchFailed(f"{server.name} answered nothing in the time that was measured")
    if parts[0].shape.requests is not None:
        before, after = min(part.before for part in parts), max(part.after for part in parts)
        measured: float = requests
    else:
        # While all of them were at it. Each has counted in its own seconds, which are about the same.
        before, after = max(part.before for part in parts), min(part.after for part in parts)
        measured = requests if len(parts) == 1 else rate * (after.wall - before.wall)
    if after.wall <= before.wall:
        raise LoadStuck(f"the processes of a load on {server.name} were not at it at the same time")
    threads = {name: (used - before.threads.get(name, 0)) / measured / 1000 for name, used in after.threads.items()}
    return Run(requests, (after.cpu - before.cpu) / measured / 1000, threads, rate,
               sum(part.mean * part.requests for part in parts) / requests, after.others_since(before),
               after.wall - before.wall)


async def _load(server: Server, addresses: Path, shape: Shape, body: Path) -> _Part:
    process = await _begin(server, addresses, shape, body)
    before = after = Moment.now(server.pid)
    output = ""
    try:
        async with asyncio.timeout(_PATIENCE + (shape.requests or 0) / 1000 + (shape.seconds or 0) + shape.warm_up):
            assert process.stdout is not None
            async for line in process.stdout:
                if line.startswith(b"Main benchmark duration is started"):
                    before = Moment.now(server.pid)
                elif line.startswith(b"Main benchmark duration is over"):
                    after = Moment.now(server.pid)
                output += line.decode()
            if shape.requests is not None:
                after = Moment.now(server.pid)
            await process.wait()
    except TimeoutError:
        raise LoadStuck(f"h2load {shape} against {server.name} came to no end") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _Part(shape, *_read(output, server, shape), before, after)


async def _begin(server: Server, addresses: Path, shape: Shape, body: Path) -> asyncio.subprocess.Process:
    command = ["taskset", "--cpu-list", str(LOAD_CORE), "h2load", "--clients", str(shape.connections),
               "--max-concurrent-streams", str(shape.in_flight), "--threads", "1", "--input-file", str(addresses),
               "--data", str(body)]
    if shape.requests is not None:
        command += ["--requests", str(shape.requests)]
    else:
        command += ["--duration", _duration(shape.seconds or 0), "--warm-up-time", _duration(shape.warm_up)]
    if shape.rate is not None:
        command += ["--rps", f"{shape.rate / shape.connections:.3f}"]
    for header in server.headers:
        command += ["--header", header]
    return await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)


def _duration(seconds: float) -> str:
    return f"{1000 * seconds:.0f}ms"


def _read(output: str, server: Server, shape: Shape) -> tuple[int, float, float]:
    codes = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output)
    rate = re.search(r"finished in .*?, ([\d.]+) req/s", output)
    mean = re.search(r"time for request:\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)", output)
    if codes is None or rate is None or mean is None:
        raise BenchFailed(f"h2load {shape} against {server.name} said:\n{output}")
    counts = dict(zip(("2xx", "3xx", "4xx", "5xx"), map(int, codes.groups())))
    done = counts.pop(shape.status)
    if any(counts.values()) or (shape.requests is not None and done != shape.requests):
        raise BenchFailed(f"{server.name} did not answer every request with {shape.status}:\n{output}")
    return done, float(rate[1]), float(mean[1]) * _UNITS[mean[2]]
