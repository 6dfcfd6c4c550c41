"""6.9 WINDOW_UPDATE and flow control. A refused push has a body, which is what the windows are about."""

from __future__ import annotations

from wire import (
    DATA, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, HEADERS, INITIAL_WINDOW_SIZE, PROTOCOL_ERROR, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, Wire, frame, settings, window_update)

from .case import Answered, Case, ConnectionError, Deviates, Outcome, StreamError, head, push, sending, serves_a_push

LARGEST = 0x7FFF_FFFF


def refused(wire: Wire, stream: int = 1) -> bytes:
    return wire.head(stream, wire.fields(method="PUT"), ends=True)


class InPieces(Outcome):
    """Octets of the answer's body by DATA frame, as the windows allow; their sum is the whole body."""

    def __init__(self, *first: int) -> None:
        self.first = list(first)

    def check(self, wire: Wire) -> None:
        _, fields, body = wire.answer(1)
        sizes = [len(read.payload) for read in wire.log if read.kind == DATA and read.stream == 1]
        assert fields[":status"] == "405" and body.startswith(b'{"reason":"MethodNotAllowed"') and body.endswith(b"}")
        assert sizes[:len(self.first)] == self.first, sizes
        serves_a_push(wire)


def headers_only(wire: Wire) -> None:
    """The answer has begun, and its body waits for a window."""
    wire.until(HEADERS, 1)
    wire.send(frame(6, 0, 0, b"is-there"))
    wire.until(6, flags=1)
    assert not any(read.kind == DATA for read in wire.log)


def one_octet(wire: Wire) -> None:
    wire.send(refused(wire))
    wire.until(DATA, 1)
    wire.send(window_update(1, 400))


def opened_later(wire: Wire) -> None:
    wire.send(refused(wire))
    headers_only(wire)
    wire.send(settings((INITIAL_WINDOW_SIZE, 5)))
    while sum(len(read.payload) for read in wire.log if read.kind == DATA) < 5:
        wire.read()
    wire.send(window_update(1, 3))
    while sum(len(read.payload) for read in wire.log if read.kind == DATA) < 8:
        wire.read()
    wire.send(settings((INITIAL_WINDOW_SIZE, 65_535)))


def negative(wire: Wire) -> None:
    """A window of 3 is spent; one of 2 makes it -1, and two more octets of credit make it 1."""
    wire.send(refused(wire))
    while sum(len(read.payload) for read in wire.log if read.kind == DATA) < 3:
        wire.read()
    wire.send(settings((INITIAL_WINDOW_SIZE, 2)))
    wire.until(SETTINGS, flags=1)
    wire.send(window_update(1, 1), frame(6, 0, 0, b"is-there"))
    wire.until(6, flags=1)
    assert sum(len(read.payload) for read in wire.log if read.kind == DATA) == 3
    wire.send(window_update(1, 1))
    while sum(len(read.payload) for read in wire.log if read.kind == DATA) < 4:
        wire.read()
    wire.send(window_update(1, 1000))


class AfterReset(Outcome):
    """A window that is opened beyond its limit resets the stream, whose answer has begun."""

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        frames = [read for read in wire.log if read.stream == 1]
        assert [read.kind for read in frames] == [HEADERS, RST_STREAM], [str(read) for read in frames]
        assert frames[1].code == FLOW_CONTROL_ERROR


def overflowing(wire: Wire) -> None:
    wire.send(refused(wire))
    wire.until(HEADERS, 1)
    wire.send(settings((INITIAL_WINDOW_SIZE, 0)), window_update(1, LARGEST), window_update(1, LARGEST))


CASES = [
    Case("6.9", "WINDOW_UPDATE of 0 on the connection",
         sending(window_update(0, 0)), ConnectionError(PROTOCOL_ERROR)),
    Case("6.9", "WINDOW_UPDATE of 0 on a stream",
         sending(head(1), window_update(1, 0)), ConnectionError(PROTOCOL_ERROR)),
    Case("6.9", "WINDOW_UPDATE of three octets",
         sending(frame(WINDOW_UPDATE, 0, 0, bytes(3))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.9", "WINDOW_UPDATE of five octets on a stream",
         sending(head(1), frame(WINDOW_UPDATE, 0, 1, bytes(5))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.9", "WINDOW_UPDATE with flags and the reserved bit",
         sending(frame(WINDOW_UPDATE, 0xFF, 0, b"\x80\x00\x00\x01"), push(1)), Answered()),
    Case("6.9.1", "a window of one octet", one_octet, InPieces(1), settings=((INITIAL_WINDOW_SIZE, 1),)),
    Case("6.9.1", "a window that comes octet by octet",
         lambda wire: wire.send(refused(wire), *[window_update(1, 1)] * 400), InPieces(),
         settings=((INITIAL_WINDOW_SIZE, 0),)),
    Case("6.9.1", "the connection's window beyond 2^31 - 1",
         sending(window_update(0, LARGEST), window_update(0, LARGEST)), ConnectionError(FLOW_CONTROL_ERROR)),
    Case("6.9.1", "a stream's window beyond 2^31 - 1",
         sending(head(1), window_update(1, LARGEST), window_update(1, LARGEST)), StreamError(FLOW_CONTROL_ERROR)),
    Case("6.9.1", "a stream's window beyond 2^31 - 1 while its answer waits", overflowing, AfterReset(),
         settings=((INITIAL_WINDOW_SIZE, 0),)),
    Case("6.9.2", "a window that SETTINGS opens later", opened_later, InPieces(5, 3),
         settings=((INITIAL_WINDOW_SIZE, 0),)),
    Case("6.9.2", "a window that SETTINGS makes negative", negative, InPieces(3, 1),
         settings=((INITIAL_WINDOW_SIZE, 3),)),
    Case("6.9.2", "SETTINGS that opens a stream's window beyond 2^31 - 1",
         sending(head(1), window_update(1, LARGEST - 65_535), settings((INITIAL_WINDOW_SIZE, 65_536))),
         Deviates(StreamError(FLOW_CONTROL_ERROR), "a connection error; nghttp2 resets the stream")),
]
