"""What comes out of a scenario: figures with their ranges, what stands beside them, and what the design asks for."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Target:
    """A bound of the design, on the figure itself or on its ratio to what stands beside it."""

    bound: float
    of_ratio: bool = False
    at_least: bool = False

    def is_met(self, figure: Figure) -> bool:
        value = figure.ratio if self.of_ratio else figure.median
        assert value is not None, f"{figure.what}: a target of a ratio, and nothing beside it"
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True)
class Beside:
    name: str
    #: Taken in the same turns as the figure's own.
    values: list[float]


@dataclass(frozen=True)
class Figure:
    what: str
    unit: str
    #: One for each repeat.
    values: list[float]
    beside: Beside | None = None
    target: Target | None = None
    #: Its ratio stands for its scenario, on top of the JSON when that is the only one; the last one's, if several do.
    is_headline: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def ratio(self) -> float | None:
        return self.median / statistics.median(self.beside.values) if self.beside else None

    @property
    def ratios(self) -> list[float]:
        """Of each turn: what slows both down is in none of them."""
        return [own / other for own, other in zip(self.values, self.beside.values)] if self.beside else []

    @property
    def is_met(self) -> bool | None:
        return self.target.is_met(self) if self.target else None

    def json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"what": self.what, "unit": self.unit, **summary(self.values)}
        if self.beside:
            entry["beside"] = {"name": self.beside.name, **summary(self.beside.values)}
            entry["ratio"] = round(self.ratio or 0, 3)
            entry["ratio_min"], entry["ratio_max"] = round(min(self.ratios), 3), round(max(self.ratios), 3)
        if self.target:
            entry["target"] = {"bound": self.target.bound, "of": "ratio" if self.target.of_ratio else "median",
                               "is": "at least" if self.target.at_least else "at most"}
            entry["met"] = self.is_met
        return entry


def summary(values: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 4), "min": round(min(values), 4), "max": round(max(values), 4)}


def percentiles(values: list[float]) -> dict[str, float]:
    values = sorted(values)
    if not values:
        return {"p50": 0.0, "p99": 0.0, "max": 0.0}
    return {"p50": round(statistics.median(values), 3), "p99": round(values[int(0.99 * (len(values) - 1))], 3),
            "max": round(values[-1], 3)}


@dataclass
class Result:
    figures: list[Figure] = field(default_factory=list)
    #: Said below the table.
    notes: list[str] = field(default_factory=list)
    #: In the JSON only.
    details: dict[str, Any] = field(default_factory=dict)
    #: Why it is not to be believed.
    noise: list[str] = field(default_factory=list)
    #: Why there is none.
    failure: str | None = None
    seconds: float = 0

    @property
    def ratio(self) -> float | None:
        return next((figure.ratio for figure in reversed(self.figures) if figure.is_headline), None)

    def json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"figures": [figure.json() for figure in self.figures], "notes": self.notes,
                                 "noise": self.noise, "seconds": round(self.seconds, 1), **self.details}
        if self.ratio is not None:
            entry["ratio"] = round(self.ratio, 3)
        if self.failure is not None:
            entry["failure"] = self.failure
        return entry
