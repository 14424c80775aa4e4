from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from memoryd_server.ops.cli.top.sample import AgentRow, Sample
from memoryd_server.ops.cli.top.scrape import Scrape, parse
from memoryd_server.ops.cli.top.screen import ORDERS, head, render

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
ROWS = (
    AgentRow("ada", 7, 2.5, 3, 4_096, NOW - timedelta(minutes=3)),
    AgentRow("bob", 9, 0.0, 30, 512, NOW - timedelta(minutes=1)),
)
SAMPLE = Sample(
    time=NOW,
    address="127.0.0.1:7600",
    version="1.0",
    state="serving",
    backend="sqlite",
    start_time=NOW - timedelta(hours=2),
    usage={"concurrent_watches": 2, "request_bytes": 2_048, "unbounded": 1},
    limits={"concurrent_watches": 100, "request_bytes": 4_096},
    changes_per_s=2.5,
    calls_per_s=None,
    watch_lag_commits=None,
    memory_bytes=None,
    agents=ROWS,
)


def lines(sample: Sample, order: str, height: int | None = None) -> list[str]:
    """Return the screen as lines of text."""
    console = Console(width=120, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(render(sample, order, height))
    return [line.rstrip() for line in captured.get().splitlines()]


def test_the_head_names_what_is_used_and_what_is_not_known() -> None:
    assert list(head(SAMPLE)) == [
        "memoryd 1.0 at 127.0.0.1:7600: serving for 2h, sqlite",
        "- calls/s, 2.5 changes/s, lag -, memory -",
        "watches 2/100, request bytes 2.0 KiB/4.0 KiB",
    ]


def test_no_control_character_of_a_daemon_reaches_the_terminal() -> None:
    hostile = replace(SAMPLE, version="\x1b[2J", agents=(replace(ROWS[0], agent_id="\u202ea"),))
    shown = "\n".join(lines(hostile, "agent"))
    assert not {"\x1b", "\u202e"} & set(shown)


def test_the_head_has_the_values_of_the_metrics() -> None:
    known = replace(SAMPLE, calls_per_s=1_234.56, watch_lag_commits=25.0, memory_bytes=1_048_576.0)
    assert list(head(known))[1] == "1,234.6 calls/s, 2.5 changes/s, lag 25 commits, memory 1.0 MiB"


@pytest.mark.parametrize(
    ("order", "first"),
    [("updated", "bob"), ("changes", "ada"), ("records", "bob"), ("storage", "ada"), ("agent", "ada")],
)
def test_agents_are_in_the_chosen_order(order: str, first: str) -> None:
    table = lines(SAMPLE, order)[4:]
    assert table[0].split() == ["AGENT", "CHANGES/S", "RECORDS", "STORAGE", "REVISION", "UPDATED"]
    assert table[1].split()[0] == first


def test_a_key_is_the_first_letter_of_one_order_only() -> None:
    assert len({order[0] for order in ORDERS} | {"q"}) == len(ORDERS) + 1


def test_a_screen_is_never_higher_than_the_terminal() -> None:
    many = replace(SAMPLE, agents=ROWS * 50)
    assert len(lines(many, "agent", 20)) <= 20


METRICS = """
# TYPE rpc_server_call_duration_seconds histogram
rpc_server_call_duration_seconds_bucket{rpc_method="GetEntry",le="+Inf"} 5
rpc_server_call_duration_seconds_count{rpc_method="GetEntry"} 5
rpc_server_call_duration_seconds_count{rpc_method="SetEntry"} 7
# TYPE agents_memory_watch_lag_commits gauge
agents_memory_watch_lag_commits 3
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 1024
"""


def test_values_are_found_by_the_names_of_the_series() -> None:
    assert parse(METRICS) == Scrape(12.0, 3.0, 1024.0)
    assert parse("# TYPE agents_memory_fragments gauge\nagents_memory_fragments 1\n") == Scrape(None, None, None)
