"""The table at the end of the run: each client of the compatibility suite, what it went through, and how.

A plugin of the tests, loaded by conftest.py. It says nothing where no test of the suite ran.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

_outcomes: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
_played: dict[tuple[str, str], list[str]] = defaultdict(list)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "case(name): a column of the compatibility table")
    config.addinivalue_line("markers", "played(client, version): what that client sends, frame by frame")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    marker = item.get_closest_marker("case")
    if marker is not None and (report.when == "call" or report.failed):
        library = item.callspec.params["library"]  # type: ignore[attr-defined]
        _outcomes[library.name][marker.args[0]].append(report.outcome)
    for played in item.iter_markers("played"):
        if report.when == "call" or report.failed:
            _played[played.args].append(report.outcome)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _outcomes:
        _write_libraries(terminalreporter)
    if _played:
        rows = [["client", "version read", "passed"]]
        rows += [[*client, _score(outcomes)] for client, outcomes in _played.items()]
        _write(terminalreporter, "compatibility, frame by frame", rows)


def _write_libraries(terminalreporter: pytest.TerminalReporter) -> None:
    from libraries import CLIENTS

    rows = [client for client in CLIENTS if client.name in _outcomes]
    cases = list(dict.fromkeys(case for client in rows for case in _outcomes[client.name]))
    table = [["client", "version", *cases]]
    notes = []
    for client in rows:
        cells = []
        for case in cases:
            if outcomes := _outcomes[client.name][case]:
                cells.append(_score(outcomes))
            else:
                cells.append("–")
                if case in client.cannot:
                    notes.append(f"{client.name}: no {case}: {client.cannot[case]}")
        table.append([client.name, client.version(), *cells])
    _write(terminalreporter, "compatibility", table)
    for note in notes:
        terminalreporter.write_line(note)


def _score(outcomes: list[str]) -> str:
    passed = sum(outcome == "passed" for outcome in outcomes)
    return f"{passed}/{len(outcomes)}" + ("" if passed == len(outcomes) else " FAILED")


def _write(terminalreporter: pytest.TerminalReporter, title: str, table: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    terminalreporter.section(title)
    for row in table:
        terminalreporter.write_line("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
