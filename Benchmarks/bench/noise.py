"""Whether the machine was quiet enough for what was measured to be believed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from machine import SERVER_CORE, BenchFailed, cpu_by_thread

#: A spread of CPU per request beyond this share of its median says more about the machine than about the server.
SPREAD = 0.15
#: Shares of time: what the host gave to somebody else, and what others of this machine took of the server's core.
STOLEN, OTHERS = 0.05, 0.05


def _times(name: str) -> list[int]:
    """user, nice, system, idle, iowait, irq, softirq, steal; in ticks."""
    for line in Path("/proc/stat").read_text().splitlines():
        words = line.split()
        if words[0] == name:
            return [int(word) for word in words[1:9]]
    raise BenchFailed(f"/proc/stat has no {name}")


@dataclass(frozen=True, order=True)
class Moment:
    """What a server had used up to then, and its core with it."""

    wall: float
    #: Nanoseconds, of the server by thread and of its core.
    threads: dict[str, int] = field(compare=False)
    core: float = field(compare=False)

    @classmethod
    def now(cls, pid: int) -> Moment:
        core = sum(_times(f"cpu{SERVER_CORE}")[:3]) * 1e9 / os.sysconf("SC_CLK_TCK")
        return cls(time.perf_counter(), cpu_by_thread(pid), core)

    @property
    def cpu(self) -> int:
        return sum(self.threads.values())

    def others_since(self, before: Moment) -> float:
        """The share of the core that other processes took."""
        busy = (self.core - before.core) - (self.cpu - before.cpu)
        return max(0.0, busy / 1e9 / max(1e-9, self.wall - before.wall))


@dataclass
class Noise:
    """Collects what speaks against a measurement."""

    _began: list[int] = field(default_factory=lambda: _times("cpu"))
    spread: float = 0
    others: float = 0
    idle: float = 0

    def listen(self) -> None:
        """Half a second in which nothing is measured, and the machine should do nothing."""
        before = _times("cpu")
        time.sleep(0.5)
        passed = [now - then for now, then in zip(_times("cpu"), before)]
        self.idle = max(self.idle, sum(passed[:3]) / max(1, sum(passed)) * (os.cpu_count() or 1))

    def saw(self, values: list[float], others: list[float]) -> None:
        middle = sorted(values)[len(values) // 2]
        self.spread = max(self.spread, (max(values) - min(values)) / middle)
        self.others = max(self.others, sorted(others)[len(others) // 2])

    def stolen(self) -> float:
        """The share of the machine's time that its host gave to somebody else."""
        passed = [now - then for now, then in zip(_times("cpu"), self._began)]
        return passed[7] / max(1, sum(passed))

    def reasons(self) -> list[str]:
        found = []
        if self.spread > SPREAD:
            found.append(f"CPU per request spread over {self.spread:.0%} of its median")
        if self.others > OTHERS:
            found.append(f"others took {self.others:.0%} of the server's core")
        if self.idle > 2 * OTHERS:
            found.append(f"others kept {self.idle:.1f} cores busy while nothing was measured")
        if (stolen := self.stolen()) > STOLEN:
            found.append(f"the host took {stolen:.0%} of the machine's time")
        return found
