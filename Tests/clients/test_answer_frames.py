"""Which frames an answer is cut into, for every reason there is: clients depend on it.

A 200 is one HEADERS frame with END_STREAM. An error is HEADERS and exactly one DATA frame with END_STREAM, at most 512
octets. No other frame comes on that stream, and its connection serves the next push.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from device import Device
from gateway import BUNDLE, ROOT, Gateway
from provider import REFRESH, widgets_topic
from tokens import new_key, provider_token, read_key, write_key
from wire import DATA, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, Wire, frame

OTHER_APP = "com.example.caffeine.other"


@dataclass
class Target:
    gateway: Gateway
    token: str
    removed: str
    key: Any

    def jwt(self, *, key: Any = None, key_id: str | None = None, team: str | None = None, age: int = 0) -> str:
        credential = self.gateway.credential()
        text = provider_token(key or read_key(credential.file.read_bytes()), team or credential.team,
                              key_id or credential.key_id, issued_at=int(time.time()) - age)
        return f"bearer {text}"


@pytest.fixture(scope="module")
def target(binaries: Path) -> Iterator[Target]:
    gateway = Gateway(binaries)
    try:
        gateway.set({"provider-key[0].topics": [BUNDLE, OTHER_APP], "checks.pushes-per-token-per-minute": 100,
                     "budget.over-budget": "reject", "budget.refreshes-per-day": 2, "budget.burst": 1})
        key = new_key()
        write_key(gateway.path("more.p8"), key)
        for key_id, environment, scope in [
                ("PRODUCTION", "production", "team"), ("TOPICKEY01", "development", "topics")]:
            gateway.append(
                f'[[provider-key]]\nteam = "{gateway.credential().team}"\nkey-id = "{key_id}"\nfile = "more.p8"\n'
                f'environment = "{environment}"\nscope = "{scope}"\ntopics = ["{BUNDLE}"]')
        gateway.start(preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))

        async def register() -> tuple[str, str]:
            async with await Device.enrol(gateway) as phone, await Device.enrol(gateway) as gone:
                # With no widget there is no budget to spend: it stands for every accepted push.
                token = (await phone.call("PUT", f"/apps/{BUNDLE}", {"environment": "development", "widgets": []})).json
                removed = await gone.register()
                await gone.unregister()
                return token["token"], removed["token"]

        token, removed = asyncio.run(register())
        yield Target(gateway, token, removed, key)
    finally:
        gateway.clean_up()


#: What makes a right push meet each reason: the whole request's frames on stream 3.
Play = Callable[[Target, Wire], bytes]


def field(*more: tuple[str, str], without: tuple[str, ...] = (), **changed: str) -> Play:
    return lambda target, wire: wire.push(3, wire.fields(*more, without=without, **changed))


def body(content: bytes) -> Play:
    return lambda target, wire: wire.push(3, body=content)


def jwt(**options: Any) -> Play:
    def play(target: Target, wire: Wire) -> bytes:
        chosen = {name: target.key if value == "more.p8" else value for name, value in options.items()}
        return wire.push(3, wire.fields(authorization=target.jwt(**chosen)))

    return play


def to(path: Callable[[Target], str], **changed: str) -> Play:
    return lambda target, wire: wire.push(3, wire.fields(path=path(target), **changed))


CASES: list[tuple[int, str, Play]] = [
    (405, "MethodNotAllowed", field(method="GET")),
    (405, "MethodNotAllowed", to(lambda target: "/", method="DELETE")),
    (404, "BadPath", to(lambda target: "/")),
    (404, "BadPath", to(lambda target: f"/4/device/{target.token}")),
    (403, "MissingProviderToken", field(without=("authorization",))),
    (403, "InvalidProviderToken", field(authorization="bearer nonsense")),
    (403, "InvalidProviderToken", jwt(team="ZZZZZZZZZZ")),
    (403, "ExpiredProviderToken", jwt(age=3700)),
    (403, "BadEnvironmentKeyIdInToken", jwt(key="more.p8", key_id="PRODUCTION")),
    (403, "UnrelatedKeyIdInToken", jwt(key="more.p8", key_id="TOPICKEY01")),
    (429, "TooManyProviderTokenUpdates", jwt(age=60)),
    (400, "DuplicateHeaders", field(("apns-topic", widgets_topic()))),
    (400, "BadMessageId", field(("apns-id", "1234"))),
    (400, "BadExpirationDate", field(("apns-expiration", "soon"))),
    (400, "BadPriority", field(("apns-priority", "7"))),
    (400, "BadCollapseId", field(("apns-collapse-id", "x" * 65))),
    (400, "InvalidPushType", field(apns_push_type="widget")),
    (400, "MissingTopic", field(without=("apns-topic",))),
    (400, "BadTopic", field(apns_topic=BUNDLE)),
    (400, "TopicDisallowed", field(apns_topic=widgets_topic("com.elsewhere.app"))),
    (400, "PayloadEmpty", lambda target, wire: wire.head(3, ends=True)),
    (400, "PayloadEmpty", body(b'{"aps":{"content-changed":1}}')),
    (413, "PayloadTooLarge", field(("x-fill", "x" * 8000))),
    (400, "MissingDeviceToken", to(lambda target: "/3/device/")),
    (400, "BadDeviceToken", to(lambda target: "/3/device/xyz")),
    (400, "BadDeviceToken", to(lambda target: "/3/device/" + "ab" * 32)),
    (410, "Unregistered", to(lambda target: f"/3/device/{target.removed}")),
    (400, "DeviceTokenNotForTopic", field(apns_topic=widgets_topic(OTHER_APP))),
]

#: Reasons without a case above, and why.
ELSEWHERE = {
    "IdleTimeout": "a GOAWAY, in test_connection.py", "Shutdown": "a GOAWAY, in test_drain.py",
    "TooManyRequests": "below", "ServiceUnavailable": "below",
    "BadCertificate": "concerns client certificates", "BadCertificateEnvironment": "concerns client certificates",
    "Forbidden": "never given", "ExpiredToken": "never given", "InternalServerError": "never given",
}


def assert_error(wire: Wire, stream: int, status: int, reason: str, *, more: tuple[int, ...] = ()) -> None:
    frames, fields, content = wire.answer(stream)
    assert [(read.kind, read.ends_stream) for read in frames[:2]] == [(HEADERS, False), (DATA, True)], reason
    assert fields[":status"] == str(status) and json.loads(content)["reason"] == reason, (fields, content)
    assert fields["content-type"] == "application/json" and len(fields["apns-id"]) == 36
    assert len(content) <= 512
    assert_good(wire, stream + 2)
    # Whatever the server had to say of the refused one it has said before that answer.
    assert [read.kind for read in wire.log if read.stream == stream] == [HEADERS, DATA, *more], reason
    assert not any(read.kind == GOAWAY for read in wire.log)


def assert_good(wire: Wire, stream: int) -> None:
    wire.send(wire.push(stream))
    frames, fields, content = wire.answer(stream)
    assert [(read.kind, read.ends_stream) for read in frames] == [(HEADERS, True)]
    assert fields[":status"] == "200" and content == b"" and "content-type" not in fields


@pytest.mark.parametrize(("status", "reason", "play"), CASES, ids=lambda value: str(value) if value is not None else "")
def test_an_error_is_headers_and_one_data_frame(target: Target, status: int, reason: str, play: Play) -> None:
    with Wire(target.gateway, target.token) as wire:
        assert_good(wire, 1)
        wire.send(play(target, wire))
        assert_error(wire, 3, status, reason)


def test_a_body_that_is_too_long_is_answered_early_and_then_asked_to_stop(target: Target) -> None:
    with Wire(target.gateway, target.token) as wire:
        assert_good(wire, 1)
        wire.send(wire.head(3), frame(DATA, 0, 3, REFRESH + b" " * 4096))
        assert_error(wire, 3, 413, "PayloadTooLarge", more=(RST_STREAM,))
        assert next(read for read in wire.log if read.kind == RST_STREAM).code == 0
        # What was on its way is no fault.
        wire.send(frame(DATA, 0, 3, b" " * 100), frame(DATA, END_STREAM, 3, b"}"))
        assert_good(wire, 7)


def test_a_head_is_answered_by_headers_alone(target: Target) -> None:
    """RFC 9110, 9.3.2: the one error without a body."""
    with Wire(target.gateway, target.token) as wire:
        for stream, path in ((1, "/"), (3, f"/3/device/{target.token}"), (5, "/3/device/")):
            wire.send(wire.head(stream, wire.fields(method="HEAD", path=path), ends=True))
            frames, fields, _ = wire.answer(stream)
            assert [(read.kind, read.ends_stream) for read in frames] == [(HEADERS, True)]
            assert fields[":status"] == "405"
        assert_good(wire, 7)
        assert not any(read.kind in (DATA, RST_STREAM) for read in wire.log)


async def test_too_many_requests(target: Target) -> None:
    async with await Device.enrol(target.gateway) as phone, await Device.enrol(target.gateway) as flooded:
        spent = (await phone.register())["token"]
        updates = await phone.updates()
        registered = await flooded.call("PUT", f"/apps/{BUNDLE}", {"environment": "development", "widgets": []})
        with Wire(target.gateway, target.token) as wire:
            wire.send(wire.push(1, wire.fields(path=f"/3/device/{spent}")))
            assert wire.answer(1)[1][":status"] == "200"
            await updates.next()
            wire.send(wire.push(3, wire.fields(path=f"/3/device/{spent}")))
            assert_error(wire, 3, 429, "TooManyRequests")
            streams = range(101, 701, 2)
            wire.send(*(wire.push(s, wire.fields(path=f"/3/device/{registered.json['token']}")) for s in streams))
            refused = next(s for s in streams if wire.answer(s)[1][":status"] == "429")
            assert [read.kind for read in wire.log if read.stream == refused] == [HEADERS, DATA]


def test_service_unavailable(target: Target) -> None:
    """A disk that is full, as test_bad_input.py has it, and healed again."""
    assert target.gateway.process is not None
    process = target.gateway.process.pid
    unlimited = resource.prlimit(process, resource.RLIMIT_FSIZE)
    with Wire(target.gateway, target.token) as wire:
        assert_good(wire, 1)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (0, unlimited[1]))
        try:
            # The first ones wait for their commit, and are answered when there is room again.
            for stream in range(101, 2101, 2):
                wire.send(wire.push(stream, wire.fields(("apns-expiration", "0"))))
                wire.send(frame(PING, 0, 0, stream.to_bytes(8, "big")))
                while not (read := wire.read()).kind == PING or read.payload != stream.to_bytes(8, "big"):
                    pass
                if any(each.stream == stream for each in wire.log):
                    break
                time.sleep(0.05)
            frames, fields, content = wire.answer(stream)
        finally:
            resource.prlimit(process, resource.RLIMIT_FSIZE, unlimited)
        assert [(read.kind, read.ends_stream) for read in frames] == [(HEADERS, False), (DATA, True)]
        assert fields[":status"] == "503" and json.loads(content)["reason"] == "ServiceUnavailable"
        assert int(fields["retry-after"]) >= 1
        for earlier in range(101, stream, 2):
            assert wire.answer(earlier)[1][":status"] in ("200", "503")


def test_every_reason_of_the_page_has_its_case() -> None:
    page = (ROOT / "docs" / "http-api.md").read_text()
    documented = set(re.findall(r"^\| [345]\d\d \| `([A-Z]\w+)` \|", page, re.MULTILINE))
    assert {reason for _, reason, _ in CASES} | set(ELSEWHERE) == documented
