"""A backend that pushes: one connection, one provider token, as many pushes in flight as it likes."""

from __future__ import annotations

import json
from typing import Any

from gateway import BUNDLE, Gateway
from http2 import Answer, Connection, Headers
from tokens import provider_token, read_key

REFRESH = b'{"aps":{"content-changed":true}}'


def widgets_topic(bundle: str = BUNDLE) -> str:
    return f"{bundle}.push-type.widgets"


class Provider:
    def __init__(self, connection: Connection, authorization: str) -> None:
        self.connection = connection
        self.authorization = authorization

    @classmethod
    async def connect(cls, gateway: Gateway, environment: str = "development", *, alpn: bool = True) -> Provider:
        credential = gateway.credential(environment)
        token = provider_token(read_key(credential.file.read_bytes()), credential.team, credential.key_id)
        connection = await Connection.open(
            "127.0.0.1", gateway.provider_port(environment), ca=gateway.ca, alpn=alpn)
        return cls(connection, f"bearer {token}")

    async def push(self, token: str, body: bytes | dict[str, Any] = REFRESH, *, topic: str | None = widgets_topic(),
                   push_type: str | None = "widgets", id: str | None = None, expiration: int | None = None,
                   priority: int | None = None, more: Headers = (), method: str = "POST",
                   path: str | None = None) -> Answer:
        headers = [("authorization", self.authorization)]
        for name, value in [("apns-topic", topic), ("apns-push-type", push_type), ("apns-id", id),
                            ("apns-expiration", expiration), ("apns-priority", priority)]:
            if value is not None:
                headers.append((name, str(value)))
        content = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
        return await self.connection.request(method, path or f"/3/device/{token}", [*headers, *more], content)

    async def close(self) -> None:
        await self.connection.close()

    async def __aenter__(self) -> Provider:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
