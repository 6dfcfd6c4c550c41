"""What a push does to widgets: budgets, deferral, receipts, developer mode, and one device against another.

No test here waits for time to pass to show that nothing happens: what must not come is shown by what comes next.
"""

from __future__ import annotations

import asyncio
import os
import time
import uuid

import pytest

from device import MEDIUM, SMALL, Device, StreamEnded
from gateway import BUNDLE, Gateway
from provider import Provider

#: One token a second: capacity 4, (86404 - 4) a day.
ONE_A_SECOND = {"budget.refreshes-per-day": 86404, "budget.burst": 4}


async def test_a_burst_is_refreshed_at_once_and_the_fifth_push_when_the_budget_returns(start) -> None:
    gateway = start(ONE_A_SECOND)
    async with await Provider.connect(gateway) as backend:
        # The fifth push is over budget only when it comes within a second of the first; a machine that was busy
        # elsewhere gets another try, with another device.
        for _ in range(20):
            async with await Device.enrol(gateway) as phone:
                token = (await phone.register())["token"]
                updates = await phone.updates()
                begun = time.monotonic()
                for _ in range(4):
                    answer = await backend.push(token)
                    assert answer.header("gateway-refresh") == "sent=1, deferred=0, dropped=0"
                    assert (await updates.next()).apns_id == answer.header("apns-id")
                fifth = await backend.push(token)
                if time.monotonic() - begun >= 1:
                    continue
                assert fifth.status == 200
                assert fifth.header("gateway-refresh") == "sent=0, deferred=1, dropped=0, retry=1"
                assert (await updates.next()).apns_id == fifth.header("apns-id")
                return
    pytest.fail("twenty tries, and five pushes took more than a second each time")


async def test_of_pushes_that_come_together_the_last_is_always_shown(start) -> None:
    gateway = start(ONE_A_SECOND)
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        await backend.push(token)  # one stream at a time until the first valid provider token
        await updates.next()
        names = [str(uuid.UUID(int=n)) for n in range(1, 21)]
        answers = await asyncio.gather(*(backend.push(token, id=name) for name in names))
        assert [answer.status for answer in answers] == [200] * 20
        assert [answer.header("apns-id") for answer in answers] == names
        seen = [(await updates.next()).apns_id.lower()]
        while seen[-1] != names[-1]:
            seen.append((await updates.next()).apns_id.lower())
        assert seen == sorted(set(seen)), "a refresh came twice, or after a newer one"


async def test_developer_mode_lifts_the_budget_in_development_and_never_in_production(start) -> None:
    gateway = start({"budget.refreshes-per-day": 50, "budget.burst": 4})
    async with (await Device.enrol(gateway) as phone, await Device.enrol(gateway) as watch,
                await Provider.connect(gateway) as development,
                await Provider.connect(gateway, "production") as production):
        tokens = {"development": (await phone.register())["token"],
                  "production": (await watch.register(environment="production"))["token"]}
        streams = {"development": await phone.updates(), "production": await watch.updates()}
        backends = {"development": development, "production": production}

        async def push(environment: str) -> str | None:
            answer = await backends[environment].push(tokens[environment])
            assert answer.status == 200
            if answer.refresh["sent"]:
                assert (await streams[environment].next()).apns_id == answer.header("apns-id")
            return (answer.header("gateway-refresh") or "").split(", retry")[0]

        for environment in backends:
            assert [await push(environment) for _ in range(5)] == (
                ["sent=1, deferred=0, dropped=0"] * 4 + ["sent=0, deferred=1, dropped=0"])

        status, body = gateway.admin(
            "PUT", "/v1/developer-mode", {"app": BUNDLE, "seconds": 600, "who": "test", "why": "to see it lifted"})
        assert status in (200, 204), body
        await streams["development"].next()  # what was deferred
        assert [await push("development") for _ in range(20)] == ["sent=1, deferred=0, dropped=0"] * 20
        assert [await push("production") for _ in range(20)] == ["sent=0, deferred=1, dropped=0"] * 20

        status, body = gateway.admin("DELETE", f"/v1/developer-mode?app={BUNDLE}")
        assert status in (200, 204), body
        assert await push("development") == "sent=0, deferred=1, dropped=0"


async def test_what_has_no_receipt_comes_again_after_a_reconnect_with_its_id(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        first = await backend.push(token)
        one = await updates.next()
        await phone.receipt(one.id)
        second = await backend.push(token)
        two = await updates.next()
        assert (one.apns_id, two.apns_id) == (first.header("apns-id"), second.header("apns-id"))

        await phone.redial()
        updates = await phone.updates()
        again = await updates.next()
        assert (again.id, again.data) == (two.id, two.data)

        # With a receipt it does not come again: the next thing on the next stream is the next push.
        await phone.receipt(again.id)
        await phone.redial()
        updates = await phone.updates()
        third = await backend.push(token)
        assert (await updates.next()).apns_id == third.header("apns-id")


async def test_last_event_id_on_the_stream_is_a_receipt(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        await backend.push(token)
        one = await updates.next()
        await phone.redial()
        updates = await phone.updates(after=one.id)
        second = await backend.push(token)
        assert (await updates.next()).apns_id == second.header("apns-id")


async def test_a_redelivery_costs_nothing(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        await backend.push(token)
        await updates.next()
        before = (await phone.register())["widgets"][0]["remaining"]
        for _ in range(3):
            await phone.redial()
            updates = await phone.updates()
            await updates.next()
        assert (await phone.register())["widgets"][0]["remaining"] == before


async def test_pushes_to_an_absent_device_join_into_its_newest(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register(BUNDLE, SMALL, MEDIUM))["token"]
        for n in range(10):
            answer = await backend.push(token, {"aps": {"content-changed": True}, "n": n})
            assert answer.header("gateway-refresh") == "sent=0, deferred=2, dropped=0"
        updates = await phone.updates()
        refresh = await updates.next()
        assert refresh.data["payload"]["n"] == 9
        assert sorted(refresh.widgets) == [("caffeine", "systemMedium", None), ("caffeine", "systemSmall", None)]
        await phone.receipt(refresh.id)
        last = await backend.push(token)
        assert (await updates.next()).apns_id == last.header("apns-id")


async def test_expiration_0_is_one_try_now(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        dropped = await backend.push(token, expiration=0)
        assert dropped.status == 200
        assert dropped.header("gateway-refresh") == "sent=0, deferred=0, dropped=1"
        updates = await phone.updates()
        sent = await backend.push(token, expiration=0)
        assert sent.header("gateway-refresh") == "sent=1, deferred=0, dropped=0"
        assert (await updates.next()).apns_id == sent.header("apns-id")


async def test_a_dropped_push_leaves_an_older_mark_as_it_was(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        kept = await backend.push(token)
        assert (await backend.push(token, expiration=0)).refresh["dropped"] == 1
        updates = await phone.updates()
        assert (await updates.next()).apns_id == kept.header("apns-id")


async def test_a_push_of_one_try_does_not_end_the_promise_of_an_unconfirmed_one(serving: Gateway) -> None:
    """A device that lost its stream has seen neither; the push before, answered 200, must still show."""
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        await backend.push(token)
        await updates.next()
        tried = await backend.push(token, expiration=0)
        assert (await updates.next()).apns_id == tried.header("apns-id")
        await phone.redial()
        updates = await phone.updates()
        again = await updates.next()
        assert again.apns_id == tried.header("apns-id")
        await phone.receipt(again.id)

        # Alone, it is one try and no more.
        alone = await backend.push(token, expiration=0)
        assert (await updates.next()).apns_id == alone.header("apns-id")
        await phone.redial()
        updates = await phone.updates()
        last = await backend.push(token)
        assert (await updates.next()).apns_id == last.header("apns-id")


async def test_the_same_apns_id_twice_is_one_refresh(serving: Gateway) -> None:
    """node-apn repeats a push without waiting; a repeat must not be paid for."""
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        name = str(uuid.uuid4())
        assert (await backend.push(token, id=name)).refresh["sent"] == 1
        assert (await updates.next()).apns_id.lower() == name
        for repeat in (name, name, name.upper()):
            answer = await backend.push(token, id=repeat)
            assert answer.status == 200
            assert answer.header("apns-id") == repeat
        other = await backend.push(token)
        assert (await updates.next()).apns_id == other.header("apns-id")
        assert (await phone.register())["widgets"][0]["remaining"] == 2


async def test_a_new_token_retires_the_old_and_brings_no_fresh_budget(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        old = (await phone.register())["token"]
        updates = await phone.updates()
        for _ in range(3):
            await backend.push(old)
            await updates.next()
        new = "0a" * 20
        assert (await phone.register(token=new))["token"].lower() == new
        gone = await backend.push(old)
        assert (gone.status, gone.reason) == (410, "Unregistered")
        assert type(gone.json["timestamp"]) is int
        assert abs(gone.json["timestamp"] / 1000 - time.time()) < 60
        accepted = await backend.push(new.upper())
        assert accepted.header("gateway-refresh") == "sent=1, deferred=0, dropped=0"
        await updates.next()
        assert (await backend.push(new)).refresh["deferred"] == 1


async def test_a_removed_app_comes_back_with_its_token(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        await phone.unregister()
        assert (await backend.push(token)).status == 410
        assert (await phone.register(token=token))["token"] == token
        assert (await backend.push(token)).status == 200


async def test_removing_and_adding_a_widget_is_no_fresh_burst(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        for _ in range(4):
            await backend.push(token)
            await updates.next()
        await phone.register(BUNDLE, MEDIUM)
        await phone.register(BUNDLE, SMALL)
        assert (await backend.push(token)).refresh["deferred"] == 1


async def test_one_device_can_neither_read_nor_change_anothers(serving: Gateway) -> None:
    async with (await Device.enrol(serving) as phone, await Device.enrol(serving) as thief,
                await Provider.connect(serving) as backend):
        token = (await phone.register())["token"]
        updates = await phone.updates()
        before = await backend.push(token)
        refresh = await updates.next()
        attempts = [
            ("GET", "/updates", None), ("GET", "/explain?last=20", None),
            ("PUT", f"/apps/{BUNDLE}", {"environment": "development", "widgets": []}),
            ("DELETE", f"/apps/{BUNDLE}", None), ("POST", "/receipts", {"upTo": refresh.id}),
            ("PUT", "/state", {"developerMode": True}), ("POST", "/key", None), ("DELETE", "", None)]
        answers = [(await thief.call(*attempt, device=phone.id)) for attempt in attempts]
        # A device that does not exist is answered alike: nobody learns which ids are taken.
        unknown = [(await thief.call(*attempt, device=str(uuid.uuid4()))) for attempt in attempts]
        for attempt, answer, other in zip(attempts, answers, unknown, strict=True):
            assert answer.status in (401, 403, 404), (attempt, answer)
            assert (answer.status, answer.body) == (other.status, other.body), attempt
        # Its token cannot be taken over either.
        stolen = await thief.call(
            "PUT", f"/apps/{BUNDLE}", {"environment": "development", "token": token, "widgets": [SMALL]})
        assert (stolen.status, stolen.json["error"]) == (409, "token-in-use")
        # And nothing has changed: the receipt above was not taken, the registration refreshes as before.
        await phone.redial()
        updates = await phone.updates()
        assert (await updates.next()).apns_id == before.header("apns-id")
        after = await backend.push(token)
        assert (await updates.next()).apns_id == after.header("apns-id")


async def test_a_second_stream_ends_the_first(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        first = await phone.updates()
        second = await phone.updates()
        with pytest.raises(StreamEnded):
            await first.next()
        answer = await backend.push(token)
        assert (await second.next()).apns_id == answer.header("apns-id")


async def test_in_reject_mode_a_push_over_budget_is_429_with_the_seconds_to_wait(start) -> None:
    gateway = start(ONE_A_SECOND | {"budget.over-budget": "reject"})
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        refused = None
        for _ in range(200):
            answer = await backend.push(token)
            if answer.status == 429:
                refused = answer
                break
            await updates.next()
        assert refused is not None, "two hundred pushes and none over budget"
        assert refused.reason == "TooManyRequests"
        assert refused.header("retry-after") == "1"
        assert refused.header("ratelimit-limit") == "86404"
        assert refused.header("ratelimit-remaining") == "0"
        assert refused.header("ratelimit-reset") == "1"
        await asyncio.sleep(1)
        passed = await backend.push(token)
        assert passed.status == 200
        # The refused push has marked nothing.
        assert (await updates.next()).apns_id == passed.header("apns-id")


async def test_in_reject_mode_an_absent_device_is_no_reason_to_refuse(start) -> None:
    gateway = start({"budget.over-budget": "reject"})
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        for _ in range(10):
            answer = await backend.push(token)
            assert (answer.status, answer.refresh["deferred"]) == (200, 1)


async def test_a_foreground_app_is_not_charged(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        await phone.state(foreground=BUNDLE, session=None, asleep=False, developerMode=False)
        for _ in range(10):
            # With several loops the ledger may hear of the next push before it hears that the last refresh has left.
            refresh = (await backend.push(token)).refresh
            assert refresh["sent"] + refresh["deferred"] == 1 and "retry" not in refresh
            await updates.next()
        await phone.state(foreground=None, session=None, asleep=False, developerMode=False)
        assert (await phone.register())["widgets"][0]["remaining"] == 4


async def test_marks_and_charges_outlive_a_restart(gateway: Gateway) -> None:
    gateway.start()
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        for _ in range(3):
            await backend.push(token)
            last = await updates.next()
        await phone.receipt(last.id)
        await phone.connection.close()
        # Handed to a connection that nobody reads, or deferred: it depends on what the gateway has noticed yet.
        kept = await backend.push(token)
        assert kept.status == 200
    assert gateway.stop() == 0
    gateway.start()
    async with await Provider.connect(gateway) as backend:
        phone.connection = await Device.dial(gateway)
        async with phone:
            updates = await phone.updates()
            assert (await updates.next()).apns_id == kept.header("apns-id")
            assert (await backend.push(token)).refresh["deferred"] == 1
            repeated = await backend.push(token, id=kept.header("apns-id"))
            assert repeated.status == 200


async def test_a_switch_that_is_turned_on_and_off_is_refused_with_a_wait_and_can_always_be_turned_off(start) -> None:
    gateway = start({})
    async with await Device.enrol(gateway) as phone:
        for _ in range(10):
            assert (await phone.state(developerMode=True))["developerMode"]
            assert (await phone.state(developerMode=True))["developerMode"], "what stands is no turn of the switch"
            assert not (await phone.state(developerMode=False))["developerMode"]
        refused = await phone.call("PUT", "/state", {"developerMode": True})
        assert (refused.status, refused.json["error"]) == (429, "developer-mode-limit")
        assert 500 < int(refused.header("retry-after")) <= 600
        assert not (await phone.state(developerMode=False))["developerMode"]
        assert len(gateway.admin("GET", "/v1/developer-mode/audit")[1]["entries"]) == 20


async def test_a_reset_fills_budgets_and_stands_in_the_audit_with_who_and_why(start) -> None:
    gateway = start({"budget.refreshes-per-day": 50, "budget.burst": 4})
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        stream = await phone.updates()
        for _ in range(5):
            await backend.push(token)
        for _ in range(4):
            await stream.next()
        shown = gateway.ctl("budget", "show", token)
        assert "[....]     0 of 4  in 31 min" in shown.stdout, shown.stdout + shown.stderr
        reset = gateway.ctl("budget", "reset", token, "--why", "a demonstration", "--who", "ada")
        assert reset.returncode == 0, reset.stderr
        await stream.next()
        entry = gateway.admin("GET", "/v1/developer-mode/audit")[1]["entries"][-1]
        assert (entry["action"], entry["app"], entry["device"]) == ("reset", BUNDLE, phone.id)
        assert (entry["who"], entry["why"], entry["peer-uid"]) == ("ada", "a demonstration", os.getuid())
