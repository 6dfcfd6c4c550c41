"""Client certificates in place of provider tokens, as backends from before tokens use them: what a good one may do, and
how a bad one hears why. The certificates are made by another library than the gateway reads them with."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from certificates import HOUR, NULL, Authority, Wish, element, showing, topic_list
from device import Device
from flood import ACK, GOAWAY, HEADERS, PREFACE, RST_STREAM, SETTINGS, frame
from frames import MAX_CONCURRENT_STREAMS, FrameClient
from gateway import BUNDLE, Gateway
from http2 import Answer
from provider import REFRESH, Provider, widgets_topic
from test_aioapns import client as aioapns_client
from test_aioapns import push as aioapns_push
from test_curl import curl

VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("clients"))


@pytest.fixture(scope="module")
def gateway(binaries: Path, clients: Authority) -> Iterator[Gateway]:
    gateway = Gateway(binaries)
    (gateway.setup / "clients.pem").write_bytes(clients.pem)
    gateway.set({"provider[0].client-ca": "clients.pem", "provider[1].client-ca": "clients.pem",
                 "checks.pushes-per-token-per-minute": 0})
    gateway.start()
    yield gateway
    gateway.clean_up()


async def registered(gateway: Gateway, environment: str = "development") -> str:
    async with await Device.enrol(gateway) as phone:
        return (await phone.register(environment=environment))["token"]


def push(token: str, *more: tuple[str, str]) -> list[tuple[str, str]]:
    """A push by somebody who has a certificate: no provider token, no topic."""
    return [(":method", "POST"), (":scheme", "https"), (":path", f"/3/device/{token}"), (":authority", "localhost"),
            ("apns-push-type", "widgets"), *more]


def announced(one: FrameClient) -> list[int]:
    return [each.settings[MAX_CONCURRENT_STREAMS] for each in one.frames
            if each.kind == SETTINGS and not each.flags & ACK]


def assert_refused(answer: Answer, status: int, reason: str) -> None:
    assert (answer.status, answer.reason) == (status, reason), answer


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_certificate_is_enough_and_admits_1000_streams_from_the_start(
        gateway: Gateway, clients: Authority, version: ssl.TLSVersion) -> None:
    token = await registered(gateway)
    with FrameClient(gateway, context=showing(gateway, clients.issue(), version=version)) as backend:
        backend.begin()
        backend.read_until(lambda: bool(announced(backend)))
        for more in ([], [("apns-topic", widgets_topic())], [("authorization", "bearer nonsense")]):
            answer = backend.exchange(push(token, *more), REFRESH)
            assert (answer.status, answer.frames) == (200, ["HEADERS END_STREAM"])
        assert announced(backend) == [1000]
        assert_refused(backend.exchange(push(token, ("apns-topic", widgets_topic("com.example.tea"))), REFRESH),
                       400, "TopicDisallowed")
        assert backend.goaway is None


async def test_without_a_certificate_the_same_listener_wants_a_provider_token(gateway: Gateway) -> None:
    token = await registered(gateway)
    with FrameClient(gateway) as backend:
        backend.begin()
        assert_refused(backend.exchange(push(token), REFRESH), 403, "MissingProviderToken")
        assert announced(backend) == [1]
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200


async def test_of_several_topics_one_must_be_named(gateway: Gateway, clients: Authority) -> None:
    token = await registered(gateway)
    topics = topic_list((BUNDLE, "app"), (f"{BUNDLE}.voip", "voip"), (f"{BUNDLE}.complication", "complication"))
    with FrameClient(gateway, context=showing(gateway, clients.issue(Wish(topics=topics, marks=(1, 2))))) as backend:
        backend.begin()
        assert_refused(backend.exchange(push(token), REFRESH), 400, "MissingTopic")
        assert backend.exchange(push(token, ("apns-topic", widgets_topic())), REFRESH).status == 200
        assert_refused(backend.exchange(push(token, ("apns-topic", f"{BUNDLE}.voip")), REFRESH), 400, "BadTopic")
        assert_refused(backend.exchange(push(token, ("apns-topic", widgets_topic(f"{BUNDLE}.voip"))), REFRESH),
                       400, "TopicDisallowed")


BAD: list[tuple[str, Wish, str, str]] = [
    ("expired", Wish(ends=-HOUR / 2), "BadCertificate", "expired"),
    ("not valid yet", Wish(begins=HOUR), "BadCertificate", "not yet valid"),
    ("for servers", Wish(purpose=ExtendedKeyUsageOID.SERVER_AUTH), "BadCertificate", "purpose"),
    ("self-signed", Wish(self_signed=True), "BadCertificate", "self-signed"),
    ("without a topic", Wish(uid=None), "BadCertificate", "names no topic"),
    ("with topics that are none", Wish(topics=NULL), "BadCertificate", "topic extension"),
    ("with topics cut off", Wish(topics=element(0x30, b"\x0c\x20com.example")), "BadCertificate", "topic extension"),
    ("with an empty list of topics", Wish(topics=element(0x30, b"")), "BadCertificate", "names no topic"),
    ("with what nobody knows and must",
     Wish(more=[x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.5923.1"), NULL)]),
     "BadCertificate", "critical extension"),
    ("of the other environment", Wish(marks=(2,)), "BadCertificateEnvironment", "development"),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("wish", "reason", "detail"), [each[1:] for each in BAD], ids=[each[0] for each in BAD])
async def test_a_bad_certificate_hears_why_in_a_goaway_and_no_push_is_read(
        gateway: Gateway, clients: Authority, version: ssl.TLSVersion, wish: Wish, reason: str, detail: str) -> None:
    token = await registered(gateway)
    with FrameClient(gateway, context=showing(gateway, clients.issue(wish), version=version)) as backend:
        stream, request = backend.request(push(token), REFRESH)
        # All at once, before a frame of the server's has been read.
        backend.send(PREFACE, frame(SETTINGS, 0, 0), request)
        backend.read_to_end()
        assert [each.kind for each in backend.frames] == [SETTINGS, GOAWAY]
        goodbye = backend.frames[-1].payload
        assert goodbye[:8] == bytes(8), "last stream 0, NO_ERROR"
        assert goodbye[8:].startswith(b'{"reason":"' + reason.encode() + b'"')
        assert detail in json.loads(goodbye[8:])["detail"]
    assert f"reason={reason} " in gateway.log.read_text()


async def test_a_strangers_certificate_is_refused_though_the_stranger_uses_the_authoritys_name(
        gateway: Gateway, tmp_path: Path) -> None:
    identity = Authority(tmp_path).issue(Wish(common_name="Opensesame"))
    with FrameClient(gateway, context=showing(gateway, identity)) as backend:
        backend.begin()
        backend.read_to_end()
        assert backend.goaway is not None and b'"BadCertificate"' in backend.goaway.payload
    assert "a client certificate was refused" in gateway.log.read_text()
    assert "Opensesame" not in gateway.log.read_text(), "what a stranger writes is not in the log"


async def test_each_environment_takes_its_own_and_both_take_what_is_marked_for_both_or_neither(
        gateway: Gateway, clients: Authority) -> None:
    tokens = {name: await registered(gateway, name) for name in ("development", "production")}
    for marks, good in [((1,), {"development"}), ((2,), {"production"}), ((1, 2), set(tokens)), ((), set(tokens))]:
        identity = clients.issue(Wish(marks=marks))
        for environment, token in tokens.items():
            with FrameClient(gateway, environment=environment, context=showing(gateway, identity)) as backend:
                backend.begin()
                if environment in good:
                    assert backend.exchange(push(token), REFRESH).status == 200
                else:
                    backend.read_to_end()
                    assert backend.goaway is not None
                    assert b'"BadCertificateEnvironment"' in backend.goaway.payload


@pytest.mark.parametrize("version", VERSIONS)
async def test_no_session_is_resumed_past_a_certificate(
        gateway: Gateway, clients: Authority, version: ssl.TLSVersion) -> None:
    token = await registered(gateway)
    context = showing(gateway, clients.issue(), version=version)
    session = None
    for _ in range(2):
        with FrameClient(gateway, context=context, session=session) as backend:
            backend.begin()
            assert backend.exchange(push(token), REFRESH).status == 200
            assert not backend.socket.session_reused
            session = backend.socket.session


async def test_curl_pushes_with_a_certificate(gateway: Gateway, clients: Authority) -> None:
    token = await registered(gateway)
    identity = str(clients.issue())
    answer = curl(gateway, f"/3/device/{token}", {"apns-push-type": "widgets"}, more=("--cert", identity))
    assert (answer.status, answer.body) == (200, b"")


async def test_aioapns_pushes_with_a_certificate(
        gateway: Gateway, clients: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    token = await registered(gateway)
    certificate = {"key": None, "key_id": None, "team_id": None, "client_cert": str(clients.issue())}
    async with aioapns_client(gateway, monkeypatch, **certificate) as apns:
        assert (await aioapns_push(apns, token)).is_successful


async def test_a_fan_out_belongs_to_the_certificates_team(gateway: Gateway, clients: Authority) -> None:
    def fan_out(method: str, path: str) -> list[tuple[str, str]]:
        return [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost")]

    await registered(gateway)
    with (FrameClient(gateway, context=showing(gateway, clients.issue())) as backend,
          FrameClient(gateway, context=showing(gateway, clients.issue(Wish(team="F6G7H8J9K0")))) as other):
        backend.begin()
        other.begin()
        begun = backend.exchange(fan_out("POST", f"/v1/apps/{BUNDLE}/fan-outs"),
                                 b'{"payload":' + REFRESH + b"}")
        assert begun.status == 202
        place = begun.header("location")
        assert place is not None
        assert backend.exchange(fan_out("GET", place)).status == 200
        assert other.exchange(fan_out("GET", place)).status == 404
        elsewhere = backend.exchange(fan_out("POST", "/v1/apps/com.example.tea/fan-outs"),
                                     b'{"payload":' + REFRESH + b"}")
        assert_refused(elsewhere, 400, "TopicDisallowed")


async def hangup(gateway: Gateway, word: str) -> None:
    seen = gateway.log.read_text().count(word)
    assert gateway.process is not None
    gateway.process.send_signal(signal.SIGHUP)
    async with asyncio.timeout(30):
        while gateway.log.read_text().count(word) == seen:
            await asyncio.sleep(0.005)


@pytest.fixture
def fresh(binaries: Path) -> Iterator[Gateway]:
    """One of its own for a test, not started."""
    gateway = Gateway(binaries)
    yield gateway
    gateway.clean_up()


async def test_a_reload_of_client_ca_counts_at_once_or_not_at_all(fresh: Gateway, tmp_path: Path) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    gateway = fresh
    gateway.start()
    token = await registered(gateway)
    file = gateway.setup / "authorities.pem"
    with FrameClient(gateway, context=showing(gateway, old.issue())) as ignored:
        ignored.begin()
        assert_refused(ignored.exchange(push(token), REFRESH), 403, "MissingProviderToken")
    file.write_bytes(old.pem)
    gateway.set({"provider[0].client-ca": "authorities.pem"})
    await hangup(gateway, "reloaded: applied provider.client-ca")
    with FrameClient(gateway, context=showing(gateway, old.issue())) as backend:
        backend.begin()
        assert backend.exchange(push(token), REFRESH).status == 200

        file.write_bytes(old.pem[:100] + old.pem[110:])
        await hangup(gateway, "not reloaded, everything stays as it was")
        assert backend.exchange(push(token), REFRESH).status == 200

        file.write_bytes(new.pem)
        await hangup(gateway, "reloaded: applied provider.client-ca")
        stream, request = backend.request(push(token), REFRESH)
        backend.send(request)
        backend.read_to_end()
        assert_refused(backend.answers[stream], 403, "BadCertificate")
        assert backend.goaway is not None and b'"BadCertificate"' in backend.goaway.payload
    with FrameClient(gateway, context=showing(gateway, new.issue())) as backend:
        backend.begin()
        assert backend.exchange(push(token), REFRESH).status == 200
    with FrameClient(gateway, context=showing(gateway, old.issue())) as late:
        late.begin()
        late.read_to_end()
        assert late.goaway is not None and all(each.kind not in (HEADERS, RST_STREAM) for each in late.frames)


async def test_what_init_makes_pushes_with_gatewayctl_and_with_its_line_for_curl(fresh: Gateway) -> None:
    made = fresh.directory / "made"
    done = fresh.program("gatewayd", "init", "--directory", made, "--bundle-id", BUNDLE, "--client-certificate")
    assert done.returncode == 0, done.stderr
    for name in ("client-ca.pem", "client.pem", "client.key"):
        shutil.copy(made / name, fresh.setup)
    fresh.set({"provider[0].client-ca": "client-ca.pem"})
    fresh.start()
    token = await registered(fresh)
    shown = ("--cert", str(fresh.setup / "client.pem"), "--cert-key", str(fresh.setup / "client.key"))
    pushed = fresh.ctl("push", token, *shown)
    assert pushed.returncode == 0 and " 200 " in pushed.stdout, pushed
    line = fresh.ctl("push", token, *shown, "--curl").stdout
    assert "authorization" not in line
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=30)
    assert done.stdout.startswith("HTTP/2 200"), (line, done)


async def test_check_names_a_client_ca_that_is_none(fresh: Gateway) -> None:
    (fresh.setup / "clients.pem").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    fresh.set({"provider[1].client-ca": "clients.pem"})
    done = fresh.program("gatewayd", "check", "--config", fresh.config)
    assert done.returncode == 1
    assert "provider.client-ca: " in done.stderr and "clients.pem: cannot be used" in done.stderr
