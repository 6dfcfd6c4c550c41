"""Node's http2 as node-apn uses it; `node_apn.js` is that use as a program."""

from __future__ import annotations

import asyncio
import json
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

from .client import Client, ConnectionFailed, Push, Result

PROGRAM = Path(__file__).with_name("node_apn.js")


class NodeClient(Client):
    name = "node http2, as node-apn"
    package = "nodejs"

    @classmethod
    def version(cls) -> str:
        return subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip("v\n")

    async def open(self) -> None:
        options = {
            "address": "localhost", "port": self.port, "ca": self.gateway.ca, "key": str(self.credential.file),
            "keyId": self.credential.key_id, "teamId": self.credential.team, "clock": self.clock, "timeout": 5000,
            "heartBeat": 50}
        self._process = await asyncio.create_subprocess_exec(
            "node", str(PROGRAM), json.dumps(options), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            answer = json.loads(line)
            self._waiting.pop(answer["number"]).set_result(answer)
        for future in self._waiting.values():
            future.set_exception(RuntimeError("the node program has ended"))

    async def push(self, push: Push) -> Result:
        return await self._send(push, "widgets")

    async def push_as_it_is(self, push: Push) -> Result:
        """node-apn sends a push type only when it is told one."""
        return await self._send(push, None)

    async def _send(self, push: Push, push_type: str | None) -> Result:
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        headers = {"apns-topic": push.topic}
        if push_type:
            headers["apns-push-type"] = push_type
        if push.id:
            headers["apns-id"] = push.id
        line = {"number": number, "token": push.token, "headers": headers,
                # node-apn sends nothing for a payload that is empty.
                "body": json.dumps(push.payload) if push.payload else ""}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line).encode() + b"\n")
        answer = await future
        if "error" in answer:
            raise ConnectionFailed(answer["error"])
        body = answer["response"] or {}
        return Result(answer["status"] == 200, body.get("reason"), answer["id"], body.get("timestamp"))
