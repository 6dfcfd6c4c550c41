"""Several contestants under the same load, A B and then B A, so that a machine that becomes slower does so for both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from h2load import Run
from noise import Noise


@dataclass(frozen=True)
class Contestant:
    name: str
    run: Callable[[], Awaitable[Run]]


class Turns:
    def __init__(self, runs: dict[str, list[Run]]) -> None:
        self._runs = runs

    def cpu(self, name: str) -> list[float]:
        return [run.cpu for run in self._runs[name]]

    def thread(self, name: str, thread: str) -> list[float]:
        """Of the CPU, what threads of this name used."""
        return [run.threads.get(thread, 0) for run in self._runs[name]]

    def rate(self, name: str) -> list[float]:
        return [run.rate for run in self._runs[name]]

    def mean(self, name: str) -> list[float]:
        return [run.mean for run in self._runs[name]]


async def take_turns(contestants: list[Contestant], repeats: int, noise: Noise) -> Turns:
    runs: dict[str, list[Run]] = {contestant.name: [] for contestant in contestants}
    for repeat in range(repeats):
        for contestant in contestants if repeat % 2 == 0 else reversed(contestants):
            runs[contestant.name].append(await contestant.run())
    for taken in runs.values():
        noise.saw([run.cpu for run in taken], [run.others for run in taken])
    return Turns(runs)
