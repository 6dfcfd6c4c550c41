"""After each refused push its connection serves a good one, and the log has a line that a human can act on: the reason,
what to change, whose it was, and neither device token nor provider token in clear."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from typing import Any

from device import Device
from gateway import BUNDLE, Gateway
from provider import REFRESH, Provider, widgets_topic
from tokens import new_key, provider_token, read_key, write_key

OTHER_APP = "com.example.caffeine.other"


class Sender:
    """One connection, and what it takes to break a push of it in one place."""

    def __init__(self, gateway: Gateway, backend: Provider, token: str) -> None:
        self.gateway = gateway
        self.backend = backend
        self.token = token
        #: What must not be found in the log.
        self.secrets = {token, *backend.authorization.removeprefix("bearer ").split(".")}

    def jwt(self, environment: str = "development", **options: Any) -> str:
        credential = self.gateway.credential(environment)
        key = options.pop("key", None) or read_key(credential.file.read_bytes())
        team = options.pop("team", credential.team)
        text = provider_token(key, team, options.pop("key_id", credential.key_id), **options)
        self.secrets.update(text.split("."))
        return f"bearer {text}"

    async def push(self, token: str | None = None, *, authorization: str | None = "usual", body: bytes = REFRESH,
                   **options: Any) -> Any:
        if token:
            self.secrets.add(token)
        usual, more = self.backend.authorization, list(options.pop("more", ()))
        if authorization is None:
            headers = [("apns-topic", widgets_topic()), ("apns-push-type", "widgets")]
            return await self.backend.connection.request("POST", f"/3/device/{self.token}", headers, body)
        if authorization != "usual":
            self.backend.authorization = authorization
        try:
            return await self.backend.push(self.token if token is None else token, body, more=more, **options)
        finally:
            self.backend.authorization = usual


def lines_of(gateway: Gateway, reason: str) -> list[str]:
    return [line for line in gateway.log.read_text().splitlines() if f" reason={reason} " in line]


async def line_of(gateway: Gateway, reason: str, after: int = 0) -> str:
    """The log's last line about a reason, of more than `after`. It is decided before the answer leaves, and written soon."""
    async with asyncio.timeout(10):
        while len(lines := lines_of(gateway, reason)) <= after:
            await asyncio.sleep(0.01)
    return lines[-1]


async def test_after_each_refusal_the_connection_serves_and_the_log_says_why(gateway: Gateway) -> None:
    gateway.set({"provider-key[0].topics": [BUNDLE, OTHER_APP], "checks.pushes-per-token-per-minute": 200})
    key = new_key()
    write_key(gateway.path("topic.p8"), key)
    gateway.append(
        f'[[provider-key]]\nteam = "{gateway.credential().team}"\nkey-id = "TOPICKEY01"\nfile = "topic.p8"\n'
        f'environment = "development"\nscope = "topics"\ntopics = ["{BUNDLE}"]')
    gateway.append(
        f'[[provider-key]]\nteam = "{gateway.credential().team}"\nkey-id = "PRODUCTION"\nfile = "topic.p8"\n'
        f'environment = "production"\ntopics = ["{BUNDLE}"]')
    gateway.start()
    async with (await Device.enrol(gateway) as phone, await Device.enrol(gateway) as gone,
                await Provider.connect(gateway) as backend):
        sender = Sender(gateway, backend, (await phone.register())["token"])
        removed = (await gone.register())["token"]
        await gone.unregister()
        now = int(time.time())

        async def flood() -> Any:
            for _ in range(400):
                if (answer := await sender.push(flooded)).status != 200:
                    return answer
            raise AssertionError("four hundred pushes in a minute were taken")

        cases: list[tuple[int, str, Any]] = [
            (405, "MethodNotAllowed", lambda: sender.push(method="PUT")),
            (404, "BadPath", lambda: sender.push(path=f"/3/devices/{sender.token}")),
            (403, "MissingProviderToken", lambda: sender.push(authorization=None)),
            (403, "InvalidProviderToken", lambda: sender.push(authorization="bearer nonsense")),
            (403, "InvalidProviderToken", lambda: sender.push(authorization=sender.jwt(key=new_key()))),
            (403, "InvalidProviderToken", lambda: sender.push(authorization=sender.jwt(key_id="ZZZZZZZZZZ"))),
            (403, "InvalidProviderToken", lambda: sender.push(authorization=sender.jwt(team="ZZZZZZZZZZ"))),
            (403, "InvalidProviderToken", lambda: sender.push(authorization=sender.jwt(issued_at=now + 300))),
            (403, "ExpiredProviderToken", lambda: sender.push(authorization=sender.jwt(issued_at=now - 3700))),
            (403, "BadEnvironmentKeyIdInToken",
             lambda: sender.push(authorization=sender.jwt(key=key, key_id="PRODUCTION"))),
            (403, "UnrelatedKeyIdInToken",
             lambda: sender.push(authorization=sender.jwt(key=key, key_id="TOPICKEY01"))),
            (429, "TooManyProviderTokenUpdates", lambda: sender.push(authorization=sender.jwt(issued_at=now - 60))),
            (400, "DuplicateHeaders", lambda: sender.push(more=[("apns-topic", widgets_topic())])),
            (400, "BadMessageId", lambda: sender.push(id="1234")),
            (400, "BadExpirationDate", lambda: sender.push(more=[("apns-expiration", "soon")])),
            (400, "BadPriority", lambda: sender.push(priority=7)),
            (400, "BadCollapseId", lambda: sender.push(more=[("apns-collapse-id", "☕" * 22)])),
            (400, "InvalidPushType", lambda: sender.push(push_type="widget")),
            (400, "InvalidPushType", lambda: sender.push(push_type="alert")),
            (400, "MissingTopic", lambda: sender.push(topic=None)),
            (400, "BadTopic", lambda: sender.push(topic=BUNDLE)),
            (400, "TopicDisallowed", lambda: sender.push(topic=widgets_topic("com.elsewhere.app"))),
            (400, "PayloadEmpty", lambda: sender.push(body=b"")),
            (400, "PayloadEmpty", lambda: sender.push(body=b'{"aps":{"content-available":1}}')),
            (413, "PayloadTooLarge", lambda: sender.push(body=REFRESH + b" " * 5000)),
            (400, "MissingDeviceToken", lambda: sender.push(path="/3/device/")),
            (400, "BadDeviceToken", lambda: sender.push("x" + sender.token[1:])),
            (400, "BadDeviceToken", lambda: sender.push("AB" * 32)),
            (410, "Unregistered", lambda: sender.push(removed)),
            (400, "DeviceTokenNotForTopic", lambda: sender.push(topic=widgets_topic(OTHER_APP))),
        ]
        for status, reason, send in cases:
            good = await sender.push()
            assert good.status == 200, (reason, good)
            before = len(lines_of(gateway, reason))
            answer = await send()
            assert (answer.status, answer.reason) == (status, reason), answer
            assert answer.frames == ["HEADERS", f"DATA {len(answer.body)} END_STREAM"], (reason, answer.frames)
            line = await line_of(gateway, reason, after=before)
            assert " info a push was refused " in line, line
            assert answer.json["detail"].replace('"', '\\"') in line, line
            assert re.search(r" connection=\d+\.\d+\.\d+ peer=127\.0\.0\.1:\d+", line), line
            assert (await sender.push()).status == 200, reason

        async with await Device.enrol(gateway) as other:
            flooded = (await other.register())["token"]
            answer = await flood()
        assert (answer.status, answer.reason) == (429, "TooManyRequests")
        assert int(answer.header("retry-after")) >= 1
        assert "cause=\"Too many pushes to this token" in await line_of(gateway, "TooManyRequests")
        assert (await sender.push()).status == 200

    named = {match for match in re.findall(r" token=(\S+)", gateway.log.read_text())}
    assert len(named) >= 4 and all(re.fullmatch("[0-9a-f]{12}", name) for name in named)
    log = gateway.log.read_text().lower()
    for secret in sender.secrets:
        assert secret.lower() not in log, f"{secret} is in the log"


async def test_a_flood_of_refusals_is_a_few_lines_that_say_how_many_there_were(serving: Gateway) -> None:
    async with await Provider.connect(serving) as backend:
        for _ in range(500):
            assert (await backend.push("ab" * 32)).reason == "BadDeviceToken"
        assert (await backend.push("ab" * 32, priority=7)).reason == "BadPriority"
        await line_of(serving, "BadPriority")
        about = [line for line in serving.log.read_text().splitlines() if " a push was refused " in line]
        assert 10 <= sum("reason=BadDeviceToken" in line for line in about) < 30
        assert sum("reason=BadPriority" in line for line in about) == 1


async def test_a_body_that_is_too_large_is_refused_while_it_comes(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        answer = await backend.connection.request("POST", f"/3/device/{token}", [
            ("authorization", backend.authorization), ("apns-topic", widgets_topic()), ("apns-push-type", "widgets")],
            REFRESH + b" " * (4097 - len(REFRESH)), ends=False)
        assert (answer.status, answer.reason) == (413, "PayloadTooLarge")
        assert answer.frames == ["HEADERS", f"DATA {len(answer.body)} END_STREAM"]
        assert (await backend.push(token)).status == 200
        assert list(backend.connection.resets.values()) == [0], "NO_ERROR asks the client to stop sending"


async def test_a_client_with_a_new_jwt_each_time_does_not_slow_anothers_pushes(serving: Gateway) -> None:
    async with (await Device.enrol(serving) as phone, await Provider.connect(serving) as wild,
                await Provider.connect(serving) as calm):
        token = (await phone.register())["token"]
        credential, foreign = serving.credential(), new_key()
        assert (await calm.push(token)).status == 200
        reasons = []
        for number in range(60):
            text = provider_token(foreign, credential.team, credential.key_id, issued_at=int(time.time()) - number)
            wild.authorization = f"bearer {text}"
            reasons.append((await wild.push(token)).reason)
        assert reasons.count("InvalidProviderToken") < 60, "every signature was checked"
        assert set(reasons) == {"InvalidProviderToken", "TooManyProviderTokenUpdates"}
        assert (await calm.push(token)).status == 200


async def test_a_key_file_is_read_again_on_reload_and_its_old_key_is_dead(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        assert (await backend.push(token)).status == 200
        credential, key = serving.credential(), new_key()
        write_key(credential.file, key)
        assert serving.process is not None
        serving.process.send_signal(signal.SIGHUP)
        async with asyncio.timeout(30):
            while " reloaded" not in serving.log.read_text():
                await asyncio.sleep(0.01)
        assert (await backend.push(token)).reason == "InvalidProviderToken"
        backend.authorization = f"bearer {provider_token(key, credential.team, credential.key_id)}"
        assert (await backend.push(token)).status == 200
