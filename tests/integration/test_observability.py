"""Logs and metrics of a running daemon: WM-23, WM-24."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.integration.metrics import samples, scraped
from tests.integration.wire import Memory, Wire, refused
from tests.port import free_port

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import working_memory_service_pb2 as pb

SECRET = "a-value-that-nobody-may-read"


def probed(port: int, path: str) -> int:
    """Return the status of a response."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}") as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def records(daemon: Daemon) -> list[dict[str, Any]]:
    return [json.loads(line) for line in daemon.log.splitlines() if line.startswith("{")]


def test_the_log_has_the_seeds_levels_and_fields_and_never_a_value(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire]
) -> None:
    """WM-23."""
    daemon = launch_process("--durability", "memory", "--log-level", "debug", "--log-format", "json")
    agent = connect(daemon).agent()
    agent.set("key", SECRET)
    agent.set("key", SECRET)
    scope_id = agent.scope("job")
    agent.value("key", scope_id)
    agent.set("own", SECRET, scope_id)
    agent.remove("key")
    agent.dispose(scope_id)
    agent.dispose(scope_id)
    agent.set("last", SECRET)
    agent.clear()
    refused(lambda: agent.set("key", SECRET, "no-such-scope"))
    daemon.stop()
    logged = [each for each in records(daemon) if each.get("agent_id") == agent.id]
    levels = {(each["level"], re.sub(r"[^a-z ]", "", each["message"].lower())) for each in logged}

    def some(level: str, *words: str) -> list[dict[str, Any]]:
        return [
            each
            for each in logged
            if each["level"].lower() == level and all(word in json.dumps(each).lower() for word in words)
        ]

    assert some("info", "initialized"), levels
    assert some("debug", "set", '"key"'), levels
    assert some("debug", "updated", '"key"'), levels
    assert some("debug", "created", scope_id, "job"), levels
    assert some("debug", "lookup", scope_id, '"key"'), levels
    assert some("debug", "disposed", scope_id, '"count": 1'), levels
    assert some("warning", "disposed", scope_id, "ignored"), levels
    assert some("info", "cleared", '"count": 1'), levels
    assert SECRET not in daemon.log


def test_metrics_have_the_seeds_names_and_count(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire]
) -> None:
    """WM-24."""
    port = free_port()
    daemon = launch_process("--durability", "memory", "--metrics-listen", f"127.0.0.1:{port}")
    agent = connect(daemon).agent()
    scope_id = agent.scope()
    agent.write({"a": 1, "b": 2, "c": 3})
    agent.remove("c")
    agent.value("a", scope_id)
    agent.value("a")
    metrics = scraped(port)
    assert metrics["agents_memory_working_entries"] == 2
    assert metrics["agents_memory_working_scopes"] == 1
    assert metrics["agents_memory_working_scope_fallback_total"] == 1
    assert metrics["agents_memory_working_get_latency_ms_count"] == 2
    assert metrics["agents_memory_working_set_latency_ms_count"] == 1
    agent.wire.agents.EndAgent(agent_pb.EndAgentRequest(agent_id=agent.id))
    assert (scraped(port)["agents_memory_working_entries"], scraped(port)["agents_memory_working_scopes"]) == (0, 0)


def test_the_gauges_count_the_whole_store_also_right_after_a_restart(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire]
) -> None:
    port = free_port()
    daemon = launch_process("--metrics-listen", f"127.0.0.1:{port}")
    wire = connect(daemon)
    for name in ("a", "b"):
        agent = wire.agent(name)
        agent.scope()
        agent.write({"a": 1, "b": 2, "c": 3})
    wire.agent("a").remove("c")
    fragment = fragment_pb.CreateFragmentRequest(agent_id="b", draft={"content": "seen"})
    wire.fragments.CreateFragment(fragment)
    names = ("working_entries", "working_scopes", "fragments", "long_term_memories", "store_read_only", "operations")

    def gauges() -> list[float]:
        metrics = scraped(port)
        return [metrics[f"agents_memory_{name}"] for name in names]

    assert gauges() == [5, 2, 1, 0, 0, 0]
    daemon.kill()
    daemon.start()
    assert gauges() == [5, 2, 1, 0, 0, 0]


def test_calls_are_counted_by_method_and_status_over_each_transport(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], transport: str
) -> None:
    port = free_port()
    flags = ("--durability", "memory", "--transport", transport, "--metrics-listen", f"127.0.0.1:{port}")
    agent = connect(launch_process(*flags)).agent()
    agent.write({"a": 1})
    agent.value("a")
    agent.value("a")
    refused(lambda: agent.set("key", 1, "no-such-scope"))
    method = "memoryd.v1.WorkingMemoryService"
    assert {
        (labels["rpc_method"].removeprefix(f"{method}/"), labels["rpc_response_status_code"]): value
        for labels, value in samples(port, "rpc_server_call_duration_seconds_count")
        if labels["rpc_method"].startswith(method)
    } == {
        ("BatchWriteEntries", "OK"): 1,
        ("GetEntry", "OK"): 2,
        ("SetEntry", "NOT_FOUND"): 1,
    }
    assert [value for labels, value in samples(port, "agents_memory_server_failed_total")] == [1]


def test_readiness_follows_the_daemon_and_liveness_its_loop(launch_process: Callable[..., Daemon]) -> None:
    port = free_port()
    daemon = launch_process("--durability", "memory", "--metrics-listen", f"127.0.0.1:{port}")
    assert [probed(port, path) for path in ("livez", "readyz", "metricsz")] == [200, 200, 404]
    daemon.stop()
    with pytest.raises(OSError, match="refused"):
        probed(port, "livez")


def test_a_refusal_does_not_repeat_the_value(agent: Memory) -> None:
    """WM-23."""
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json=f'{{"password": {SECRET}')
    assert SECRET not in refused(lambda: agent.wire.memory.SetEntry(request)).message
