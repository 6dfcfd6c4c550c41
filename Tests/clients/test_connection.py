"""How a provider's connection lives and ends: limits, idleness, errors, goodbyes."""

from __future__ import annotations

import asyncio
import json
import signal
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from device import Device
from gateway import Gateway
from provider import Provider
from wire import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, GOAWAY, HEADERS, NO_ERROR, PING, RST_STREAM, Wire,
    block, frame, text)

FIRST = 0x7FFF_FFFF
ROUNDS = 4


async def registered(gateway: Gateway) -> str:
    async with await Device.enrol(gateway) as device:
        return (await device.register())["token"]


@pytest.fixture(scope="module")
def target(binaries: Path) -> Iterator[tuple[Gateway, str]]:
    """A gateway with small limits, and a token that it knows."""
    gateway = Gateway(binaries)
    try:
        gateway.set({
            "checks.pushes-per-token-per-minute": 0, "limits.errors-per-minute": 20, "lifecycle.drain": "10s",
            "provider[0].idle-timeout": "1s"})
        gateway.start()
        yield gateway, asyncio.run(registered(gateway))
    finally:
        gateway.clean_up()


def assert_pushes(wire: Wire, stream: int) -> None:
    wire.send(wire.push(stream))
    assert wire.answer(stream)[1][":status"] == "200"


def goodbyes(wire: Wire, reason: str) -> list[int]:
    """Reads to the end. All GOAWAYs say why; the last streams that they name."""
    wire.rest()
    said = [read for read in wire.log if read.kind == GOAWAY]
    assert [read.code for read in said] == [NO_ERROR] * len(said)
    assert {json.loads(read.debug_data)["reason"] for read in said} == {reason}
    return [read.last_stream for read in said]


# Idle

def test_an_idle_connection_is_told_so_and_closed(target: tuple[Gateway, str]) -> None:
    with Wire(*target) as wire:
        assert_pushes(wire, 1)
        assert goodbyes(wire, "IdleTimeout") == [FIRST, 1]


def test_a_ping_keeps_a_connection_from_idling(target: tuple[Gateway, str]) -> None:
    with Wire(*target) as wire:
        end = time.monotonic() + 2
        while time.monotonic() < end:
            wire.send(frame(PING, 0, 0, b"alive?!?"))
            wire.until(PING, flags=1)
            time.sleep(0.1)
        assert_pushes(wire, 1)
        assert not any(read.kind == GOAWAY for read in wire.log)


# Errors

def test_too_many_errors_end_a_connection_and_the_last_one_is_why(target: tuple[Gateway, str]) -> None:
    with Wire(*target) as wire:
        assert_pushes(wire, 1)
        streams = range(3, 45, 2)
        wire.send(*(wire.push(stream, wire.fields(apns_topic="none")) for stream in streams))
        for stream in streams:
            assert wire.answer(stream)[1][":status"] == "400"
        last = goodbyes(wire, "BadTopic")
        assert last == [FIRST, 43]
        # Every refusal had its answer before the goodbye.
        kinds = [read.kind for read in wire.log]
        assert kinds.index(GOAWAY) > max(place for place, kind in enumerate(kinds) if kind == DATA)
    gateway, _ = target
    assert "limits.errors-per-minute" in gateway.log.read_text()
    with Wire(*target) as wire:
        assert_pushes(wire, 1)


def test_bad_device_tokens_end_it_sooner(target: tuple[Gateway, str]) -> None:
    streams = range(1, 25, 2)
    with Wire(*target) as wire:
        wire.send(*(wire.push(stream, wire.fields(path="/3/device/" + "ab" * 32)) for stream in streams))
        assert goodbyes(wire, "BadDeviceToken") == [FIRST, 23]
    with Wire(*target) as wire:
        wire.send(*(wire.push(stream, wire.fields(apns_topic="none")) for stream in streams))
        for stream in streams:
            assert wire.answer(stream)[1][":status"] == "400"
        # A goodbye would begin with a PING.
        assert_pushes(wire, 25)
        assert not any(read.kind in (GOAWAY, PING) for read in wire.log)


def test_a_410_is_no_error_and_good_pushes_make_bad_ones_good(target: tuple[Gateway, str]) -> None:
    gateway, _ = target

    async def removed() -> str:
        async with await Device.enrol(gateway) as phone:
            token = (await phone.register())["token"]
            await phone.unregister()
            return token

    gone = asyncio.run(removed())
    with Wire(*target) as wire:
        for stream in range(1, 121, 2):
            wire.send(wire.push(stream, wire.fields(path=f"/3/device/{gone}")))
            assert wire.answer(stream)[1][":status"] == "410"
        for stream in range(1001, 1241, 4):
            wire.send(wire.push(stream, wire.fields(apns_topic="none")))
            assert wire.answer(stream)[1][":status"] == "400"
            assert_pushes(wire, stream + 2)


# Header lists

def test_a_header_list_beyond_8000_octets_fails_its_push_alone(target: tuple[Gateway, str]) -> None:
    with Wire(*target) as wire:
        def filled(octets: int) -> list[tuple[str, str]]:
            used = sum(len(name) + len(value) + 32 for name, value in wire.fields()) + len("x-fill") + 32
            return wire.fields(("x-fill", "x" * (octets - used)))

        wire.send(wire.push(1, filled(8000)), wire.push(3, filled(8001)), wire.push(5))
        assert wire.answer(1)[1][":status"] == "200"
        _, fields, body = wire.answer(3)
        assert fields[":status"] == "413" and json.loads(body)["reason"] == "PayloadTooLarge"
        assert "8000" in json.loads(body)["detail"]
        assert wire.answer(5)[1][":status"] == "200"


async def test_a_header_list_that_is_too_long_for_a_device_is_431(target: tuple[Gateway, str]) -> None:
    async with await Device.enrol(target[0]) as phone:
        answer = await phone.connection.request(
            "GET", f"/v1/devices/{phone.id}/explain", [("authorization", f"Bearer {phone.key}"), ("x", "x" * 9000)])
        assert (answer.status, answer.json["error"]) == (431, "headers-too-large")
        assert (await phone.call("GET", "/explain")).status == 200


def bomb(wire: Wire, stream: int, *, in_trailers: bool = False) -> bytes:
    """One octet stands for a field of four thousand: 130 000 of them, half a gigabyte of fields."""
    indexed = b"\x40" + text(b"x") + text(b"x" * 4000)
    payload = (b"" if in_trailers else block(wire.fields())) + indexed + b"\xbe" * 130_000
    pieces = [payload[at:at + 16_384] for at in range(0, len(payload), 16_384)]
    out = wire.head(stream) if in_trailers else b""
    for place, piece in enumerate(pieces):
        flags = (0 if place else END_STREAM) | (END_HEADERS if place == len(pieces) - 1 else 0)
        out += frame(CONTINUATION if place else HEADERS, flags, stream, piece)
    return out


@pytest.mark.parametrize("in_trailers", [False, True])
def test_a_header_list_that_unfolds_is_read_no_further(target: tuple[Gateway, str], in_trailers: bool) -> None:
    with Wire(*target) as wire:
        for stream in range(1, 41, 4):
            wire.send(bomb(wire, stream, in_trailers=in_trailers))
            assert wire.until(RST_STREAM, stream).code == ENHANCE_YOUR_CALM
            assert_pushes(wire, stream + 2)
        assert not any(read.kind == GOAWAY for read in wire.log)


# Goodbyes

@pytest.fixture
def restarting(target: tuple[Gateway, str]) -> Iterator[tuple[Gateway, str]]:
    """The module's gateway, which a test stops; it is started again for the next."""
    yield target
    gateway, _ = target
    if not gateway.is_running:
        gateway.start()


def test_a_quiet_connection_hears_both_goodbyes_after_a_ping(restarting: tuple[Gateway, str]) -> None:
    gateway, _ = restarting
    with Wire(*restarting) as wire:
        assert_pushes(wire, 1)
        gateway.process.send_signal(signal.SIGTERM)
        assert goodbyes(wire, "Shutdown") == [FIRST, 1]
        kinds = [read.kind for read in wire.log]
        assert kinds[-3:] == [PING, GOAWAY, GOAWAY], kinds
    assert gateway.process.wait(30) == 0


def test_a_push_that_crosses_the_first_goodbye_is_served(restarting: tuple[Gateway, str]) -> None:
    gateway, _ = restarting
    with Wire(*restarting) as wire:
        assert_pushes(wire, 1)
        gateway.process.send_signal(signal.SIGTERM)
        first = wire.until(GOAWAY)
        assert first.last_stream == FIRST
        wire.send(wire.push(3))
        assert wire.answer(3, despite_goodbye=True)[1][":status"] == "200"
        assert goodbyes(wire, "Shutdown") == [FIRST, 3]
    assert gateway.process.wait(30) == 0


@dataclass(frozen=True)
class Habit:
    """How a client sends: so many at once, the next ones so long after the last answer."""

    at_once: int
    pause: float


@pytest.mark.parametrize(
    "habit", [Habit(1, 0), Habit(40, 0.1), Habit(1, 0.1)], ids=["one by one", "bursts with pauses", "now and then"])
async def test_clients_over_pythons_h2_lose_no_answer(
        restarting: tuple[Gateway, str], habit: Habit) -> None:
    """They take a frame behind the first GOAWAY for an error, and lose what they have read with it. So it comes last.

    Nothing helps a client of this kind that always has pushes on their way: they cross the GOAWAY. See the next test.
    """
    gateway, token = restarting
    lost = told = 0
    for _ in range(ROUNDS):
        async with await Provider.connect(gateway) as backend:
            assert (await backend.push(token)).status == 200
            gateway.process.send_signal(signal.SIGTERM)
            while backend.connection.goaway is None and backend.connection.is_open:
                results = await asyncio.gather(
                    *(backend.push(token) for _ in range(habit.at_once)), return_exceptions=True)
                lost += sum(isinstance(result, BaseException) for result in results)
                told += sum(not isinstance(result, BaseException) for result in results)
                end = time.monotonic() + habit.pause
                while backend.connection.goaway is None and time.monotonic() < end:
                    await asyncio.sleep(0.005)
        assert await asyncio.to_thread(gateway.process.wait, 30) == 0
        await asyncio.to_thread(gateway.start)
    print(f"{told} answered, {lost} lost")
    assert told >= ROUNDS * habit.at_once and lost == 0


@pytest.mark.parametrize("at_once", [40], ids=["in bursts"])
async def test_what_crosses_the_goodbye_and_loses_its_answer_can_be_sent_again(
        restarting: tuple[Gateway, str], at_once: int) -> None:
    """Who never pauses has pushes on their way when the GOAWAY arrives. They are served; a client over Python's h2 then
    drops the answers. Sent again with their ids they are answered, and marked no second time."""
    gateway, token = restarting
    failed: list[str] = []
    answered = 0
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200
        gateway.process.send_signal(signal.SIGTERM)
        while backend.connection.goaway is None and backend.connection.is_open:
            ids = [str(uuid.uuid4()) for _ in range(at_once)]
            results = await asyncio.gather(*(backend.push(token, id=id) for id in ids), return_exceptions=True)
            failed += [id for id, result in zip(ids, results) if isinstance(result, BaseException)]
            answered += sum(not isinstance(result, BaseException) and result.status == 200 for result in results)
    assert await asyncio.to_thread(gateway.process.wait, 30) == 0
    await asyncio.to_thread(gateway.start)
    assert answered > 0
    assert len(failed) <= at_once, "only what was on its way when the GOAWAY came may fail"
    async with await Provider.connect(gateway) as backend:
        for id in failed:
            assert (await backend.push(token, id=id)).status == 200
