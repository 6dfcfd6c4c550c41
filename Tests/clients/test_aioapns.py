"""The PyPI client aioapns, unmodified: only its class attributes for host and port, and its ssl_context.

It matches answers by the exact text of `apns-id`, takes each DATA frame for a whole JSON text, sends `host` and no
`:authority`, and speaks HTTP/2 without ALPN. What it gets right here, a backend that uses it gets right.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any, AsyncIterator

import pytest
from aioapns import APNs, NotificationRequest
from aioapns.common import NotificationResult
from aioapns.connection import APNsDevelopmentClientProtocol
from cryptography.hazmat.primitives import serialization

from device import Device
from gateway import Gateway
from provider import widgets_topic
from tokens import new_key

REFRESH = {"aps": {"content-changed": True}}


class WidgetPush(Enum):
    """aioapns has no `widgets` among its push types; it takes any enumeration's value."""

    WIDGETS = "widgets"


@asynccontextmanager
async def client(gateway: Gateway, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> AsyncIterator[APNs]:
    monkeypatch.setattr(APNsDevelopmentClientProtocol, "APNS_SERVER", "localhost")
    monkeypatch.setattr(APNsDevelopmentClientProtocol, "APNS_PORT", gateway.provider_port())
    credential = gateway.credential()
    settings = {
        "key": credential.file.read_text(), "key_id": credential.key_id, "team_id": credential.team,
        "topic": widgets_topic(), "use_sandbox": True, "ssl_context": ssl.create_default_context(cafile=gateway.ca)}
    apns = APNs(**(settings | changes))
    try:
        yield apns
    finally:
        apns.pool.close()
        await asyncio.sleep(0)


async def push(apns: APNs, token: str, message: dict[str, Any] = REFRESH, **more: Any) -> NotificationResult:
    request = NotificationRequest(token, message, push_type=more.pop("push_type", WidgetPush.WIDGETS), **more)
    async with asyncio.timeout(60):
        return await apns.send_notification(request)


async def test_a_push_succeeds_and_the_device_refreshes(
        serving: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await Device.enrol(serving) as phone, client(serving, monkeypatch) as apns:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        result = await push(apns, token)
        assert result.is_successful
        refresh = await updates.next()
        assert refresh.apns_id.lower() == result.notification_id
        assert refresh.data["topic"] == widgets_topic()


async def test_each_refusal_names_the_reason_of_apns(serving: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await Device.enrol(serving) as phone, client(serving, monkeypatch) as apns:
        token = (await phone.register())["token"]

        async def refusal(*arguments: Any, **more: Any) -> tuple[str, str | None]:
            result = await push(apns, *arguments, **more)
            return result.status, result.description

        assert await refusal("ab" * 32) == ("400", "BadDeviceToken")
        assert await refusal("nothex") == ("400", "BadDeviceToken")
        assert await refusal(token, apns_topic="not a topic") == ("400", "BadTopic")
        assert await refusal(token, apns_topic="com.elsewhere.app.push-type.widgets") == ("400", "TopicDisallowed")
        assert await refusal(token, {}) == ("400", "PayloadEmpty")
        assert await refusal(token, {"aps": {"content-available": 1}}) == ("400", "PayloadEmpty")
        assert await refusal(token, REFRESH | {"filler": "x" * 5000}) == ("413", "PayloadTooLarge")
        assert await refusal(token, push_type=None) == ("400", "InvalidPushType")
        # A refusal spoils nothing: the same connection pushes on.
        assert (await push(apns, token)).is_successful


async def test_a_key_that_the_gateway_does_not_know_is_an_invalid_provider_token(
        serving: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = new_key().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    async with await Device.enrol(serving) as phone, client(serving, monkeypatch, key=stranger) as apns:
        result = await push(apns, (await phone.register())["token"])
        assert (result.status, result.description) == ("403", "InvalidProviderToken")


async def test_a_removed_app_is_unregistered_since_that_moment(
        serving: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await Device.enrol(serving) as phone, client(serving, monkeypatch) as apns:
        token = (await phone.register())["token"]
        before = int(time.time() * 1000)
        await phone.unregister()
        after = int(time.time() * 1000)
        result = await push(apns, token)
        assert (result.status, result.description) == ("410", "Unregistered")
        assert type(result.timestamp) is int
        # APNs' timestamp is in milliseconds; the gateway may keep whole seconds only.
        assert before - 1000 <= result.timestamp <= after + 1000


async def test_two_hundred_pushes_at_once_on_a_fresh_connection_lose_none(
        serving: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """SETTINGS says 1 stream until the first valid provider token; aioapns has sent more by then, and loses a push
    whose stream is refused."""
    async with await Device.enrol(serving) as phone, client(serving, monkeypatch, max_connections=1) as apns:
        token = (await phone.register())["token"]
        results = await asyncio.gather(*(push(apns, token) for _ in range(200)))
        assert [result.status for result in results] == ["200"] * 200
        assert len({result.notification_id for result in results}) == 200
