"""A device: enrols, registers its apps, holds its update stream, sends receipts."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from gateway import BUNDLE, Gateway
from http2 import Answer, Connection

SMALL = {"kind": "caffeine", "family": "systemSmall"}
MEDIUM = {"kind": "caffeine", "family": "systemMedium"}


class StreamEnded(Exception):
    """The server has ended the update stream."""


@dataclass(frozen=True)
class Refresh:
    id: str
    data: dict[str, Any]

    @property
    def apns_id(self) -> str:
        return self.data["apns-id"]

    @property
    def widgets(self) -> list[tuple[str, str, str | None]]:
        return [(w["kind"], w["family"], w.get("configuration")) for w in self.data["widgets"]]


class UpdateStream:
    """`text/event-stream` as it comes; comment lines (heartbeats) are counted and dropped."""

    def __init__(self, chunks: asyncio.Queue[bytes | None]) -> None:
        self.heartbeats = 0
        self._chunks = chunks
        self._buffer = b""

    async def next(self, deadline: float = 60) -> Refresh:
        async with asyncio.timeout(deadline):
            while True:
                while b"\n\n" in self._buffer:
                    block, self._buffer = self._buffer.split(b"\n\n", 1)
                    if event := self._parse(block):
                        return event
                chunk = await self._chunks.get()
                if chunk is None:
                    raise StreamEnded
                self._buffer += chunk

    def _parse(self, block: bytes) -> Refresh | None:
        fields: dict[str, str] = {}
        for line in block.decode().split("\n"):
            if line.startswith(":"):
                self.heartbeats += 1
                continue
            name, _, value = line.partition(":")
            assert name not in fields, f"an event's {name} is on more than one line: {block!r}"
            fields[name] = value.removeprefix(" ")
        if not fields:
            return None
        assert fields["event"] == "refresh", block
        return Refresh(fields["id"], json.loads(fields["data"]))


class Device:
    def __init__(self, gateway: Gateway, connection: Connection, id: str, key: str) -> None:
        self.gateway = gateway
        self.connection = connection
        self.id = id
        self.key = key

    @classmethod
    async def enrol(cls, gateway: Gateway, *, platform: str = "iOS", os: str = "26",
                    connection: Connection | None = None) -> Device:
        """Several devices may share a connection: each call bears its own device's key."""
        connection = connection or await cls.dial(gateway)
        answer = await connection.request(
            "POST", "/v1/devices", [("authorization", f"Bearer {gateway.enrolment_key}"), JSON],
            json.dumps({"platform": platform, "os": os}).encode())
        assert answer.status == 201, answer
        return cls(gateway, connection, answer.json["device"], answer.json["key"])

    @staticmethod
    async def dial(gateway: Gateway) -> Connection:
        return await Connection.open("127.0.0.1", gateway.device_port, ca=gateway.ca)

    async def redial(self) -> None:
        await self.connection.close()
        self.connection = await self.dial(self.gateway)

    async def call(self, method: str, path: str, body: Any = None, *, device: str | None = None) -> Answer:
        """One request below this device's path, or below another's with this device's key."""
        content = None if body is None else json.dumps(body).encode()
        headers = [("authorization", f"Bearer {self.key}")] + ([] if body is None else [JSON])
        return await self.connection.request(method, f"/v1/devices/{device or self.id}{path}", headers, content)

    async def register(self, app: str = BUNDLE, *widgets: dict[str, Any], environment: str = "development",
                       token: str | None = None) -> dict[str, Any]:
        """Puts the whole registration of one app; its answer. One small widget when none is named."""
        body: dict[str, Any] = {"environment": environment, "widgets": list(widgets or (SMALL,))}
        if token is not None:
            body["token"] = token
        answer = await self.call("PUT", f"/apps/{app}", body)
        assert answer.status == 200, answer
        return answer.json

    async def unregister(self, app: str = BUNDLE) -> None:
        answer = await self.call("DELETE", f"/apps/{app}")
        assert answer.status in (200, 204), answer

    async def updates(self, after: str | None = None) -> UpdateStream:
        headers = [("authorization", f"Bearer {self.key}"), ("accept", "text/event-stream")]
        if after is not None:
            headers.append(("last-event-id", after))
        head, chunks = await self.connection.open_stream("GET", f"/v1/devices/{self.id}/updates", headers)
        assert head.status == 200, head
        assert (head.header("content-type") or "").startswith("text/event-stream"), head
        return UpdateStream(chunks)

    async def receipt(self, up_to: str) -> None:
        answer = await self.call("POST", "/receipts", {"upTo": up_to})
        assert answer.status in (200, 204), answer

    async def state(self, **state: Any) -> dict[str, Any]:
        answer = await self.call("PUT", "/state", state)
        assert answer.status == 200, answer
        return answer.json

    async def close(self) -> None:
        await self.connection.close()

    async def __aenter__(self) -> Device:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


JSON = ("content-type", "application/json")
