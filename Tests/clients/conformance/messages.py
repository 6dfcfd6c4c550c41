"""8 Requests: what makes one malformed, and what does not."""

from __future__ import annotations

from wire import DATA, END_STREAM, PROTOCOL_ERROR, Wire, frame
from provider import REFRESH

from .case import Answered, Case, StreamError

HALF = len(REFRESH) // 2


def push_with(*more: tuple[str, str], without: tuple[str, ...] = (), **changed: str):
    """A right push but for its fields."""
    return lambda wire: wire.send(wire.push(1, wire.fields(*more, without=without, **changed)))


def trailers(*fields: tuple[str, str], ends: bool = True):
    return lambda wire: wire.send(
        wire.head(1), frame(DATA, 0, 1, REFRESH), wire.head(1, fields, ends=ends))


def lengths(declared: str, *bodies: bytes):
    def play(wire: Wire) -> None:
        wire.send(wire.head(1, wire.fields(("content-length", declared)), ends=not bodies))
        for place, body in enumerate(bodies, 1):
            wire.send(frame(DATA, END_STREAM if place == len(bodies) else 0, 1, body))

    return play


MALFORMED = StreamError(PROTOCOL_ERROR)

CASES = [
    Case("8.1", "a GET", lambda wire: wire.send(wire.head(1, wire.fields(method="GET"), ends=True)), Answered(405)),
    Case("8.1", "a HEAD", lambda wire: wire.send(wire.head(1, wire.fields(method="HEAD"), ends=True)), Answered(405)),
    Case("8.1", "an OPTIONS of *",
         lambda wire: wire.send(wire.head(1, wire.fields(method="OPTIONS", path="*"), ends=True)), Answered(405)),
    Case("8.1", "trailers", trailers(("x-checksum", "1")), Answered()),
    Case("8.1", "trailers with a field that the head has", trailers(("apns-topic", "other")), Answered()),
    Case("8.1", "trailers without END_STREAM", trailers(("x-checksum", "1"), ends=False), MALFORMED),
    Case("8.1", "trailers with a pseudo field", trailers((":method", "POST")), MALFORMED),
    Case("8.1", "trailers with a field in upper case", trailers(("X-Checksum", "1")), MALFORMED),
    Case("8.1", "an interim status in a request", push_with((":status", "100")), MALFORMED),
    Case("8.2.1", "a name in upper case", push_with(("X-Test", "1")), MALFORMED),
    Case("8.2.1", "an empty name", push_with(("", "1")), MALFORMED),
    Case("8.2.1", "a name with a blank", push_with(("x test", "1")), MALFORMED),
    Case("8.2.1", "a name with a colon", push_with(("x:test", "1")), MALFORMED),
    Case("8.2.1", "a name with a control character", push_with(("x\x01", "1")), MALFORMED),
    Case("8.2.1", "a name beyond ASCII", push_with(("x\xe4", "1")), MALFORMED),
    Case("8.2.1", "a value with NUL", push_with(("x-test", "a\0b")), MALFORMED),
    Case("8.2.1", "a value with CR", push_with(("x-test", "a\rb")), MALFORMED),
    Case("8.2.1", "a value with LF", push_with(("x-test", "a\nb")), MALFORMED),
    Case("8.2.1", "a value that begins with a blank", push_with(("x-test", " a")), MALFORMED),
    Case("8.2.1", "a value that ends with a tab", push_with(("x-test", "a\t")), MALFORMED),
    Case("8.2.1", "a value beyond ASCII", push_with(("x-test", "a\xe4")), Answered()),
    Case("8.2.1", "an empty value", push_with(("x-test", "")), Answered()),
    Case("8.2.2", "connection", push_with(("connection", "keep-alive")), MALFORMED),
    Case("8.2.2", "proxy-connection", push_with(("proxy-connection", "keep-alive")), MALFORMED),
    Case("8.2.2", "keep-alive", push_with(("keep-alive", "timeout=5")), MALFORMED),
    Case("8.2.2", "transfer-encoding", push_with(("transfer-encoding", "chunked")), MALFORMED),
    Case("8.2.2", "upgrade", push_with(("upgrade", "h2c")), MALFORMED),
    Case("8.2.2", "te that is not trailers", push_with(("te", "trailers, deflate")), MALFORMED),
    Case("8.2.2", "te: trailers", push_with(("te", "trailers")), Answered()),
    Case("8.2.3", "cookie in pieces", push_with(("cookie", "a=1"), ("cookie", "b=2")), Answered()),
    Case("8.3", "an unknown pseudo field", push_with((":test", "1")), MALFORMED),
    Case("8.3", "a pseudo field of answers", push_with((":status", "200")), MALFORMED),
    Case("8.3", "a pseudo field behind another field",
         lambda wire: wire.send(wire.push(1, wire.fields(without=[":path"]) + [(":path", f"/3/device/{wire.token}")])),
         MALFORMED),
    Case("8.3.1", "no :method", push_with(without=(":method",)), MALFORMED),
    Case("8.3.1", "no :scheme", push_with(without=(":scheme",)), MALFORMED),
    Case("8.3.1", "no :path", push_with(without=(":path",)), MALFORMED),
    Case("8.3.1", "an empty :path", push_with(path=""), MALFORMED),
    Case("8.3.1", ":path without a slash", push_with(path="3/device/ab"), MALFORMED),
    Case("8.3.1", "two :method",
         lambda wire: wire.send(wire.push(1, [(":method", "POST"), *wire.fields()])), MALFORMED),
    Case("8.3.1", "two :scheme",
         lambda wire: wire.send(wire.push(1, [(":scheme", "https"), *wire.fields()])), MALFORMED),
    Case("8.3.1", "two :path", lambda wire: wire.send(wire.push(1, [(":path", "/"), *wire.fields()])), MALFORMED),
    Case("8.3.1", "two :authority",
         lambda wire: wire.send(wire.push(1, [(":authority", "localhost"), *wire.fields()])), MALFORMED),
    Case("8.3.1", "host in place of :authority", push_with(("host", "localhost"), without=(":authority",)), Answered()),
    Case("8.3.1", "host beside :authority", push_with(("host", "localhost")), Answered()),
    Case("8.3.1", ":authority with a port", push_with(authority="localhost:2197"), Answered()),
    Case("8.3.1", "neither host nor :authority", push_with(without=(":authority",)), MALFORMED),
    Case("8.5", "CONNECT with :path", push_with(method="CONNECT"), MALFORMED),
    Case("8.5", "CONNECT as it should be",
         lambda wire: wire.send(wire.head(1, [(":method", "CONNECT"), (":authority", "localhost")], ends=True)),
         Answered(405)),
    Case("8.1.1", "content-length that fits", lengths(str(len(REFRESH)), REFRESH), Answered()),
    Case("8.1.1", "content-length that fits, in pieces",
         lengths(str(len(REFRESH)), REFRESH[:HALF], REFRESH[HALF:]), Answered()),
    Case("8.1.1", "content-length of 0 and no body", lengths("0"), Answered(400)),
    Case("8.1.1", "content-length above the body", lengths(str(len(REFRESH) + 1), REFRESH), MALFORMED),
    Case("8.1.1", "content-length below the body", lengths(str(len(REFRESH) - 1), REFRESH), MALFORMED),
    Case("8.1.1", "content-length below a body in pieces", lengths("7", REFRESH[:HALF], REFRESH[HALF:]), MALFORMED),
    Case("8.1.1", "content-length and no body", lengths("7"), MALFORMED),
    Case("8.1.1", "content-length that is no number", lengths("seven", REFRESH), MALFORMED),
    Case("8.1.1", "content-length that is negative", lengths("-1", REFRESH), MALFORMED),
    Case("8.1.1", "content-length twice",
         push_with(("content-length", str(len(REFRESH))), ("content-length", str(len(REFRESH)))), MALFORMED),
    Case("8.1", "a second header block before the first body is whole",
         lambda wire: wire.send(wire.head(1), wire.head(1), frame(DATA, END_STREAM, 1, REFRESH)), MALFORMED),
]
