"""What passes at Apple passes here: each client library that people have, through the same cases.

The libraries are unmodified; `libraries/` holds what a user of each would write. A case that a library has no way to
express stands in its `cannot` with the reason, and the table at the end of the run shows it.
"""

from __future__ import annotations

import asyncio
import re
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from device import Device
from gateway import BUNDLE, Gateway
from libraries import CLIENTS, Client, ConnectionFailed, Push, Result
from provider import widgets_topic

#: The libraries' own use of what Python and httpx want to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

BURST = 200
APPS_OF_A_DEVICE = 60
UNKNOWN = "ab" * 32

#: What a backend's clock shows when its provider tokens have expired at once.
TWO_HOURS_BACK = -7200


def clients(case: str, among: Callable[[type[Client]], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Runs a test with each client that can express the case."""
    chosen = [client for client in CLIENTS if case not in client.cannot and among(client)]
    return pytest.mark.parametrize("library", chosen, ids=[client.name for client in chosen])


@pytest.fixture(scope="module")
def gateway(binaries: Path) -> Iterator[Gateway]:
    """One for all cases. Its keys are good for many apps, so that each of many pushes can have a token of its own."""
    gateway = Gateway(binaries)
    gateway.set({
        "provider-key[0].topics": ["com.example.*"], "enrolment[0].bundle-ids": ["com.example.*"],
        "lifecycle.drain": "10s"})
    gateway.start()
    yield gateway
    gateway.clean_up()


@pytest.fixture(scope="module")
def fleet(gateway: Gateway) -> list[str]:
    """The tokens of as many devices as there are pushes in a burst."""

    async def enrol() -> list[str]:
        connection = await Device.dial(gateway)
        devices = await asyncio.gather(*(Device.enrol(gateway, connection=connection) for _ in range(BURST)))
        answers = await asyncio.gather(*(device.register() for device in devices))
        await connection.close()
        return [answer["token"] for answer in answers]

    return asyncio.run(enrol())


def metric(gateway: Gateway, series: str) -> int:
    text = gateway.admin("GET", "/metrics")[1]
    found = re.search(rf"^{re.escape(series)} (\d+)", text, re.MULTILINE)
    assert found, series
    return int(found[1])


def connections(gateway: Gateway) -> int:
    return metric(gateway, 'gatewayd_connection_attempts_total{outcome="accepted"}')


def accepted(gateway: Gateway) -> int:
    return gateway.admin("GET", "/v1/status")[1]["pushes"]["accepted"]


@pytest.mark.case("push")
@clients("push")
async def test_a_push_is_accepted_and_the_device_refreshes(gateway: Gateway, library: type[Client]) -> None:
    async with await Device.enrol(gateway) as phone, library(gateway) as client:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        result = await client.push(Push(token))
        assert result.accepted, result
        refresh = await updates.next()
        assert refresh.data["topic"] == widgets_topic()
        assert refresh.data["payload"] == {"aps": {"content-changed": True}}
        if result.id is not None:
            assert refresh.apns_id.lower() == result.id.lower()


@pytest.mark.case("id")
@clients("id")
async def test_the_clients_id_is_that_of_the_refresh_and_of_each_answer(
        gateway: Gateway, library: type[Client]) -> None:
    async with await Device.enrol(gateway) as phone, library(gateway) as client:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        # Of either case: the answer has the very bytes, as aioapns finds the request by them.
        for name in (str(uuid.uuid4()), str(uuid.uuid4()).upper()):
            result = await client.push(Push(token, id=name))
            assert result.accepted, result
            assert result.id in (None, name)
            assert (await updates.next()).apns_id.lower() == name.lower()
            refused = await client.push(Push(UNKNOWN, id=name))
            assert not refused.accepted and refused.id in (None, name)


async def refused(gateway: Gateway, library: type[Client], push: Push, **settings: Any) -> Result:
    async with library(gateway, **settings) as client:
        return await client.push(push)


REFUSALS = ["BadDeviceToken", "TopicDisallowed", "PayloadEmpty", "PayloadTooLarge", "ExpiredProviderToken"]


@pytest.mark.case("refusals")
@pytest.mark.parametrize("reason", REFUSALS)
@clients("refusals")
async def test_a_refusal_is_the_clients_own_error_for_it(
        gateway: Gateway, library: type[Client], reason: str) -> None:
    async with await Device.enrol(gateway) as phone:
        token = (await phone.register())["token"]
    push, settings = {
        "BadDeviceToken": (Push(UNKNOWN), {}),
        "TopicDisallowed": (Push(token, topic="com.elsewhere.app.push-type.widgets"), {}),
        "PayloadEmpty": (Push(token, payload={}), {}),
        "PayloadTooLarge": (Push(token, payload={"aps": {"content-changed": True}, "filler": "x" * 5000}), {}),
        "ExpiredProviderToken": (Push(token), {"clock": TWO_HOURS_BACK}),
    }[reason]
    result = await refused(gateway, library, push, **settings)
    assert (result.accepted, result.error) == (False, library.error(reason))


@pytest.mark.case("refusals")
@clients("refusals")
async def test_a_removed_app_is_unregistered_since_that_moment(gateway: Gateway, library: type[Client]) -> None:
    async with await Device.enrol(gateway) as phone:
        token = (await phone.register())["token"]
        before = int(time.time() * 1000)
        await phone.unregister()
        after = int(time.time() * 1000)
    result = await refused(gateway, library, Push(token))
    assert (result.accepted, result.error) == (False, library.error("Unregistered"))
    # Milliseconds; the gateway may keep whole seconds only.
    assert type(result.timestamp) is int and before - 1000 <= result.timestamp <= after + 1000


@pytest.mark.case("reuse")
@clients("reuse")
async def test_refusals_do_not_cost_the_connection(
        gateway: Gateway, library: type[Client], fleet: list[str]) -> None:
    before = connections(gateway)
    tokens = [fleet[0], UNKNOWN, "nothex", fleet[1], "cd" * 32, fleet[2]]  # no two the same: nghttp would drop one
    async with library(gateway) as client:
        results = await client.push_in_turn([Push(token) for token in tokens])
    wrong = library.error("BadDeviceToken")
    assert [result.error for result in results] == [None, wrong, wrong, None, wrong, None]
    assert connections(gateway) - before == 1


@pytest.mark.case("burst")
@clients("burst")
async def test_two_hundred_pushes_at_once_on_a_fresh_connection_lose_none(
        gateway: Gateway, library: type[Client], fleet: list[str]) -> None:
    """SETTINGS says 1 stream until the first valid provider token; some clients have sent more by then, and some lose
    a push whose stream is refused."""
    before, connected = accepted(gateway), connections(gateway)
    async with library(gateway) as client, asyncio.timeout(60):
        results = await client.push_at_once([Push(token) for token in fleet])
    assert len(results) == BURST and all(result.accepted for result in results)
    # Each once: nothing was lost, and nothing had to be sent again.
    assert accepted(gateway) - before == BURST
    assert connections(gateway) - connected in library.connections_of_burst


@pytest.mark.case("push type")
@clients("push type", lambda client: client.push_as_it_is is not Client.push_as_it_is)
async def test_a_client_without_widgets_is_refused_or_with_lenient_push_types_accepted(
        gateway: Gateway, library: type[Client]) -> None:
    async with await Device.enrol(gateway) as phone:
        token = (await phone.register())["token"]
    result = await _as_it_is(gateway, library, token)
    assert not result.accepted and "InvalidPushType" in (result.error or "")
    await reload(gateway, {"checks.push-type": "lenient"})
    try:
        assert (await _as_it_is(gateway, library, token)).accepted
    finally:
        await reload(gateway, {"checks.push-type": "strict"})


async def _as_it_is(gateway: Gateway, library: type[Client], token: str) -> Result:
    async with library(gateway) as client:
        return await client.push_as_it_is(Push(token))


async def reload(gateway: Gateway, settings: dict[str, Any]) -> None:
    """Changes the configuration of the running gateway."""
    seen = gateway.log.read_text().count(" reloaded: ")
    gateway.set(settings)
    assert gateway.process is not None
    gateway.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(30):
        while gateway.log.read_text().count(" reloaded: ") == seen:
            await asyncio.sleep(0.005)


@pytest.mark.case("restart")
@clients("restart")
async def test_a_restart_amid_pushes_loses_none(gateway: Gateway, library: type[Client]) -> None:
    """The gateway says GOAWAY, answers what it has, ends, and another starts in its place. Each push ends with an
    answer or with an error that the client shows, upon which its user sends it again with the same id; none is silent,
    and what was answered 200 by either gateway is there."""
    apps = [f"{BUNDLE}.app{number}" for number in range(APPS_OF_A_DEVICE)]
    connection = await Device.dial(gateway)
    phones = [await Device.enrol(gateway, connection=connection) for _ in range(2)]
    registrations = await asyncio.gather(*(phone.register(app) for phone in phones for app in apps))
    await connection.close()
    waiting = [Push(each["token"], each["topic"], str(uuid.uuid4()) if library.sets_id else None)
               for each in registrations]
    everything = len(waiting)
    done: list[Push] = []
    restarting: asyncio.Task[None] | None = None

    ended = asyncio.Event()

    async def restart() -> None:
        assert await asyncio.to_thread(gateway.stop) == 0
        ended.set()
        await asyncio.to_thread(gateway.start)

    async with library(gateway) as client:
        async def deliver() -> None:
            nonlocal restarting
            while waiting:
                # A drain is quick, and a client too: half of the pushes are kept for the gateway that comes after.
                if restarting is not None and len(waiting) <= everything // 2:
                    await ended.wait()
                if not waiting:
                    return
                push = waiting.pop()
                while True:
                    try:
                        result = await client.push(push)
                    except ConnectionFailed:
                        await asyncio.sleep(0.05)
                        continue
                    if result.accepted:
                        break
                    # A gateway that is ending may say so; APNs' `Shutdown` means just this.
                    assert result.error in (library.error("Shutdown"), library.error("ServiceUnavailable")), result
                    await asyncio.sleep(0.05)
                done.append(push)
                if restarting is None and len(done) >= everything // 4:
                    restarting = asyncio.create_task(restart())

        try:
            async with asyncio.timeout(60):
                await asyncio.gather(*(deliver() for _ in range(16)))
        finally:
            # Those that come after have a gateway, whatever became of this one's pushes.
            if restarting is not None:
                await restarting
        assert restarting is not None
    assert len(done) == everything
    assert accepted(gateway) > 0, "the second gateway had nothing to do"
    for push in done:
        status, registration = gateway.admin("GET", f"/v1/registrations/{push.token}")
        assert status == 200 and "mark" in registration["widgets"][0], f"a push answered 200 left no mark: {push}"
