"""The curl program. Each call is a process and a connection; several pushes are one call with several URLs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .client import Client, ConnectionFailed, Push, Result

#: curl could not connect, or the connection ended under it: see its manual, "EXIT CODES".
CONNECTION_ERRORS = {7, 16, 35, 52, 55, 56, 92}


class CurlClient(Client):
    name = "curl"
    package = "curl"
    # While SETTINGS leaves a connection no room for a stream, curl opens another.
    connections_of_burst = range(1, 201)
    cannot = {"restart": "ends with its pushes"}

    @classmethod
    def version(cls) -> str:
        return subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]

    async def push(self, push: Push) -> Result:
        return (await self._run([push]))[0]

    async def push_at_once(self, pushes: Sequence[Push]) -> list[Result]:
        return await self._run(pushes, "parallel", "parallel-max = 200")

    async def push_in_turn(self, pushes: Sequence[Push]) -> list[Result]:
        return await self._run(pushes)

    async def _run(self, pushes: Sequence[Push], *more: str) -> list[Result]:
        """One process; its options but the URLs are those of the first push."""
        first = pushes[0]
        with tempfile.TemporaryDirectory() as folder:
            lines = ["silent", "show-error", "http2", "max-time = 30", f'cacert = "{self.gateway.ca}"', *more]
            # Each on a line of its own: parallel transfers end in any order.
            lines += [r'write-out = "%{urlnum} %{http_code} %{http_version}\n"', f'dump-header = "{folder}/heads"']
            lines += [self._header("authorization", f"bearer {self.provider_token()}"),
                      self._header("apns-topic", first.topic), self._header("apns-push-type", "widgets")]
            if first.id:
                lines.append(self._header("apns-id", first.id))
            lines.append(f'data-binary = {json.dumps(json.dumps(first.payload))}')
            for number, push in enumerate(pushes):
                lines += [f'url = "https://localhost:{self.port}/3/device/{push.token}"',
                          f'output = "{folder}/{number}"']
            process = await asyncio.create_subprocess_exec(
                "curl", "--config", "-", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE)
            said, complaint = await process.communicate("\n".join(lines).encode())
            if process.returncode in CONNECTION_ERRORS:
                raise ConnectionFailed(complaint.decode())
            assert process.returncode == 0, complaint.decode()
            rows = sorted(tuple(map(int, line.split())) for line in said.decode().splitlines())
            assert [row[0] for row in rows] == list(range(len(pushes))) and {row[2] for row in rows} == {2}, rows
            ids = [line.split()[1] for line in Path(folder, "heads").read_text().splitlines()
                   if line.startswith("apns-id:")]
            return [self._result(status, Path(folder, str(number)), ids[0] if len(ids) == 1 else None)
                    for number, status, _ in rows]

    @staticmethod
    def _header(name: str, value: str) -> str:
        return f'header = "{name}: {value}"'

    @staticmethod
    def _result(status: int, body: Path, id: str | None) -> Result:
        """curl makes no file for a body that is empty."""
        answer = json.loads(body.read_text()) if body.exists() and body.stat().st_size else {}
        return Result(status == 200, answer.get("reason"), id, answer.get("timestamp"))
