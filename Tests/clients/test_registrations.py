"""Registrations by the many: from one gateway to another, and those that nobody uses any more."""

from __future__ import annotations

import json
import time
from pathlib import Path

from device import MEDIUM, SMALL, Device
from gateway import BUNDLE, Gateway
from provider import Provider

DAY = 86_400


def export(gateway: Gateway, file: Path) -> list[dict]:
    done = gateway.ctl("registrations", "export", str(file))
    assert done.returncode == 0, done.stderr
    assert "secret" in done.stderr
    return [json.loads(line) for line in file.read_text().splitlines()]


def take_over(gateway: Gateway, file: Path, *options: str) -> dict:
    done = gateway.ctl("registrations", "import", str(file), "--json", *options)
    report = json.loads(done.stdout)
    assert done.returncode == (1 if report["refused"] else 0), done.stderr
    return report


async def test_devices_go_on_under_another_gateway_with_their_keys_and_tokens(start, binaries, tmp_path) -> None:
    old = start({})
    file = tmp_path / "all.jsonl"
    async with await Device.enrol(old) as phone, await Device.enrol(old, platform="macOS") as mac:
        token = (await phone.register(BUNDLE, SMALL, MEDIUM))["token"]
        await mac.register(token="0f" * 50)
        head, *lines = export(old, file)
        assert head["format"] == "gatewayd-registrations"
        assert file.stat().st_mode & 0o777 == 0o600
        assert [line["token"] for line in lines] == [token, "0f" * 50]
        assert phone.key not in file.read_text()
        assert old.enrolment_key not in file.read_text()

        new = Gateway(binaries)
        try:
            new.start()
            dry = take_over(new, file, "--dry-run")
            assert (dry["added"], dry["devices"], dry["dryRun"]) == (2, 2, True)
            assert new.admin("GET", "/v1/status")[1]["registrations"] == 0
            done = take_over(new, file)
            assert (done["added"], done["devices"], done["refused"]) == (2, 2, 0)
            again = take_over(new, file)
            assert (again["added"], again["unchanged"]) == (0, 2)

            moved = Device(new, await Device.dial(new), phone.id, phone.key)
            stranger = Device(new, moved.connection, phone.id, mac.key)
            assert (await stranger.call("GET", "/explain")).status == 401
            updates = await moved.updates()
            async with await Provider.connect(new) as backend:
                answer = await backend.push(token)
                assert answer.refresh["sent"] == 2
            assert (await updates.next()).apns_id == answer.header("apns-id")
            await moved.close()
            new.kill()
            new.start()
            assert take_over(new, file)["unchanged"] == 2
        finally:
            new.clean_up()


async def test_a_bad_line_is_named_and_stops_no_other(start, tmp_path) -> None:
    gateway = start({})
    file = tmp_path / "all.jsonl"
    async with await Device.enrol(gateway) as phone:
        await phone.register()
        head, line = export(gateway, file)

        def other(number: int, **changes: object) -> str:
            return json.dumps({**line, "device": f"00000000-0000-4000-8000-{number:012}", "token": f"{number:08x}",
                               **changes})

        file.write_text("\n".join([
            json.dumps(head), other(1), "", "nonsense", other(2, platform="watchOS"), other(3) + "\r",
            other(4, token=line["token"]), json.dumps({**line, "widgets": []}), other(5, seen="never"),
            '{"kind":"' + "x" * (2 << 20) + '"}', other(6)]))
        run = gateway.ctl("registrations", "import", str(file))
        assert run.returncode == 1
        named = [tuple(text.split(": ")[:2]) for text in run.stderr.splitlines()]
        assert sorted(named) == [("line 10", "line-too-long"), ("line 4", "malformed-json"),
                                 ("line 5", "family-not-available"), ("line 7", "token-in-use"),
                                 ("line 8", "differs"), ("line 9", "wrong-type")]
        report = take_over(gateway, file)
        assert (report["lines"], report["added"], report["unchanged"], report["kept"], report["refused"]) == (
            10, 0, 3, 1, 5)
        assert [note["line"] for note in report["notes"]] == [4, 5, 7, 8, 9, 10]
        before = gateway.admin("GET", "/v1/status")[1]["registrations"]
        file.write_text("\n".join([json.dumps({**head, "version": 2}), other(7), other(8)]))
        foreign = gateway.ctl("registrations", "import", str(file))
        assert foreign.returncode == 1 and "version 2" in foreign.stderr and "nothing was taken over" in foreign.stderr
        assert gateway.admin("GET", "/v1/status")[1]["registrations"] == before
        missing = gateway.ctl("registrations", "import", str(tmp_path / "nothing"))
        assert missing.returncode == 1 and "No such file" in missing.stderr


async def test_a_sweep_removes_who_was_silent_and_is_audited(start, tmp_path) -> None:
    gateway = start({})
    file = tmp_path / "all.jsonl"
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        kept = (await phone.register())["token"]
        head, line = export(gateway, file)
        long_ago = int(time.time()) - 100 * DAY
        tokens = [f"{number:08x}" for number in range(1, 1001)]
        file.write_text("\n".join([json.dumps(head)] + [
            json.dumps({**line, "device": f"00000000-0000-4000-8000-{int(token, 16):012}", "token": token,
                        "seen": long_ago}) for token in tokens]))
        assert take_over(gateway, file)["added"] == 1000
        assert (await backend.push(tokens[0])).status == 200

        run = gateway.ctl("registrations", "sweep", "--older-than", "90d", "--dry-run")
        assert run.stdout == "1000 of 1001 registrations, and 1000 devices would be removed.\n", run.stderr
        assert gateway.admin("GET", "/v1/status")[1]["registrations"] == 1001
        run = gateway.ctl("registrations", "sweep", "--older-than", "90d", "--who", "ada")
        assert run.stdout == "1000 of 1001 registrations, and 1000 devices were removed.\n", run.stderr
        log = gateway.log.read_text()
        assert "stale registrations were removed by hand" in log and "ada" in log and "1000 registrations" in log
        gateway.kill()
        gateway.start()
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(kept)).status == 200
        for token in tokens[::100]:
            answer = await backend.push(token)
            assert (answer.status, answer.reason) == (410, "Unregistered")
    short = gateway.ctl("registrations", "sweep", "--older-than", "1h")
    assert short.returncode == 2 and "at least a day" in short.stderr
    status, body = gateway.admin("POST", "/v1/registrations/sweep", {"olderThanSeconds": 3600, "who": "ada"})
    assert (status, body["error"]) == (422, "invalid-request")
    # An export from before is the way back.
    assert take_over(gateway, file)["added"] == 1000


async def test_enrolment_is_limited_for_the_key_and_for_each_address(start) -> None:
    gateway = start({"enrolment[0].per-minute": 4, "enrolment[0].per-address-per-minute": 2})

    async def enrol(times: int) -> list[tuple[int, bool]]:
        """Status, and whether a refusal speaks of the address."""
        connection = await Device.dial(gateway)
        answers = []
        for _ in range(times):
            answer = await connection.request(
                "POST", "/v1/devices", [("authorization", f"Bearer {gateway.enrolment_key}")],
                b'{"platform":"iOS","os":"26"}')
            answers.append((answer.status, "address" in answer.json.get("detail", "")))
            if answer.status == 429:
                assert answer.json["error"] == "enrolment-limit"
                assert 1 <= int(answer.header("retry-after") or 0) <= 30
        await connection.close()
        return answers

    assert await enrol(4) == [(201, False)] * 2 + [(429, True)] * 2
    gateway.stop()
    gateway.set({"enrolment[0].per-address-per-minute": 0})
    gateway.start()
    assert await enrol(6) == [(201, False)] * 4 + [(429, False)] * 2
