"""HTTP/2 by hand: frames as bytes, and a connection that sends what no library would.

Nothing is answered or kept in order for the test, SETTINGS and PING excepted, which `Wire` acknowledges as it reads.
Header blocks are literals without Huffman coding and without indexing, so that they leave no state behind.
"""

from __future__ import annotations

import select
import socket
import ssl
import struct
from collections.abc import Iterable
from dataclasses import dataclass

import hpack

from flood import PREFACE, frame, literal
from gateway import Gateway
from http2 import client_context
from provider import REFRESH, widgets_topic
from tokens import provider_token, read_key

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
NAMES = ["DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
         "CONTINUATION"]
ACK = END_STREAM = 0x1
END_HEADERS, PADDED, PRIORITISED = 0x4, 0x8, 0x20

NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR, \
    REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM = range(12)

HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = \
    range(1, 7)

#: No answer takes as long; a stop, not a measure.
DEADLINE = 10

Fields = Iterable[tuple[str, str]]


def settings(*entries: tuple[int, int], flags: int = 0) -> bytes:
    return frame(SETTINGS, flags, 0, b"".join(struct.pack(">HI", *entry) for entry in entries))


def window_update(stream: int, increment: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", increment))


def rst_stream(stream: int, code: int = CANCEL) -> bytes:
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def priority(stream: int, depends_on: int = 0, weight: int = 15, exclusive: bool = False) -> bytes:
    return frame(PRIORITY, 0, stream, priority_fields(depends_on, weight, exclusive))


def priority_fields(depends_on: int, weight: int = 15, exclusive: bool = False) -> bytes:
    return struct.pack(">IB", depends_on | (0x8000_0000 if exclusive else 0), weight)


def integer(value: int, prefix: int, first: int = 0) -> bytes:
    """RFC 7541, 5.1."""
    limit = (1 << prefix) - 1
    if value < limit:
        return bytes([first | value])
    out, value = bytes([first | limit]), value - limit
    while value >= 128:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def text(value: bytes) -> bytes:
    return integer(len(value), 7) + value


def block(fields: Fields) -> bytes:
    return b"".join(literal(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields)


@dataclass(frozen=True)
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes

    @property
    def ends_stream(self) -> bool:
        return self.kind in (DATA, HEADERS) and bool(self.flags & END_STREAM)

    @property
    def code(self) -> int:
        """Of RST_STREAM and GOAWAY."""
        at = 0 if self.kind == RST_STREAM else 4
        return int.from_bytes(self.payload[at:at + 4], "big")

    @property
    def last_stream(self) -> int:
        return int.from_bytes(self.payload[:4], "big")

    @property
    def debug_data(self) -> bytes:
        return self.payload[8:]

    @property
    def entries(self) -> dict[int, int]:
        return dict(struct.unpack_from(">HI", self.payload, at) for at in range(0, len(self.payload), 6))

    def __str__(self) -> str:
        name = NAMES[self.kind] if self.kind < len(NAMES) else f"frame {self.kind:#x}"
        said = f" {self.code} {self.payload[8:]!r}" if self.kind in (RST_STREAM, GOAWAY) else f" {len(self.payload)}"
        return f"{name} {self.stream}{said}{' END_STREAM' if self.ends_stream else ''}"


class Closed(Exception):
    """The server has ended the connection."""


class Wire:
    """One connection of a provider. Closes with `with`."""

    def __init__(self, gateway: Gateway, token: str = "", *, greets: bool = True, alpn: bool = True,
                 initial: bytes | None = None, environment: str = "development") -> None:
        credential = gateway.credential(environment)
        jwt = provider_token(read_key(credential.file.read_bytes()), credential.team, credential.key_id)
        self.authorization = f"bearer {jwt}"
        self.token = token
        self.decoder = hpack.Decoder(max_header_list_size=1 << 20)
        self._received = b""
        self.log: list[Frame] = []
        self.fields_of: dict[int, dict[str, str]] = {}
        raw = socket.create_connection(("127.0.0.1", gateway.provider_port(environment)), timeout=DEADLINE)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = client_context(gateway.ca, alpn=alpn).wrap_socket(raw, server_hostname="localhost")
        if greets:
            self.send(PREFACE + (settings() if initial is None else initial))
            first = self.read()
            assert first.kind == SETTINGS and not first.flags & ACK, f"the first frame is {first}"

    # Sending

    def send(self, *frames: bytes) -> None:
        try:
            self.socket.sendall(b"".join(frames))
        except OSError as error:
            if not isinstance(error, (ssl.SSLError, ConnectionError)):
                raise

    def fields(self, *more: tuple[str, str], without: Iterable[str] = (), **changed: str) -> list[tuple[str, str]]:
        """Those of a right push. `changed` names a pseudo field or another by its Python name: method="GET"."""
        usual = [(":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{self.token}"),
                 (":authority", "localhost"), ("authorization", self.authorization), ("apns-topic", widgets_topic()),
                 ("apns-push-type", "widgets")]
        for name, value in changed.items():
            place = next(i for i, (known, _) in enumerate(usual) if known.lstrip(":").replace("-", "_") == name)
            usual[place] = (usual[place][0], value)
        return [field for field in usual if field[0] not in without] + list(more)

    def head(self, stream: int, fields: Fields | None = None, *, ends: bool = False, flags: int = 0) -> bytes:
        payload = block(self.fields() if fields is None else fields)
        return frame(HEADERS, END_HEADERS | flags | (END_STREAM if ends else 0), stream, payload)

    def push(self, stream: int, fields: Fields | None = None, body: bytes = REFRESH) -> bytes:
        return self.head(stream, fields) + frame(DATA, END_STREAM, stream, body)

    # Receiving

    def read(self) -> Frame:
        """The next frame. Raises Closed."""
        while len(self._received) < 9 or len(self._received) < 9 + int.from_bytes(self._received[:3], "big"):
            try:
                data = self.socket.recv(1 << 16)
            except (ssl.SSLError, ConnectionError) as error:
                raise Closed(str(error)) from None
            if not data:
                raise Closed("the server closed the connection")
            self._received += data
        size = int.from_bytes(self._received[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", self._received[3:9])
        read = Frame(kind, flags, stream & 0x7FFF_FFFF, self._received[9:9 + size])
        self._received = self._received[9 + size:]
        self.log.append(read)
        if read.kind == HEADERS:
            self.fields_of[read.stream] = dict(self.decoder.decode(read.payload))
        elif read.kind == SETTINGS and not read.flags & ACK:
            self.send(settings(flags=ACK))
        elif read.kind == PING and not read.flags & ACK:
            self.send(frame(PING, ACK, 0, read.payload))
        return read

    def until(self, kind: int, stream: int = 0, *, flags: int = 0) -> Frame:
        while True:
            read = self.read()
            if read.kind == kind and read.stream == stream and read.flags & flags == flags:
                return read

    def answer(self, stream: int, *, despite_goodbye: bool = False) -> tuple[list[Frame], dict[str, str], bytes]:
        """All frames of one stream up to its end, its fields and its body. Raises AssertionError when it is reset."""
        frames: list[Frame] = [read for read in self.log if read.stream == stream]
        while not any(read.ends_stream or read.kind == RST_STREAM for read in frames):
            read = self.read()
            if read.stream == stream:
                frames.append(read)
            assert despite_goodbye or read.kind != GOAWAY, f"{read} in place of an answer"
        assert frames[-1].kind != RST_STREAM, f"{frames[-1]} in place of an answer"
        fields = self.fields_of[stream]
        body = b"".join(read.payload for read in frames if read.kind == DATA)
        return frames, fields, body

    def rest(self) -> list[Frame]:
        """Every frame until the server closes."""
        frames = []
        try:
            while True:
                frames.append(self.read())
        except Closed:
            return frames

    def is_silent(self, seconds: float = 0.05) -> bool:
        return not self._received and not self.socket.pending() and not select.select([self.socket], [], [], seconds)[0]

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
