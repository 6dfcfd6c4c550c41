"""httpx with HTTP/2: no APNs library at all, but what many backends write by hand."""

from __future__ import annotations

import httpx

from .client import Client, ConnectionFailed, Push, Result


class HttpxClient(Client):
    name = "httpx"
    package = "httpx"

    async def open(self) -> None:
        self._client = httpx.AsyncClient(
            http2=True, verify=self.ssl_context(), base_url=f"https://localhost:{self.port}",
            headers={"authorization": f"bearer {self.provider_token()}", "apns-push-type": "widgets"})

    async def close(self) -> None:
        await self._client.aclose()

    async def push(self, push: Push) -> Result:
        headers = {"apns-topic": push.topic} | ({"apns-id": push.id} if push.id else {})
        try:
            answer = await self._client.post(f"/3/device/{push.token}", json=push.payload, headers=headers)
        except httpx.TransportError as error:
            raise ConnectionFailed(repr(error)) from error
        assert answer.http_version == "HTTP/2"
        body = answer.json() if answer.content else {}
        return Result(
            answer.status_code == 200, body.get("reason"), answer.headers["apns-id"], body.get("timestamp"))
