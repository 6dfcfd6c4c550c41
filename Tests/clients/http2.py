"""A small asyncio HTTP/2 client that shows what a server really sent.

It behaves as a good client does: it honours MAX_CONCURRENT_STREAMS and flow control, and h2 judges every frame of the
server. What it adds is `Answer.frames`: APNs' clients depend on how an answer is cut into frames, not only on its text.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Iterable

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

Headers = Iterable[tuple[str, str]]


class ConnectionLost(Exception):
    """The connection ended before the answer was whole; whether the server acted is unknown."""


class StreamReset(Exception):
    """The server reset the stream before it had answered."""


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
    #: "HEADERS", "DATA 32", "DATA 32 END_STREAM", "RST_STREAM 0" … in the order of arrival.
    frames: list[str] = field(default_factory=list)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def reason(self) -> str | None:
        """The reason of a refused push; None when it was accepted."""
        return self.json["reason"] if self.body else None

    @property
    def refresh(self) -> dict[str, int]:
        """`gateway-refresh` as numbers: {"sent": 1, "deferred": 0, "dropped": 0}."""
        text = self.header("gateway-refresh") or ""
        return {key: int(value) for key, value in (part.strip().split("=") for part in text.split(",") if part)}


def client_context(ca: str | None, *, alpn: bool = True) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca)
    if ca is None:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if alpn:
        context.set_alpn_protocols(["h2"])
    return context


class _Stream:
    def __init__(self) -> None:
        self.answer: Answer | None = None
        self.headers: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.chunks: asyncio.Queue[bytes | None] | None = None

    def fail(self, error: Exception) -> None:
        for future in (self.headers, self.done):
            if not future.done():
                future.set_exception(error)
                future.exception()  # nobody may be waiting for it
        if self.chunks is not None:
            self.chunks.put_nowait(None)


class Connection(asyncio.Protocol):
    def __init__(self, authority: str) -> None:
        self.authority = authority
        self.goaway: h2.events.ConnectionTerminated | None = None
        #: False: what was read makes no room for more.
        self.window_is_open = True
        #: Error codes of the server's RST_STREAM frames, by stream, answered or not.
        self.resets: dict[int, int] = {}
        self.closed = asyncio.Event()
        self._ready = asyncio.Event()
        config = h2.config.H2Configuration(
            client_side=True, header_encoding="utf-8", validate_outbound_headers=False)
        self._h2 = h2.connection.H2Connection(config)
        self._transport: asyncio.Transport | None = None
        self._streams: dict[int, _Stream] = {}
        self._room: deque[asyncio.Future[None]] = deque()
        self._unsent: deque[tuple[int, memoryview]] = deque()
        self._flush_due = False

    @classmethod
    async def open(cls, host: str, port: int, *, ca: str | None, alpn: bool = True,
                   server_name: str = "localhost", deadline: float = 30) -> Connection:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(deadline):
            _, connection = await loop.create_connection(
                lambda: cls(f"{server_name}:{port}"), host, port, ssl=client_context(ca, alpn=alpn),
                server_hostname=server_name)
            await connection._ready.wait()
        if connection._transport is None:
            raise ConnectionLost("closed before the first SETTINGS")
        return connection

    # Requests

    async def request(self, method: str, path: str, headers: Headers = (), body: bytes | None = None, *,
                      ends: bool = True, deadline: float = 60) -> Answer:
        """The whole answer. Raises ConnectionLost, StreamReset or TimeoutError.

        With `ends` false the request's END_STREAM is never sent: only an answer that does not wait for it comes.
        """
        stream = await self._send(method, path, headers, body, streaming=False, ends=ends)
        async with asyncio.timeout(deadline):
            return await asyncio.shield(stream.done)

    async def open_stream(self, method: str, path: str, headers: Headers = (), *,
                          deadline: float = 60) -> tuple[Answer, asyncio.Queue[bytes | None]]:
        """The answer's head, and its body as it comes; None at the end of it."""
        stream = await self._send(method, path, headers, None, streaming=True)
        assert stream.chunks is not None
        async with asyncio.timeout(deadline):
            return await asyncio.shield(stream.headers), stream.chunks

    async def _send(self, method: str, path: str, headers: Headers, body: bytes | None, *,
                    streaming: bool, ends: bool = True) -> _Stream:
        await self._wait_for_room()
        if self._transport is None:
            raise ConnectionLost("the connection is closed")
        stream = _Stream()
        if streaming:
            stream.chunks = asyncio.Queue()
        number = self._h2.get_next_available_stream_id()
        self._streams[number] = stream
        head = [(":method", method), (":scheme", "https"), (":authority", self.authority), (":path", path), *headers]
        self._h2.send_headers(number, head, end_stream=body is None)
        if body is not None and not ends:
            self._h2.send_data(number, body)
        elif body is not None:
            self._unsent.append((number, memoryview(body)))
            self._send_bodies()
        self._flush_soon()
        return stream

    async def _wait_for_room(self) -> None:
        while self._transport is not None and len(self._streams) >= self.concurrent_streams:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._room.append(waiter)
            await waiter

    def _make_room(self) -> None:
        free = self.concurrent_streams - len(self._streams)
        while self._room and (free > 0 or self._transport is None):
            waiter = self._room.popleft()
            if not waiter.done():
                waiter.set_result(None)
                free -= 1

    def _send_bodies(self) -> None:
        blocked: deque[tuple[int, memoryview]] = deque()
        while self._unsent:
            number, rest = self._unsent.popleft()
            if number not in self._streams:
                continue
            try:
                while True:
                    size = min(len(rest), self._h2.local_flow_control_window(number), self._h2.max_outbound_frame_size)
                    if size == 0 and len(rest) > 0:
                        blocked.append((number, rest))
                        break
                    self._h2.send_data(number, bytes(rest[:size]), end_stream=size == len(rest))
                    rest = rest[size:]
                    if not rest:
                        break
            except h2.exceptions.StreamClosedError:
                continue  # the server has answered and reset it; its answer is the news
        self._unsent = blocked

    # Reading slowly

    def read_at_most(self, count: int) -> None:
        """So many bytes of each stream that is opened from now on, until `read_on`."""
        self.window_is_open = False
        self._h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: count})
        self._flush()

    def read_on(self) -> None:
        self.window_is_open = True
        for number in self._streams:
            self._h2.increment_flow_control_window(1 << 20, number)
        self._flush()

    # What the server says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(1 << 24)
        self._flush()

    def data_received(self, data: bytes) -> None:
        try:
            events = self._h2.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            self._flush()
            self._end(ConnectionLost(f"the server broke the protocol: {error}"))
            return
        for event in events:
            self._handle(event)
        self._flush()

    def _handle(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.RemoteSettingsChanged):
            self._ready.set()
            self._make_room()
        elif isinstance(event, h2.events.ResponseReceived):
            if stream := self._streams.get(event.stream_id):
                fields = [(str(name), str(value)) for name, value in event.headers]
                stream.answer = Answer(int(dict(fields)[":status"]), fields)
                stream.answer.frames.append("HEADERS END_STREAM" if event.stream_ended else "HEADERS")
                stream.headers.set_result(stream.answer)
        elif isinstance(event, h2.events.DataReceived):
            if self.window_is_open:
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if (stream := self._streams.get(event.stream_id)) and stream.answer:
                end = " END_STREAM" if event.stream_ended else ""
                if stream.chunks is not None:
                    stream.chunks.put_nowait(event.data)
                else:
                    stream.answer.body += event.data
                    stream.answer.frames.append(f"DATA {len(event.data)}{end}")
        elif isinstance(event, h2.events.StreamEnded):
            if (stream := self._streams.pop(event.stream_id, None)) and stream.answer:
                stream.done.set_result(stream.answer)
                if stream.chunks is not None:
                    stream.chunks.put_nowait(None)
            self._make_room()
        elif isinstance(event, h2.events.StreamReset):
            self.resets[event.stream_id] = int(event.error_code)
            if stream := self._streams.pop(event.stream_id, None):
                stream.fail(StreamReset(f"RST_STREAM {int(event.error_code)}"))
            self._make_room()
        elif isinstance(event, h2.events.WindowUpdated):
            self._send_bodies()
        elif isinstance(event, h2.events.ConnectionTerminated):
            self.goaway = event
            if event.error_code != h2.errors.ErrorCodes.NO_ERROR:
                self._end(ConnectionLost(f"GOAWAY {int(event.error_code)} {event.additional_data!r}"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(ConnectionLost(str(exc) if exc else "closed by the server"))

    def _end(self, error: Exception) -> None:
        transport, self._transport = self._transport, None
        self._ready.set()
        for stream in self._streams.values():
            stream.fail(error)
        self._streams.clear()
        self._make_room()
        if transport is not None:
            transport.close()
        self.closed.set()

    # Writing: everything asked for in one turn of the loop leaves in one write.

    def _flush_soon(self) -> None:
        if not self._flush_due:
            self._flush_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        if self._transport is not None and (data := self._h2.data_to_send()):
            self._transport.write(data)

    @property
    def concurrent_streams(self) -> int:
        """As the server's SETTINGS say now."""
        return self._h2.remote_settings.max_concurrent_streams

    @property
    def is_open(self) -> bool:
        return self._transport is not None

    async def close(self) -> None:
        if self._transport is not None:
            self._h2.close_connection()
            self._flush()
            self._end(ConnectionLost("closed by the test"))

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
