"""Plain curl and provider tokens in every dress: what Apple's command-line recipe and other libraries send."""

from __future__ import annotations

import subprocess
import time
import uuid
from typing import Any, Callable

import pytest

from device import Device
from gateway import Gateway
from http2 import Answer
from provider import Provider, widgets_topic
from tokens import new_key, openssl_provider_token, padded_base64, provider_token, read_key

REFRESH = '{"aps":{"content-changed":true}}'
HTTP2 = ("--http2",)
PRIOR_KNOWLEDGE = ("--no-alpn", "--http2-prior-knowledge")


def curl(gateway: Gateway, path: str, headers: dict[str, str], body: str | None = REFRESH, *,
         protocol: tuple[str, ...] = HTTP2, method: str = "POST", more: tuple[str, ...] = ()) -> Answer:
    """One request by the curl program, `content-type: application/x-www-form-urlencoded` and all."""
    command = ["curl", "--silent", "--show-error", "--max-time", "30", *protocol, "--cacert", gateway.ca,
               "--request", method, "--include", *more]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    if body is not None:
        command += ["--data-binary", "@-"]
    command.append(f"https://localhost:{gateway.provider_port()}{path}")
    done = subprocess.run(command, input=(body or "").encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    status, *rows = head.decode().split("\r\n")
    assert status.startswith("HTTP/2 "), status
    return Answer(int(status.split()[1]), [tuple(row.split(": ", 1)) for row in rows], content)  # type: ignore[misc]


def usual_headers(gateway: Gateway, **changes: str | None) -> dict[str, str]:
    """A right push's headers; None takes one out. Underscores stand for hyphens."""
    credential = gateway.credential()
    token = provider_token(read_key(credential.file.read_bytes()), credential.team, credential.key_id)
    headers: dict[str, str | None] = {
        "authorization": f"bearer {token}", "apns-topic": widgets_topic(), "apns-push-type": "widgets"}
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    return {name: value for name, value in headers.items() if value is not None}


async def test_a_push_succeeds_and_the_device_refreshes(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        name = str(uuid.uuid4())
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving, apns_id=name))
        assert (answer.status, answer.body) == (200, b"")
        assert answer.header("apns-id") == name
        refresh = await updates.next()
        assert refresh.apns_id.lower() == name
        assert refresh.data["payload"] == {"aps": {"content-changed": True}}
        assert refresh.widgets == [("caffeine", "systemSmall", None)]


async def test_without_alpn_prior_knowledge_does(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving), protocol=PRIOR_KNOWLEDGE)
        assert answer.status == 200


async def test_an_answer_is_framed_as_apns_frames_it(serving: Gateway) -> None:
    """aioapns decodes each DATA frame as a whole JSON text; Pushy never finishes on an error without one."""
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        for alpn in (True, False):
            async with await Provider.connect(serving, alpn=alpn) as backend:
                accepted = await backend.push(token)
                assert (accepted.status, accepted.frames) == (200, ["HEADERS END_STREAM"])
                refused = await backend.push("ab" * 32)
                assert refused.status == 400
                assert refused.frames == ["HEADERS", f"DATA {len(refused.body)} END_STREAM"]
                assert refused.header("content-type") == "application/json"
                assert refused.body.startswith(b'{"reason":"BadDeviceToken"')
                assert len(refused.body) <= 512
                large = await backend.push(token, {"aps": {"content-changed": True}, "filler": "x" * 5000})
                assert (large.status, large.reason) == (413, "PayloadTooLarge")
                assert large.frames == ["HEADERS", f"DATA {len(large.body)} END_STREAM"]


REFUSALS: list[tuple[str, dict[str, Any], int, str]] = [
    ("a token that nobody has", {"token": "ab" * 32}, 400, "BadDeviceToken"),
    ("a token that is not hexadecimal", {"token": "xyz"}, 400, "BadDeviceToken"),
    ("no token", {"token": ""}, 400, "MissingDeviceToken"),
    ("another path", {"path": "/4/device/ab"}, 404, "BadPath"),
    ("another method", {"method": "PUT"}, 405, "MethodNotAllowed"),
    ("no topic", {"apns_topic": None}, 400, "MissingTopic"),
    ("a topic that is none", {"apns_topic": "not a topic"}, 400, "BadTopic"),
    ("another team's topic", {"apns_topic": "com.elsewhere.app.push-type.widgets"}, 400, "TopicDisallowed"),
    ("no provider token", {"authorization": None}, 403, "MissingProviderToken"),
    ("a provider token that is none", {"authorization": "bearer nonsense"}, 403, "InvalidProviderToken"),
    ("no body", {"body": None}, 400, "PayloadEmpty"),
    ("an empty body", {"body": ""}, 400, "PayloadEmpty"),
    ("a body without content-changed", {"body": '{"aps":{}}'}, 400, "PayloadEmpty"),
    ("a body that is not JSON", {"body": '{"aps":{"content-changed":true},}'}, 400, "PayloadEmpty"),
    ("4097 bytes", {"body": REFRESH + " " * (4097 - len(REFRESH))}, 413, "PayloadTooLarge"),
    ("an apns-id that is none", {"apns_id": "1234"}, 400, "BadMessageId"),
    ("an expiration that is no number", {"apns_expiration": "soon"}, 400, "BadExpirationDate"),
    ("priority 7", {"apns_priority": "7"}, 400, "BadPriority"),
    ("a collapse id of 65 bytes", {"apns_collapse_id": "c" * 65}, 400, "BadCollapseId"),
    ("an unknown push type", {"apns_push_type": "widget"}, 400, "InvalidPushType"),
    ("no push type", {"apns_push_type": None}, 400, "InvalidPushType"),
]


async def test_each_refusal_has_the_status_and_the_reason_of_apns(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        for name, case, status, reason in REFUSALS:
            case = dict(case)
            path = case.pop("path", f"/3/device/{case.pop('token', token)}")
            method = case.pop("method", "POST")
            body = case.pop("body", REFRESH)
            answer = curl(serving, path, usual_headers(serving, **case), body, method=method)
            assert (answer.status, answer.reason) == (status, reason), name
            assert answer.header("content-type") == "application/json", name
            # The gateway's own id is upper case, as in each trace of APNs.
            made = answer.header("apns-id")
            assert made is not None and made == made.upper() and str(uuid.UUID(made)).upper() == made, name
        assert curl(serving, f"/3/device/{token}", usual_headers(serving)).status == 200


async def test_a_payload_of_4096_bytes_is_not_too_large(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        body = REFRESH + " " * (4096 - len(REFRESH))
        assert curl(serving, f"/3/device/{token}", usual_headers(serving), body).status == 200


async def test_a_header_given_twice_is_refused(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving),
                      more=("--header", f"apns-topic: {widgets_topic()}"))
        assert (answer.status, answer.reason) == (400, "DuplicateHeaders")


async def test_a_removed_app_answers_410_with_the_moment_in_milliseconds(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        before = time.time() * 1000
        await phone.unregister()
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving))
        assert (answer.status, answer.reason) == (410, "Unregistered")
        timestamp = answer.json["timestamp"]
        assert type(timestamp) is int and before - 1000 <= timestamp <= time.time() * 1000 + 1000


async def test_a_provider_token_by_the_openssl_program_is_taken(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        credential = serving.credential()
        provider = openssl_provider_token(str(credential.file), credential.team, credential.key_id)
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving, authorization=f"bearer {provider}"))
        assert answer.status == 200


DRESSES: dict[str, Callable[[], dict[str, Any]]] = {
    "a raw signature, as most": dict,
    "a DER signature, as Pushy and apnotic": lambda: {"der": True},
    "iat as text, as APNSwift": lambda: {"issued_at": str(int(time.time()))},
    "iat with a fraction, as PyAPNs2": lambda: {"issued_at": time.time()},
    "JSON over several lines, as APNSwift": lambda: {"indent": 2, "separators": (", ", " : ")},
    "padded standard base64, as a2 and dotAPNS": lambda: {"encode": padded_base64},
    "padded standard base64 and DER, as a2": lambda: {"encode": padded_base64, "der": True},
    "iat 59 minutes ago": lambda: {"issued_at": int(time.time()) - 59 * 60},
}


@pytest.mark.parametrize("scheme", ["bearer", "Bearer"])
async def test_a_provider_token_is_taken_in_each_dress(serving: Gateway, scheme: str) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        credential = serving.credential()
        key = read_key(credential.file.read_bytes())
        for name, dress in DRESSES.items():
            provider = provider_token(key, credential.team, credential.key_id, **dress())
            headers = usual_headers(serving, authorization=f"{scheme} {provider}")
            answer = curl(serving, f"/3/device/{token}", headers)
            assert answer.status == 200, (name, answer.body)


async def test_a_wrong_provider_token_is_refused_and_says_how(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        credential = serving.credential()
        key = read_key(credential.file.read_bytes())
        right = provider_token(key, credential.team, credential.key_id)
        cases = {
            "older than an hour": (
                provider_token(key, credential.team, credential.key_id, issued_at=int(time.time()) - 3700),
                "ExpiredProviderToken"),
            "another key's signature": (
                provider_token(new_key(), credential.team, credential.key_id), "InvalidProviderToken"),
            "an unknown key id": (provider_token(key, credential.team, "ZZZZZZZZZZ"), "InvalidProviderToken"),
            "another team": (provider_token(key, "ZZZZZZZZZZ", credential.key_id), "InvalidProviderToken"),
            "no signature": (right.rsplit(".", 1)[0] + ".", "InvalidProviderToken"),
            "ES512, as pushok": (
                provider_token(key, credential.team, credential.key_id, algorithm="ES512"), "InvalidProviderToken"),
            "iat that is no time": (
                provider_token(key, credential.team, credential.key_id, issued_at="now"), "InvalidProviderToken"),
        }
        for name, (provider, reason) in cases.items():
            answer = curl(serving, f"/3/device/{token}", usual_headers(serving, authorization=f"bearer {provider}"))
            assert (answer.status, answer.reason) == (403, reason), (name, answer.body)


async def test_a_development_push_also_names_its_unique_id(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving))
        unique = answer.header("apns-unique-id")
        assert unique is not None and str(uuid.UUID(unique)) == unique


async def test_the_other_environments_token_is_a_bad_device_token(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register(environment="production"))["token"]
        answer = curl(serving, f"/3/device/{token}", usual_headers(serving))
        assert (answer.status, answer.reason) == (400, "BadDeviceToken")
        async with await Provider.connect(serving, "production") as backend:
            accepted = await backend.push(token)
            assert accepted.status == 200
            assert accepted.header("apns-unique-id") is None
