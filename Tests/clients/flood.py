"""A sender that is faster than a gateway in Python's reach: frames are written by hand, from templates.

h2 makes some thousand requests a second; a gateway answers those between two of its breaths, and a kill would always
find it idle. This keeps a thousand pushes in flight on a connection, all the time. It runs as a thread with a blocking
socket, since the devices' loop is busy with other things.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass

from gateway import Gateway
from http2 import client_context
from provider import widgets_topic
from tokens import provider_token, read_key

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
#: `:status: 200` in HPACK's static table. What else comes is a refusal.
STATUS_200, STATUS_OF_A_BUG = 0x88, {0x8C, 0x8D, 0x8E}


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A field without Huffman coding and without indexing: RFC 7541, 6.2.2. It leaves no state behind."""
    return b"\x00" + _text(name) + _text(value)


def _text(value: bytes) -> bytes:
    if len(value) < 127:
        return bytes([len(value)]) + value
    rest, more = len(value) - 127, b"\x7f"
    while rest >= 128:
        more += bytes([rest % 128 + 128])
        rest //= 128
    return more + bytes([rest]) + value


@dataclass
class Push:
    token: str
    number: int
    #: None, or 0: one try.
    expiration: int | None = None
    priority: int | None = None


class Flood(threading.Thread):
    """Pushes what `choose` says until the gateway goes; tells `answered` of each 200, in the order in which they come."""

    def __init__(self, gateway: Gateway, in_flight: int, choose: Callable[[], Push],
                 answered: Callable[[Push], None]) -> None:
        super().__init__(daemon=True)
        self.in_flight = in_flight
        self.choose = choose
        self.answered = answered
        #: Sent, and neither answered nor refused when the connection ended.
        self.open: dict[int, Push] = {}
        self.refused = 0
        #: What should not have happened.
        self.finding: str | None = None
        self._next = 1
        credential = gateway.credential()
        token = provider_token(read_key(credential.file.read_bytes()), credential.team, credential.key_id)
        self._pseudo = b"\x83\x87" + b"\x01" + _text(b"localhost")
        self._fields = b"".join(
            literal(name, value) for name, value in [
                (b"authorization", b"bearer " + token.encode()), (b"apns-topic", widgets_topic().encode()),
                (b"apns-push-type", b"widgets")])
        raw = socket.create_connection(("127.0.0.1", gateway.provider_port()), timeout=120)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = client_context(gateway.ca).wrap_socket(raw, server_hostname="localhost")

    def run(self) -> None:
        try:
            with self._socket:
                # Refusals have bodies: without a large window their streams would stay open.
                window = frame(WINDOW_UPDATE, 0, 0, (1 << 30).to_bytes(4, "big"))
                self._socket.sendall(PREFACE + frame(SETTINGS, 0, 0) + window + self._push())
                received = b""
                while data := self._socket.recv(1 << 16):
                    received = self._take(received + data)
                    # The first answer alone: it is what lifts the limit of one stream.
                    if self._next > 1 and len(self.open) < self.in_flight and (self._next > 3 or not self.open):
                        self._socket.sendall(b"".join(self._push() for _ in range(self.in_flight - len(self.open))))
        except TimeoutError:
            self.finding = f"two minutes without a byte, and {len(self.open)} pushes unanswered"
        except OSError:
            pass  # killed, as it should be

    def _push(self) -> bytes:
        push, stream = self.choose(), self._next
        self._next += 2
        self.open[stream] = push
        head = self._pseudo + b"\x04" + _text(f"/3/device/{push.token}".encode()) + self._fields
        if push.expiration is not None:
            head += literal(b"apns-expiration", str(push.expiration).encode())
        if push.priority is not None:
            head += literal(b"apns-priority", str(push.priority).encode())
        body = b'{"aps":{"content-changed":true},"n":%d}' % push.number
        return frame(HEADERS, END_HEADERS, stream, head) + frame(DATA, END_STREAM, stream, body)

    def _take(self, received: bytes) -> bytes:
        """Handles each whole frame; what is left over."""
        at = 0
        while len(received) - at >= 9:
            size = int.from_bytes(received[at:at + 3], "big")
            if len(received) - at < 9 + size:
                break
            kind, flags, stream = received[at + 3], received[at + 4], int.from_bytes(received[at + 5:at + 9], "big")
            self._handle(kind, flags, stream, received[at + 9:at + 9 + size])
            at += 9 + size
        return received[at:]

    def _handle(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == HEADERS:
            push = self.open.pop(stream)
            status = next(byte for byte in payload if byte & 0xE0 != 0x20)  # past changes of the table's size
            if status == STATUS_200:
                self.answered(push)
            else:
                self.refused += 1
                if status in STATUS_OF_A_BUG:
                    self.finding = f"a right push was refused: {payload!r}"
        elif kind == RST_STREAM and stream in self.open:
            self.finding = self.finding or f"a push was reset: {payload!r}"
            del self.open[stream]
        elif kind == GOAWAY:
            self.finding = self.finding or f"GOAWAY {payload!r}"
        elif kind == SETTINGS and not flags & ACK:
            self._socket.sendall(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self._socket.sendall(frame(PING, ACK, 0, payload))
