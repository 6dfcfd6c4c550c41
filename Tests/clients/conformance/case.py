"""One case, and the outcomes that there are. Each reads until it is certain, so that none waits for a while to pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wire import DATA, GOAWAY, HEADERS, NO_ERROR, PING, RST_STREAM, Frame, Wire, frame

#: Opens after everything that a case has opened.
AFTERWARDS = 9001


class Outcome:
    def check(self, wire: Wire) -> None:
        raise NotImplementedError


def ends(frames: list[Frame]) -> list[str]:
    return [str(read) for read in frames if read.kind in (RST_STREAM, GOAWAY)]


def serves_a_push(wire: Wire, stream: int = AFTERWARDS) -> None:
    """The same connection goes on: a PING and a right push are answered."""
    mark = b"conform!"
    wire.send(frame(PING, 0, 0, mark), wire.push(stream))
    frames, fields, body = wire.answer(stream)
    assert fields[":status"] == "200", (fields, body)
    assert [(read.kind, read.ends_stream) for read in frames] == [(HEADERS, True)]
    assert any(read.kind == PING and read.flags and read.payload == mark for read in wire.log), "PING is unanswered"


@dataclass
class Answered(Outcome):
    """Taken as a request like any other; so is the next."""

    status: int = 200
    stream: int = 1
    #: The answer came before the request's end, and RST_STREAM NO_ERROR may ask for no more of it (8.1).
    is_early: bool = False

    def check(self, wire: Wire) -> None:
        _, fields, body = wire.answer(self.stream)
        assert fields[":status"] == str(self.status), (fields, body)
        serves_a_push(wire)
        said = ends(wire.log)
        assert not said or self.is_early and said == [f"RST_STREAM {self.stream} {NO_ERROR} b''"], said


@dataclass
class AnsweredThenClosed(Outcome):
    """The last request of a connection: it is answered, and then the server closes without complaint."""

    def check(self, wire: Wire) -> None:
        _, fields, body = wire.answer(1)
        assert fields[":status"] == "200", (fields, body)
        wire.rest()
        assert all(read.kind != RST_STREAM and (read.kind != GOAWAY or read.code == NO_ERROR) for read in wire.log)


class Ignored(Outcome):
    """Nothing comes of it, and the connection goes on."""

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        strays = [str(read) for read in wire.log if read.stream not in (0, AFTERWARDS)]
        assert not strays and not ends(wire.log), [str(read) for read in wire.log]


class StreamError(Outcome):
    """The stream is reset with one of the codes, once and with nothing after it, and the connection goes on."""

    def __init__(self, *codes: int, stream: int = 1) -> None:
        self.codes = codes
        self.stream = stream

    def check(self, wire: Wire) -> None:
        serves_a_push(wire)
        frames = [read for read in wire.log if read.stream == self.stream]
        assert [read.kind for read in frames] == [RST_STREAM], [str(read) for read in wire.log]
        assert frames[0].code in self.codes, str(frames[0])
        assert not any(read.kind == GOAWAY for read in wire.log)


class ConnectionError(Outcome):
    """GOAWAY with one of the codes is the last frame, and then the connection is closed (5.4.1)."""

    def __init__(self, *codes: int) -> None:
        self.codes = codes

    def check(self, wire: Wire) -> None:
        wire.rest()
        frames = [read for read in wire.log if read.kind not in (DATA, HEADERS)]
        assert frames and frames[-1].kind == GOAWAY, [str(read) for read in wire.log] or "closed without a word"
        assert frames[-1].code in self.codes, str(frames[-1])


@dataclass
class Accepted(Outcome):
    """What the server does in place of the strict reading, with the sentence that allows it."""

    outcome: Outcome
    because: str

    def check(self, wire: Wire) -> None:
        self.outcome.check(wire)


@dataclass
class Deviates(Outcome):
    """What the server does where the RFC wants something else; nothing allows it. Listed in the README."""

    outcome: Outcome
    wanted: str

    def check(self, wire: Wire) -> None:
        self.outcome.check(wire)


@dataclass
class Case:
    section: str
    title: str
    #: Sends; may also read in between.
    play: Callable[[Wire], None]
    outcome: Outcome
    #: Entries of the client's SETTINGS.
    settings: tuple[tuple[int, int], ...] = ()
    #: Without the preface: the case sends it.
    greets: bool = True

    @property
    def id(self) -> str:
        return f"{self.section} {self.title}"


def sending(*frames: bytes | Callable[[Wire], bytes]) -> Callable[[Wire], None]:
    """A play that sends all of it in one go."""

    def play(wire: Wire) -> None:
        wire.send(*(each if isinstance(each, bytes) else each(wire) for each in frames))

    return play


def head(stream: int = 1, *, ends: bool = False, **changed: str) -> Callable[[Wire], bytes]:
    return lambda wire: wire.head(stream, wire.fields(**changed), ends=ends)


def push(stream: int = 1) -> Callable[[Wire], bytes]:
    return lambda wire: wire.push(stream)


def closed(wire: Wire, stream: int = 1) -> None:
    """A push that has been answered."""
    wire.send(wire.push(stream))
    wire.answer(stream)

