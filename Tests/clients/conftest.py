"""What every client test stands on: real processes, real sockets, and the gateway's log beside each failure."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from disk import SmallDisk  # noqa: E402
from gateway import Gateway, find_binaries  # noqa: E402

pytest_plugins = ["compatibility_table"]

#: No test waits longer than this for anything; it is a stop, not a measure.
TEST_DEADLINE = 1200


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=int, default=10, help="rounds of the crash test (default: 10)")
    parser.addoption("--registrations", type=int, default=10_000,
                     help="registrations of the fan-out that is killed amid (default: 10000)")
    parser.addoption("--seed", type=int, default=None, help="seed of the crash test (default: a new one)")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests written as coroutines get a loop of their own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), TEST_DEADLINE))
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.failed:
        for value in getattr(item, "funcargs", {}).values():
            if isinstance(value, Gateway) and value.log.exists():
                text = value.log.read_text(errors="replace")[-20_000:]
                report.sections.append(("gatewayd's log", text))
    return report


@pytest.fixture(scope="session")
def binaries() -> Path:
    folder = find_binaries()
    assert (folder / "gatewayd").exists(), f"no gatewayd in {folder}; run `swift build` first"
    return folder


@pytest.fixture
def gateway(binaries: Path) -> Iterator[Gateway]:
    """A development setup, made but not started: a test sets its keys and starts it."""
    gateway = Gateway(binaries)
    yield gateway
    gateway.clean_up()


@pytest.fixture
def serving(gateway: Gateway) -> Gateway:
    """A development setup, started with its defaults."""
    gateway.start()
    return gateway


@pytest.fixture
def start(gateway: Gateway) -> Callable[[dict[str, Any]], Gateway]:
    """Sets keys of gatewayd.toml, then starts."""

    def start_with(settings: dict[str, Any]) -> Gateway:
        gateway.set(settings)
        gateway.start()
        return gateway

    return start_with


@pytest.fixture
def small_disk(gateway: Gateway) -> Iterator[SmallDisk]:
    """20 MB, mounted in the gateway's folder."""
    try:
        disk = SmallDisk(gateway.directory)
    except OSError as error:
        pytest.skip(str(error))
    yield disk
    if gateway.is_running:
        gateway.kill()
    disk.close()


@pytest.fixture
def frozen_disk(small_disk: SmallDisk) -> SmallDisk:
    """One whose writes can be made to hang."""
    if small_disk.kind != "ext4":
        pytest.skip(f"a {small_disk.kind} cannot be frozen")
    return small_disk
