"""`kill -9` under load: a push answered 200 is never lost, and no charge is forgotten.

Each round starts the gateway on the store that the last one left, pushes with thousands in flight over several
connections while devices come, go and acknowledge at random, and kills it at a random moment. Then it is started again
and asked for everything it has promised:

* each widget of a push that was answered 200 is refreshed with that push or a newer one, once its device is there and
  developer mode lifts the budget;
* no cell has more tokens than what its widget's hand-overs, as the devices saw them, have left in it;
* a registration that was answered 200 is there.

The order of pushes to one registration is known because each registration is pushed to over one connection only, with
a number that rises in the payload. `--rounds N` makes it longer, `--seed S` repeats a run's choices.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from device import MEDIUM, SMALL, Device, Refresh, StreamEnded
from flood import Flood, Push
from gateway import BUNDLE, Gateway
from http2 import ConnectionLost, StreamReset

DEVICES = 240
CONNECTIONS = 4
IN_FLIGHT = 800  # on each connection
LIMIT, BURST = 1000, 500
LOST = (ConnectionLost, StreamReset, StreamEnded, OSError, TimeoutError)


@dataclass
class Phone:
    """A device with two widgets, and what it and its backend remember of one another."""

    device: Device
    token: str
    sent: int = 0
    #: The newest push that was answered 200 and had to be stored.
    promised: int = 0
    #: The newest push that each widget was refreshed with, by family.
    shown: dict[str, int] = field(default_factory=lambda: {"systemSmall": 0, "systemMedium": 0})
    #: Pushes whose hand-over to the widget was charged, by family.
    charged: dict[str, set[int]] = field(default_factory=lambda: {"systemSmall": set(), "systemMedium": set()})
    #: Hand-overs of pushes up to this one may have been bypassed by developer mode.
    uncharged_until: int = 0
    last: str | None = None
    reader: asyncio.Task[None] | None = None

    def take(self, refresh: Refresh, *, charges: bool) -> None:
        number = refresh.data["payload"]["n"]
        assert 0 < number <= self.sent, f"push {number} was never made"
        for _, family, _ in refresh.widgets:
            self.shown[family] = max(self.shown[family], number)
            if charges and number > self.uncharged_until:
                self.charged[family].add(number)
        self.last = refresh.id

    @property
    def is_up_to_date(self) -> bool:
        return min(self.shown.values()) >= self.promised


class Fleet:
    def __init__(self, gateway: Gateway, random: random.Random) -> None:
        self.gateway = gateway
        self.random = random
        self.phones: list[Phone] = []
        self.begun = time.monotonic()
        self.answered = 0
        self.unanswered = 0
        #: Answered with anything else than 200, which promises nothing: 503 while the store is behind.
        self.refused = 0

    # Devices

    async def enrol(self, count: int) -> None:
        async def one() -> Phone:
            device = await Device.enrol(self.gateway)
            token = (await device.register(BUNDLE, SMALL, MEDIUM))["token"]
            await device.close()
            return Phone(device, token)

        self.phones += await _some_at_a_time(20, [one for _ in range(count)])

    async def connect(self, phones: list[Phone], *, charges: bool, receipts: float) -> None:
        async def one(phone: Phone) -> None:
            await phone.device.redial()
            # Half of the devices say on the stream what they have, as browsers do; the others are told again.
            updates = await phone.device.updates(after=phone.last if self.random.random() < 0.5 else None)

            async def read() -> None:
                while True:
                    refresh = await updates.next(deadline=3600)
                    phone.take(refresh, charges=charges)
                    if self.random.random() < receipts:
                        await phone.device.receipt(refresh.id)

            phone.reader = asyncio.create_task(read())

        await _some_at_a_time(20, [lambda phone=phone: one(phone) for phone in phones])

    async def disconnect(self, phones: list[Phone]) -> None:
        """Ends the readers; what they failed on other than a lost connection is a finding."""
        readers = []
        for phone in phones:
            if phone.reader is not None:
                readers.append(phone.reader)
                phone.reader.cancel()
                phone.reader = None
            await phone.device.close()
        for outcome in await asyncio.gather(*readers, return_exceptions=True):
            if not isinstance(outcome, (asyncio.CancelledError, *LOST)):
                assert outcome is None, repr(outcome)

    # The load

    async def push_until_killed(self, kill_after: int) -> None:
        """Pushes until the gateway has answered so many, and kills it a moment later, in the midst of others."""
        lanes = [self.lane(number) for number in range(CONNECTIONS)]
        before = self.answered
        killed = threading.Event()

        def kill() -> None:
            """A thread of its own: the devices' loop is too busy to be on time."""
            end = time.monotonic() + 120
            while self.answered - before < kill_after and time.monotonic() < end and all(
                    lane.is_alive() for lane in lanes):
                time.sleep(0.001)
            time.sleep(self.random.random() * 0.05)
            killed.set()
            self.gateway.kill()

        async def churn() -> None:
            """Devices that leave and come back while pushes are made."""
            try:
                while not killed.is_set():
                    await asyncio.sleep(self.random.random() * 0.1)
                    some = self.random.sample(self.phones, 5)
                    await self.disconnect([phone for phone in some if phone.reader])
                    await self.connect(some, charges=True, receipts=0.7)
            except LOST:
                pass

        async def grow() -> None:
            """New devices while pushes are made: once they have their answer, they are there."""
            try:
                while not killed.is_set():
                    await self.enrol(1)
            except LOST:
                pass

        killer = threading.Thread(target=kill, daemon=True)
        for thread in [*lanes, killer]:
            thread.start()
        await asyncio.gather(churn(), grow())
        for thread in [killer, *lanes]:
            await asyncio.to_thread(thread.join)
        findings = [lane.finding for lane in lanes if lane.finding]
        assert not findings, findings
        assert self.answered - before >= kill_after, "the pushes ended, or took two minutes, before it was time to kill"
        self.unanswered += sum(len(lane.open) for lane in lanes)
        self.refused += sum(lane.refused for lane in lanes)

    def lane(self, number: int) -> Flood:
        """One connection, with the registrations that are pushed to over it and over no other."""
        phones = self.phones[number::CONNECTIONS]
        by_token = {phone.token: phone for phone in phones}
        choices = random.Random(self.random.random())

        def choose() -> Push:
            phone = choices.choice(phones)
            phone.sent += 1
            kind = choices.random()
            return Push(phone.token, phone.sent, expiration=0 if kind < 0.1 else None,
                        priority=5 if kind > 0.9 else None)

        def answered(push: Push) -> None:
            phone = by_token[push.token]
            if push.expiration is None:
                phone.promised = max(phone.promised, push.number)
            self.answered += 1

        return Flood(self.gateway, IN_FLIGHT, choose, answered)

    # What must hold

    def check_budgets(self) -> None:
        returned = (time.monotonic() - self.begun) * (LIMIT - BURST) / 86_400
        for phone in self.phones:
            for family, remaining in remaining_tokens(self.gateway, phone.token).items():
                most = BURST - len(phone.charged[family]) + returned
                assert 0 <= remaining <= most, (
                    f"{phone.token} {family}: {remaining} tokens, and {len(phone.charged[family])} charged hand-overs "
                    f"leave {most:.3f}")

    async def check_marks(self) -> None:
        """Lifts the budget, connects everybody, and waits until each promise is kept."""
        developer_mode(self.gateway, on=True)
        for phone in self.phones:
            phone.uncharged_until = phone.sent
        await self.connect(self.phones, charges=False, receipts=1)
        end = time.monotonic() + 120
        while late := [phone for phone in self.phones if not phone.is_up_to_date]:
            assert time.monotonic() < end, (
                f"{len(late)} registrations lost a push that was answered 200; the first: {late[0].token} was promised "
                f"{late[0].promised} and shows {late[0].shown}")
            broken = [p.reader for p in self.phones if p.reader and p.reader.done()]
            assert not broken, repr(broken[0].exception())
            await asyncio.sleep(0.02)
        await self.disconnect(self.phones)
        developer_mode(self.gateway, on=False)


async def test_a_push_answered_200_outlives_kill_9(gateway: Gateway, request: pytest.FixtureRequest) -> None:
    seed = request.config.getoption("--seed")
    seed = seed if seed is not None else random.randrange(1 << 32)
    print(f"repeat with: Tests/clients/run -k crash --seed {seed} --rounds {request.config.getoption('--rounds')}")
    choices = random.Random(seed)
    gateway.set({
        "budget.refreshes-per-day": LIMIT, "budget.burst": BURST, "checks.pushes-per-token-per-minute": 0})
    fleet = Fleet(gateway, choices)

    gateway.start()
    await fleet.enrol(DEVICES)
    for round in range(request.config.getoption("--rounds")):
        present = choices.sample(fleet.phones, len(fleet.phones) * 6 // 10)
        await fleet.connect(present, charges=True, receipts=0.7)
        await fleet.push_until_killed(choices.randrange(200, 20_000))
        await fleet.disconnect(fleet.phones)

        while choices.random() < 0.3:  # killed again, this time while it reads its store
            gateway.spawn()
            await asyncio.sleep(choices.random() * 0.1)
            gateway.kill()
        gateway.start()
        fleet.check_budgets()
        await fleet.check_marks()
        fleet.check_budgets()
        print(f"round {round + 1}: {fleet.answered} pushes answered so far, {fleet.unanswered} cut off in flight, "
              f"{fleet.refused} refused, {len(fleet.phones)} registrations")
        if choices.random() < 0.5:
            gateway.kill()
            gateway.start()

    assert fleet.unanswered > 1000, "too few pushes were in flight for this to show anything"
    assert sum(len(c) for p in fleet.phones for c in p.charged.values()) > DEVICES, "hardly any hand-over was charged"
    assert gateway.stop() == 0
    assert_intact(gateway.database)


def remaining_tokens(gateway: Gateway, token: str) -> dict[str, int]:
    """Whole tokens by family; a peek, which changes nothing."""
    status, body = gateway.admin("GET", f"/v1/budgets/{token}")
    assert status == 200, body
    return {widget["family"]: widget["budget"]["remaining"] for widget in body["widgets"]}


def developer_mode(gateway: Gateway, *, on: bool) -> None:
    if on:
        status, body = gateway.admin(
            "PUT", "/v1/developer-mode", {"app": BUNDLE, "seconds": 3600, "who": "crash test", "why": "to see all"})
    else:
        status, body = gateway.admin("DELETE", f"/v1/developer-mode?app={BUNDLE}")
    assert status in (200, 204), body


def assert_intact(database: Path) -> None:
    """SQLite's own judgement, on a copy."""
    copies = database.parent / "copy"
    copies.mkdir()
    for file in database.parent.glob(database.name + "*"):
        shutil.copy(file, copies)
    with sqlite3.connect(copies / database.name) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def _some_at_a_time(limit: int, jobs: list) -> list:
    """Waits for all, also when one has failed: nothing of them goes on behind the test's back."""
    room = asyncio.Semaphore(limit)

    async def one(job):
        async with room:
            return await job()

    outcomes = await asyncio.gather(*(one(job) for job in jobs), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return outcomes
