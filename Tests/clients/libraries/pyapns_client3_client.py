"""pyapns-client3: httpx, asynchronous and not. It sends `iat` as a float, and closes its connection when it is idle.

The base address is a class attribute; the CA is an argument.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pyapns_client.auth
from pyapns_client import APNSClient, AsyncAPNSClient, IOSNotification, IOSPayload, TokenBasedAuth, exceptions
from pyapns_client.base import BaseAPNSClient

from .client import Client, ConnectionFailed, Push, Result


class PyapnsClient3AsyncClient(Client):
    name = "pyapns-client3, async"
    package = "pyapns-client3"
    cannot = {"reuse": "closes its connection when no push is in flight"}
    library: type[BaseAPNSClient] = AsyncAPNSClient

    @classmethod
    def error(cls, reason: str) -> str:
        return f"{reason}Exception"

    async def open(self) -> None:
        self.replace(BaseAPNSClient, "BASE_URLS", {BaseAPNSClient.MODE_DEV: f"https://localhost:{self.port}"})
        self.replace_clock(pyapns_client.auth)
        authentication = TokenBasedAuth(str(self.credential.file), self.credential.key_id, self.credential.team)
        self._client = self.library(
            BaseAPNSClient.MODE_DEV, authentication, root_cert_path=self.ssl_context())  # type: ignore[arg-type]

    async def close(self) -> None:
        await self._client.close()

    async def push(self, push: Push) -> Result:
        return await self._send(push, "widgets")

    async def push_as_it_is(self, push: Push) -> Result:
        """Without a push type: that is its default."""
        return await self._send(push, None)

    async def _send(self, push: Push, push_type: str | None) -> Result:
        notification = IOSNotification(
            payload=IOSPayload(custom=dict(push.payload)), topic=push.topic, apns_id=push.id, push_type=push_type)
        try:
            await self._deliver(notification, push.token)
            return Result(True)
        except exceptions.APNSConnectionException as error:
            raise ConnectionFailed(repr(error)) from error
        except exceptions.APNSException as error:
            return Result(False, type(error).__name__, error.apns_id, getattr(error, "timestamp", None))
        except NotImplementedError as error:
            return Result(False, str(error))  # a reason that it does not know

    async def _deliver(self, notification: IOSNotification, token: str) -> None:
        await self._client.push(notification, token)


class PyapnsClient3Client(PyapnsClient3AsyncClient):
    name = "pyapns-client3, blocking"
    library = APNSClient
    cannot = {
        "reuse": "closes its connection when no push is in flight", "burst": "sends one push after the other"}

    async def open(self) -> None:
        await super().open()
        # Its calls block, and what one of them finds broken it replaces under the others.
        self._turn = asyncio.Lock()

    async def close(self) -> None:
        self._client.close()

    async def push_at_once(self, pushes: Sequence[Push]) -> list[Result]:
        raise NotImplementedError

    async def _deliver(self, notification: IOSNotification, token: str) -> None:
        async with self._turn:
            await asyncio.to_thread(self._client.push, notification, token)
