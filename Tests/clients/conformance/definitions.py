"""6.3 to 6.5: PRIORITY, RST_STREAM, SETTINGS."""

from __future__ import annotations

from wire import (
    ACK, ENABLE_PUSH, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE,
    MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE, PRIORITY, PROTOCOL_ERROR, RST_STREAM, SETTINGS, Wire,
    frame, priority, rst_stream, settings)

from .case import Accepted, Answered, Case, ConnectionError, Ignored, Outcome, head, push, sending, serves_a_push


class Acknowledged(Outcome):
    """As many acknowledgements as SETTINGS, the first one included; what they say is in force."""

    def __init__(self, count: int) -> None:
        self.count = count

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        assert sum(read.kind == SETTINGS and bool(read.flags & ACK) for read in wire.log) == self.count


class AsApple(Outcome):
    """What APNs was seen to say, and nothing besides: 4096, then 1 stream, 65535, 16384, 8000."""

    def check(self, wire: Wire) -> None:
        assert wire.log[0].entries == {
            HEADER_TABLE_SIZE: 4096, MAX_CONCURRENT_STREAMS: 1, INITIAL_WINDOW_SIZE: 65_535, MAX_FRAME_SIZE: 16_384,
            MAX_HEADER_LIST_SIZE: 8000}
        serves_a_push(wire)
        raised = [read.entries for read in wire.log[1:] if read.kind == SETTINGS and not read.flags & ACK]
        assert raised == [{MAX_CONCURRENT_STREAMS: 1000}]


CASES = [
    Case("6.3", "PRIORITY on stream 0", sending(frame(PRIORITY, 0, 0, bytes(5))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.3", "PRIORITY of four octets", sending(head(1), frame(PRIORITY, 0, 1, bytes(4))),
         ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.3", "PRIORITY of a stream that opens later", sending(priority(1), push(1)), Answered()),
    Case("6.4", "RST_STREAM on stream 0", sending(rst_stream(0)), ConnectionError(PROTOCOL_ERROR)),
    Case("6.4", "RST_STREAM of three octets",
         sending(head(1), frame(RST_STREAM, 0, 1, bytes(3))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.4", "RST_STREAM of five octets",
         sending(head(1), frame(RST_STREAM, 0, 1, bytes(5))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.4", "RST_STREAM with flags", sending(head(1), frame(RST_STREAM, 0xFF, 1, bytes(4))), Ignored()),
    Case("6.5", "the server's SETTINGS", sending(), AsApple()),
    Case("6.5", "SETTINGS is acknowledged, each", sending(settings() * 5), Acknowledged(6)),
    Case("6.5", "SETTINGS on a stream", sending(frame(SETTINGS, 0, 1, b"")), ConnectionError(PROTOCOL_ERROR)),
    Case("6.5", "SETTINGS of five octets", sending(frame(SETTINGS, 0, 0, bytes(5))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.5", "an acknowledgement with something in it",
         sending(frame(SETTINGS, ACK, 0, bytes(6))), ConnectionError(FRAME_SIZE_ERROR)),
    Case("6.5.2", "ENABLE_PUSH 0", sending(settings((ENABLE_PUSH, 0))), Acknowledged(2)),
    Case("6.5.2", "ENABLE_PUSH 1", sending(settings((ENABLE_PUSH, 1))), Acknowledged(2)),
    Case("6.5.2", "ENABLE_PUSH 2", sending(settings((ENABLE_PUSH, 2))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.5.2", "INITIAL_WINDOW_SIZE of 2^31 - 1",
         sending(settings((INITIAL_WINDOW_SIZE, 0x7FFF_FFFF))), Acknowledged(2)),
    Case("6.5.2", "INITIAL_WINDOW_SIZE of 2^31",
         sending(settings((INITIAL_WINDOW_SIZE, 0x8000_0000))), ConnectionError(FLOW_CONTROL_ERROR)),
    Case("6.5.2", "MAX_FRAME_SIZE of 16384", sending(settings((MAX_FRAME_SIZE, 16_384))), Acknowledged(2)),
    Case("6.5.2", "MAX_FRAME_SIZE of 2^24 - 1", sending(settings((MAX_FRAME_SIZE, (1 << 24) - 1))), Acknowledged(2)),
    Case("6.5.2", "MAX_FRAME_SIZE of 16383",
         sending(settings((MAX_FRAME_SIZE, 16_383))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.5.2", "MAX_FRAME_SIZE of 2^24",
         sending(settings((MAX_FRAME_SIZE, 1 << 24))), ConnectionError(PROTOCOL_ERROR)),
    Case("6.5.2", "MAX_CONCURRENT_STREAMS 0 speaks of the server's streams alone",
         sending(settings((MAX_CONCURRENT_STREAMS, 0)), push(1)), Answered()),
    Case("6.5.2", "a header table of 0", sending(settings((HEADER_TABLE_SIZE, 0)), push(1)), Answered()),
    Case("6.5.2", "a header table of 2^32 - 1",
         sending(settings((HEADER_TABLE_SIZE, 0xFFFF_FFFF)), push(1)), Answered()),
    Case("6.5.2", "MAX_HEADER_LIST_SIZE 0 is advice",
         sending(settings((MAX_HEADER_LIST_SIZE, 0)), push(1)), Answered()),
    Case("6.5.2", "a setting that nobody knows", sending(settings((0xFF, 1), (0, 7))), Acknowledged(2)),
    Case("6.5.3", "the last of equal settings counts: a window of 1000, not of 2^31 - 1",
         sending(settings((INITIAL_WINDOW_SIZE, 0x7FFF_FFFF), (INITIAL_WINDOW_SIZE, 1000)), push(1)), Answered()),
    Case("6.5.3", "an acknowledgement too many", sending(settings(flags=ACK) * 3),
         Accepted(ConnectionError(PROTOCOL_ERROR), "5.4.1: an endpoint can end a connection at any time; no sentence "
                  "speaks of this one")),
]
