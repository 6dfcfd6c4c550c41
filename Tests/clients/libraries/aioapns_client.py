"""aioapns: asyncio and h2. Host and port are class attributes of its protocol; the CA comes with an ssl context."""

from __future__ import annotations

import aioapns.connection
import h2.exceptions
from aioapns import APNs, NotificationRequest, PushType
from aioapns.common import NotificationResult
from aioapns.connection import APNsDevelopmentClientProtocol
from aioapns.exceptions import ConnectionError, MaxAttemptsExceeded

from provider import widgets_topic

from .client import Client, ConnectionFailed, Push, Result, WidgetPush


class AioapnsClient(Client):
    name = "aioapns"
    package = "aioapns"

    async def open(self) -> None:
        self.replace(APNsDevelopmentClientProtocol, "APNS_SERVER", "localhost")
        # The port is inherited, so it is set, and left, where it is defined.
        self.replace(aioapns.connection.APNsTLSClientProtocol, "APNS_PORT", self.port)
        self.replace_clock(aioapns.connection)
        self._apns = APNs(
            key=self.credential.file.read_text(), key_id=self.credential.key_id, team_id=self.credential.team,
            topic=widgets_topic(),
            use_sandbox=True, ssl_context=self.ssl_context(), max_connections=1)

    async def close(self) -> None:
        self._apns.pool.close()

    async def push(self, push: Push) -> Result:
        return await self._send(push, WidgetPush.WIDGETS)

    async def push_as_it_is(self, push: Push) -> Result:
        return await self._send(push, PushType.BACKGROUND)

    async def _send(self, push: Push, push_type: object) -> Result:
        request = NotificationRequest(
            push.token, dict(push.payload), notification_id=push.id, apns_topic=push.topic,
            push_type=push_type)  # type: ignore[arg-type]
        try:
            result: NotificationResult = await self._apns.send_notification(request)
        # A push that meets a closing connection is shown the error of the library below.
        except (ConnectionError, MaxAttemptsExceeded, h2.exceptions.ProtocolError) as error:
            raise ConnectionFailed(str(error)) from error
        return Result(result.is_successful, result.description, result.notification_id, result.timestamp)
