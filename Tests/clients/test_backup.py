"""A backup of a running gateway, and what comes back of it.

A copy is of one moment and complete, whatever is pushed meanwhile; nothing is overwritten; a damaged database is found
and never served; a restore begins a new epoch, so that receipts for what is forgotten clear nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from device import MEDIUM, SMALL, Device
from flood import Flood, Push
from gateway import BUNDLE, Gateway
from provider import Provider

PAGE = 4096


def run(gateway: Gateway, program: str, *arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [gateway.binaries / program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def backup(gateway: Gateway, file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(gateway, "gatewayctl", "--config", gateway.config, *options, "backup", file)


def break_pages(database: Path, first: int) -> None:
    with database.open("r+b") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(first * PAGE)
        file.write(b"\xa5" * (size - first * PAGE))


async def test_a_backup_under_load_is_whole_and_private_and_overwrites_nothing(start) -> None:
    gateway = start({"checks.pushes-per-token-per-minute": 0})
    async with await Device.enrol(gateway) as device:
        token = (await device.register(BUNDLE, SMALL, MEDIUM))["token"]
    load = Flood(gateway, 100, lambda: Push(token, 1), lambda _: None)
    load.start()
    file = gateway.directory / "backup.sqlite"
    try:
        done = await asyncio.to_thread(backup, gateway, file, "--json")
        assert done.returncode == 0, done.stderr
        saved = json.loads(done.stdout)
        assert (saved["devices"], saved["registrations"]) == (1, 1)
        assert file.stat().st_mode & 0o777 == 0o600 and file.stat().st_size == saved["bytes"]
        again = await asyncio.to_thread(backup, gateway, file)
        assert again.returncode == 1 and "is not overwritten" in again.stderr
        assert file.stat().st_size == saved["bytes"]
    finally:
        gateway.kill()
        await asyncio.to_thread(load.join, 60)
    assert load.finding is None
    assert not [path for path in gateway.database.parent.iterdir() if "copying" in path.name]
    assert sorted(path.name for path in gateway.directory.iterdir()) == ["backup.sqlite", "log", "setup"]
    checked = run(gateway, "gatewayd", "check", "--database", file, "--json")
    assert checked.returncode == 0, checked.stderr
    report = json.loads(checked.stdout)
    assert report["findings"] == [] and report["registrations"] == 1 and report["journalEntries"] > 0
    # The file needs nothing beside it, and being looked at left nothing there.
    assert not list(gateway.directory.glob("backup.sqlite-*"))


async def test_what_is_restored_is_of_the_moment_of_the_backup_and_old_receipts_clear_nothing(start) -> None:
    gateway = start({})
    async with await Device.enrol(gateway) as device, await Provider.connect(gateway) as backend:
        token = (await device.register())["token"]
        updates = await device.updates()
        assert (await backend.push(token)).status == 200
        before = await updates.next()
        file = gateway.directory / "backup.sqlite"
        assert (await asyncio.to_thread(backup, gateway, file)).returncode == 0
        await device.receipt(before.id)
        assert (await backend.push(token)).status == 200
        later = await updates.next()
    running = await asyncio.to_thread(run, gateway, "gatewayd", "restore", "--config", gateway.config, file)
    assert running.returncode == 1 and "in use" in running.stderr
    assert await asyncio.to_thread(gateway.stop) == 0
    done = await asyncio.to_thread(run, gateway, "gatewayd", "restore", "--config", gateway.config, file)
    assert done.returncode == 0, done.stderr
    assert "gateway.sqlite-replaced" in done.stdout
    await asyncio.to_thread(gateway.start)
    # In the backup the first refresh has no receipt, so it comes again under its id.
    await device.redial()
    again = await (await device.updates()).next()
    assert (again.id, again.apns_id) == (before.id, before.apns_id)
    # What is handed over now is of a new epoch, and nothing that the device remembers of the old one clears it.
    await device.receipt(again.id)
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200
    await device.redial()
    fresh = await (await device.updates()).next()
    old, new = later.id.split("-")[0], fresh.id.split("-")[0]
    assert int(new) > int(old)
    await device.receipt(f"{old}-999999")
    await device.redial()
    assert (await (await device.updates()).next()).id == fresh.id
    await device.close()


async def test_a_damaged_database_is_named_and_not_served_and_a_restore_mends_it(start) -> None:
    gateway = start({})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    file = gateway.directory / "backup.sqlite"
    assert backup(gateway, file).returncode == 0
    gateway.kill()
    # What a crash leaves in the WAL is moved into the database first, so that the damage below is not healed by it.
    with sqlite3.connect(gateway.database) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    for suffix in ("-wal", "-shm"):
        Path(f"{gateway.database}{suffix}").unlink(missing_ok=True)
    break_pages(gateway.database, 2)
    served = subprocess.run(
        [gateway.binaries / "gatewayd", "serve", "--config", gateway.config], capture_output=True, text=True, timeout=60)
    assert served.returncode == 1
    assert "damaged" in served.stderr and "restore" in served.stderr, served.stderr
    checked = run(gateway, "gatewayd", "check", "--config", gateway.config, "--database")
    assert checked.returncode == 1 and "restore a backup" in checked.stderr + checked.stdout, checked
    refused = run(gateway, "gatewayd", "restore", "--config", gateway.config, gateway.database)
    assert refused.returncode == 1
    assert run(gateway, "gatewayd", "restore", "--config", gateway.config, file).returncode == 0
    gateway.start()
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200


async def test_damage_that_a_backup_meets_ends_all_200s_too(start) -> None:
    gateway = start({})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    assert await asyncio.to_thread(gateway.stop) == 0
    gateway.start()
    # Behind its back: what it has read is in its memory, and its next commits need not read what is broken.
    break_pages(gateway.database, 2)
    done = await asyncio.to_thread(backup, gateway, gateway.directory / "backup.sqlite")
    assert done.returncode == 1 and "restore a backup" in done.stderr, done.stderr
    async with asyncio.timeout(20):
        while gateway.is_ready():
            await asyncio.sleep(0.01)
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 503
    assert "the database is damaged" in gateway.log.read_text()
    assert Path(f"{gateway.database}-damaged").exists()
    gateway.kill()


async def test_a_database_that_was_not_there_is_said_to_be_new(start) -> None:
    gateway = start({})
    assert "a new one was made" in gateway.log.read_text()
    assert await asyncio.to_thread(gateway.stop) == 0
    said = len(gateway.log.read_text())
    gateway.start()
    assert "a new one was made" not in gateway.log.read_text()[said:]
    assert await asyncio.to_thread(gateway.stop) == 0
    gateway.database.write_bytes(b"")
    gateway.start()
    assert "a file of no bytes" in gateway.log.read_text()[said:]


async def test_damage_that_a_running_gateway_meets_ends_all_200s_until_a_restore(start) -> None:
    gateway = start({})
    async with await Device.enrol(gateway) as device:
        token = (await device.register())["token"]
    file = gateway.directory / "backup.sqlite"
    assert backup(gateway, file).returncode == 0
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200
        other = sqlite3.connect(gateway.database, isolation_level=None)
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # A commit of somebody else makes the gateway read again what it has in its cache.
        other.execute("UPDATE position SET epoch = epoch")
        break_pages(gateway.database, 1)
        push = asyncio.create_task(backend.push(token))
        async with asyncio.timeout(30):
            while gateway.is_ready():
                await asyncio.sleep(0.01)
        assert not push.done(), "a push in a commit that failed has no answer"
        for _ in range(20):
            answer = await backend.push(token)
            assert answer.status == 503 and answer.json["reason"] == "ServiceUnavailable"
        status, ready = gateway.admin("GET", "/readyz")
        assert status == 503 and "damaged" in ready["why"]
        other.close()
        push.cancel()
    failed = backup(gateway, gateway.directory / "other.sqlite")
    assert failed.returncode == 1 and not (gateway.directory / "other.sqlite").exists()
    assert await asyncio.to_thread(gateway.stop) == 1, "the last commits are not in the database"
    assert "nobody was told" in gateway.log.read_text()
    assert run(gateway, "gatewayd", "restore", "--config", gateway.config, file).returncode == 0
    gateway.start()
    async with await Provider.connect(gateway) as backend:
        assert (await backend.push(token)).status == 200
