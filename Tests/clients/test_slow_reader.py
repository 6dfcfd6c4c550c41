"""A device that does not read its stream is charged for nothing that it does not read."""

from __future__ import annotations

import asyncio

from device import Device
from gateway import Gateway
from provider import Provider


def remaining(gateway: Gateway, token: str) -> int:
    return gateway.admin("GET", f"/v1/budgets/{token}")[1]["widgets"][0]["budget"]["remaining"]


async def test_a_refresh_on_its_way_to_the_disk_is_not_overtaken_by_the_streams_opening(start) -> None:
    gateway = start({})
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        burst = remaining(gateway, token)
        first = await backend.push(token)
        assert first.refresh == {"sent": 0, "deferred": 1, "dropped": 0}
        phone.connection.read_at_most(0)
        # Handed over with the opening of the stream, whose head leaves at once, and the refresh after its commit.
        updates = await phone.updates()
        second = await backend.push(token)
        assert second.refresh == {"sent": 0, "deferred": 1, "dropped": 0}
        assert remaining(gateway, token) == burst - 1
        phone.connection.read_on()
        assert (await updates.next()).apns_id == first.header("apns-id")
        assert (await updates.next()).apns_id == second.header("apns-id")
        assert remaining(gateway, token) == burst - 2


async def test_nothing_is_handed_over_behind_a_heartbeat_that_is_not_read(start) -> None:
    gateway = start({"device.heartbeat": "1s"})
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        burst = remaining(gateway, token)
        phone.connection.read_at_most(20)
        _, chunks = await phone.connection.open_stream(
            "GET", f"/v1/devices/{phone.id}/updates", [("authorization", f"Bearer {phone.key}")])
        seen = b""
        async with asyncio.timeout(30):
            while len(seen) < 20:
                seen += await chunks.get() or b""
        assert seen == (b": heartbeat\n\n" * 2)[:20]
        answer = await backend.push(token)
        assert answer.refresh == {"sent": 0, "deferred": 1, "dropped": 0}
        assert remaining(gateway, token) == burst
        phone.connection.read_on()
        async with asyncio.timeout(30):
            while b"event: refresh" not in seen:
                seen += await chunks.get() or b""
        assert remaining(gateway, token) == burst - 1
