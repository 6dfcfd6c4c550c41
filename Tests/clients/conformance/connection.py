"""3 Starting, 5.4 errors, 7 codes, and PING and GOAWAY: what concerns the connection."""

from __future__ import annotations

import struct

from provider import REFRESH
from wire import (
    ACK, CANCEL, DATA, END_STREAM, FRAME_SIZE_ERROR, GOAWAY, PING, PREFACE, PROTOCOL_ERROR, SETTINGS, Wire,
    frame, rst_stream, settings)

from .case import AnsweredThenClosed, Case, ConnectionError, Ignored, Outcome, head, push, sending, serves_a_push


class ClosedWithoutAWord(Outcome):
    """3.4: GOAWAY may be left out where it is plain that the peer does not speak HTTP/2."""

    def check(self, wire: Wire) -> None:
        read = [each for each in wire.rest() if each.kind != SETTINGS]
        assert not read, [str(each) for each in read]


class Greeted(Outcome):
    def check(self, wire: Wire) -> None:
        first = wire.read()
        assert first.kind == SETTINGS and not first.flags & ACK and first.stream == 0
        wire.until(SETTINGS, flags=ACK)
        serves_a_push(wire)


class Pong(Outcome):
    def __init__(self, payload: bytes, times: int = 1) -> None:
        self.payload = payload
        self.times = times

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        pongs = [read for read in wire.log if read.kind == PING and read.payload == self.payload]
        assert [read.flags for read in pongs] == [ACK] * self.times


def in_single_bytes(wire: Wire) -> None:
    for byte in PREFACE + settings():
        wire.send(bytes([byte]))


def go_away(code: int = 0, debug: bytes = b"", stream: int = 0) -> bytes:
    return frame(GOAWAY, 0, stream, struct.pack(">II", 0, code) + debug)


def body(stream: int) -> bytes:
    return frame(DATA, END_STREAM, stream, REFRESH)


def request_then_goodbye(wire: Wire) -> None:
    wire.send(wire.head(1), go_away(debug=b"leaving"))
    wire.send(body(1))


CASES = [
    Case("3.4", "the server's first frame is SETTINGS, whose ACK follows the client's",
         sending(PREFACE + settings()), Greeted(), greets=False),
    Case("3.4", "a preface in single bytes", in_single_bytes, Greeted(), greets=False),
    Case("3.4", "a preface that is wrong in its last byte",
         sending(PREFACE[:-1] + b"x" + settings()), ClosedWithoutAWord(), greets=False),
    Case("3.4", "HTTP/1.1", sending(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"), ClosedWithoutAWord(), greets=False),
    Case("3.4", "the first frame is no SETTINGS",
         sending(PREFACE + frame(PING, 0, 0, bytes(8))), ConnectionError(PROTOCOL_ERROR), greets=False),
    Case("3.4", "the first SETTINGS is an acknowledgement",
         sending(PREFACE + settings(flags=ACK)), ConnectionError(PROTOCOL_ERROR), greets=False),
    Case("5.4.1", "a connection error ends in GOAWAY and the end of the connection",
         sending(push(1), frame(PING, 0, 1, bytes(8))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.7", "PING is answered with the same eight octets",
         sending(frame(PING, 0, 0, b"\x00\x01\x02\x03\xfc\xfd\xfe\xff")), Pong(b"\x00\x01\x02\x03\xfc\xfd\xfe\xff")),
    Case("6.7", "many PINGs, an answer each",
         sending(frame(PING, 0, 0, b"many one") * 50), Pong(b"many one", 50)),
    Case("6.7", "PING with flags that it does not have", sending(frame(PING, 0xFE, 0, b"strange!")), Pong(b"strange!")),
    Case("6.7", "an acknowledgement that nobody asked for is not answered",
         sending(frame(PING, ACK, 0, b"unasked!")), Pong(b"unasked!", 0)),
    Case("6.7", "PING on a stream", sending(frame(PING, 0, 1, bytes(8))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.7", "PING of six octets", sending(frame(PING, 0, 0, bytes(6))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.7", "PING of nine octets", sending(frame(PING, 0, 0, bytes(9))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.8", "GOAWAY on a stream", sending(go_away(stream=1)), ConnectionError(PROTOCOL_ERROR)),
    Case("6.8", "GOAWAY of seven octets", sending(frame(GOAWAY, 0, 0, bytes(7))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.8", "a client that has said GOAWAY still gets its answers", request_then_goodbye, AnsweredThenClosed()),
    Case("7", "GOAWAY with a code that nobody knows",
         sending(head(1), go_away(0xFFFF_FFFF), body(1)), AnsweredThenClosed()),
    Case("7", "RST_STREAM with a code that nobody knows",
         sending(head(1), rst_stream(1, 0xFFFF_FFFF)), Ignored()),
    Case("7", "RST_STREAM CANCEL", sending(head(1), rst_stream(1, CANCEL)), Ignored()),
]
