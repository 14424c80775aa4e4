import socket
import threading
import urllib.request
from collections.abc import Iterator

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.metrics_exporter import MetricsExporter
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

ANY_PORT = TcpAddress("127.0.0.1", 0)


@pytest.fixture
def measured() -> WorkingMemoryTelemetry:
    return WorkingMemoryTelemetry()


@pytest.fixture
def exporter(measured: WorkingMemoryTelemetry) -> Iterator[MetricsExporter]:
    exporter = MetricsExporter(measured.instruments(), ANY_PORT)
    yield exporter
    exporter.shutdown()


def scrape(exporter: MetricsExporter) -> dict[str, float]:
    with urllib.request.urlopen(f"http://{exporter.metrics_address}/metrics", timeout=WAIT_S_MAX) as answer:
        lines = answer.read().decode().splitlines()
    samples = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in samples}


def test_gauges_and_counters_are_published_by_the_specified_names(
    exporter: MetricsExporter, measured: WorkingMemoryTelemetry
) -> None:
    measured.entries.add(5)
    measured.entries.add(-2)
    measured.scopes.set(4)
    measured.scope_fallback_total.add()
    measured.scope_fallback_total.add(6)
    samples = scrape(exporter)
    assert samples["agents_memory_working_entries"] == 3
    assert samples["agents_memory_working_scopes"] == 4
    assert samples["agents_memory_working_scope_fallback_total"] == 7


def test_counters_of_one_name_are_published_apart_by_their_attributes(
    exporter: MetricsExporter, measured: WorkingMemoryTelemetry
) -> None:
    measured.memories_created["semantic"].add(3)
    measured.memories_created["working"].add()
    samples = scrape(exporter)
    assert {name: value for name, value in samples.items() if name.startswith("agents_memory_model_created")} == {
        'agents_memory_model_created_total{type="episodic"}': 0,
        'agents_memory_model_created_total{type="procedural"}': 0,
        'agents_memory_model_created_total{type="semantic"}': 3,
        'agents_memory_model_created_total{type="working"}': 1,
    }


def test_histograms_are_published_in_cumulative_buckets(
    exporter: MetricsExporter, measured: WorkingMemoryTelemetry
) -> None:
    for latency_ms in (0.05, 0.07, 3.0, 99_999.0):
        measured.get_latency_ms.observe(latency_ms)
    samples = scrape(exporter)
    name = "agents_memory_working_get_latency_ms"
    assert samples[f'{name}_bucket{{le="0.05"}}'] == 1
    assert samples[f'{name}_bucket{{le="0.1"}}'] == 2
    assert samples[f'{name}_bucket{{le="5.0"}}'] == 3
    assert samples[f'{name}_bucket{{le="+Inf"}}'] == 4
    assert samples[f"{name}_count"] == 4
    assert samples[f"{name}_sum"] == pytest.approx(100_002.12)
    assert samples["agents_memory_working_set_latency_ms_count"] == 0


def test_a_second_scrape_sees_what_came_since(exporter: MetricsExporter, measured: WorkingMemoryTelemetry) -> None:
    scrape(exporter)
    measured.set_latency_ms.observe(1.0)
    assert scrape(exporter)["agents_memory_working_set_latency_ms_count"] == 1


def test_shutdown_lets_go_of_the_port_and_of_the_thread(measured: WorkingMemoryTelemetry) -> None:
    before = threading.active_count()
    exporter = MetricsExporter(measured.instruments(), ANY_PORT)
    scrape(exporter)
    exporter.shutdown()
    again = MetricsExporter(measured.instruments(), exporter.metrics_address)
    assert again.metrics_address == exporter.metrics_address
    again.shutdown()
    assert threading.active_count() == before


def test_a_port_that_is_taken_is_a_clear_error(measured: WorkingMemoryTelemetry) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = TcpAddress("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(OperatorError, match="metrics_listen: cannot listen on"):
            MetricsExporter(measured.instruments(), address)
