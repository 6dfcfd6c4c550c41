"""apns2-up: PyAPNs2 as it can be installed today, over hyper-up's HTTP/2. It sends `iat` as a float.

Host and port are class attributes; the CA has to come with the credentials, and `TokenCredentials` takes none, so a
subclass makes the connection. hyper is forced to HTTP/2 whatever ALPN says.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from typing import Any

import apns2.credentials
import h2.exceptions
from apns2.client import APNsClient, Notification, NotificationType
from apns2.credentials import TokenCredentials
from apns2.errors import APNsException, exception_class_for_reason
from apns2.payload import Payload
from hyper import HTTP20Connection
from hyper.http20.exceptions import HTTP20Error

from .client import Client, ConnectionFailed, Push, Result, WidgetPush


class TrustingCredentials(TokenCredentials):
    def __init__(self, context: ssl.SSLContext, *arguments: str) -> None:
        super().__init__(*arguments)
        self.context = context

    def create_connection(self, server: str, port: int, proto: str | None, *_: Any) -> HTTP20Connection:
        return HTTP20Connection(server, port, ssl_context=self.context, force_proto=proto or "h2", secure=True)


class Apns2UpClient(Client):
    name = "apns2-up"
    package = "apns2-up"
    sets_id = False
    cannot = {"id": "sets no apns-id, and shows none"}

    async def open(self) -> None:
        self.replace(APNsClient, "SANDBOX_SERVER", "localhost")
        self.replace(APNsClient, "DEFAULT_PORT", self.port)
        self.replace_clock(apns2.credentials)
        self._credentials = TrustingCredentials(
            self.ssl_context(), str(self.credential.file), self.credential.key_id, self.credential.team)
        self._client: APNsClient | None = None
        # Its calls block, and its connection is for one thread at a time.
        self._turn = asyncio.Lock()

    async def close(self) -> None:
        self._forget()

    def _forget(self) -> None:
        if self._client is not None:
            self._client._connection.close()
            self._client = None

    async def push(self, push: Push) -> Result:
        return (await self.push_at_once([push]))[0]

    async def push_at_once(self, pushes: Sequence[Push]) -> list[Result]:
        """A batch: its way to send many, and the only one that takes a push type."""
        notifications = [Notification(push.token, Payload(custom=dict(push.payload))) for push in pushes]
        return await self._call(lambda client: [
            self._result(result) for result in client.send_notification_batch(
                notifications, pushes[0].topic, push_type=WidgetPush.WIDGETS).values()])

    async def push_as_it_is(self, push: Push) -> Result:
        """Its simplest call: what is neither alert nor voip is `background`."""
        def send(client: APNsClient) -> Result:
            try:
                client.send_notification(push.token, Payload(custom=dict(push.payload)), push.topic)
                return Result(True)
            except KeyError as error:
                return Result(False, f"KeyError: {error}")  # a reason that it does not know

        return await self._call(send)

    async def _call(self, send: Any) -> Any:
        async with self._turn:
            try:
                if self._client is None:
                    self._client = APNsClient(self._credentials, use_sandbox=True)
                return await asyncio.to_thread(send, self._client)
            except (OSError, APNsException, h2.exceptions.ProtocolError, HTTP20Error) as error:
                self._forget()
                raise ConnectionFailed(repr(error)) from error

    @staticmethod
    def _result(result: Any) -> Result:
        if result == "Success":
            return Result(True)
        reason, timestamp = result if isinstance(result, tuple) else (result, None)
        try:
            return Result(False, exception_class_for_reason(reason).__name__, timestamp=timestamp)
        except KeyError as error:
            return Result(False, f"KeyError: {error}", timestamp=timestamp)
