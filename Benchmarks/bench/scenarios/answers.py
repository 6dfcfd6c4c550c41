"""Pushes that end early, and pushes that all wait for budget."""

from __future__ import annotations

import hashlib

from bench import Bench
from figures import Beside, Figure, Result


async def refused(bench: Bench) -> Result:
    """Well-formed tokens that nobody has: the whole way to BadDeviceToken, and an answer with a body."""
    unknown = [hashlib.sha256(b"nobody's %d" % number).hexdigest() for number in range(10_000)]
    return await _against_nghttpd(bench, "CPU a refused push", unknown, "4xx")


async def deferred(bench: Bench) -> Result:
    rig = await bench.rig()
    return await _against_nghttpd(bench, "CPU a deferred push", rig.fleet.connected_tokens, "2xx")


async def _against_nghttpd(bench: Bench, what: str, tokens: list[str], status: str) -> Result:
    rig = await bench.rig()
    shape = bench.shape(10, 100)
    turns = await bench.against_nghttpd(rig, shape, tokens, status=status)
    return Result([
        Figure(f"{what}, {shape}", "µs", turns.cpu("gatewayd"), Beside("nghttpd", turns.cpu("nghttpd")),
               is_headline=True),
        Figure("answers a second", "/s", turns.rate("gatewayd"), Beside("nghttpd", turns.rate("nghttpd")))])
