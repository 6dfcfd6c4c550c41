"""What clients do that a strict reader of RFC 9113 or of Apple's pages would not expect, played frame by frame.

For libraries in languages that these tests do not have, and for the parts of the others that show only between frames.
Each test is one habit of one client. After a refusal the same connection serves a right push.
"""

from __future__ import annotations

import functools
import json
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device import Device
from flood import PING, SETTINGS, ACK, PREFACE, frame
from frames import MAX_CONCURRENT_STREAMS, FrameClient
from gateway import Gateway
from http2 import Answer
from provider import REFRESH, widgets_topic
from tokens import openssl_provider_token, padded_base64, provider_token, read_key

played = pytest.mark.played

UNKNOWN = "ab" * 32
REFUSED_STREAM = 7
BURST = 200
LIMIT = 1000


@pytest.fixture(scope="module")
def gateway(binaries: Path) -> Iterator[Gateway]:
    gateway = Gateway(binaries)
    gateway.set({"checks.pushes-per-token-per-minute": 0})
    gateway.start()
    yield gateway
    gateway.clean_up()


async def registered(gateway: Gateway) -> str:
    async with await Device.enrol(gateway) as phone:
        return (await phone.register())["token"]


def jwt(gateway: Gateway, **dress: Any) -> str:
    credential = gateway.credential()
    return provider_token(
        read_key(credential.file.read_bytes()), credential.team, credential.key_id, **dress)


@functools.cache
def usual_jwt(gateway: Gateway) -> str:
    """One for all pushes of a connection, as a new one within twenty minutes would be too often."""
    return jwt(gateway)


def push(gateway: Gateway, token: str, *, authorization: str | None = None, authority: str | None = "localhost",
         topic: str = widgets_topic(), push_type: str | None = "widgets",
         more: list[tuple[str, str]] | None = None) -> list[tuple[str, str]]:
    """A right push's header fields, in the order in which most clients send them."""
    fields = [(":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{token}")]
    if authority is not None:
        fields.append((":authority", authority))
    fields += [("authorization", authorization or f"bearer {usual_jwt(gateway)}"), ("apns-topic", topic)]
    if push_type is not None:
        fields.append(("apns-push-type", push_type))
    return fields + (more or [])


def assert_accepted(answer: Answer) -> None:
    assert (answer.status, answer.frames) == (200, ["HEADERS END_STREAM"]), answer


def assert_refused(answer: Answer, status: int, reason: str) -> None:
    assert (answer.status, answer.reason) == (status, reason), answer
    assert answer.frames[:2] == ["HEADERS", f"DATA {len(answer.body)} END_STREAM"] and answer.body
    # A stream whose request is not whole may be ended after its answer, without blame.
    assert answer.frames[2:] in ([], ["RST_STREAM 0"])


# aioapns


@played("aioapns", "4.0")
async def test_aioapns_sends_two_hundred_before_it_reads_the_settings(gateway: Gateway) -> None:
    token = await registered(gateway)
    fields = push(gateway, token, authority=None, more=[("host", "localhost")])
    with FrameClient(gateway, alpn=False) as client:
        requests = [client.request(fields, REFRESH) for _ in range(BURST)]
        client.send(PREFACE, frame(SETTINGS, 0, 0), *(frames for _, frames in requests))
        for stream, _ in requests:
            assert_accepted(client.answer(stream))
        limits = [one.settings[MAX_CONCURRENT_STREAMS] for one in client.frames
                  if one.kind == SETTINGS and MAX_CONCURRENT_STREAMS in one.settings]
        assert limits == [1, LIMIT]


@played("aioapns", "4.0")
async def test_aioapns_goes_on_beyond_the_limit_that_it_has_acknowledged(gateway: Gateway) -> None:
    """After the ACK a stream above MAX_CONCURRENT_STREAMS would be a connection error at a server that holds to it."""
    token = await registered(gateway)
    with FrameClient(gateway, alpn=False) as client:
        client.begin()
        # Both sides have acknowledged when the PING after the ACK is answered.
        client.read_until(lambda: bool(client.frames))
        client.send(frame(PING, 0, 0, b"settled?"))
        client.read_until(lambda: bool(client.pings_answered()))
        requests = [client.request(push(gateway, token), REFRESH) for _ in range(BURST)]
        client.send(*(frames for _, frames in requests))
        for stream, _ in requests:
            assert_accepted(client.answer(stream))
        assert client.goaway is None


@played("aioapns", "4.0")
async def test_aioapns_finds_its_request_by_the_bytes_of_apns_id(gateway: Gateway) -> None:
    token = await registered(gateway)
    names = [str(uuid.uuid4()), str(uuid.uuid4()).upper(), "AbCdEf01-2345-6789-aBcD-eF0123456789"]
    with FrameClient(gateway, alpn=False) as client:
        client.begin()
        for name in names:
            for one in (token, UNKNOWN):
                answer = client.exchange(push(gateway, one, more=[("apns-id", name)]), REFRESH)
                assert [value for field, value in answer.headers if field == "apns-id"] == [name]


# Pushy


@played("Pushy", "0.15.6")
async def test_pushy_is_ready_when_the_first_frame_is_settings(gateway: Gateway) -> None:
    with FrameClient(gateway, alpn=False) as client:
        client.begin()
        client.read_until(lambda: bool(client.frames))
        assert client.frames[0].kind == SETTINGS and not client.frames[0].flags & ACK
        assert client.frames[0].settings[MAX_CONCURRENT_STREAMS] == 1


@played("Pushy", "0.15.6")
async def test_pushy_signs_in_der_and_waits_for_a_body_on_every_error(gateway: Gateway) -> None:
    async with await Device.enrol(gateway) as phone:
        gone = (await phone.register())["token"]
        await phone.unregister()
    token = await registered(gateway)
    bearer = f"bearer {jwt(gateway, der=True, more_header={'typ': 'JWT'})}"
    always = [("apns-expiration", str(int(time.time()) + 86_400)), ("apns-priority", "10")]
    with FrameClient(gateway, alpn=False) as client:
        client.begin()

        def exchange(token: str, body: bytes = REFRESH, **changes: Any) -> Answer:
            return client.exchange(push(gateway, token, **({"authorization": bearer, "more": always} | changes)), body)

        assert_accepted(exchange(token))
        assert_refused(exchange(UNKNOWN), 400, "BadDeviceToken")
        assert_refused(exchange(token, push_type=None), 400, "InvalidPushType")
        assert_refused(exchange(token, authorization="bearer nonsense"), 403, "InvalidProviderToken")
        assert_refused(exchange("ab/cd"), 404, "BadPath")
        assert_refused(exchange(gone), 410, "Unregistered")
        assert_refused(exchange(token, REFRESH + b" " * 4096), 413, "PayloadTooLarge")
        assert_accepted(exchange(token))


@played("Pushy", "0.15.6")
async def test_pushy_sends_a_refused_stream_again(gateway: Gateway) -> None:
    """Beyond a thousand open streams the surplus is refused, never the connection."""
    token = await registered(gateway)
    surplus = 50
    with FrameClient(gateway, alpn=False) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token), REFRESH))
        # All but their last frame, so that all stay open.
        requests = [client.request(push(gateway, token), REFRESH, b"") for _ in range(LIMIT + surplus)]
        ending = len(frame(0, 1, 1))
        client.send(*(frames[:-ending] for _, frames in requests))
        beyond = [stream for stream, _ in requests[LIMIT:]]
        client.read_until(lambda: client.ended.issuperset(beyond))
        assert {tuple(client.answers[stream].frames) for stream in beyond} == {(f"RST_STREAM {REFUSED_STREAM}",)}
        client.send(*(frames[-ending:] for _, frames in requests[:LIMIT]))
        for stream, _ in requests[:LIMIT]:
            assert_accepted(client.answer(stream))
        again = [client.request(push(gateway, token), REFRESH) for _ in beyond]
        client.send(*(frames for _, frames in again))
        for stream, _ in again:
            assert_accepted(client.answer(stream))
        assert client.goaway is None


# node-apn


@played("node-apn", "7.1")
async def test_node_apn_ends_with_an_empty_data_frame(gateway: Gateway) -> None:
    token = await registered(gateway)
    with FrameClient(gateway) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token), REFRESH, b""))
        # A payload of {} is sent as no body.
        assert_refused(client.exchange(push(gateway, token), b""), 400, "PayloadEmpty")
        assert_refused(client.exchange(push(gateway, token)), 400, "PayloadEmpty")
        assert_refused(client.exchange(push(gateway, UNKNOWN), REFRESH, b""), 400, "BadDeviceToken")
        assert_accepted(client.exchange(push(gateway, token), REFRESH, b""))


@played("node-apn", "7.1")
async def test_node_apn_repeats_a_push_at_once_and_is_charged_once(gateway: Gateway) -> None:
    async with await Device.enrol(gateway) as phone:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        name = str(uuid.uuid4())
        with FrameClient(gateway) as client:
            client.begin()
            repeated = push(gateway, token, more=[("apns-id", name)])
            requests = [client.request(repeated, REFRESH, b"") for _ in range(4)]
            client.send(*(frames for _, frames in requests))
            for stream, _ in requests:
                answer = client.answer(stream)
                assert_accepted(answer)
                assert answer.header("apns-id") == name
            first = await updates.next()
            assert first.apns_id.lower() == name
            await phone.receipt(first.id)
            budget = gateway.admin("GET", f"/v1/budgets/{token}")[1]["widgets"][0]["budget"]
            assert budget["remaining"] == budget["burst"] - 1
            # The next refresh is that of the next push.
            other = client.exchange(push(gateway, token), REFRESH, b"")
            assert (await updates.next()).apns_id == other.header("apns-id")


@played("node-apn", "7.1")
@played("sideshow/apns2", "2024")
async def test_a_ping_is_answered_between_pushes_and_within_one(gateway: Gateway) -> None:
    """node-apn sends one each minute, sideshow/apns2 after 15 seconds without a frame; neither waits for quiet."""
    token = await registered(gateway)
    with FrameClient(gateway) as client:
        client.begin()
        client.send(frame(PING, 0, 0, b"before-1"))
        stream, frames = client.request(push(gateway, token), REFRESH, b"")
        head, rest = frames[:60], frames[60:]
        client.send(frame(PING, 0, 0, b"before-2"), head)
        client.send(rest, frame(PING, 0, 0, b"after--3"))
        client.read_until(lambda: len(client.pings_answered()) == 3)
        assert client.pings_answered() == [b"before-1", b"before-2", b"after--3"]
        assert_accepted(client.answer(stream))


# APNSwift


@played("APNSwift", "main, 2026-01")
async def test_apnswift_writes_iat_as_text_into_json_of_many_lines(gateway: Gateway) -> None:
    token = await registered(gateway)
    kid = gateway.credential().key_id
    text = jwt(gateway, issued_at=str(int(time.time())), indent=2, more_header={"typ": "JWT"}, more_claims={"kid": kid})
    with FrameClient(gateway) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token, authorization=f"bearer {text}"), REFRESH))


@played("APNSwift", "main, 2026-01")
async def test_apnswift_reads_1024_bytes_of_an_error_and_an_integer_timestamp(gateway: Gateway) -> None:
    async with await Device.enrol(gateway) as phone:
        gone = (await phone.register())["token"]
        await phone.unregister()
    token = await registered(gateway)
    long_topic = "com." + "x" * 3000 + ".push-type.widgets"
    with FrameClient(gateway) as client:
        client.begin()
        for fields, body in [
                (push(gateway, token, topic=long_topic), REFRESH),
                (push(gateway, token, push_type="y" * 3000), REFRESH),
                (push(gateway, "0" * 3001), REFRESH),
                (push(gateway, token), b'{"aps":{"' + b"z" * 3000 + b'":1}}'),
                (push(gateway, token), b'{"aps":{"content-changed":true},"' + b"\xc3" * 2000)]:
            answer = client.exchange(fields, body)
            assert answer.status == 400 and len(answer.body) <= 512, answer
        answer = client.exchange(push(gateway, gone), REFRESH)
        assert_refused(answer, 410, "Unregistered")
        assert type(answer.json["timestamp"]) is int and answer.json["timestamp"] > 1_600_000_000_000


# a2 and dotAPNS


@played("a2", "0.10")
async def test_a2_says_bearer_with_a_capital_and_pads_standard_base64(gateway: Gateway) -> None:
    token = await registered(gateway)
    for der in (True, False):  # with openssl, and with ring
        text = jwt(gateway, encode=padded_base64, der=der)
        with FrameClient(gateway) as client:
            client.begin()
            assert_accepted(client.exchange(push(gateway, token, authorization=f"Bearer {text}"), REFRESH))


@played("dotAPNS", "2024")
async def test_dotapns_pads_standard_base64_with_all_its_signs(gateway: Gateway) -> None:
    token = await registered(gateway)
    seen: set[str] = set()
    while not seen.issuperset("+/"):
        text = jwt(gateway, encode=padded_base64)
        seen |= set(text)
        with FrameClient(gateway) as client:
            client.begin()
            fields = push(gateway, token, authorization=f"bearer {text}", more=[("apns-priority", "10")])
            assert_accepted(client.exchange(fields, REFRESH))


@played("dotAPNS", "2024")
async def test_dotapns_renewing_at_once_is_too_often_and_costs_only_that_push(gateway: Gateway) -> None:
    """It renews after exactly twenty minutes, which is right; that side of the limit is tested on virtual time."""
    token = await registered(gateway)
    now = int(time.time())
    first, second = (f"bearer {jwt(gateway, encode=padded_base64, issued_at=moment)}" for moment in (now - 10, now))
    with FrameClient(gateway) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token, authorization=first), REFRESH))
        refused = client.exchange(push(gateway, token, authorization=second), REFRESH)
        assert_refused(refused, 429, "TooManyProviderTokenUpdates")
        assert_accepted(client.exchange(push(gateway, token, authorization=first), REFRESH))


# PyAPNs2


@played("PyAPNs2", "2022")
async def test_pyapns2_writes_iat_as_a_float_and_needs_the_timestamp_of_a_410(gateway: Gateway) -> None:
    async with await Device.enrol(gateway) as phone:
        gone = (await phone.register())["token"]
        await phone.unregister()
    token = await registered(gateway)
    bearer = f"bearer {jwt(gateway, issued_at=time.time(), more_header={'typ': 'JWT'})}"
    with FrameClient(gateway) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token, authorization=bearer), REFRESH))
        answer = client.exchange(push(gateway, gone, authorization=bearer), REFRESH)
        assert_refused(answer, 410, "Unregistered")
        assert "timestamp" in answer.json


# apnotic


@played("apnotic", "2026-01")
async def test_apnotic_sends_two_aps_members_and_the_last_counts(gateway: Gateway) -> None:
    token = await registered(gateway)
    bearer = f"bearer {jwt(gateway, der=True)}"
    with FrameClient(gateway, alpn=False) as client:
        client.begin()
        client.read_until(lambda: bool(client.frames))
        # Without this setting it takes the limit for 1 and never asks again.
        assert MAX_CONCURRENT_STREAMS in client.frames[0].settings
        fields = push(gateway, token, authorization=bearer, authority=f"localhost:{gateway.provider_port()}")
        assert_accepted(client.exchange(fields, b'{"aps":{"alert":"x"},"aps":{"content-changed":true}}'))
        wrong = client.exchange(fields, b'{"aps":{"content-changed":true},"aps":{"alert":"x"}}')
        assert_refused(wrong, 400, "PayloadEmpty")
        assert_accepted(client.exchange(fields, REFRESH))


# sideshow/apns2 and AndrewBarba/apns2


@played("sideshow/apns2", "2024")
async def test_sideshow_says_alert_when_it_is_told_nothing(gateway: Gateway) -> None:
    token = await registered(gateway)
    with FrameClient(gateway) as client:
        client.begin()
        more = [("content-type", "application/json; charset=utf-8"), ("accept-encoding", "gzip"),
                ("user-agent", "Go-http-client/2.0")]
        answer = client.exchange(push(gateway, token, push_type="alert", more=more), REFRESH)
        assert_refused(answer, 400, "InvalidPushType")
        assert "widgets" in answer.json["detail"]
        assert_accepted(client.exchange(push(gateway, token, more=more), REFRESH))


@played("AndrewBarba/apns2", "12")
async def test_andrewbarba_needs_alpn_and_omits_priority_10(gateway: Gateway) -> None:
    token = await registered(gateway)
    with FrameClient(gateway) as client:
        assert client.socket.selected_alpn_protocol() == "h2"
        client.begin()
        bearer = f"bearer {jwt(gateway, more_header={'typ': 'JWT'})}"
        assert_accepted(client.exchange(push(gateway, token, authorization=bearer), REFRESH))
        later = push(gateway, token, authorization=bearer, more=[("apns-priority", "5")])
        assert_accepted(client.exchange(later, REFRESH))


# curl: pushok and Apple's recipe


@played("pushok", "2025")
async def test_pushok_posts_a_form_and_its_es512_is_refused_with_the_reason_why(gateway: Gateway) -> None:
    token = await registered(gateway)
    form = [("content-type", "application/x-www-form-urlencoded"), ("content-length", str(len(REFRESH))),
            ("accept", "*/*")]
    with FrameClient(gateway) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token, more=form), REFRESH))
        es512 = f"bearer {jwt(gateway, algorithm='ES512')}"
        answer = client.exchange(push(gateway, token, authorization=es512, more=form), REFRESH)
        assert_refused(answer, 403, "InvalidProviderToken")
        assert "ES256" in answer.json["detail"] and "ES512" in answer.json["detail"]
        assert_accepted(client.exchange(push(gateway, token, more=form), REFRESH))


@played("Apple's command-line recipe", "2026")
async def test_apples_recipe_signs_by_openssl_over_json_with_blanks(gateway: Gateway) -> None:
    token = await registered(gateway)
    credential = gateway.credential()
    text = openssl_provider_token(str(credential.file), credential.team, credential.key_id)
    form = [("content-type", "application/x-www-form-urlencoded"), ("user-agent", "curl/8.7.1"), ("accept", "*/*")]
    with FrameClient(gateway) as client:
        client.begin()
        assert_accepted(client.exchange(push(gateway, token, authorization=f"bearer {text}", more=form), REFRESH))
        pretty = json.dumps({"aps": {"content-changed": True}}, indent=2).encode()
        assert_accepted(client.exchange(push(gateway, token, authorization=f"bearer {text}", more=form), pretty))
