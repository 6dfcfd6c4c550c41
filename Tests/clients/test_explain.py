"""`explain`: why a widget did or did not refresh, asked of the program that people ask, also after `kill -9`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from device import SMALL, Device
from gateway import BUNDLE, Gateway
from http2 import Answer
from provider import Provider, widgets_topic


def explain(gateway: Gateway, *arguments: str) -> list[dict]:
    done = gateway.ctl("explain", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["pushes"]


def outcomes(push: dict) -> list[str]:
    return [decision["outcome"] for decision in push["decisions"]]


def name(answer: Answer) -> str:
    found = answer.header("apns-id")
    assert found is not None
    return found


async def test_every_accepted_push_is_explained_after_kill_9(start) -> None:
    """A deferred, a superseded, a received and a bypassed one: the story ends where it had got to."""
    gateway = start({"budget.refreshes-per-day": 1, "budget.burst": 1})
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        received = await backend.push(token)
        refresh = await updates.next()
        await phone.receipt(refresh.id)
        superseded = await backend.push(token)
        deferred = await backend.push(token)
        status, body = gateway.admin(
            "PUT", "/v1/developer-mode", {"app": BUNDLE, "seconds": 600, "who": "ada", "why": "layout work"})
        assert status == 200, body
        assert (await updates.next()).apns_id == name(deferred)
        bypassed = await backend.push(token)
        assert (await updates.next()).apns_id == name(bypassed)
        unique = bypassed.header("apns-unique-id")
        assert unique is not None
        gateway.kill()

    gateway.start()
    stories = {
        name(received): ["marked", "sent", "received"],
        name(superseded): ["marked", "deferred", "superseded"],
        name(deferred): ["marked", "deferred", "sent"],
        name(bypassed): ["marked", "sent"],
    }
    for apns_id, story in stories.items():
        push, = explain(gateway, apns_id)
        assert (push["apns-id"], push["status"], outcomes(push)) == (apns_id, 200, story)
        assert all(check["passed"] for check in push["checks"])
        assert {decision["kind"] for decision in push["decisions"]} == {"caffeine"}
        assert {decision["family"] for decision in push["decisions"]} == {"systemSmall"}
    push, = explain(gateway, unique)
    assert push["apns-id"] == name(bypassed)
    assert push["decisions"][-1]["why"] == f"bypass: developer mode of app {BUNDLE} (ada: layout work)"
    push, = explain(gateway, name(superseded))
    assert name(deferred) in push["decisions"][-1]["why"]
    assert [push["apns-id"] for push in explain(gateway, token)] == list(reversed(stories))


async def test_developer_mode_and_its_audit_outlive_kill_9(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        await phone.register()
        on = serving.ctl("developer-mode", "on", "--app", BUNDLE, "--for", "2h", "--why", "layout work", "--who", "ada")
        assert on.returncode == 0, on.stderr
        switched = await phone.call("PUT", "/state", {"developerMode": True})
        assert switched.status == 200
        until = [grant["until"] for grant in serving.admin("GET", "/v1/developer-mode")[1]["grants"]]
        serving.kill()
        serving.start()
        grants = serving.admin("GET", "/v1/developer-mode")[1]["grants"]
        # To the granularity of the clocks from which a start goes on: a millisecond each.
        shifts = [datetime.fromisoformat(grant["until"]) - datetime.fromisoformat(before)
                  for grant, before in zip(grants, until, strict=True)]
        assert all(abs(shift) <= timedelta(milliseconds=2) for shift in shifts), shifts
        assert [(grant.get("app"), grant.get("device"), grant["by"]) for grant in grants] == [
            (BUNDLE, None, "operator"), (None, phone.id, "device")]
        off = serving.ctl("developer-mode", "off", "--device", phone.id, "--why", "done")
        assert off.returncode == 0, off.stderr
        again = serving.ctl("developer-mode", "off", "--device", phone.id)
        assert (again.returncode, "is not on" in again.stderr) == (1, True)
        entries = serving.admin("GET", "/v1/developer-mode/audit")[1]["entries"]
        assert [(entry["action"], entry["by"], entry["why"]) for entry in entries] == [
            ("granted", "operator", "layout work"), ("granted", "device", "switched on on the device"),
            ("ended", "operator", "done")]
        assert "developer mode is on: budgets of development registrations are lifted" in serving.log.read_text()


async def test_a_wrong_topic_is_refused_and_listed_with_the_checks_that_it_passed(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        refused = await backend.push(token, topic=BUNDLE)
        assert refused.reason == "BadTopic"
        push, = explain(serving, name(refused))
        assert (push["status"], push["reason"], push["topic"]) == (400, "BadTopic", BUNDLE)
        passed = [check["check"] for check in push["checks"] if check["passed"]]
        assert passed[:3] == ["method", "path", "provider-credential"]
        assert push["checks"][-1]["check"] == "topic"
        text = serving.ctl("explain", name(refused)).stdout
        assert "failed    topic: " in text
        listed = serving.ctl("explain", "--last", "5", "--refused").stdout
        assert name(refused) in listed and "400 BadTopic" in listed


async def test_a_flood_without_credentials_washes_nothing_else_out(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        refused = await backend.push(token, topic=BUNDLE)
        stranger = await Provider.connect(serving)
        stranger.authorization = "bearer none.of.these"
        for _ in range(300):
            assert (await stranger.push(token)).status == 403
        await stranger.close()
        report = serving.admin("GET", "/v1/explain?last=200&refused=true")[1]
        assert [push["apns-id"] for push in report["pushes"]] == [name(refused)]
        assert len(report["withoutCredential"]) == 200
        assert serving.admin("GET", "/v1/explain?last=201")[0] == 422


async def test_production_is_explained_only_where_the_configuration_says_so(serving: Gateway) -> None:
    async with (await Device.enrol(serving) as phone, await Provider.connect(serving, "production") as backend):
        token = (await phone.register(BUNDLE, SMALL, environment="production"))["token"]
        accepted = await backend.push(token)
        assert accepted.status == 200
        assert accepted.header("apns-unique-id") is None
        silent = serving.ctl("explain", token)
        assert silent.returncode == 1
        assert "explain.production = true" in silent.stderr
        refused = await backend.push(token, topic=widgets_topic() + ".x")
        assert serving.ctl("explain", name(refused)).returncode == 1
