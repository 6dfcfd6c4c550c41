"""4 Frames: format, size, and header blocks; 5.5 extensions; 6.10 CONTINUATION."""

from __future__ import annotations

from wire import (
    COMPRESSION_ERROR, CONTINUATION, DATA, END_HEADERS, END_STREAM, FRAME_SIZE_ERROR, HEADERS, PADDED, PING,
    PRIORITISED, PROTOCOL_ERROR, SETTINGS, Wire, block, frame, priority, priority_fields)
from provider import REFRESH

from .case import Answered, Case, ConnectionError, head, push, sending

LARGEST = 16_384


def pieces(wire: Wire, *sizes: int, stream: int = 1, ends: bool = True) -> bytes:
    """A push's header block in HEADERS and as many CONTINUATIONs as there are sizes."""
    rest = block(wire.fields())
    out, kind = b"", HEADERS
    for size in sizes:
        out += frame(kind, END_STREAM if ends and kind == HEADERS else 0, stream, rest[:size])
        rest, kind = rest[size:], CONTINUATION
    return out + frame(CONTINUATION, END_HEADERS, stream, rest)


def interrupted(intruder: bytes):
    """A header block with another frame between HEADERS and CONTINUATION."""
    return lambda wire: wire.send(
        frame(HEADERS, END_STREAM, 1, block(wire.fields())[:20]), intruder,
        frame(CONTINUATION, END_HEADERS, 1, block(wire.fields())[20:]))


def padded_head(padding: int, *, prioritised: bool = False, size: int | None = None):
    def play(wire: Wire) -> None:
        payload = (priority_fields(0) if prioritised else b"") + block(wire.fields())
        flags = END_HEADERS | PADDED | (PRIORITISED if prioritised else 0)
        declared = padding if size is None else size
        wire.send(frame(HEADERS, flags, 1, bytes([declared]) + payload + bytes(padding)),
                  frame(DATA, END_STREAM, 1, REFRESH))

    return play


def long_body(wire: Wire) -> None:
    """413 is said while the body streams, and then asks the client to stop: everything before it is right framing."""
    wire.send(wire.head(1), frame(DATA, END_STREAM, 1, b" " * LARGEST))


def filled_head(size: int):
    """A HEADERS frame of just that size; its list is longer than a request's may be."""

    def play(wire: Wire) -> None:
        fields = wire.fields()
        length = size - len(block(fields + [("x-fill", "f" * 8000)])) + 8000
        wire.send(wire.head(1, fields + [("x-fill", "f" * length)], ends=True))

    return play


def reserved_bit(wire: Wire) -> None:
    for piece in (wire.head(1), frame(DATA, END_STREAM, 1, REFRESH)):
        wire.send(piece[:5] + bytes([piece[5] | 0x80]) + piece[6:])


CASES = [
    Case("4.1", "a frame of unknown type is ignored", sending(frame(0xEE, 0xFF, 0, b"unknown"), push(1)), Answered()),
    Case("4.1", "a frame of unknown type on an idle stream is ignored",
         sending(frame(0xEE, 0, 77, b"unknown"), push(1)), Answered()),
    Case("4.1", "flags that a frame does not have are ignored",
         sending(head(1), frame(DATA, END_STREAM | 0xF6, 1, REFRESH)), Answered()),
    Case("4.1", "the reserved bit is ignored", reserved_bit, Answered()),
    Case("4.2", "DATA of 16384 octets", long_body, Answered(413, is_early=True)),
    Case("4.2", "DATA of 16385 octets",
         sending(head(1), frame(DATA, END_STREAM, 1, bytes(LARGEST + 1))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("4.2", "HEADERS of 16384 octets", filled_head(LARGEST), Answered(413)),
    Case("4.2", "HEADERS of 16385 octets", filled_head(LARGEST + 1), ConnectionError(FRAME_SIZE_ERROR)),
    Case("4.2", "SETTINGS of 16386 octets",
         sending(frame(SETTINGS, 0, 0, bytes(LARGEST + 2))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("4.3", "a header block that is no HPACK",
         sending(frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff" * 6)), ConnectionError(COMPRESSION_ERROR)),
    Case("4.3", "a header block that ends within a field",
         sending(frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x00\x05ab")), ConnectionError(COMPRESSION_ERROR)),
    Case("4.3", "PRIORITY within a header block", interrupted(priority(1)), ConnectionError(PROTOCOL_ERROR)),
    Case("4.3", "HEADERS of another stream within a header block",
         interrupted(frame(HEADERS, END_HEADERS, 3, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("4.3", "DATA within a header block", interrupted(frame(DATA, 0, 1, b"x")), ConnectionError(PROTOCOL_ERROR)),
    Case("4.3", "PING within a header block",
         interrupted(frame(PING, 0, 0, bytes(8))), ConnectionError(PROTOCOL_ERROR)),
    Case("5.5", "an unknown frame within a header block",
         interrupted(frame(0xEE, 0, 0, b"unknown")), ConnectionError(PROTOCOL_ERROR)),
    Case("6.1", "DATA on stream 0", sending(frame(DATA, 0, 0, b"x")), ConnectionError(PROTOCOL_ERROR)),
    Case("6.1", "DATA with padding",
         sending(head(1), frame(DATA, END_STREAM | PADDED, 1, b"\x06" + REFRESH + bytes(6))), Answered()),
    Case("6.1", "DATA with the most padding there is",
         sending(head(1), frame(DATA, END_STREAM | PADDED, 1, b"\xff" + REFRESH + bytes(255))), Answered()),
    Case("6.1", "DATA that is padding alone",
         sending(head(1), frame(DATA, PADDED, 1, b"\x03" + bytes(3)), frame(DATA, END_STREAM, 1, REFRESH)), Answered()),
    Case("6.1", "padding that is longer than the frame",
         sending(head(1), frame(DATA, END_STREAM | PADDED, 1, b"\x09" + bytes(8))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.1", "padding that leaves no room for its own length",
         sending(head(1), frame(DATA, END_STREAM | PADDED, 1, b"")), ConnectionError(PROTOCOL_ERROR, FRAME_SIZE_ERROR)),
    Case("6.1", "a body in many DATA frames",
         sending(head(1), *(frame(DATA, 0, 1, bytes([byte])) for byte in REFRESH), frame(DATA, END_STREAM, 1)),
         Answered()),
    Case("6.1", "empty DATA frames before, within and after the body",
         sending(head(1), frame(DATA, 0, 1), frame(DATA, 0, 1, REFRESH[:9]), frame(DATA, 0, 1),
                 frame(DATA, 0, 1, REFRESH[9:]), frame(DATA, END_STREAM, 1)), Answered()),
    Case("6.2", "HEADERS on stream 0",
         lambda wire: wire.send(wire.head(0, ends=True)), ConnectionError(PROTOCOL_ERROR)),
    Case("6.2", "HEADERS with padding", padded_head(7), Answered()),
    Case("6.2", "HEADERS with padding and priority", padded_head(7, prioritised=True), Answered()),
    Case("6.2", "HEADERS with priority",
         lambda wire: wire.send(
             frame(HEADERS, END_HEADERS | PRIORITISED, 1, priority_fields(0) + block(wire.fields())),
             frame(DATA, END_STREAM, 1, REFRESH)), Answered()),
    Case("6.2", "HEADERS whose padding is longer than the frame",
         sending(frame(HEADERS, END_HEADERS | PADDED, 1, b"\x20" + bytes(8))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.2", "HEADERS without END_HEADERS, then another stream's",
         lambda wire: wire.send(frame(HEADERS, 0, 1, block(wire.fields())), wire.push(3)),
         ConnectionError(PROTOCOL_ERROR)),
    Case("6.2", "HEADERS too short for their priority",
         sending(frame(HEADERS, END_HEADERS | PRIORITISED, 1, b"\x00\x00")),
         ConnectionError(FRAME_SIZE_ERROR, PROTOCOL_ERROR)),
    Case("6.10", "one CONTINUATION", lambda wire: wire.send(pieces(wire, 30)), Answered(400)),
    Case("6.10", "eight CONTINUATIONs", lambda wire: wire.send(pieces(wire, *[20] * 8)), Answered(400)),
    Case("6.10", "empty HEADERS and an empty CONTINUATION", lambda wire: wire.send(pieces(wire, 0, 0)), Answered(400)),
    Case("6.10", "CONTINUATION, then DATA as the body",
         lambda wire: wire.send(pieces(wire, 30, ends=False), frame(DATA, END_STREAM, 1, REFRESH)), Answered()),
    Case("6.10", "CONTINUATION on stream 0",
         interrupted(frame(CONTINUATION, END_HEADERS, 0, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("6.10", "CONTINUATION of another stream",
         interrupted(frame(CONTINUATION, END_HEADERS, 3, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("6.10", "CONTINUATION after HEADERS that are complete",
         sending(head(1), frame(CONTINUATION, END_HEADERS, 1, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("6.10", "CONTINUATION after a CONTINUATION that is complete",
         lambda wire: wire.send(pieces(wire, 30, ends=False), frame(CONTINUATION, END_HEADERS, 1, b"")),
         ConnectionError(PROTOCOL_ERROR)),
    Case("6.10", "CONTINUATION after DATA",
         sending(head(1), frame(DATA, 0, 1, b"x"), frame(CONTINUATION, END_HEADERS, 1, b"")),
         ConnectionError(PROTOCOL_ERROR)),
    Case("6.10", "CONTINUATION as a stream's first frame",
         sending(frame(CONTINUATION, END_HEADERS, 1, b"")), ConnectionError(PROTOCOL_ERROR)),
]
