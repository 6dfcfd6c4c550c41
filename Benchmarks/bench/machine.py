"""The machine: its two cores, the programs on it, and what they use."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

from settings import ROOT

SERVER_CORE, LOAD_CORE = 0, 1


class BenchFailed(Exception):
    """A measurement that could not be made; says why."""


def prepare() -> None:
    """Looks for what is needed, and leaves the server's core to the server."""
    os.environ["PATH"] += ":/usr/sbin"
    for program in ("nghttpd", "h2load", "taskset"):
        if shutil.which(program) is None:
            raise BenchFailed(f"{program} is missing; apt-get install nghttp2-server nghttp2-client util-linux")
    if len(os.sched_getaffinity(0)) < 2:
        raise BenchFailed("two cores are needed, one for the server and one for the load")
    os.sched_setaffinity(0, {LOAD_CORE})
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def on_server_core() -> None:
    """For `preexec_fn`."""
    os.sched_setaffinity(0, {SERVER_CORE})


def descriptors() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def find_binaries() -> Path:
    if given := os.environ.get("GATEWAYD_BIN_DIR"):
        return Path(given).resolve()
    shown = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, capture_output=True,
                           text=True, check=True)
    return Path(shown.stdout.strip())


def cpu_by_thread(pid: int) -> dict[str, int]:
    """Nanoseconds, by the threads' names; schedstat has them where /proc/<pid>/stat has ticks of 10 ms."""
    used: dict[str, int] = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            name = (thread / "comm").read_text().strip()
            used[name] = used.get(name, 0) + int((thread / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
    return used


def cpu_nanoseconds(pid: int) -> int:
    return sum(cpu_by_thread(pid).values())


def peak_kilobytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise BenchFailed("the kernel does not say how much memory was used at most")


def fact_line(folder: Path) -> str:
    """What the numbers depend on; neither the machine's name nor a path."""
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown processor")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = subprocess.run(["stat", "--file-system", "--format=%T", folder], capture_output=True,
                            text=True).stdout.strip()
    virtual = " virtual" if "hypervisor" in Path("/proc/cpuinfo").read_text() else ""
    return (f"{os.cpu_count()}{virtual} cores of {model}, {memory:.0f} GB, Linux {os.uname().release}, "
            f"store on {system}")
