"""nghttp2's own client program. Its answers are read from the frames that it logs."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence

from .client import Client, ConnectionFailed, Push, Result

FIELD = re.compile(r"recv \(stream_id=(\d+)(?:, sensitive)?\) (:status|apns-id): (\S+)")
BODY = re.compile(r'\{"reason":[^\n]*\}')
END = re.compile(r"recv DATA frame <length=(\d+), flags=0x(\d+), stream_id=(\d+)>")


class NghttpClient(Client):
    name = "nghttp"
    package = "nghttp"
    cannot = {"restart": "ends with its pushes"}

    @classmethod
    def version(cls) -> str:
        return subprocess.run(["nghttp", "--version"], capture_output=True, text=True).stdout.split("/")[-1].strip()

    async def push(self, push: Push) -> Result:
        return (await self._run(push, [self._url(push)]))[0]

    async def push_at_once(self, pushes: Sequence[Push]) -> list[Result]:
        return await self._run(pushes[0], [self._url(push) for push in pushes])

    async def push_in_turn(self, pushes: Sequence[Push]) -> list[Result]:
        """One call: it sends the second before the first's answer, and shares the connection."""
        return await self.push_at_once(pushes)

    def _url(self, push: Push) -> str:
        return f"https://localhost:{self.port}/3/device/{push.token}"

    async def _run(self, push: Push, urls: list[str]) -> list[Result]:
        with tempfile.NamedTemporaryFile() as body:
            body.write(json.dumps(push.payload).encode())
            body.flush()
            command = ["nghttp", "--verbose", "--no-dep", f"--data={body.name}", "--timeout=30"]
            for name, value in [("authorization", f"bearer {self.provider_token()}"), ("apns-topic", push.topic),
                                ("apns-push-type", "widgets"), *([("apns-id", push.id)] if push.id else [])]:
                command.append(f"--header={name}: {value}")
            process = await asyncio.create_subprocess_exec(
                *command, *urls, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
            log = (await process.communicate())[0].decode()
        if "Could not connect" in log or "[ERROR]" in log:
            raise ConnectionFailed(log)
        answers: dict[int, dict[str, str]] = {}
        for stream, name, value in FIELD.findall(log):
            answers.setdefault(int(stream), {})[name] = value
        # A body stands in the log before its frame does; it is one frame, so no other's can come between.
        bodies = dict(zip((int(stream) for _, _, stream in END.findall(log)), BODY.findall(log), strict=True))
        assert len(answers) == len(urls), log
        results = []
        for stream, answer in sorted(answers.items()):
            body_text = json.loads(bodies.get(stream, "{}"))
            results.append(Result(
                answer[":status"] == "200", body_text.get("reason"), answer["apns-id"], body_text.get("timestamp")))
        return results
