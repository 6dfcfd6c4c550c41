"""CPU per accepted push, against nghttpd in the same run.

`make bench`, or: swift build -c release --product gatewayd && Tests/clients/run --python Benchmarks/bench.py

nghttpd, nghttp2's own server, only answers; gatewayd also verifies the provider token, runs every check, parses the
payload, asks budgets, marks widgets and commits (`synchronous=FULL`). Both get the same load from h2load over TLS, ten
connections with a hundred requests in flight each, over ten thousand different tokens. No device is connected for half
of the tokens; the devices of the others are, and have spent their budgets. So nearly every push is checked, marked,
deferred and committed, which is what a gateway does all day.

What is compared is CPU time of all threads per request and not requests per second: on shared machines the wall clock
jumps, CPU time hardly does. The server is bound to core 0 and the load to core 1; the two servers take turns, A B then
B A, so that a machine that becomes slower does so for both.

REQUESTS=100000 REPEATS=3 TOKENS=10000 LATENCY=3000 are the defaults; JSON=1 prints one object with "ratio" on top.
The pushes go to development, where `explain` records each; ENVIRONMENT=production pushes where it records nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "clients"))

from device import Device, UpdateStream  # noqa: E402
from gateway import Gateway, free_ports  # noqa: E402
from http2 import Connection  # noqa: E402
from provider import REFRESH, Provider, widgets_topic  # noqa: E402

REQUESTS = int(os.environ.get("REQUESTS", "100000"))
REPEATS = int(os.environ.get("REPEATS", "3"))
TOKENS = int(os.environ.get("TOKENS", "10000"))
LATENCY = int(os.environ.get("LATENCY", "3000"))
ENVIRONMENT = os.environ.get("ENVIRONMENT", "development")
CONNECTIONS, IN_FLIGHT = 10, 100
BURST = 4
SERVER_CORE, LOAD_CORE = 0, 1
#: A spread of CPU per request beyond this share of its median says more about the machine than about the server.
NOISE = 0.15


def say(text: str) -> None:
    if not os.environ.get("JSON"):
        print(text, flush=True)


# The two servers


@dataclass
class Server:
    name: str
    pid: int
    #: One URI for each token.
    uris: Path
    headers: list[str]

    def cpu_nanoseconds(self) -> int:
        """All threads; schedstat has nanoseconds where /proc/<pid>/stat has ticks of 10 ms."""
        return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{self.pid}/task").glob("*/schedstat"))


class Nghttpd:
    """Answers each POST from one empty file: the tokens are in the query, so that it looks up no file per token.
    `/3?device/<token>` is as long as `/3/device/<token>`."""

    def __init__(self, gateway: Gateway, folder: Path) -> None:
        tls = gateway.configuration["tls"]
        documents = folder / "documents"
        documents.mkdir()
        (documents / "3").touch()
        self.port = free_ports(1)[0]
        self.process = subprocess.Popen(
            ["taskset", "--cpu-list", str(SERVER_CORE), "nghttpd", "--address", "127.0.0.1", "--htdocs", documents,
             str(self.port), gateway.path(tls["key"]), gateway.path(tls["certificate"])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while not _accepts(self.port):
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit("bench: nghttpd did not start")
            time.sleep(0.02)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def start_gateway(binaries: Path) -> Gateway:
    gateway = Gateway(binaries)
    gateway.set({"budget.burst": BURST, "checks.pushes-per-token-per-minute": 0, "enrolment[0].per-minute": 0})
    gateway.start(preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}))
    return gateway


# The fleet


class Fleet:
    """Half of its devices hold their streams, many on one connection: what is measured is pushes and not sockets."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.tokens: list[str] = []
        self.connections: list[Connection] = []
        self.readers: list[asyncio.Task[None]] = []
        self.events = 0
        self.newest: dict[str, tuple[Device, str]] = {}

    async def enrol(self) -> None:
        connected = list(await self._register(TOKENS // 2))
        absent = list(await self._register(TOKENS - TOKENS // 2))
        # Taking turns, so that each part of the load is of both kinds.
        for pair in zip(connected, absent, strict=False):
            self.tokens += [token for _, token in pair]
        self.tokens += [token for _, token in absent[len(connected):]]
        await self._hold_streams([device for device, _ in connected])

    async def _register(self, count: int) -> list[tuple[Device, str]]:
        async def some(share: int) -> list[tuple[Device, str]]:
            connection = await Device.dial(self.gateway)
            self.connections.append(connection)

            async def one() -> tuple[Device, str]:
                device = await Device.enrol(self.gateway, connection=connection)
                return device, (await device.register(environment=ENVIRONMENT))["token"]

            made = []
            while len(made) < share:  # a few at a time: h2 walks over its open streams for each request
                made += await asyncio.gather(*(one() for _ in range(min(25, share - len(made)))))
            return made

        shares = [count // 4 + (1 if n < count % 4 else 0) for n in range(4)]
        return [pair for made in await asyncio.gather(*map(some, shares)) for pair in made]

    async def _hold_streams(self, devices: list[Device]) -> None:
        rest = list(devices)
        while rest:
            connection = await Device.dial(self.gateway)
            self.connections.append(connection)
            room = min(500, connection.concurrent_streams - 10)
            mine, rest = rest[:room], rest[room:]
            for device in mine:
                device.connection = connection
                self.readers.append(asyncio.create_task(self._read(device, await device.updates())))

    async def _read(self, device: Device, updates: UpdateStream) -> None:
        while True:
            refresh = await updates.next(deadline=86_400)
            self.events += 1
            self.newest[device.id] = (device, refresh.id)

    async def settle(self) -> None:
        """Waits until what the devices were given has come, and acknowledges it."""
        before = -1
        while before != self.events:
            before = self.events
            await asyncio.sleep(1)
        for device, id in self.newest.values():
            await device.receipt(id)

    def check(self) -> None:
        broken = [reader for reader in self.readers if reader.done()]
        if broken:
            sys.exit(f"bench: an update stream ended: {broken[0].exception()!r}")


# The load


@dataclass
class Run:
    cpu: float  # microseconds for each request, all threads
    rate: float  # requests a second
    mean: float  # milliseconds from a request's first byte to its answer's last


async def load(server: Server, requests: int, connections: int, in_flight: int, body: Path) -> Run:
    command = ["taskset", "--cpu-list", str(LOAD_CORE), "h2load", "--requests", str(requests), "--clients",
               str(connections), "--max-concurrent-streams", str(in_flight), "--threads", "1", "--input-file",
               str(server.uris), "--data", str(body)]
    for header in server.headers:
        command += ["--header", header]
    before = server.cpu_nanoseconds()
    process = await asyncio.create_subprocess_exec(
        *command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        async with asyncio.timeout(120 + requests / 1000):
            output = (await process.communicate())[0].decode()
    except TimeoutError:
        process.kill()
        await process.wait()
        sys.exit(f"bench: h2load against {server.name} came to no end")
    cpu = server.cpu_nanoseconds() - before
    accepted = re.search(r"status codes: (\d+) 2xx", output)
    if accepted is None or int(accepted[1]) != requests:
        sys.exit(f"bench: {server.name} did not accept all {requests} requests:\n{output}")
    rate = re.search(r"finished in .*?, ([\d.]+) req/s", output)
    mean = re.search(r"time for request:\s+\S+\s+\S+\s+([\d.]+)(us|ms|s)", output)
    assert rate and mean, output
    return Run(cpu / requests / 1000, float(rate[1]), float(mean[1]) * {"us": 0.001, "ms": 1, "s": 1000}[mean[2]])


async def take_turns(servers: list[Server], requests: int, connections: int, in_flight: int,
                     body: Path) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {server.name: [] for server in servers}
    for repeat in range(REPEATS):
        for server in servers if repeat % 2 == 0 else reversed(servers):
            runs[server.name].append(await load(server, requests, connections, in_flight, body))
    return runs


def summary(values: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 4), "min": round(min(values), 4), "max": round(max(values), 4)}


def spread(values: list[float]) -> float:
    return (max(values) - min(values)) / statistics.median(values)


def stolen_share(before: list[int], after: list[int]) -> float:
    """The share of the machine's time that its host gave to somebody else (the 8th number of /proc/stat)."""
    passed = [b - a for a, b in zip(before, after)]
    return passed[7] / max(1, sum(passed[:8]))


def machine_times() -> list[int]:
    return [int(number) for number in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]


# The whole


async def measure(gateway: Gateway, nghttpd: Nghttpd, folder: Path) -> dict:
    body = folder / "body"
    body.write_bytes(REFRESH)
    fleet = Fleet(gateway)
    begun = time.monotonic()
    await fleet.enrol()
    say(f"{TOKENS} registrations made in {time.monotonic() - begun:.1f} s; {TOKENS // 2} of their devices connected")

    backend = await Provider.connect(gateway, ENVIRONMENT)
    headers = [f"authorization: {backend.authorization}", f"apns-topic: {widgets_topic()}", "apns-push-type: widgets"]

    def server(name: str, pid: int, base: str) -> Server:
        uris = folder / f"{name}.uris"
        uris.write_text("".join(f"{base}{token}\n" for token in fleet.tokens))
        return Server(name, pid, uris, headers)

    assert gateway.process is not None
    ours = server("gatewayd", gateway.process.pid, f"https://127.0.0.1:{gateway.provider_port(ENVIRONMENT)}/3/device/")
    theirs = server("nghttpd", nghttpd.process.pid, f"https://127.0.0.1:{nghttpd.port}/3?device/")

    # Each client of h2load begins with the first token: so many requests that each token is pushed to by all of them.
    warm_up = TOKENS * CONNECTIONS
    await load(theirs, warm_up, CONNECTIONS, IN_FLIGHT, body)
    # Pushes that come together share a hand-over, so that one pass does not spend every budget.
    for _ in range(10):
        await load(ours, warm_up, CONNECTIONS, IN_FLIGHT, body)
        await fleet.settle()
        if fleet.events >= BURST * (TOKENS // 2):
            break
    else:
        sys.exit(f"bench: after ten passes the devices were refreshed only {fleet.events} times")
    say(f"budgets spent: the connected devices were refreshed {fleet.events} times")
    for token in fleet.tokens[:2]:
        answer = await backend.push(token)
        if (answer.refresh["sent"], answer.refresh["deferred"]) != (0, 1):
            sys.exit(f"bench: a push is not deferred, as this load needs it: {answer.headers}")

    before = machine_times()
    full = await take_turns([ours, theirs], REQUESTS, CONNECTIONS, IN_FLIGHT, body)
    single = await take_turns([ours, theirs], LATENCY, 1, 1, body)
    stolen = stolen_share(before, machine_times())
    fleet.check()
    if not gateway.is_running:
        sys.exit("bench: gatewayd has ended")

    result: dict = {"servers": {}, "latency": {}}
    noise = []
    for name in (ours.name, theirs.name):
        cpu = [run.cpu for run in full[name]]
        noise.append(spread(cpu))
        result["servers"][name] = {
            "cpu_us_per_request": summary(cpu), "requests_per_second": summary([run.rate for run in full[name]])}
        result["latency"][name] = {"mean_ms": summary([run.mean for run in single[name]])}
    ratio = _ratio(result["servers"], "cpu_us_per_request")
    return {
        "ratio": ratio, "latency_ratio": _ratio(result["latency"], "mean_ms"), **result,
        "requests": REQUESTS, "repeats": REPEATS, "tokens": TOKENS, "connections": CONNECTIONS,
        "in_flight": IN_FLIGHT, "refreshes_while_measuring": fleet.events,
        "resident_kilobytes": gateway.resident_kilobytes(),
        "store_bytes": {file.name: file.stat().st_size
                        for file in sorted(gateway.database.parent.glob(gateway.database.name + "*"))},
        "file_system": subprocess.run(["stat", "--file-system", "--format=%T", gateway.setup], capture_output=True,
                                      text=True).stdout.strip(),
        "stolen_share": round(stolen, 4), "noisy": max(noise) > NOISE or stolen > 0.05}


def _ratio(servers: dict, value: str) -> float:
    return round(servers["gatewayd"][value]["median"] / servers["nghttpd"][value]["median"], 3)


def print_table(result: dict) -> None:
    def cell(value: dict[str, float], digits: int) -> str:
        return f"{value['median']:,.{digits}f}  ({value['min']:,.{digits}f} – {value['max']:,.{digits}f})"

    print(f"\n{REPEATS} x {REQUESTS} pushes, -c {CONNECTIONS} -m {IN_FLIGHT}, {TOKENS} tokens, TLS; "
          f"store on {result['file_system']}; median (least – most)\n")
    rows = [("", "CPU µs a push", "pushes a second", "mean ms, one in flight")]
    for name in ("nghttpd", "gatewayd"):
        server = result["servers"][name]
        rows.append((name, cell(server["cpu_us_per_request"], 2), cell(server["requests_per_second"], 0),
                     cell(result["latency"][name]["mean_ms"], 3)))
    rows.append(("ratio", f"{result['ratio']:.2f}", "", f"{result['latency_ratio']:.2f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    print(f"\ngatewayd resident: {result['resident_kilobytes'] / 1024:.0f} MB; store: "
          + ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in result["store_bytes"].items()))
    if result["noisy"]:
        print(f"The machine was too noisy for this to be a measurement: CPU a push spread over more than {NOISE:.0%}, "
              f"or {result['stolen_share']:.1%} of its time was stolen. Run it again.")


def main() -> None:
    for program in ("nghttpd", "h2load", "taskset"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None:
            sys.exit(f"bench: {program} is missing; apt-get install nghttp2-server nghttp2-client util-linux")
    os.environ["PATH"] += ":/usr/sbin"
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("bench: two cores are needed, one for the server and one for the load")
    os.sched_setaffinity(0, {LOAD_CORE})
    if given := os.environ.get("GATEWAYD_BIN_DIR"):
        binaries = Path(given)
    else:
        shown = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, capture_output=True,
                               text=True, check=True)
        binaries = Path(shown.stdout.strip())
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    gateway = start_gateway(binaries)
    nghttpd = None
    try:
        nghttpd = Nghttpd(gateway, folder)
        result = asyncio.run(measure(gateway, nghttpd, folder))
        if os.environ.get("JSON"):
            print(json.dumps(result, indent=2))
        else:
            print_table(result)
    finally:
        if nghttpd is not None:
            nghttpd.stop()
        gateway.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
