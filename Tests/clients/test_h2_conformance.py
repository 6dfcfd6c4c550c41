"""The provider port speaks HTTP/2 as RFC 9113 and RFC 7541 have it, over TLS, case by case.

After each case that does not end its connection the same connection serves a right push.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from conformance import CASES
from conformance.case import Case
from device import Device
from wire import Wire, settings
from gateway import Gateway


@pytest.fixture(scope="module")
def target(binaries: Path) -> Iterator[tuple[Gateway, str]]:
    """One gateway for all cases, and a token that it knows."""
    gateway = Gateway(binaries)
    try:
        gateway.set({"checks.pushes-per-token-per-minute": 0})
        gateway.start()

        async def register() -> str:
            async with await Device.enrol(gateway) as device:
                return (await device.register())["token"]

        yield gateway, asyncio.run(register())
        assert gateway.is_running, "the process did not live through it"
    finally:
        gateway.clean_up()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_rfc(target: tuple[Gateway, str], case: Case) -> None:
    gateway, token = target
    with Wire(gateway, token, greets=case.greets, initial=settings(*case.settings)) as wire:
        case.play(wire)
        case.outcome.check(wire)


def test_no_case_stands_twice() -> None:
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids))
