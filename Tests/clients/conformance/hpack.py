"""RFC 7541, as far as a server can be shown it."""

from __future__ import annotations

from wire import (
    COMPRESSION_ERROR, DATA, END_HEADERS, END_STREAM, HEADERS, HEADER_TABLE_SIZE, Wire, block, frame, integer, literal,
    settings, text)
from hpack.huffman import HuffmanEncoder
from hpack.huffman_constants import REQUEST_CODES, REQUEST_CODES_LENGTH
from provider import REFRESH

from .case import Answered, Case, ConnectionError, Outcome, serves_a_push

COMPRESSION = ConnectionError(COMPRESSION_ERROR)


def huffman(value: bytes) -> bytes:
    coded = HuffmanEncoder(REQUEST_CODES, REQUEST_CODES_LENGTH).encode(value)
    return integer(len(coded), 7, 0x80) + coded


def push_behind(prefix: bytes = b"", suffix: bytes = b""):
    """A right push with octets before and behind its header block."""
    return lambda wire: wire.send(_push(1, prefix + block(wire.fields()) + suffix))


def _push(stream: int, payload: bytes) -> bytes:
    return frame(HEADERS, END_HEADERS, stream, payload) + frame(DATA, END_STREAM, stream, REFRESH)


def every(first: int, code=text):
    """All fields as literals of one representation, with new names."""

    def play(wire: Wire) -> None:
        payload = b"".join(bytes([first]) + code(name.encode()) + code(value.encode()) for name, value in wire.fields())
        wire.send(_push(1, payload))

    return play


def indexed_name(first: int, prefix: int):
    """`authorization` has place 23 of the static table, `:path` 4; the rest has new names."""
    places = {":path": 4, ":authority": 1, "authorization": 23}

    def play(wire: Wire) -> None:
        payload = b"\x83\x87"
        for name, value in wire.fields(without=[":method", ":scheme"]):
            if place := places.get(name):
                payload += integer(place, prefix, first) + text(value.encode())
            else:
                payload += literal(name.encode(), value.encode())
        wire.send(_push(1, payload))

    return play


def twice(wire: Wire) -> None:
    """All fields into the table, and then all of them from it: newest first, at place 62."""
    fields = wire.fields()
    wire.send(_push(1, b"".join(b"\x40" + text(name.encode()) + text(value.encode()) for name, value in fields)))
    wire.send(_push(3, b"".join(integer(61 + len(fields) - at, 7, 0x80) for at in range(len(fields)))))
    assert wire.answer(1)[1][":status"] == "200"


def evicted(wire: Wire) -> None:
    """More than the table holds goes through it; what is left is the newest."""
    filler = b"".join(b"\x40" + text(b"x-%d" % n) + text(b"v" * 400) for n in range(12))
    wire.send(_push(1, block(wire.fields()) + filler + integer(62, 7, 0x80)))


def evicted_all(wire: Wire) -> None:
    """A field that is larger than the table empties it: place 62 is no more."""
    wire.send(_push(1, block(wire.fields()) + b"\x40" + text(b"x") + text(b"1")
                    + b"\x40" + text(b"y") + text(b"v" * 4096) + integer(62, 7, 0x80)))


def shrunk(wire: Wire) -> None:
    """The table's size goes to 0 and back at the start of a block, as RFC 7541 §4.2 lets it."""
    wire.send(_push(1, b"\x20" + integer(4096, 5, 0x20) + block(wire.fields())))


class TableInUse(Outcome):
    """The client says that its decoder has no table: the server's next block begins with that, and uses none."""

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        first = next(read for read in wire.log if read.kind == HEADERS)
        assert first.payload[0] & 0xE0 == 0x20, "no change of the table's size at the start of the block"
        fields = wire.decoder.header_table
        assert fields.maxsize == 0 and len(fields.dynamic_entries) == 0


def without_table(wire: Wire) -> None:
    wire.send(settings((HEADER_TABLE_SIZE, 0)))
    wire.until(4, flags=1)
    wire.decoder.max_allowed_table_size = 0


def padded(*last: int):
    """A Huffman-coded value of "0" (00000) with its padding written by hand."""
    return b"\x00" + text(b"x") + integer(len(last), 7, 0x80) + bytes(last)


CASES = [
    Case("HPACK 2.3.3", "an index beyond both tables", push_behind(suffix=integer(62, 7, 0x80)), COMPRESSION),
    Case("HPACK 2.3.3", "an index far beyond", push_behind(suffix=integer(1_000_000, 7, 0x80)), COMPRESSION),
    Case("HPACK 2.3.3", "a name's index beyond both tables",
         push_behind(suffix=integer(62, 6, 0x40) + text(b"v")), COMPRESSION),
    Case("HPACK 4.1", "more fields than the table holds push out the oldest", evicted, Answered()),
    Case("HPACK 4.2", "two changes of the table's size at the start of a block", shrunk, Answered()),
    Case("HPACK 4.2", "a change of the table's size at the end of a block", push_behind(suffix=b"\x20"), COMPRESSION),
    Case("HPACK 4.2", "a change of the table's size between two fields",
         push_behind(suffix=b"\x20" + literal(b"x", b"1")), COMPRESSION),
    Case("HPACK 4.3", "no change of size when the table's limit stays", push_behind(), Answered()),
    Case("HPACK 4.2", "the server takes a smaller table that the client asks for", without_table, TableInUse()),
    Case("HPACK 4.4", "a field larger than the table empties it", evicted_all, COMPRESSION),
    Case("HPACK 5.1", "an integer that is longer than any", push_behind(suffix=b"\xff" + b"\xff" * 10), COMPRESSION),
    Case("HPACK 5.1", "an integer with needless octets", push_behind(suffix=b"\x0f\x80\x00" + text(b"v")), Answered()),
    Case("HPACK 5.2", "Huffman-coded names and values", every(0x00, huffman), Answered()),
    Case("HPACK 5.2", "Huffman padding of seven ones", push_behind(suffix=padded(0b00000_111)), Answered()),
    Case("HPACK 5.2", "Huffman padding of more than seven bits", push_behind(suffix=padded(0b00000_111, 0xFF)),
         COMPRESSION),
    Case("HPACK 5.2", "Huffman padding with a zero", push_behind(suffix=padded(0b00000_110)), COMPRESSION),
    Case("HPACK 5.2", "Huffman with EOS in it", push_behind(suffix=padded(0b00000_111, 0xFF, 0xFF, 0xFF, 0xFF)),
         COMPRESSION),
    Case("HPACK 5.2", "a string that is longer than its block", push_behind(suffix=b"\x00\x01x\x7f\x80\x01"),
         COMPRESSION),
    Case("HPACK 6.1", "all fields by their index", twice, Answered(stream=3)),
    Case("HPACK 6.1", "index 0", push_behind(suffix=b"\x80"), COMPRESSION),
    Case("HPACK 6.2.1", "literals into the table, names by index", indexed_name(0x40, 6), Answered()),
    Case("HPACK 6.2.1", "literals into the table, new names", every(0x40), Answered()),
    Case("HPACK 6.2.2", "literals past the table, names by index", indexed_name(0x00, 4), Answered()),
    Case("HPACK 6.2.2", "literals past the table, new names", every(0x00), Answered()),
    Case("HPACK 6.2.3", "literals that are never indexed, names by index", indexed_name(0x10, 4), Answered()),
    Case("HPACK 6.2.3", "literals that are never indexed, new names", every(0x10), Answered()),
    Case("HPACK 6.3", "a table of just the limit", push_behind(prefix=integer(4096, 5, 0x20)), Answered()),
    Case("HPACK 6.3", "a table beyond the limit", push_behind(prefix=integer(4097, 5, 0x20)), COMPRESSION),
]
