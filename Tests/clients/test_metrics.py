"""What Prometheus reads: /metrics through the official client's parser, and the rules and the dashboard that ask for it.

A name in a rule that no metric has makes an alert that never comes, and nothing ever says so; hence these tests.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from device import Device
from gateway import ROOT, Gateway
from provider import Provider

RULES = ROOT / "deploy/prometheus/gatewayd.rules.yml"
RULE_TESTS = ROOT / "deploy/prometheus/gatewayd.rules.test.yml"
DASHBOARD = ROOT / "deploy/grafana/gatewayd.json"
PROMTOOL = shutil.which("promtool")


def scrape(gateway: Gateway) -> list[Metric]:
    with urllib.request.urlopen(f"http://127.0.0.1:{gateway.admin_port}/metrics", timeout=30) as response:
        assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return list(text_string_to_metric_families(response.read().decode()))


def expressions(path: Path) -> str:
    """What is asked of Prometheus in a file, a line each."""
    if path == DASHBOARD:
        dashboard = json.loads(path.read_text())
        asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        return "\n".join(asked + [variable.get("definition", "") for variable in dashboard["templating"]["list"]])
    text = re.sub(r"^\s*#.*$", "", path.read_text(), flags=re.MULTILINE)
    found = re.findall(r"^ +expr: (?:>-\n)?(.*?)(?=^ +for:)", text, flags=re.MULTILINE | re.DOTALL)
    assert len(found) == text.count("- alert:")
    return "\n".join(found)


def test_the_official_parser_reads_every_metric_and_names_follow_its_conventions(serving: Gateway) -> None:
    families = scrape(serving)
    assert families
    assert len({family.name for family in families}) == len(families)
    for family in families:
        assert re.fullmatch(r"gatewayd_[a-z_]+|process_[a-z_]+", family.name)
        assert family.documentation.endswith(".")
        assert family.samples, f"{family.name} has no series"
        kinds = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}
        names = {sample.name for sample in family.samples}
        # The parser takes _total off a counter's name and leaves it on the samples'.
        assert names <= {family.name + suffix for suffix in kinds[family.type]}, family
        assert all(sample.value >= 0 for sample in family.samples)
        for sample in family.samples:
            assert set(sample.labels) <= {"reason", "toll", "event", "try", "role", "outcome", "state", "le"}
    for family in families:
        if family.type == "histogram":
            buckets = [sample for sample in family.samples if sample.name.endswith("_bucket")]
            assert buckets[-1].labels["le"] == "+Inf"
            counts = [sample.value for sample in buckets]
            assert counts == sorted(counts)
            assert [s.value for s in family.samples if s.name.endswith("_count")] == [counts[-1]]


async def test_the_number_of_series_does_not_depend_on_what_happens(serving: Gateway) -> None:
    def series() -> set[tuple[str, tuple[tuple[str, str], ...]]]:
        return {(sample.name, tuple(sorted(sample.labels.items())))
                for family in scrape(serving) for sample in family.samples}

    before = series()
    async with await Provider.connect(serving) as backend:
        for _ in range(3):
            async with await Device.enrol(serving) as phone:
                token = (await phone.register())["token"]
                assert (await backend.push(token)).status == 200
                assert (await backend.push("00" * 32)).status == 400
    assert series() == before


async def test_the_numbers_are_those_of_what_happened(serving: Gateway) -> None:
    def value(name: str, **labels: str) -> float:
        return next(sample.value for family in scrape(serving) for sample in family.samples
                    if sample.name == name and sample.labels == labels)

    async with await Device.enrol(serving) as phone, await Provider.connect(serving) as backend:
        token = (await phone.register())["token"]
        # Nobody is connected: the first waits, and that it waited is no slowness of the gateway.
        assert (await backend.push(token)).status == 200
        assert value("gatewayd_widgets", state="waiting") == 1 and value("gatewayd_widgets", state="all") == 1
        updates = await phone.updates()
        first = await updates.next()
        assert value("gatewayd_widgets", state="waiting") == 0
        assert value("gatewayd_widgets", state="in-flight") == 1
        assert value("gatewayd_push_to_event_seconds_count") == 0
        await phone.receipt(first.id)
        assert (await backend.push(token)).status == 200
        await updates.next()
        assert value("gatewayd_push_to_event_seconds_count") == 1
        assert 0 < value("gatewayd_push_to_event_seconds_sum") < 60
        assert value("gatewayd_connections", role="provider") == 1 and value("gatewayd_connections", role="device") == 1
    assert value("gatewayd_journal_entries") > 0 and value("gatewayd_journal_bytes") > 0
    assert value("gatewayd_database_bytes") >= 4096 and value("gatewayd_wal_bytes") > 0
    assert serving.process is not None
    # What Prometheus' own client libraries tell of a process, under their names.
    assert value("process_resident_memory_bytes") > 1 << 20
    assert 0 < value("process_open_fds") < value("process_max_fds")
    assert value("process_cpu_seconds_total") > 0
    assert abs(value("process_start_time_seconds") - time.time()) < 600


@pytest.mark.parametrize("path", [RULES, DASHBOARD], ids=lambda path: path.name)
def test_what_the_rules_and_the_dashboard_ask_for_exists(serving: Gateway, path: Path) -> None:
    series = [sample for family in scrape(serving) for sample in family.samples]
    asked = expressions(path)
    names = set(re.findall(r"\b(?:gatewayd|process)_[a-z_]+", asked))
    assert names and names <= {sample.name for sample in series}
    # Label matchers: name{label="value"} and name{label=~"one|other"}.
    matchers = re.findall(r"\b(gatewayd_[a-z_]+)\{([^}]*)\}", asked)
    assert matchers
    for name, inside in matchers:
        for label, values in re.findall(r'(\w+)=~?"([^"]*)"', inside):
            if label in ("job", "instance"):
                continue
            known = {sample.labels.get(label) for sample in series if sample.name == name}
            assert set(values.split("|")) <= known, f"{name} has no {label}={values}"
    for inside in re.findall(r"\bby \(([^)]*)\)", asked):
        labels = {label.strip() for label in inside.split(",")} - {"instance"}
        assert labels <= {label for sample in series for label in sample.labels}


def test_every_alert_says_what_to_do_and_stands_in_the_manual() -> None:
    text = RULES.read_text()
    manual = (ROOT / "docs/operations.md").read_text()
    alerts = re.findall(r"- alert: (\w+)\n((?: {8}.*\n)+)", text)
    assert len(alerts) == text.count("- alert:") > 0
    # The table has each alert once, with its severity, and none that there is not.
    explained = re.findall(r"^\| `(Gatewayd\w+)` \| (page|ticket) \|", manual, re.MULTILINE)
    assert sorted(explained) == sorted(
        (name, re.search(r"labels: \{severity: (page|ticket)\}", body)[1]) for name, body in alerts)
    for name, body in alerts:
        assert re.search(r"labels: \{severity: (page|ticket)\}", body), name
        for part in ("summary", "description", "action"):
            assert re.search(rf'^ {{10}}{part}: ".+"$', body, re.MULTILINE), f"{name} has no {part}"
        assert f"| `{name}` |" in manual, f"docs/operations.md does not explain {name}"
        assert f"alertname: {name}," in RULE_TESTS.read_text(), f"no test of {name}"


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is in Debian's package prometheus")
@pytest.mark.parametrize("arguments", [["check", "rules", RULES], ["test", "rules", RULE_TESTS]], ids=["check", "test"])
def test_promtool_accepts_the_rules_and_their_tests(arguments: list[str | Path]) -> None:
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
