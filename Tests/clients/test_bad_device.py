"""What a device can do wrong: each has its status and its code, changes nothing, and the connection goes on."""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

import pytest

from device import JSON, MEDIUM, SMALL, Device, StreamEnded
from gateway import BUNDLE, Gateway
from provider import Provider

REGISTRATION = {"environment": "development", "widgets": [SMALL]}


def registration(**changes: Any) -> dict[str, Any]:
    return {**REGISTRATION, **changes}


#: What is wrong: method, path below the device, body; status and code.
CASES: dict[str, tuple[str, str, Any, int, str]] = {
    "malformed JSON": ("PUT", f"/apps/{BUNDLE}", b'{"environment":', 400, "malformed-json"),
    "no body": ("PUT", f"/apps/{BUNDLE}", b"", 400, "malformed-json"),
    "a key twice": ("POST", "/receipts", b'{"upTo":"1-1","upTo":"1-2"}', 400, "malformed-json"),
    "a family that the platform has not": (
        "PUT", f"/apps/{BUNDLE}", registration(widgets=[{"kind": "a", "family": "accessoryCorner"}]), 422,
        "family-not-available"),
    "a family that nobody has": (
        "PUT", f"/apps/{BUNDLE}", registration(widgets=[{"kind": "a", "family": "systemHuge"}]), 422, "unknown-family"),
    "65 widgets": ("PUT", f"/apps/{BUNDLE}", registration(widgets=[SMALL] * 65), 422, "too-many-widgets"),
    "10 thousand widgets": ("PUT", f"/apps/{BUNDLE}", registration(widgets=[SMALL] * 10_000), 413, "body-too-large"),
    "10 thousand widgets in few bytes": (
        "PUT", f"/apps/{BUNDLE}", registration(widgets=[{}] * 10_000), 422, "too-many-widgets"),
    "a receipt of the next event": ("POST", "/receipts", {"upTo": "{epoch}-{next}"}, 422, "receipt-from-the-future"),
    "a receipt of the next start": ("POST", "/receipts", {"upTo": "{later}-1"}, 422, "receipt-from-the-future"),
    "a receipt of no event": ("POST", "/receipts", {"upTo": "yesterday"}, 422, "bad-receipt"),
    "an app of somebody else": ("PUT", "/apps/com.elsewhere.app", REGISTRATION, 403, "app-not-allowed"),
    "another method": ("PATCH", "/updates", None, 405, "method-not-allowed"),
    "another path": ("GET", "/widgets", None, 404, "not-found"),
    "a query where none is": ("GET", "/updates?since=1", None, 400, "bad-query"),
    "a session of no kind": ("PUT", "/state", {"session": {"app": BUNDLE, "kind": "game"}}, 422, "unknown-session-kind"),
}


async def call(phone: Device, method: str, path: str, body: Any, *, key: str | None = None, device: str | None = None):
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    headers = [("authorization", f"Bearer {key or phone.key}")] + ([] if content is None else [JSON])
    return await phone.connection.request(method, f"/v1/devices/{device or phone.id}{path}", headers, content)


@pytest.mark.parametrize("case", CASES)
async def test_each_mistake_has_its_status_and_its_code_and_changes_nothing(serving: Gateway, case: str) -> None:
    method, path, body, status, code = CASES[case]
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register(BUNDLE, SMALL, MEDIUM))["token"]
        updates = await phone.updates()
        await backend.push(token)
        refresh = await updates.next()
        if isinstance(body, dict) and "upTo" in body:
            epoch, sequence = (int(part) for part in refresh.id.split("-"))
            body = {"upTo": body["upTo"].format(epoch=epoch, next=sequence + 1, later=epoch + 10_000_000)}
        answer = await call(phone, method, path, body)
        assert (answer.status, answer.json["error"]) == (status, code), answer
        assert answer.json["detail"]
        # The same connection, the same registration, the same stream.
        pushed = await backend.push(token)
        assert pushed.refresh["sent"] == 2
        assert (await updates.next()).apns_id == pushed.header("apns-id")


async def test_an_unknown_device_a_wrong_key_and_a_foreign_path_cannot_be_told_apart(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Device.enrol(serving) as other:
        await other.register()
        for path, method, body in [("/updates", "GET", None), ("/receipts", "POST", {"upTo": "1-1"}),
                                   (f"/apps/{BUNDLE}", "PUT", REGISTRATION), ("", "DELETE", None)]:
            answers = [
                await call(phone, method, path, body, device=str(uuid.uuid4())),
                await call(phone, method, path, body, key="0" * 64),
                await call(phone, method, path, body, key="short"),
                await call(phone, method, path, body, device=other.id),
                await call(phone, method, path, body, key=serving.enrolment_key),
            ]
            assert {(answer.status, answer.body, answer.header("www-authenticate")) for answer in answers} == {
                (401, answers[0].body, "Bearer")}
            assert answers[0].json["error"] == "bad-credential"
        await other.register()


async def test_equal_widgets_are_several_and_each_is_refreshed(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        answer = await phone.register(BUNDLE, SMALL, SMALL, SMALL)
        assert len(answer["widgets"]) == 3
        updates = await phone.updates()
        assert (await backend.push(answer["token"])).refresh["sent"] == 3
        assert [family for _, family, _ in (await updates.next()).widgets] == ["systemSmall"] * 3


async def test_of_a_hundred_streams_of_one_device_the_last_one_stands(serving: Gateway) -> None:
    """On one connection, and then each on its own."""
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        for redials in (False, True):
            streams, connections = [], []
            for _ in range(100):
                if redials:
                    connections.append(phone.connection)
                    phone.connection = await phone.dial(serving)
                streams.append(await phone.updates())
            ended = await asyncio.gather(*(stream.next() for stream in streams[:-1]), return_exceptions=True)
            assert all(isinstance(end, StreamEnded) for end in ended), ended
            status = serving.admin("GET", "/v1/status")[1]
            assert status["connectedDevices"] == 1
            pushed = await backend.push(token)
            assert pushed.refresh["sent"] == 1
            while (refresh := await streams[-1].next()).apns_id != pushed.header("apns-id"):
                pass
            await phone.receipt(refresh.id)
            for connection in connections:
                await connection.close()
