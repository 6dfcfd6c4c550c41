"""One request to every registration of an app: as a backend asks for it, over `kill -9`, and with gatewayctl."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import uuid

from crowd import Member, bring
from device import MEDIUM, SMALL, Device, Refresh, StreamEnded, UpdateStream
from gateway import BUNDLE, Gateway
from http2 import Answer, Connection
from provider import Provider

NO_FLOOD_LIMITS = {"enrolment[0].per-minute": 1_000_000}


async def crowd(gateway: Gateway, count: int) -> list[Device]:
    """Devices with two widgets each, all of them over one connection."""
    connection = await Device.dial(gateway)
    devices = []
    for start in range(0, count, 50):
        batch = await asyncio.gather(*(Device.enrol(gateway, connection=connection)
                                       for _ in range(start, min(count, start + 50))))
        await asyncio.gather(*(device.register(BUNDLE, SMALL, MEDIUM) for device in batch))
        devices += batch
    return devices


async def ask(provider: Provider, method: str, path: str, *, id: str | None = None, body: object = None) -> Answer:
    headers = [("authorization", provider.authorization)] + ([("apns-id", id)] if id else [])
    return await provider.connection.request(method, path, headers, None if body is None else json.dumps(body).encode())


async def until_done(provider: Provider, location: str) -> dict[str, int]:
    async with asyncio.timeout(60):
        while (report := (await ask(provider, "GET", location)).json)["state"] == "running":
            await asyncio.sleep(0.02)
    return report


def balances(report: dict[str, int]) -> bool:
    fates = ("sent", "deferred", "dropped", "superseded", "expired", "removed")
    return report["marked"] == sum(report[name] for name in fates)


async def test_one_request_refreshes_all_and_the_same_apns_id_does_not_do_it_twice(start) -> None:
    gateway = start(NO_FLOOD_LIMITS)
    devices = await crowd(gateway, 20)
    streams = [await device.updates() for device in devices[:10]]
    id = str(uuid.uuid4())
    async with await Provider.connect(gateway) as backend:
        first = await ask(backend, "POST", f"/v1/apps/{BUNDLE}/fan-outs", id=id, body={"families": ["systemSmall"]})
        assert (first.status, first.header("apns-id")) == (202, id)
        location = first.header("location")
        for stream in streams:
            refresh = await stream.next()
            assert refresh.apns_id == id
            assert [family for _, family, _ in refresh.widgets] == ["systemSmall"]
        report = await until_done(backend, location)
        assert (report["matched"], report["marked"], report["sent"], report["deferred"]) == (20, 20, 10, 10)
        again = await ask(backend, "POST", f"/v1/apps/{BUNDLE}/fan-outs", id=id, body={})
        assert (again.status, again.header("location")) == (202, location)
        assert again.json["matched"] == 20
    await devices[0].close()


async def test_a_kill_right_after_a_fan_out_was_accepted_loses_and_doubles_nothing(start) -> None:
    gateway = start(NO_FLOOD_LIMITS)
    devices = await crowd(gateway, 1000)
    await devices[0].close()
    async with await Provider.connect(gateway) as backend:
        answer = await ask(backend, "POST", f"/v1/apps/{BUNDLE}/fan-outs", body={})
        assert answer.status == 202
        location = answer.header("location")
        gateway.kill()
    gateway.start()
    async with await Provider.connect(gateway) as backend:
        report = await until_done(backend, location)
        assert (report["matched"], report["marked"], report["skipped"]) == (2000, 2000, 0)
        assert report["deferred"] == 2000 and balances(report)
        # A device that comes now gets the fan-out's one refresh.
        await devices[7].redial()
        refresh = await (await devices[7].updates()).next()
        assert refresh.apns_id == answer.header("apns-id")
        assert len(refresh.widgets) == 2
        report = (await ask(backend, "GET", location)).json
        assert report["sent"] == 2 and balances(report)
    await devices[7].close()
    gateway.stop()
    with sqlite3.connect(gateway.database) as database:
        assert database.execute("SELECT count(*) FROM fan_out").fetchone() == (1,)


async def test_a_kill_amid_a_fan_out_loses_and_doubles_nothing(start, request) -> None:
    """`Tests/clients/run -k amid --registrations 100000` does it with as many."""
    count: int = request.config.getoption("registrations")
    gateway = start({**NO_FLOOD_LIMITS, "budget.refreshes-per-day": 1000, "budget.burst": 100,
                     "explain.decisions": max(100_000, 8 * count)})
    members = bring(gateway, count)
    watched = members[:: max(1, count // 40)] + members[-1:]
    connected, absent = watched[::2], watched[1::2]
    was_amid = False
    for _ in range(10):
        was_amid = await kill_amid(gateway, count, connected, absent) or was_amid
        if was_amid:
            break
    assert was_amid, "ten fan-outs, and none was killed between its first mark and its last"


async def kill_amid(gateway: Gateway, count: int, connected: list[Member], absent: list[Member]) -> bool:
    """One fan-out with a kill in it, each of whose marks is accounted for. Whether the kill was between two marks."""
    widgets = 2 * count

    async def streams(of: list[Member]) -> tuple[Connection, list[tuple[Device, UpdateStream]]]:
        connection = await Device.dial(gateway)
        devices = [member.device(gateway, connection) for member in of]
        return connection, [(device, await device.updates()) for device in devices]

    connection, before = await streams(connected)
    async with await Provider.connect(gateway) as backend:
        answer = await ask(backend, "POST", f"/v1/apps/{BUNDLE}/fan-outs", body={})
        assert answer.status == 202
        location, id = answer.header("location"), answer.header("apns-id")
        async with asyncio.timeout(60):
            while (report := (await ask(backend, "GET", location)).json)["marked"] == 0:
                pass
    gateway.kill()
    was_amid = 0 < report["marked"] < widgets
    # What came before the kill is known by its id, should it come again.
    early: dict[str, set[str]] = {}
    for device, stream in before:
        early[device.id] = set()
        while (refresh := await next_or_end(stream)) is not None:
            assert refresh.apns_id == id
            early[device.id].add(refresh.id)
    await connection.close()

    gateway.start()
    async with await Provider.connect(gateway) as backend:
        report = (await ask(backend, "GET", location)).json
        connection, after = await streams(connected + absent)
        was_amid = was_amid and report["state"] == "running" and report["marked"] < widgets
        report = await until_done(backend, location)
        assert (report["matched"], report["marked"], report["skipped"]) == (widgets, widgets, 0), report
        assert balances(report) and report["superseded"] == report["expired"] == report["removed"] == 0, report
        tokens = {member.id: member.token for member in connected + absent}
        for device, stream in after:
            refresh = await stream.next()
            assert refresh.apns_id == id
            assert len(refresh.widgets) == 2
            assert early.get(device.id, {refresh.id}) <= {refresh.id}, "it came under two ids"
            await device.receipt(refresh.id)
            # It was marked once by what was decided, and once by what the device sees: what comes next is the next push.
            pushes = [push for push in gateway.admin("GET", f"/v1/explain/{tokens[device.id]}")[1]["pushes"]
                      if push["apns-id"] == id]
            sent = [d for push in pushes for d in push["decisions"] if d["outcome"] == "sent"]
            assert len(pushes) == 1 and len(sent) == 2, pushes
            pushed = await backend.push(tokens[device.id])
            refresh = await stream.next()
            assert refresh.apns_id == pushed.header("apns-id")
            await device.receipt(refresh.id)
        report = (await ask(backend, "GET", location)).json
        assert report["sent"] == report["received"] == 2 * len(after), report
        assert report["deferred"] == widgets - report["sent"] and balances(report), report
        # Those that are away would get it as well; the next round must find them without a mark that is newer.
        async with asyncio.timeout(60):
            while True:
                status = gateway.admin("GET", "/v1/status")[1]
                if (status["waitingWidgets"], status["inFlightWidgets"]) == (widgets - report["sent"], 0):
                    break
                await asyncio.sleep(0.1)
    await connection.close()
    return was_amid


async def next_or_end(stream: UpdateStream) -> Refresh | None:
    try:
        return await stream.next()
    except StreamEnded:
        return None


async def test_gatewayctl_starts_one_and_shows_it_to_its_end(start) -> None:
    gateway = start(NO_FLOOD_LIMITS)
    devices = await crowd(gateway, 5)
    run = gateway.ctl("fan-out", "start", BUNDLE, "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert (report["state"], report["percent"], report["marked"]) == ("done", 100, 10)
    assert "100%  10 marked" in run.stderr
    assert gateway.ctl("fan-out", "show", report["id"]).stdout.splitlines()[2].split()[:3] == ["done", "10", "10"]
    refused = gateway.ctl("fan-out", "start", "org.example.other")
    assert refused.returncode == 1
    assert "TopicDisallowed" in refused.stderr
    assert gateway.ctl("fan-out", "show", str(uuid.uuid4())).returncode == 1
    await devices[0].close()
