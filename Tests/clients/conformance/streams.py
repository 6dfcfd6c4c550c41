"""5 Streams: states, identifiers, concurrency, priority."""

from __future__ import annotations

from wire import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PRIORITISED, PROTOCOL_ERROR, PUSH_PROMISE, REFUSED_STREAM,
    RST_STREAM, STREAM_CLOSED, Wire, block, frame, priority, priority_fields, rst_stream, window_update)
from provider import REFRESH

from .case import (
    Accepted, Answered, Case, ConnectionError, Ignored, Outcome, closed, head, push, sending, serves_a_push)

#: What may be done about a frame on a stream that has ended.
CLOSED_STREAM = (
    "5.1, closed: an endpoint MAY treat the receipt of any other type of frame on a closed stream as a connection "
    "error of type STREAM_CLOSED; frames can be on their way when the other side ends a stream")


def on_closed(late: bytes | None = None, *, headers: bool = False):
    """A push that is answered, and then a late frame on its stream."""

    def play(wire: Wire) -> None:
        closed(wire)
        wire.send(wire.head(1, ends=True) if headers else late or b"")

    return play


class OneAnswer(Outcome):
    """Stream 1 has the answer that it had, and nothing came of the late frame."""

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        assert [read.kind for read in wire.log if read.stream == 1] == [HEADERS]


def on_reset(*late: bytes, headers: bool = False):
    """A stream that the client has reset, and then a frame on it."""

    def play(wire: Wire) -> None:
        wire.send(wire.head(1), rst_stream(1), *late)
        if headers:
            wire.send(wire.head(1, ends=True))

    return play


class LastOfAll(Outcome):
    """No stream can follow; both that there are have their answers."""

    def check(self, wire: Wire) -> None:
        for stream in (1, 0x7FFF_FFFF):
            assert wire.answer(stream)[1][":status"] == "200"


class FirstThousand(Outcome):
    """5.1.2: beyond what it serves at the same time the server refuses, and the connection goes on."""

    def check(self, wire: Wire) -> None:
        serves_a_push(wire, 2201)
        refused = {read.stream for read in wire.log if read.kind == RST_STREAM}
        assert all(read.code == REFUSED_STREAM for read in wire.log if read.kind == RST_STREAM)
        answered = {read.stream for read in wire.log if read.kind == HEADERS} - {2201}
        assert len(answered) == 1000 and len(refused) == 100, (len(answered), len(refused))
        assert refused == set(range(2001, 2201, 2))


def eleven_hundred(wire: Wire) -> None:
    streams = range(1, 2201, 2)
    wire.send(window_update(0, 1 << 20))
    wire.send(*(wire.head(stream, wire.fields(method="GET")) for stream in streams))
    # The first thousand are open at the same time; now they end.
    wire.send(*(frame(DATA, END_STREAM, stream) for stream in streams if stream < 2001))
    for stream in streams[:1000]:
        wire.answer(stream)


class TwoHundred(Outcome):
    """SETTINGS says 1; surplus streams are served all the same, and the limit goes up to 1000."""

    def check(self, wire: Wire) -> None:
        for stream in range(1, 401, 2):
            assert wire.answer(stream)[1][":status"] == "200"
        limits = [read.entries[3] for read in wire.log if read.kind == 4 and 3 in read.entries]
        assert limits == [1, 1000]
        serves_a_push(wire)


def self_dependent(stream: int):
    def play(wire: Wire) -> None:
        payload = priority_fields(stream) + block(wire.fields())
        wire.send(frame(HEADERS, END_HEADERS | PRIORITISED, stream, payload), frame(DATA, END_STREAM, stream, REFRESH))

    return play


DEPRECATED = (
    "5.3.2: receivers MAY ignore the signals of the deprecated priority scheme; RFC 7540's error for a stream that "
    "depends on itself is not in RFC 9113")

CASES = [
    Case("5.1", "idle: DATA", sending(frame(DATA, END_STREAM, 1, b"x")), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "idle: RST_STREAM", sending(rst_stream(1)), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "idle: WINDOW_UPDATE", sending(window_update(1, 100)), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "idle: CONTINUATION",
         sending(frame(CONTINUATION, END_HEADERS, 1, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "idle: PRIORITY", sending(priority(1), push(1)), Answered()),
    Case("5.1", "half-closed (remote): DATA",
         lambda wire: wire.send(wire.head(1, ends=True), frame(DATA, END_STREAM, 1, b"x")),
         ConnectionError(STREAM_CLOSED)),
    Case("5.1", "half-closed (remote): HEADERS",
         lambda wire: wire.send(wire.head(1, ends=True), wire.head(1, ends=True)), ConnectionError(STREAM_CLOSED)),
    Case("5.1", "half-closed (remote): CONTINUATION",
         lambda wire: wire.send(wire.head(1, ends=True), frame(CONTINUATION, END_HEADERS, 1, b"")),
         ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "half-closed (remote): WINDOW_UPDATE",
         lambda wire: wire.send(wire.push(1), window_update(1, 100)), Answered()),
    Case("5.1", "half-closed (remote): PRIORITY",
         lambda wire: wire.send(wire.push(1), priority(1)), Answered()),
    Case("5.1", "half-closed (remote): RST_STREAM",
         lambda wire: wire.send(wire.head(1, ends=True), rst_stream(1)), Ignored()),
    Case("5.1", "closed by the client's reset: DATA",
         on_reset(frame(DATA, END_STREAM, 1, b"x")), Accepted(Ignored(), CLOSED_STREAM)),
    Case("5.1", "closed by the client's reset: HEADERS",
         on_reset(headers=True), Accepted(Ignored(), CLOSED_STREAM)),
    Case("5.1", "closed by the client's reset: CONTINUATION",
         on_reset(frame(CONTINUATION, END_HEADERS, 1, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "closed by the client's reset: RST_STREAM", on_reset(rst_stream(1)), Ignored()),
    Case("5.1", "closed by the client's reset: WINDOW_UPDATE", on_reset(window_update(1, 100)), Ignored()),
    Case("5.1", "closed by the client's reset: PRIORITY", on_reset(priority(1)), Ignored()),
    Case("5.1", "closed by an answer: DATA",
         on_closed(frame(DATA, END_STREAM, 1, b"x")), Accepted(OneAnswer(), CLOSED_STREAM)),
    Case("5.1", "closed by an answer: HEADERS", on_closed(headers=True), Accepted(OneAnswer(), CLOSED_STREAM)),
    Case("5.1", "closed by an answer: CONTINUATION",
         on_closed(frame(CONTINUATION, END_HEADERS, 1, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1", "closed by an answer: RST_STREAM", on_closed(rst_stream(1)), OneAnswer()),
    Case("5.1", "closed by an answer: WINDOW_UPDATE", on_closed(window_update(1, 100)), OneAnswer()),
    Case("5.1", "closed by an answer: PRIORITY", on_closed(priority(1)), OneAnswer()),
    Case("5.1.1", "an even identifier", lambda wire: wire.send(wire.push(2)), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1.1", "identifiers with gaps", sending(push(101)), Answered(stream=101)),
    Case("5.1.1", "an identifier below one that was used, itself never used",
         lambda wire: wire.send(wire.push(5), wire.push(3)), ConnectionError(PROTOCOL_ERROR)),
    Case("5.1.1", "the largest identifier", sending(push(1), push(0x7FFF_FFFF)), LastOfAll()),
    Case("5.1.2", "200 streams at once on a fresh connection",
         lambda wire: wire.send(*(wire.push(stream) for stream in range(1, 401, 2))), TwoHundred()),
    Case("5.1.2", "1100 streams at once", eleven_hundred, FirstThousand()),
    Case("5.3.2", "HEADERS that depend on themselves", self_dependent(1),
         Accepted(ConnectionError(PROTOCOL_ERROR), "5.4.1: an endpoint MAY choose to treat a stream error as a "
                  "connection error. It is the stream error of RFC 7540, 5.3.1")),
    Case("5.3.2", "PRIORITY that depends on itself",
         sending(head(1), priority(1, 1), frame(DATA, END_STREAM, 1, REFRESH)), Accepted(Answered(), DEPRECATED)),
    Case("5.3.2", "PRIORITY of every weight, exclusive, on streams that nobody opens",
         sending(*(priority(2 * n + 1, 0, n, n % 2 == 1) for n in range(256)), push(1)), Answered()),
    Case("8.4", "PUSH_PROMISE of a client",
         lambda wire: wire.send(
             wire.head(1), frame(PUSH_PROMISE, END_HEADERS, 1, b"\x00\x00\x00\x02" + block(wire.fields()))),
         ConnectionError(PROTOCOL_ERROR)),
]
