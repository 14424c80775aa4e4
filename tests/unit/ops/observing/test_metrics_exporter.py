import contextlib
import http.client
import socket
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry.sdk.resources import Resource
from tests.port import free_port
from tests.wait import WAIT_S_MAX, until

from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.observing import metrics_exporter
from memoryd_server.ops.observing.metrics_exporter import MetricsExporter
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

ANY_PORT = TcpAddress("127.0.0.1", 0)


def exporter_of(measured: WorkingMemoryTelemetry, address: TcpAddress = ANY_PORT) -> MetricsExporter:
    return MetricsExporter(
        measured.instruments, Resource.create(), address, {"/livez": lambda: "", "/readyz": lambda: "draining"}
    )


@pytest.fixture
def measured() -> WorkingMemoryTelemetry:
    return WorkingMemoryTelemetry()


@pytest.fixture
def exporter(measured: WorkingMemoryTelemetry) -> Iterator[MetricsExporter]:
    exporter = exporter_of(measured)
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


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads that the test starts, and those that these start, in their order; none of other tests."""
    threads: list[threading.Thread] = []
    test = threading.current_thread()
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        if threading.current_thread() in (test, *threads):
            threads.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    return threads


def listening(threads: list[threading.Thread]) -> threading.Thread:
    """Return the thread that listens. OpenTelemetry has started others before it."""
    (thread,) = (each for each in threads if each.name == "memoryd-metrics")
    return thread


def serving(threads: list[threading.Thread]) -> list[threading.Thread]:
    """Return the threads that serve requests."""
    return [each for each in threads if "process_request" in each.name]


def test_shutdown_lets_go_of_the_port_and_of_the_threads(
    measured: WorkingMemoryTelemetry, started: list[threading.Thread]
) -> None:
    address = TcpAddress("127.0.0.1", free_port())
    exporter = exporter_of(measured, address)
    scrape(exporter)
    exporter.shutdown()
    assert not listening(started).is_alive()
    exporter_of(measured, address).shutdown()
    until(lambda: not any(thread.is_alive() for thread in started), "the scrape's thread has ended")


def test_a_scrape_that_hangs_does_not_hold_up_a_shutdown(
    measured: WorkingMemoryTelemetry, started: list[threading.Thread]
) -> None:
    exporter = exporter_of(measured)
    address = exporter.metrics_address
    with socket.create_connection((address.host, address.port)) as scraper:
        scraper.sendall(b"GET /metrics")
        # Connections are accepted in their order: the one that hangs is being served now.
        scrape(exporter)
        exporter.shutdown()
        assert not listening(started).is_alive()
        assert any(thread.is_alive() for thread in started)
    until(lambda: not any(thread.is_alive() for thread in started), "the scrapes' threads have ended")


def connect(exporter: MetricsExporter) -> socket.socket:
    address = exporter.metrics_address
    return socket.create_connection((address.host, address.port), timeout=WAIT_S_MAX)


def test_no_more_connections_are_served_at_a_time_than_the_maximum(
    measured: WorkingMemoryTelemetry, started: list[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_exporter, "METRICS_REQUESTS_MAX", 2)
    exporter = exporter_of(measured)
    with connect(exporter), connect(exporter), connect(exporter) as refused:
        assert refused.recv(1) == b""
        assert len(serving(started)) == 2
    until(lambda: not any(thread.is_alive() for thread in serving(started)), "the places are free again")
    assert scrape(exporter)
    exporter.shutdown()


def test_a_connection_that_takes_too_long_is_closed(
    measured: WorkingMemoryTelemetry, started: list[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_exporter, "METRICS_REQUEST_S_MAX", 0.01)  # time: the connection must be too slow
    exporter = exporter_of(measured)
    with connect(exporter) as slow:
        slow.sendall(b"GET /metrics")
        assert slow.recv(1) == b""
    until(lambda: not any(thread.is_alive() for thread in serving(started)), "its thread has ended")
    exporter.shutdown()


def test_two_scrapes_at_a_time_get_each_series_once(exporter: MetricsExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    collector, both = exporter._reader._collector, threading.Barrier(2)
    add = collector.add_metrics_data

    def add_together(metrics: object) -> None:
        add(metrics)
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.1)  # time: the second scrape waits for the first

    monkeypatch.setattr(collector, "add_metrics_data", add_together)
    with ThreadPoolExecutor() as scrapers:
        texts = [each.result()[2] for each in [scrapers.submit(asked, exporter, "/metrics") for _ in range(2)]]
    assert [text.count("\nagents_memory_working_entries ") for text in texts] == [1, 1]


def test_a_port_that_is_taken_is_a_clear_error(measured: WorkingMemoryTelemetry) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = TcpAddress("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(OperatorError, match="metrics_listen: cannot listen on"):
            exporter_of(measured, address)


def asked(exporter: MetricsExporter, path: str, method: str = "GET", **headers: str) -> tuple[int, str, str]:
    """Return the status, the type and the text of a response."""
    connection = http.client.HTTPConnection(str(exporter.metrics_address), timeout=WAIT_S_MAX)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers["Content-Type"], text


def test_only_the_paths_of_metrics_and_probes_exist(exporter: MetricsExporter) -> None:
    assert [asked(exporter, path)[0] for path in ("/", "/metrics/", "/favicon.ico", "/metricsx")] == [404] * 4
    assert asked(exporter, "/metrics", "POST")[0] == 405


def test_a_probe_says_in_one_line_why_the_daemon_is_not_well(exporter: MetricsExporter) -> None:
    assert asked(exporter, "/livez")[::2] == (200, "ok\n")
    assert asked(exporter, "/readyz")[::2] == (503, "draining\n")


def test_the_format_of_metrics_is_the_one_that_the_scraper_accepts(exporter: MetricsExporter) -> None:
    assert asked(exporter, "/metrics")[1].startswith("text/plain")
    _, kind, text = asked(exporter, "/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")
    assert text.endswith("# EOF\n")


def test_the_process_is_measured(exporter: MetricsExporter) -> None:
    samples = scrape(exporter)
    names = ("cpu_seconds_total", "resident_memory_bytes", "open_fds", "start_time_seconds")
    assert all(samples[f"process_{name}"] > 0 for name in names)


def test_units_are_in_the_names_of_series(exporter: MetricsExporter, measured: WorkingMemoryTelemetry) -> None:
    measured.engine.commit_duration.observe(0.002)
    measured.engine.journal_written.add(100)
    samples = scrape(exporter)
    assert samples["agents_memory_store_commit_duration_seconds_sum"] == 0.002
    assert samples["agents_memory_journal_written_bytes_total"] == 100
