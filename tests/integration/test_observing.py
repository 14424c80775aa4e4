"""The page, the dashboard and the alerts name series that a running daemon has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.daemon import Daemon
from tests.integration.metrics import samples
from tests.integration.wire import Wire, refused
from tests.port import free_port

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy" / "grafana" / "memoryd.json"
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
PAGE = ROOT / "docs" / "operations" / "observing.md"

_STRING = re.compile(r'"[^"]*"')
_IGNORED = re.compile(r"\[[^\]]*\]|\bby \([^)]*\)")
"""Ranges, and the labels by which values are grouped."""
_SERIES = re.compile(r"\b((?:agents_memory|rpc|process)_\w+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
OF_PROMETHEUS = {"instance", "job"}
"""Labels that Prometheus adds to what it scrapes."""


def expressions_of_dashboard() -> Iterator[str]:
    for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]


def named(expression: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the series that an expression of PromQL names, each with the labels that it selects by."""
    for name, selector in _SERIES.findall(_IGNORED.sub("", _STRING.sub('""', expression))):
        yield name, set(_LABEL.findall(selector)) - OF_PROMETHEUS


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The series of a daemon that has served a call and refused another: their labels, by their names."""
    pytest.importorskip("memoryd_front", reason="the front end has series of its own")
    port = free_port()
    daemon = Daemon(tmp_path_factory.mktemp("observed"), "--metrics-listen", f"127.0.0.1:{port}")
    daemon.start()
    try:
        with daemon.channel() as channel:
            agent = Wire(channel).agent()
            agent.write({"a": 1})
            refused(lambda: agent.set("key", 1, "no-such-scope"))
        found: dict[str, set[str]] = {}
        for labels, _ in samples(port):
            found.setdefault(labels.pop("__name__"), set()).update(labels)
    finally:
        daemon.close()
    # Only an error of the server has it, and a daemon that is well makes none.
    found["rpc_server_call_duration_seconds_count"].add("error_type")
    return found


@pytest.mark.parametrize("expression", [*expressions_of_dashboard(), *(rule["expr"] for rule in rules())])
def test_a_series_that_is_asked_for_exists(series: dict[str, set[str]], expression: str) -> None:
    if expression.startswith("up{"):
        return
    found = dict(named(expression))
    assert found, expression
    assert found.keys() - series.keys() == set()
    assert {name: labels - series[name] for name, labels in found.items() if labels - series[name]} == {}


def test_every_series_is_in_the_table_of_the_page_and_no_other(series: dict[str, set[str]]) -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| (counter|gauge|histogram) \|", PAGE.read_text("utf-8"), re.MULTILINE))
    exposed = {re.sub(r"_(bucket|count|sum)$", "", name) for name in series if not name.endswith("_created")}
    assert exposed ^ table.keys() == set()


def test_the_page_names_each_alert() -> None:
    text = PAGE.read_text("utf-8")
    assert [rule["alert"] for rule in rules() if rule["alert"] not in text] == []


def test_every_panel_of_the_dashboard_has_a_place_of_its_own() -> None:
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    taken = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24
    assert len({panel["id"] for panel in panels}) == len(panels)
