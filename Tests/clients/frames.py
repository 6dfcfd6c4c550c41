"""A client made of single frames: it sends just what a test writes, in the order in which it writes it, and keeps every
frame that comes back. It knows no rules, so it can do what any client does, right or wrong."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

import hpack

from flood import (
    ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, frame, literal)
from gateway import Gateway
from http2 import Answer, client_context

#: RFC 9113, 6.5.2.
MAX_CONCURRENT_STREAMS = 3


@dataclass(frozen=True)
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes

    @property
    def settings(self) -> dict[int, int]:
        return {int.from_bytes(self.payload[at:at + 2], "big"): int.from_bytes(self.payload[at + 2:at + 6], "big")
                for at in range(0, len(self.payload), 6)}


class FrameClient:
    def __init__(self, gateway: Gateway, *, alpn: bool = True, environment: str = "development",
                 context: ssl.SSLContext | None = None, session: ssl.SSLSession | None = None) -> None:
        """`context` is for a client that shows a certificate."""
        raw = socket.create_connection(("127.0.0.1", gateway.provider_port(environment)), timeout=30)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        context = context or client_context(gateway.ca, alpn=alpn)
        self.socket = context.wrap_socket(raw, server_hostname="localhost", session=session)
        self.frames: list[Frame] = []
        self.answers: dict[int, Answer] = {}
        self.ended: set[int] = set()
        self.next_stream = 1
        self._received = b""
        self._hpack = hpack.Decoder()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    # Sending

    def send(self, *parts: bytes) -> None:
        self.socket.sendall(b"".join(parts))

    def begin(self) -> None:
        """The preface and empty SETTINGS."""
        self.send(PREFACE, frame(SETTINGS, 0, 0))

    def request(self, fields: Iterable[tuple[str, str]], *bodies: bytes) -> tuple[int, bytes]:
        """A stream's number and its frames: HEADERS, and a DATA frame for each body, the last with END_STREAM."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        head = b"".join(literal(name.encode(), value.encode()) for name, value in fields)
        frames = [frame(HEADERS, END_HEADERS | (0 if bodies else END_STREAM), stream, head)]
        for number, body in enumerate(bodies, 1):
            frames.append(frame(DATA, END_STREAM if number == len(bodies) else 0, stream, body))
        return stream, b"".join(frames)

    def exchange(self, fields: Iterable[tuple[str, str]], *bodies: bytes) -> Answer:
        stream, frames = self.request(fields, *bodies)
        self.send(frames)
        return self.answer(stream)

    # Receiving

    def answer(self, stream: int) -> Answer:
        """Waits until the server has ended the stream."""
        self.read_until(lambda: stream in self.ended)
        return self.answers[stream]

    def read_until(self, done: Callable[[], bool]) -> None:
        """Half a minute without a byte is a failure."""
        while not done():
            data = self.socket.recv(1 << 16)
            assert data, f"the server has closed; its last frames: {self.frames[-3:]}"
            self._received += data
            self._take()

    def read_to_end(self) -> None:
        """Until the server closes, which it must do in an orderly way."""
        while data := self.socket.recv(1 << 16):
            self._received += data
            self._take()

    def _take(self) -> None:
        while len(self._received) >= 9:
            size = int.from_bytes(self._received[:3], "big")
            if len(self._received) < 9 + size:
                return
            head, payload = self._received[:9], self._received[9:9 + size]
            self._received = self._received[9 + size:]
            self._handle(Frame(head[3], head[4], int.from_bytes(head[5:9], "big"), payload))

    def _handle(self, one: Frame) -> None:
        self.frames.append(one)
        end = " END_STREAM" if one.flags & END_STREAM else ""
        if one.kind == SETTINGS and not one.flags & ACK:
            self.send(frame(SETTINGS, ACK, 0))
        elif one.kind == HEADERS:
            assert one.flags & END_HEADERS, "an answer's head fits into one frame"
            fields = [(str(name), str(value)) for name, value in self._hpack.decode(one.payload)]
            self.answers[one.stream] = Answer(int(dict(fields)[":status"]), fields, frames=[f"HEADERS{end}"])
        elif one.kind == DATA:
            self.answers[one.stream].body += one.payload
            self.answers[one.stream].frames.append(f"DATA {len(one.payload)}{end}")
        elif one.kind == RST_STREAM:
            code = int.from_bytes(one.payload, "big")
            self.answers.setdefault(one.stream, Answer(0, [])).frames.append(f"RST_STREAM {code}")
        if one.kind == RST_STREAM or end and one.kind in (HEADERS, DATA):
            self.ended.add(one.stream)

    @property
    def goaway(self) -> Frame | None:
        return next((one for one in self.frames if one.kind == GOAWAY), None)

    def pings_answered(self) -> list[bytes]:
        return [one.payload for one in self.frames if one.kind == PING and one.flags & ACK]
