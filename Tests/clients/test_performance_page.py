"""docs/performance.md names what `make bench` does, and `make bench` what it can do. Nothing is measured here."""

from __future__ import annotations

import re
import subprocess
import sys

from gateway import ROOT

PAGE = (ROOT / "docs" / "performance.md").read_text()


def bench(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, ROOT / "Benchmarks" / "bench", "--check", *arguments], capture_output=True,
                          text=True, timeout=60, env={"PATH": "/usr/bin:/bin", **variables})


def known_scenarios() -> list[str]:
    said = bench("nonsense")
    assert said.returncode == 2 and "no scenario nonsense" in said.stderr
    return said.stderr.strip().split("there are ", 1)[1].split(", ")


def test_the_page_has_a_row_for_each_scenario_in_the_order_of_the_table() -> None:
    rows = re.search(r"^\| scenario \| what it does \|\n.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert rows and re.findall(r"^\| `([\w-]+)`", rows[1], re.MULTILINE) == known_scenarios()


def test_every_scenario_that_a_page_tells_to_run_is_known() -> None:
    known = known_scenarios()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for names in re.findall(r'SCENARIO=(?:"([^"]+)"|([\w-]+))', page.read_text()):
            assert bench(names[0] or names[1]).returncode == 0, (page.name, names, known)


def test_a_variable_that_says_nothing_that_can_be_done_is_named() -> None:
    for name, value in [("REPEATS", "few"), ("REQUESTS", "-1"), ("ENVIRONMENT", "staging"), ("DURATION", "0")]:
        said = bench(**{name: value})
        assert said.returncode == 2 and f"{name}={value}" in said.stderr
