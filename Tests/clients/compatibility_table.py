"""The table at the end of the run: each client of the compatibility suite, what it went through, and how.

A plugin of the tests, loaded by conftest.py. It says nothing where no test of the suite ran.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

_outcomes: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "case(name): a column of the compatibility table")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    marker = item.get_closest_marker("case")
    if marker is not None and (report.when == "call" or report.failed):
        library = item.callspec.params["library"]  # type: ignore[attr-defined]
        _outcomes[library.name][marker.args[0]].append(report.outcome)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _outcomes:
        return
    from libraries import CLIENTS

    rows = [client for client in CLIENTS if client.name in _outcomes]
    cases = list(dict.fromkeys(case for client in rows for case in _outcomes[client.name]))
    table = [["client", "version", *cases]]
    notes = []
    for client in rows:
        cells = []
        for case in cases:
            outcomes = _outcomes[client.name][case]
            passed = sum(outcome == "passed" for outcome in outcomes)
            if outcomes:
                cells.append(f"{passed}/{len(outcomes)}" + ("" if passed == len(outcomes) else " FAILED"))
            else:
                cells.append("–")
                if case in client.cannot:
                    notes.append(f"{client.name}: no {case}: {client.cannot[case]}")
        table.append([client.name, client.version(), *cells])
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    terminalreporter.section("compatibility")
    for row in table:
        terminalreporter.write_line("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    for note in notes:
        terminalreporter.write_line(note)
