"""What devices get: how soon, how many, and at what cost in memory.

    make bench SCENARIO=push-to-event     from a push to the event on its device's stream, at half of full load
    make bench SCENARIO=fan-out           100 thousand registrations at once, 1 thousand devices connected, pushes meanwhile
    make bench SCENARIO=idle-devices      memory of a connected device that nothing happens to

JSON=1 prints one object. Each figure stands beside the target of the design. DEVICES, REGISTRATIONS, SECONDS and REPEATS
change the size; idle devices need two file descriptors each (`ulimit -n`).

The server has core 0 and all else core 1, as in bench.py. Latencies are those of pushes from one client with 50 devices of
its own, whose budgets are off, at 200 a second. It is written in Python, on the same core as all load: it and the scheduler
are part of each figure, so a run without load (`quiet`) stands beside it. Registrations come by `gatewayctl registrations
import`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "clients"))

from crowd import bring  # noqa: E402
from device import Device, UpdateStream  # noqa: E402
from gateway import BUNDLE, Gateway  # noqa: E402
from http2 import Connection  # noqa: E402
from provider import REFRESH, Provider, widgets_topic  # noqa: E402

SERVER_CORE, LOAD_CORE = 0, 1
PROBES, PROBES_A_SECOND = 50, 200
PROBE = {"kind": "probe", "family": "systemSmall"}


def size(name: str, standard: int) -> int:
    return int(os.environ.get(name, str(standard)))


def say(text: str) -> None:
    if not os.environ.get("JSON"):
        print(text, flush=True)


# The gateway and those around it


def start_gateway(binaries: Path, **settings: object) -> Gateway:
    gateway = Gateway(binaries)
    gateway.set({"checks.pushes-per-token-per-minute": 0, "enrolment[0].per-minute": 0, "limits.connections": 100_000,
                 "limits.connections-per-address": 0, **settings})
    gateway.append('[[budget.override]]\nkind = "probe"\nmode = "off"')
    gateway.start(preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}))
    return gateway


def simulate(gateway: Gateway, devices: int, nice: int = 0) -> subprocess.Popen[bytes]:
    """Begins to play so many devices, and waits until all hold their streams."""
    process = subprocess.Popen(
        [gateway.binaries / "gatewayctl", "--config", gateway.config, "simulate", "--devices", str(devices), "--quiet"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        preexec_fn=lambda: os.nice(nice))
    end = time.monotonic() + 60 + devices / 20
    while gateway.admin("GET", "/v1/status")[1]["connectedDevices"] < devices:
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            sys.exit("bench: the simulated devices did not get in")
        time.sleep(0.2)
    return process


class Prober:
    """Pushes to devices of its own at a steady pace, and notes for each push when its answer and its event came."""

    def __init__(self) -> None:
        self.answers: list[float] = []
        self.events: list[float] = []
        #: By device, oldest first: an event answers for all pushes to its widget that came before, too.
        self._sent: list[dict[str, float]] = [{} for _ in range(PROBES)]
        self._readers: list[asyncio.Task[None]] = []
        self._devices: list[tuple[Device, str]] = []
        self._pending: set[asyncio.Task[None]] = set()

    async def connect(self, gateway: Gateway) -> None:
        self.backend = await Provider.connect(gateway)
        self.connection = await Device.dial(gateway)
        for number in range(PROBES):
            device = await Device.enrol(gateway, connection=self.connection)
            token = (await device.register(BUNDLE, PROBE))["token"]
            self._readers.append(asyncio.create_task(self._read(number, await device.updates())))
            self._devices.append((device, token))
        await self.backend.push(self._devices[0][1])  # one stream at a time until the first valid provider token

    async def _read(self, number: int, updates: UpdateStream) -> None:
        waiting = self._sent[number]
        while True:
            refresh = await updates.next(deadline=86_400)
            while refresh.apns_id in waiting:
                sent = waiting.pop(next(iter(waiting)))
                self.events.append(1000 * (time.perf_counter() - sent))

    async def _push(self, number: int) -> None:
        id = f"00000000-0000-4000-8000-{number:012X}"
        begun = time.perf_counter()
        self._sent[number % PROBES][id] = begun
        answer = await self.backend.push(self._devices[number % PROBES][1], id=id)
        self.answers.append(1000 * (time.perf_counter() - begun))
        if answer.status != 200:
            sys.exit(f"bench: {answer}")

    _number = 0

    async def run(self, seconds: float | None = None, until: asyncio.Event | None = None) -> dict:
        """Latencies of the pushes of this run, in milliseconds."""
        self.answers, self.events = [], []
        begun = time.perf_counter()
        count = 0
        while not (until and until.is_set()) and (seconds is None or time.perf_counter() - begun < seconds):
            self._number += 1
            task = asyncio.create_task(self._push(self._number))
            self._pending.add(task)
            task.add_done_callback(self._pending.discard)
            count += 1
            await asyncio.sleep(max(0, begun + count / PROBES_A_SECOND - time.perf_counter()))
        if self._pending:
            await asyncio.wait(self._pending)
        async with asyncio.timeout(60):
            while any(self._sent):
                await asyncio.sleep(0.01)
        return {"pushes": count, "push_to_answer_ms": spread(self.answers), "push_to_event_ms": spread(self.events)}

    async def close(self) -> None:
        for reader in self._readers:
            reader.cancel()
        await self.backend.close()
        await self.connection.close()


def cpu_nanoseconds(gateway: Gateway) -> int:
    """All threads; noise on the machine makes a run longer, and hardly dearer."""
    assert gateway.process is not None
    return sum(int(file.read_text().split()[0])
               for file in Path(f"/proc/{gateway.process.pid}/task").glob("*/schedstat"))


def commits(gateway: Gateway, since: dict[str, float] | None = None) -> dict[str, float]:
    """How many commits there were and how long they took, to the answer of the store; since then, if that is given."""
    text = gateway.admin("GET", "/metrics")[1]
    now = {name: float(re.search(rf"^gatewayd_commit_seconds_{name} (\S+)", text, re.M)[1])  # type: ignore[index]
           for name in ("count", "sum")}
    if since is None:
        return now
    count = now["count"] - since["count"]
    return {"count": count, "mean_ms": round(1000 * (now["sum"] - since["sum"]) / max(1, count), 2)}


def spread(values: list[float]) -> dict[str, float]:
    values = sorted(values)
    if not values:
        return {"p50": 0.0, "p99": 0.0, "max": 0.0}
    return {"p50": round(statistics.median(values), 2), "p99": round(values[int(0.99 * (len(values) - 1))], 2),
            "max": round(values[-1], 2)}


# Scenarios


async def push_to_event(binaries: Path) -> dict:
    """The load goes to devices that are away: all of a push but its event."""
    seconds, registrations = size("SECONDS", 30), size("REGISTRATIONS", 10_000)
    gateway = start_gateway(binaries)
    try:
        members = bring(gateway, registrations)
        backend = await Provider.connect(gateway)
        uris, body = gateway.directory / "uris", gateway.directory / "body"
        uris.write_text("".join(
            f"https://127.0.0.1:{gateway.provider_port()}/3/device/{member.token}\n" for member in members))
        body.write_bytes(REFRESH)

        async def load(*options: str) -> tuple[float, int]:
            process = await asyncio.create_subprocess_exec(
                "h2load", "--clients", "10", "--threads", "1", "--input-file", str(uris), "--data", str(body),
                "--header", f"authorization: {backend.authorization}", "--header", f"apns-topic: {widgets_topic()}",
                "--header", "apns-push-type: widgets", *options,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
            output = (await process.communicate())[0].decode()
            rate = re.search(r"finished in .*?, ([\d.]+) req/s", output)
            codes = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output)
            if rate is None or codes is None or int(codes[1]) == 0 or int(codes[3]) + int(codes[4]) > 0:
                sys.exit(f"bench: not all of the load was accepted:\n{output}")
            return float(rate[1]), int(codes[1])

        await load("-m", "100", "--requests", str(10 * registrations))
        full = statistics.median([(await load("-m", "100", "--requests", "200000"))[0] for _ in range(3)])
        say(f"full load: {full:,.0f} pushes a second")
        prober = Prober()
        await prober.connect(gateway)
        quiet = await prober.run(seconds / 3)
        half = int(full / 20)
        loading = asyncio.create_task(
            load("-m", "100", "--rps", str(half), "--duration", str(seconds + 4)))
        await asyncio.sleep(2)
        loaded = await prober.run(seconds)
        rate, accepted = await loading
        await prober.close()
        await backend.close()
        return {"scenario": "push-to-event", "full_load_per_second": round(full), "load_per_second": round(rate),
                "load_accepted": accepted, "registrations": registrations, "quiet": quiet, "loaded": loaded,
                "figures": [figure("push to event, p99 at half of full load", loaded["push_to_event_ms"]["p99"], "ms",
                                   10, at_most=True),
                            figure("push to event, p50", loaded["push_to_event_ms"]["p50"], "ms")]}
    finally:
        gateway.clean_up()


async def fan_out(binaries: Path) -> dict:
    registrations, devices = size("REGISTRATIONS", 100_000), size("DEVICES", 1000)
    repeats = size("REPEATS", 5)
    gateway = start_gateway(binaries, **{"budget.refreshes-per-day": 1_000_000, "budget.burst": 1000})
    try:
        begun = time.monotonic()
        bring(gateway, registrations)
        say(f"{registrations:,} registrations imported in {time.monotonic() - begun:.1f} s")
        # The devices share a core with what measures, which must not wait for them.
        crowd = simulate(gateway, devices, nice=10)
        prober = Prober()
        await prober.connect(gateway)
        quiet = await prober.run(size("SECONDS", 15))
        rates, reports, meanwhile = [], [], {"answers": [], "events": []}
        for _ in range(repeats):
            done = asyncio.Event()
            probing = asyncio.create_task(prober.run(until=done))
            await asyncio.sleep(0.2)
            path, body = f"/v1/apps/{BUNDLE}/fan-outs", b'{"kinds":["caffeine","widget-1"]}'
            authorization = [("authorization", prober.backend.authorization)]
            before, cpu = commits(gateway), cpu_nanoseconds(gateway)
            begun = time.perf_counter()
            answer = await prober.backend.connection.request("POST", path, authorization, body)
            if answer.status != 202:
                sys.exit(f"bench: {answer}")
            location = answer.header("location")
            report = answer.json
            while report["state"] == "running":
                await asyncio.sleep(0.02)
                report = (await prober.backend.connection.request("GET", location, authorization)).json
            taken = time.perf_counter() - begun
            done.set()
            await probing
            meanwhile["answers"] += prober.answers
            meanwhile["events"] += prober.events
            rates.append(report["marked"] / taken)
            reports.append({"seconds": round(taken, 3), "matched": report["matched"], "marked": report["marked"],
                            "skipped": report["skipped"], "sent": report["sent"],
                            "commits": commits(gateway, before), "cpu_us_per_mark": round(
                                (cpu_nanoseconds(gateway) - cpu) / 1000 / report["marked"], 2)})
            say(f"{report['marked']:,} marks in {taken:.2f} s, {report['sent']:,} of them sent meanwhile, in "
                "{count:.0f} commits of {mean_ms} ms; ".format(**reports[-1]["commits"])
                + f"{reports[-1]['cpu_us_per_mark']} µs of CPU a mark, all that was sent and pushed included")
            await asyncio.sleep(2)
        await prober.close()
        crowd.terminate()
        summary = crowd.communicate()[0].decode()
        meanwhile = {"pushes": len(meanwhile["answers"]), "push_to_answer_ms": spread(meanwhile["answers"]),
                     "push_to_event_ms": spread(meanwhile["events"])}
        say(summary.splitlines()[0] if summary else "")
        return {"scenario": "fan-out", "registrations": registrations, "connected": devices, "quiet": quiet,
                "meanwhile": meanwhile, "runs": reports,
                "figures": [figure("marks a second", statistics.median(rates), "marks/s", 100_000),
                            figure("single pushes meanwhile, push to answer p99", meanwhile["push_to_answer_ms"]["p99"],
                                   "ms"),
                            figure("single pushes meanwhile, push to event p99", meanwhile["push_to_event_ms"]["p99"],
                                   "ms", 10, at_most=True)]}
    finally:
        gateway.clean_up()


async def idle_devices(binaries: Path) -> dict:
    devices = size("DEVICES", 5000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < devices + 500:
        sys.exit(f"bench: {devices} devices need as many file descriptors, and the limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    gateway = start_gateway(binaries)
    try:
        # What the first few bring with them is no device's.
        few = simulate(gateway, 50)
        few.terminate()
        few.communicate()
        await asyncio.sleep(1)
        before = gateway.resident_kilobytes()
        begun = time.monotonic()
        crowd = simulate(gateway, devices)
        say(f"{devices:,} devices connected in {time.monotonic() - begun:.0f} s")
        at_once = gateway.resident_kilobytes()
        await asyncio.sleep(size("SECONDS", 60))  # two heartbeats
        after = gateway.resident_kilobytes()
        crowd.terminate()
        crowd.communicate()
        return {"scenario": "idle-devices", "devices": devices, "resident_kilobytes": {
                    "before": before, "connected": at_once, "idle": after},
                "figures": [figure("resident memory per idle connected device", (after - before) * 1.024 / devices, "KB",
                                   45, at_most=True)]}
    finally:
        gateway.clean_up()


def figure(name: str, value: float, unit: str, target: float | None = None, *, at_most: bool = False) -> dict:
    entry: dict = {"name": name, "value": round(value, 2), "unit": unit}
    if target is not None:
        entry |= {"target": target, "bound": "at most" if at_most else "at least",
                  "met": value <= target if at_most else value >= target}
    return entry


SCENARIOS = {"push-to-event": push_to_event, "fan-out": fan_out, "idle-devices": idle_devices}


def print_table(result: dict) -> None:
    rows = [("", "measured", "target", "")]
    for entry in result["figures"]:
        target = f"{entry['bound']} {entry['target']:,} {entry['unit']}" if "target" in entry else "–"
        met = {True: "met", False: "MISSED", None: ""}[entry.get("met")]
        rows.append((entry["name"], f"{entry['value']:,.{0 if entry['value'] > 1000 else 2}f} {entry['unit']}", target, met))
    for name in ("quiet", "loaded", "meanwhile"):
        if run := result.get(name):
            for what in ("push_to_answer_ms", "push_to_event_ms"):
                rows.append((f"{name}: {what.removesuffix('_ms').replace('_', ' ')} ({run['pushes']} pushes)",
                             "p50 {p50}, p99 {p99}, max {max} ms".format(**run[what]), "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    print()
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def main() -> None:
    names = ", ".join(SCENARIOS)
    if len(sys.argv) != 2 or sys.argv[1] not in SCENARIOS:
        sys.exit(f"bench: which scenario? {names}")
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("bench: two cores are needed, one for the server and one for the load")
    os.sched_setaffinity(0, {LOAD_CORE})
    if given := os.environ.get("GATEWAYD_BIN_DIR"):
        binaries = Path(given)
    else:
        shown = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, capture_output=True,
                               text=True, check=True)
        binaries = Path(shown.stdout.strip())
    result = asyncio.run(SCENARIOS[sys.argv[1]](binaries))
    if os.environ.get("JSON"):
        print(json.dumps(result, indent=2))
    else:
        print_table(result)


if __name__ == "__main__":
    main()
