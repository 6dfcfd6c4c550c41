"""Budgets across what happens to a gateway: reloads under load, refused reloads, retries, `kill -9`."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime

import pytest

from device import MEDIUM, SMALL, Device
from flood import Flood, Push
from gateway import Gateway
from provider import Provider

#: One token a second: capacity 4, (86404 - 4) a day.
ONE_A_SECOND = {"budget.refreshes-per-day": 86404, "budget.burst": 4}


def budgets(gateway: Gateway, token: str) -> list[dict]:
    """A peek, which changes nothing."""
    status, body = gateway.admin("GET", f"/v1/budgets/{token}")
    assert status == 200, body
    return [widget["budget"] for widget in body["widgets"]]


async def reload(gateway: Gateway, says: str = " reloaded: ") -> str:
    """Sends SIGHUP and waits for the log's word on it."""
    before = gateway.log.read_text()
    assert gateway.process is not None
    gateway.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(60):
        while says not in (said := gateway.log.read_text()[len(before):]):
            await asyncio.sleep(0.01)
    return said


class Phone:
    """A device that reads, confirms and counts its refreshes."""

    def __init__(self, device: Device, token: str) -> None:
        self.device = device
        self.token = token
        self.shown = 0
        self._reader: asyncio.Task | None = None

    @classmethod
    async def make(cls, gateway: Gateway) -> Phone:
        device = await Device.enrol(gateway)
        return cls(device, (await device.register())["token"])

    async def connect(self) -> None:
        updates = await self.device.updates()

        async def read() -> None:
            while True:
                await updates.next(deadline=600)
                self.shown += 1

        self._reader = asyncio.create_task(read())

    async def close(self) -> None:
        if self._reader:
            self._reader.cancel()
        await self.device.close()


async def phones(gateway: Gateway, count: int) -> list[Phone]:
    made = [await Phone.make(gateway) for _ in range(count)]
    for phone in made:
        await phone.connect()
    return made


async def all_show(group: list[Phone], count: int) -> None:
    """Waits until each shows as many as it is to, and sees that none shows more."""
    async with asyncio.timeout(60):
        while any(phone.shown < count for phone in group):
            await asyncio.sleep(0.01)
    assert [phone.shown for phone in group] == [count] * len(group)


@contextlib.asynccontextmanager
async def flood(gateway: Gateway, targets: Iterable[Phone]) -> AsyncIterator[Callable]:
    """Pushes to all in turn, as fast as the gateway answers; gives what waits until each got `count` more 200s."""
    tokens = [phone.token for phone in targets]
    answered: Counter[str] = Counter()
    turn = iter(range(1 << 62))

    def choose() -> Push:
        number = next(turn)
        return Push(tokens[number % len(tokens)], number)

    def note(push: Push) -> None:
        answered[push.token] += 1

    lane = Flood(gateway, 200, choose, note)
    lane.start()

    async def each_got(count: int) -> None:
        goal = {token: answered[token] + count for token in tokens}
        async with asyncio.timeout(120):
            while any(answered[token] < wanted for token, wanted in goal.items()):
                assert lane.is_alive() and lane.finding is None, lane.finding
                await asyncio.sleep(0.02)

    yield each_got
    assert lane.refused == 0, f"{lane.refused} pushes were refused"
    gateway.kill()  # what is still in flight ends with the gateway; the lane goes with it
    await asyncio.to_thread(lane.join)
    assert lane.finding is None, lane.finding
    print(f"{sum(answered.values())} pushes answered 200, none refused")


async def test_a_reload_from_50_to_5_and_back_counts_at_once_and_mints_nothing_under_load(gateway: Gateway) -> None:
    """A third of the devices meets each limit with a full budget: 4 at once under 50 a day, 1 under 5 a day."""
    gateway.set({"budget.refreshes-per-day": 50, "checks.pushes-per-token-per-minute": 0})
    gateway.start()
    first = await phones(gateway, 12)
    second = await phones(gateway, 12)
    everybody = first + second
    async with flood(gateway, first) as each_got:
        await each_got(50)
        await all_show(first, 4)

        gateway.set({"budget.refreshes-per-day": 5, "budget.burst": 1})
        await reload(gateway)
        # Counts at once for those that wait, and for those that nobody has pushed to yet: 4 tokens are cut to 1.
        for phone in everybody:
            budget, = budgets(gateway, phone.token)
            assert (budget["limit"], budget["burst"]) == (5, 1)
            assert budget["remaining"] == (0 if phone in first else 1)
        await each_got(50)
        await all_show(first, 4)  # a lower limit brings nothing
        async with await Provider.connect(gateway) as backend:
            for phone in second:
                answers = [await backend.push(phone.token) for _ in range(3)]
                assert [answer.refresh["sent"] for answer in answers] == [1, 0, 0]
                # The budget of 5 a day: 4 tokens return in a day.
                assert 21_500 < answers[1].refresh["retry"] <= 21_600

        gateway.set({"budget.refreshes-per-day": 50, "budget.burst": 4})
        await reload(gateway)
        await each_got(50)
        async with await Provider.connect(gateway) as backend:
            for phone in second:
                answer = await backend.push(phone.token)
                assert answer.refresh["sent"] == 0, "a limit that comes back brings no token with it"
                assert answer.refresh["retry"] <= 1879  # 46 tokens a day
        third = await phones(gateway, 3)
        async with await Provider.connect(gateway) as backend:
            for phone in third:
                assert [(await backend.push(phone.token)).refresh["sent"] for _ in range(1)] == [1]
                budget, = budgets(gateway, phone.token)
                assert (budget["limit"], budget["remaining"]) == (50, 3)
        for group, shown in ((first, 4), (second, 1), (third, 1)):
            await all_show(group, shown)
        print(f"shown under 50 a day: {[p.shown for p in first]}; under 5 a day: {[p.shown for p in second]}; "
              f"after it: no more to either, {[p.shown for p in third]} to new ones")
    for phone in [*everybody, *third]:
        await phone.close()


@pytest.mark.parametrize(("policy", "complaint"), [
    ({"budget.refreshes-per-day": 10, "budget.burst": 10}, "budget.burst: expected a whole number from 1 to 9"),
    ({"budget.refreshes-per-day": -1}, "budget.refreshes-per-day: expected a whole number from 1 to 1000000"),
    ({"budget.refreshes-per-day": 99999999999999999999}, ": "),
    ("[[budget.override]]\nfamily = \"systemHuge\"\nburst = 1\n", "budget.override.family: expected"),
    ("[[budget.override]]\nkind = \"a\"\nburst = 1\n[[budget.override]]\nkind = \"a\"\nmode = \"off\"\n",
     "budget.override: names the same widgets as the override of line"),
])
async def test_a_policy_that_cannot_hold_is_refused_by_check_and_reload_and_the_old_one_stays(
        gateway: Gateway, policy: str | dict[str, int], complaint: str) -> None:
    gateway.start()
    async with await Device.enrol(gateway) as phone:
        token = (await phone.register())["token"]
        if isinstance(policy, str):
            gateway.append(policy)
        else:
            gateway.set(policy)
        checked = gateway.program("gatewayd", "check", "--config", gateway.config)
        assert checked.returncode == 1
        line = next((line for line in checked.stderr.splitlines() if complaint in line), None)
        assert line is not None, checked.stderr
        assert f"{gateway.config.name}:" in line, "file and line are named"
        said = await reload(gateway, says="not reloaded, everything stays as it was")
        assert complaint in said
        budget, = budgets(gateway, token)
        assert (budget["limit"], budget["burst"], budget["remaining"]) == (50, 4, 4)


@pytest.mark.parametrize("mode", ["defer", "reject"])
async def test_a_retry_with_the_same_apns_id_is_not_charged_twice_also_after_kill_9(
        gateway: Gateway, mode: str) -> None:
    gateway.set({"budget.over-budget": mode})
    gateway.start()
    name = str(uuid.uuid4())
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        assert (await backend.push(token, id=name)).refresh["sent"] == 1
        refresh = await updates.next()
        for _ in range(3):
            again = await backend.push(token, id=name)
            assert (again.status, again.header("apns-id"), again.refresh) == (
                200, name, {"sent": 0, "deferred": 0, "dropped": 0})
        assert [budget["remaining"] for budget in budgets(gateway, token)] == [3]
        gateway.kill()

    gateway.start()
    phone.connection = await Device.dial(gateway)
    async with phone, await Provider.connect(gateway) as backend:
        updates = await phone.updates()
        # It had no receipt: it comes again, uncharged. The retry adds nothing to it.
        assert (await updates.next()).id == refresh.id
        again = await backend.push(token, id=name)
        assert (again.status, again.refresh) == (200, {"sent": 0, "deferred": 0, "dropped": 0})
        assert [budget["remaining"] for budget in budgets(gateway, token)] == [3]
        other = await backend.push(token)
        assert (await updates.next()).apns_id == other.header("apns-id"), "nothing else was on its way"


async def test_budgets_after_kill_9_are_those_before_for_every_widget_that_had_a_200(gateway: Gateway) -> None:
    """Each device gets another number of pushes, to two widgets, some of them exempt, some over budget."""
    gateway.start()
    fleet: list[tuple[Device, str]] = []
    async with await Provider.connect(gateway) as backend:
        for number in range(24):
            phone = await Device.enrol(gateway)
            token = (await phone.register("com.example.caffeine", SMALL, MEDIUM))["token"]
            updates = await phone.updates()
            if number % 5 == 4:
                await phone.state(foreground="com.example.caffeine", session=None, asleep=False, developerMode=False)
            for _ in range(number % 7):
                answer = await backend.push(token)
                assert answer.status == 200
                if answer.refresh["sent"]:
                    await updates.next()
            fleet.append((phone, token))
        before = [budgets(gateway, token) for _, token in fleet]
        gateway.kill()
    assert {budget["remaining"] for two in before for budget in two} == {0, 1, 2, 3, 4}

    gateway.start()
    after = [budgets(gateway, token) for _, token in fleet]
    for (was, now) in zip([b for two in before for b in two], [b for two in after for b in two], strict=True):
        # Instants are told by the wall clock, which is not the one that counts; a millisecond may go.
        for instant in ("next", "admits"):
            told = [seconds(budget.pop(instant)) if budget.get(instant) else 0 for budget in (was, now)]
            assert abs(told[0] - told[1]) < 0.01, instant
        assert now == was
    print("remaining before and after kill -9:", [[b["remaining"] for b in two] for two in after])
    for phone, _ in fleet:
        await phone.close()


async def test_a_deferred_refresh_goes_within_a_second_of_the_moment_that_was_told(start) -> None:
    """By the gateway's own times, so that a machine that is busy elsewhere does not count against it."""
    gateway = start(ONE_A_SECOND)
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        for _ in range(200):
            answer = await backend.push(token)
            refresh = await updates.next()
            assert refresh.apns_id == answer.header("apns-id")
            if answer.refresh["deferred"]:
                break
        assert answer.refresh["deferred"] == 1, "two hundred pushes and none over budget"
        status, told = gateway.admin("GET", f"/v1/explain/{answer.header('apns-id')}")
        assert status == 200, told
        decisions = {decision["outcome"]: decision for decision in told["pushes"][0]["decisions"]}
        late = seconds(decisions["sent"]["time"]) - seconds(decisions["deferred"]["until"])
        assert 0 <= late <= 1, f"handed over {late} s after its budget admitted it"


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
