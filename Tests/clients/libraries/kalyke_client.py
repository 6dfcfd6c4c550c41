"""kalyke-apns: httpx2. It sends `iat` as text, an expiration always, and opens a connection for each push.

Host and port come from a property of the client, so a subclass gives another; the CA comes from SSL_CERT_FILE, which
httpx2 reads.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta

import httpx2
import kalyke.clients.apns
from kalyke import ApnsClient, ApnsConfig, ApnsPushType
from kalyke.exceptions import ApnsProviderException

from .client import Client, ConnectionFailed, Push, Result, WidgetPush


class GatewayClient(ApnsClient):
    _base_url = ""


class KalykeClient(Client):
    name = "kalyke-apns"
    package = "kalyke-apns"
    connections_of_burst = range(200, 201)
    cannot = {"reuse": "opens a connection for each push"}

    async def open(self) -> None:
        self._trusted = os.environ.get("SSL_CERT_FILE")
        os.environ["SSL_CERT_FILE"] = self.gateway.ca
        GatewayClient._base_url = f"https://localhost:{self.port}"
        if self.clock:
            self.replace(kalyke.clients.apns, "datetime", _Clock(self.clock))
        self._client = GatewayClient(
            use_sandbox=True, team_id=self.credential.team, auth_key_id=self.credential.key_id,
            auth_key_filepath=self.credential.file)

    async def close(self) -> None:
        if self._trusted is None:
            del os.environ["SSL_CERT_FILE"]
        else:
            os.environ["SSL_CERT_FILE"] = self._trusted

    async def push(self, push: Push) -> Result:
        return await self._send(push, WidgetPush.WIDGETS)

    async def push_as_it_is(self, push: Push) -> Result:
        return await self._send(push, ApnsPushType.BACKGROUND)

    async def _send(self, push: Push, push_type: object) -> Result:
        config = ApnsConfig(push.topic, push_type=push_type, identifier=push.id)  # type: ignore[arg-type]
        try:
            shown = await self._client.send_message(push.token, dict(push.payload), config)
            return Result(True, id=shown)
        except ApnsProviderException as error:
            return Result(False, type(error).__name__, timestamp=error.error.get("timestamp"))
        except httpx2.RequestError as error:
            raise ConnectionFailed(repr(error)) from error


class _Clock:
    def __init__(self, offset: float) -> None:
        self._offset = timedelta(seconds=offset)

    def now(self) -> datetime:
        return datetime.now() + self._offset
