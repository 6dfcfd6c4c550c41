"""The one table, as text or as Markdown."""

from __future__ import annotations

import statistics

from figures import Figure, Result

HEAD = ("scenario", "what", "measured", "range", "beside it", "ratio", "target", "")
_BEGIN, _END = "<!-- results: begin", "<!-- results: end"
#: Columns of numbers stand right in text.
RIGHT = (2, 5)


def number(value: float) -> str:
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 or size == 0 else 3
    return f"{value:,.{digits}f}"


def _row(scenario: str, figure: Figure) -> tuple[str, ...]:
    several = len(figure.values) > 1
    span = f"{number(min(figure.values))} – {number(max(figure.values))}" if several else ""
    beside = f"{figure.beside.name} {number(statistics.median(figure.beside.values))}" if figure.beside else ""
    ratio = f"{figure.ratio:.2f} ×" if figure.ratio is not None else ""
    if figure.target:
        sign = "≥" if figure.target.at_least else "≤"
        target = f"{sign} {figure.target.bound:,g} {'×' if figure.target.of_ratio else figure.unit}"
        met = "met" if figure.is_met else "MISSED"
    else:
        target = met = ""
    return scenario, figure.what, f"{number(figure.median)} {figure.unit}", span, beside, ratio, target, met


def _rows(results: dict[str, Result]) -> list[tuple[str, ...]]:
    rows = []
    for name, result in results.items():
        shown = name
        for figure in result.figures:
            rows.append(_row(shown, figure))
            shown = ""
        if result.failure is not None:
            rows.append((shown, "FAILED", "", "", "", "", "", ""))
    return rows


def text(results: dict[str, Result]) -> str:
    rows = [HEAD, *_rows(results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = []
    for index, row in enumerate(rows):
        cells = [cell.rjust(width) if column in RIGHT and index > 0 else cell.ljust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(results: dict[str, Result]) -> str:
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "|".join("---:" if n in RIGHT else "---" for n in range(len(HEAD))) + "|"]
    for row in _rows(results):
        cells = [f"`{row[0]}`" if row[0] else "", *row[1:-1], f"**{row[-1]}**" if row[-1] == "MISSED" else row[-1]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def into(page: str, results: str) -> str:
    """The page with these results in place of those it had."""
    begin, end = page.index(_BEGIN), page.index(_END)
    return f"{page[:page.index(chr(10), begin) + 1]}{results}\n{page[end:]}"


def remarks(results: dict[str, Result], *, bullet: str) -> list[str]:
    """What belongs below the table."""
    lines = [f"{bullet}{name}: {note}" for name, result in results.items() for note in result.notes]
    lines += [f"{bullet}{name} FAILED: {result.failure.splitlines()[0]}" for name, result in results.items() if result.failure]
    noisy = [f"{bullet}{name}: {'; '.join(result.noise)}" for name, result in results.items() if result.noise]
    if noisy:
        lines += ["", "The machine was too noisy for these to be measurements; run them again:", "", *noisy]
    return lines
