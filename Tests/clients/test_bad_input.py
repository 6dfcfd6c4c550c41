"""Bad input is one clear answer and nothing else: the connection may go, the process stays, memory is bounded; and a
start that cannot succeed says why in one line and leaves nothing half made."""

from __future__ import annotations

import asyncio
import hashlib
import random
import resource
import signal
import socket
import sqlite3
import ssl
import struct
from pathlib import Path
from typing import Callable

import pytest

from device import Device
from gateway import BUNDLE, Gateway
from http2 import ConnectionLost, StreamReset, client_context
from provider import Provider

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, SETTINGS_ACK = 4, b"\0\0\0\4\1\0\0\0\0"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


async def assert_serves(gateway: Gateway) -> None:
    """A whole new push through new connections."""
    assert gateway.is_running, "the process has ended"
    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        answer = await backend.push(token)
        assert answer.status == 200
        assert (await updates.next()).apns_id == answer.header("apns-id")


def tls(gateway: Gateway, port: int, *, alpn: bool = True) -> ssl.SSLSocket:
    raw = socket.create_connection(("127.0.0.1", port), timeout=30)
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client_context(gateway.ca, alpn=alpn).wrap_socket(raw, server_hostname="localhost")


def read_to_end(connection: socket.socket) -> bytes:
    """All that comes until the server closes; a server that never does is a failure (30 s without a byte)."""
    received = b""
    while True:
        try:
            data = connection.recv(65536)
        except (ConnectionError, ssl.SSLError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            return received
        if not data:
            return received
        received += data


def send_until_closed(connection: socket.socket, data: bytes, times: int) -> bool:
    """Whether the server closed before all was sent. Answers are read beside it, or the flood would block itself."""
    connection.settimeout(30)
    try:
        for _ in range(times):
            connection.sendall(data)
            connection.settimeout(0)
            try:
                while connection.recv(65536):
                    pass
                return True
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            finally:
                connection.settimeout(30)
    except (ConnectionError, ssl.SSLError, OSError):
        return True
    return False


def ports(gateway: Gateway) -> list[int]:
    return [gateway.provider_port("development"), gateway.provider_port("production"), gateway.device_port]


async def test_garbage_on_any_port_ends_its_connection_and_nothing_else(serving: Gateway) -> None:
    noise = random.Random(7)
    for port in [*ports(serving), serving.admin_port]:
        for size in (1, 100, 5000, 100_000):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                try:
                    connection.sendall(noise.randbytes(size))
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass  # it has closed already
                read_to_end(connection)
    await assert_serves(serving)


async def test_garbage_inside_tls_ends_its_connection_and_nothing_else(serving: Gateway) -> None:
    noise = random.Random(8)
    for port in ports(serving):
        for text in (noise.randbytes(5000), PREFACE + noise.randbytes(5000), PREFACE + frame(4, 0, 0, b"odd"),
                     PREFACE + frame(4, 0, 0) + frame(0, 0, 1, b"data on an idle stream"),
                     PREFACE + frame(4, 0, 0) + frame(1, 5, 2, b"\x82"),
                     PREFACE + frame(4, 0, 0) + frame(1, 5, 1, b"\xff\xff\xff\xff\xff\xff\xff"),
                     PREFACE + frame(4, 0, 0) + frame(9, 4, 1, b"\x82"),
                     PREFACE + frame(4, 0, 0) + b"\xff\xff\xff\0\0\0\0\0\1"):
            with tls(serving, port) as connection:
                try:
                    connection.sendall(text)
                except OSError:
                    pass
                read_to_end(connection)
    await assert_serves(serving)


async def test_http_1_on_a_tls_port_is_closed(serving: Gateway) -> None:
    for port in ports(serving):
        for alpn in (True, False):
            with tls(serving, port, alpn=alpn) as connection:
                connection.sendall(b"POST /3/device/ab HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n")
                answer = read_to_end(connection)
                assert b"HTTP/1" not in answer
    await assert_serves(serving)


async def test_half_handshakes_are_closed_after_their_time_and_hold_nobody_up(start) -> None:
    gateway = start({"limits.handshake-timeout": "2s"})
    hello = ssl.MemoryBIO()
    client = client_context(None).wrap_bio(ssl.MemoryBIO(), hello)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    half = hello.read()[:100]
    connections = []
    for port in ports(gateway):
        for text in (b"", half) * 50:
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.sendall(text)
            connections.append(connection)
    await assert_serves(gateway)
    for connection in connections:
        with connection:
            read_to_end(connection)
    await assert_serves(gateway)


async def test_a_header_list_over_the_limit_is_refused_and_its_connection_lives_or_is_told(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        token = (await phone.register())["token"]
        for more in ([("x-filler", "f" * 9000)], [(f"x-{n}", "f" * 100) for n in range(200)],
                     [("x-filler", "f" * 60_000)]):
            async with await Provider.connect(serving) as backend:
                assert (await backend.push(token)).status == 200
                try:
                    answer = await backend.push(token, more=more)
                    assert 400 <= answer.status < 500, answer
                except (StreamReset, ConnectionLost):
                    pass
        await assert_serves(serving)


async def test_floods_are_ended_and_memory_stays_bounded(serving: Gateway) -> None:
    await assert_serves(serving)
    before = serving.resident_kilobytes()
    path = b"\x04" + bytes([20]) + b"/3/device/abcdefabcd"
    post = b"\x83\x87" + path
    floods = {
        "PING": frame(6, 0, 0, b"\0" * 8) * 100,
        "SETTINGS": frame(4, 0, 0) * 100,
        "PRIORITY": frame(2, 0, 1, b"\0\0\0\0\x10") * 100,
        "WINDOW_UPDATE": frame(8, 0, 0, b"\0\0\0\1") * 100,
        "unknown frames": frame(0x77, 0, 0, b"x" * 100) * 100,
    }
    for port in ports(serving):
        for name, text in floods.items():
            with tls(serving, port) as connection:
                connection.sendall(PREFACE + frame(4, 0, 0))
                send_until_closed(connection, text, 500)
            assert serving.is_running, f"{name} ended the process"

        with tls(serving, port) as connection:  # rapid resets: CVE-2023-44487
            connection.sendall(PREFACE + frame(4, 0, 0))
            ended = False
            for first in range(1, 400_000, 2000):
                text = b"".join(
                    frame(1, 4, n, post) + frame(3, 0, n, b"\0\0\0\x08") for n in range(first, first + 2000, 2))
                if ended := send_until_closed(connection, text, 1):
                    break
            assert ended, "two hundred thousand resets were taken from one connection"

        with tls(serving, port) as connection:  # endless CONTINUATION: CVE-2024-28182
            connection.sendall(PREFACE + frame(4, 0, 0) + frame(1, 0, 1, post))
            assert send_until_closed(connection, frame(9, 0, 1, b"\x00\x01a\x01b" * 200) * 10, 2000), (
                "a header block without end was taken")

        with tls(serving, port) as connection:  # bodies without end on every stream
            connection.sendall(PREFACE + frame(4, 0, 0))
            body = b"".join(frame(1, 4, n, post) + frame(0, 0, n, b"x" * 60) for n in range(1, 2001, 2))
            send_until_closed(connection, body, 1)
    await assert_serves(serving)
    grown = serving.resident_kilobytes() - before
    assert grown < 100_000, f"resident memory has grown by {grown} KB"


async def test_wrong_json_on_the_device_port_is_named(serving: Gateway) -> None:
    async with await Device.enrol(serving) as phone:
        widget = {"kind": "caffeine", "family": "systemSmall"}
        cases = {
            "no object": [], "no environment": {"widgets": [widget]},
            "an unknown environment": {"environment": "staging", "widgets": [widget]},
            "no widgets": {"environment": "development"},
            "a widget without a kind": {"environment": "development", "widgets": [{"family": "systemSmall"}]},
            "an unknown family": {"environment": "development", "widgets": [widget | {"family": "systemHuge"}]},
            "a family of another platform": {
                "environment": "development", "widgets": [widget | {"family": "accessoryCorner"}]},
            "65 widgets": {"environment": "development", "widgets": [widget] * 65},
            "a kind of 129 bytes": {"environment": "development", "widgets": [widget | {"kind": "k" * 129}]},
            "a configuration over 1 KiB": {
                "environment": "development", "widgets": [widget | {"configuration": "c" * 1025}]},
            "a token that is not hexadecimal": {"environment": "development", "token": "xyz", "widgets": [widget]},
            "a token of 101 bytes": {"environment": "development", "token": "ab" * 101, "widgets": [widget]},
        }
        for name, body in cases.items():
            answer = await phone.call("PUT", f"/apps/{BUNDLE}", body)
            assert 400 <= answer.status < 500, (name, answer)
            assert answer.json["error"] == answer.json["error"].lower() and answer.json["detail"], name
        large = await phone.call("PUT", f"/apps/{BUNDLE}", {"environment": "development", "filler": "x" * 70_000})
        assert large.status == 413
        foreign = await phone.call("PUT", "/apps/com.elsewhere.app", {"environment": "development", "widgets": []})
        assert foreign.status == 403
        await phone.register()


# Starts that cannot succeed


def one_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 1, f"not one line on standard error: {text!r}"
    return lines[0]


def failing_start(gateway: Gateway, **options) -> str:
    done = gateway.program("gatewayd", "serve", "--config", gateway.config, **options)
    assert done.returncode == 1, (done.returncode, done.stderr)
    return one_line(done.stderr)


@pytest.mark.parametrize("program", ["gatewayd", "gatewayctl"])
def test_a_wrong_command_line_is_named_and_answered_with_2(gateway: Gateway, program: str) -> None:
    for arguments, named in [(["--nonsense"], "--nonsense"), (["nonsense"], "nonsense")]:
        done = gateway.program(program, *arguments)
        assert done.returncode == 2, done
        assert named in done.stderr and done.stdout == ""
    helped = gateway.program(program, "--help")
    assert helped.returncode == 0 and helped.stdout and not helped.stderr


def test_an_unknown_flag_of_serve_is_named(gateway: Gateway) -> None:
    done = gateway.program("gatewayd", "serve", "--config", gateway.config, "--prot", "1")
    assert done.returncode == 2 and "--prot" in done.stderr
    assert not gateway.database.exists()


@pytest.mark.parametrize("command", ["check", "serve"])
def test_a_wrong_configuration_is_named_with_file_line_and_key(gateway: Gateway, command: str) -> None:
    right, database = gateway.config.read_text(), gateway.database
    cases = [("budget.brust", 4, "brust"), ("budget.burst", "four", "burst"), ("budget.burst", -1, "burst"),
             ("budget.refreshes-per-day", 0, "refreshes-per-day"), ("delivery.retention", "soon", "retention"),
             ("log.level", "loud", "level"), ("provider[0].listen", "nowhere", "listen"), ("lops", 1, "lops")]
    for path, value, named in cases:
        gateway.config.write_text(right)
        gateway.set({path: value})
        line = next(n for n, row in enumerate(gateway.config.read_text().splitlines(), 1)
                    if row.split("=")[0].strip() == path.rpartition(".")[2] and not row.startswith("#"))
        done = gateway.program("gatewayd", command, "--config", gateway.config)
        assert done.returncode == 1, (path, done)
        assert f"gatewayd.toml:{line}" in one_line(done.stderr), path
        assert named in done.stderr, path
    gateway.config.write_text(right + "\nbroken = [\n")
    assert "gatewayd.toml:" in one_line(gateway.program("gatewayd", command, "--config", gateway.config).stderr)
    gateway.config.unlink()
    done = gateway.program("gatewayd", command, "--config", gateway.config)
    assert done.returncode == 1 and str(gateway.config) in one_line(done.stderr)
    assert not database.exists()


def test_the_configuration_that_init_makes_passes_check(gateway: Gateway) -> None:
    done = gateway.program("gatewayd", "check", "--config", gateway.config)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_port_in_use_is_named(gateway: Gateway) -> None:
    for port in (gateway.development_port, gateway.device_port, gateway.admin_port):
        with socket.socket(socket.AF_INET6) as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("::", port))
            taken.listen()
            assert str(port) in failing_start(gateway)
    assert not gateway.database.exists()
    gateway.start()
    # A second process on the same configuration leaves the first in peace, its admin socket included.
    assert failing_start(gateway)
    assert gateway.is_ready()


def test_a_key_file_that_cannot_be_read_is_named_and_never_shown(gateway: Gateway) -> None:
    configuration = gateway.configuration
    places = {
        gateway.path(configuration["tls"]["key"]): 1, gateway.path(configuration["tls"]["certificate"]): 1,
        # The provider key stands at one entry for each environment, and each is a line of its own.
        gateway.credential().file: len(configuration["provider-key"]),
        gateway.path(configuration["enrolment"][0]["key-file"]): 1}

    def assert_named(file: Path, count: int) -> str:
        done = gateway.program("gatewayd", "serve", "--config", gateway.config)
        assert done.returncode == 1, done
        lines = done.stderr.splitlines()
        assert 1 <= len(lines) <= count and all(file.name in line for line in lines), done.stderr
        return done.stderr

    for file, count in places.items():
        right = file.read_bytes()
        file.unlink()
        assert_named(file, count)
        file.mkdir()
        assert_named(file, count)
        file.rmdir()
        file.touch(mode=0o600)
        assert_named(file, count)
        if file != gateway.path(configuration["enrolment"][0]["key-file"]):  # which is any text
            file.write_bytes(b"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
            assert "c2VjcmV0" not in assert_named(file, count)
        file.write_bytes(right)
    assert not gateway.database.exists()
    gateway.start()


def test_a_database_of_a_newer_schema_is_left_as_it_is(gateway: Gateway) -> None:
    gateway.start()
    assert gateway.stop() == 0
    with sqlite3.connect(gateway.database) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = hashlib.sha256(gateway.database.read_bytes()).digest()
    said = failing_start(gateway)
    assert gateway.database.name in said and "9999" in said
    assert hashlib.sha256(gateway.database.read_bytes()).digest() == before


def test_a_database_that_is_none_is_left_as_it_is(gateway: Gateway) -> None:
    text = b"this is not a database\n" * 1000
    gateway.database.parent.mkdir(parents=True, exist_ok=True)
    gateway.database.write_bytes(text)
    assert gateway.database.name in failing_start(gateway)
    assert gateway.database.read_bytes() == text


def small_files_only(size: int) -> Callable[[], None]:
    """No file may grow beyond `size`: what a full disk looks like to a process, whoever runs it."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("size", [0, 4096, 20_000])
def test_a_full_disk_at_start_is_one_line_and_the_next_start_succeeds(gateway: Gateway, size: int) -> None:
    said = failing_start(gateway, preexec_fn=small_files_only(size))
    assert gateway.database.name in said
    assert not gateway.path(gateway.configuration["admin"]["socket"]).exists(), "a socket was left behind"
    gateway.start()
    assert gateway.stop() == 0


async def test_a_disk_that_fills_up_answers_no_200_and_heals_when_there_is_room(gateway: Gateway) -> None:
    gateway.set({"checks.pushes-per-token-per-minute": 0})
    gateway.start(preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    assert gateway.process is not None
    unlimited = resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE)

    async with await Device.enrol(gateway) as phone, await Provider.connect(gateway) as backend:
        token = (await phone.register())["token"]
        updates = await phone.updates()
        first = await backend.push(token)
        assert (await updates.next()).apns_id == first.header("apns-id")

        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (0, unlimited[1]))
        # What was accepted before the door noticed waits for its commit; what comes after is told to come again.
        waiting = [asyncio.create_task(backend.push(token))]
        while not any(task.done() for task in waiting):
            assert len(waiting) < 600, "a minute of pushes, and no answer to any of them"
            await asyncio.sleep(0.1)
            waiting.append(asyncio.create_task(backend.push(token)))
        told = [task.result() for task in waiting if task.done()]
        assert {(answer.status, answer.reason) for answer in told} == {(503, "ServiceUnavailable")}
        assert gateway.is_running
        # Nor does a device wait for what it can ask again; its stream may be opened, and hears of it all later.
        asked = [await phone.call("GET", "/explain"), await phone.call("PUT", "/state", {"asleep": False}),
                 await phone.call("POST", "/receipts", {"upTo": "1-1"}),
                 await phone.call("PUT", f"/apps/{BUNDLE}", {"environment": "development", "widgets": []})]
        assert [(answer.status, answer.json["error"], answer.header("retry-after")) for answer in asked] == [
            (503, "store-unavailable", "1")] * 4
        updates = await phone.updates()

        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, unlimited)
        assert all(answer.status in (200, 503) for answer in await asyncio.gather(*waiting))
        for _ in range(600):
            last = await backend.push(token)
            if last.status == 200:
                break
            await asyncio.sleep(0.1)
        assert last.status == 200
        while (await updates.next()).apns_id != last.header("apns-id"):
            pass
    assert gateway.stop() == 0


def test_init_on_a_full_disk_leaves_nothing(gateway: Gateway) -> None:
    folder = gateway.directory / "full"
    done = gateway.program("gatewayd", "init", "--directory", folder, "--bundle-id", BUNDLE,
                           preexec_fn=small_files_only(100))
    assert done.returncode == 1, done
    assert str(folder) in one_line(done.stderr)
    assert not folder.exists() or not list(folder.iterdir())


def test_init_overwrites_nothing(gateway: Gateway) -> None:
    before = {file.name: file.read_bytes() for file in gateway.setup.iterdir() if file.is_file()}
    done = gateway.program("gatewayd", "init", "--directory", gateway.setup, "--bundle-id", BUNDLE)
    assert done.returncode == 1
    one_line(done.stderr)
    assert {file.name: file.read_bytes() for file in gateway.setup.iterdir() if file.is_file()} == before


def test_init_makes_keys_that_only_their_owner_reads(gateway: Gateway) -> None:
    assert gateway.credential().file.name == f"AuthKey_{gateway.credential().key_id}.p8"
    for file in (gateway.credential().file, gateway.path(gateway.configuration["enrolment"][0]["key-file"]),
                 gateway.path(gateway.configuration["tls"]["key"])):
        assert file.stat().st_mode & 0o077 == 0, file
    assert not list(gateway.setup.glob("ca*key*")), "the CA's key is thrown away"


def test_no_secret_is_in_the_log(serving: Gateway) -> None:
    """Tokens, keys and provider tokens of a whole push, a refused one and a wrong enrolment key."""

    async def traffic() -> list[str]:
        async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
            token = (await phone.register())["token"]
            await backend.push(token)
            await backend.push("ab" * 32)
            backend.authorization += "x"
            assert (await backend.push(token)).status == 403
            refused = await phone.connection.request(
                "POST", "/v1/devices", [("authorization", "Bearer wrong-enrolment-key")], b"{}")
            assert refused.status in (401, 403)
            return [token, "ab" * 32, phone.key, backend.authorization.split(".")[-1], "wrong-enrolment-key",
                    serving.enrolment_key]

    secrets = asyncio.run(traffic())
    assert serving.stop() == 0
    log = serving.log.read_text()
    for secret in secrets:
        assert secret.lower() not in log.lower()
