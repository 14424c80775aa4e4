"""Metrics and traces that a running daemon exports to a collector."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from google.protobuf.message import Message
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, use_span
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd

COLLECTOR = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
METRICS = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")

TRACE_ID, PARENT_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector:
    """An OTLP endpoint over HTTP, and what it got."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.metrics: set[str] = set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.note(self.path, self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def note(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            request = COLLECTOR.ExportTraceServiceRequest.FromString(body)
            self.spans += [each for of in request.resource_spans for in_ in of.scope_spans for each in in_.spans]
        elif path == "/v1/metrics":
            exported = METRICS.ExportMetricsServiceRequest.FromString(body)
            self.metrics |= {
                m.name for of in exported.resource_metrics for in_ in of.scope_metrics for m in in_.metrics
            }

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.close()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def by_name(spans: list[Any]) -> dict[str, Message]:
    return {each.name: each for each in spans}


@pytest.mark.whole
def test_a_call_with_a_sampled_parent_is_traced_with_its_parts(
    collector: Collector, launch_process: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    # Nothing is traced that has no parent.
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    daemon = launch_process("--transport", transport)
    parent = SpanContext(int(TRACE_ID, 16), int(PARENT_ID, 16), is_remote=False, trace_flags=TraceFlags(1))
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("untraced", 1)
        with use_span(NonRecordingSpan(parent)):
            agent.memories.remember("Ada drinks tea")
            agent.memories.recall("tea")
    daemon.stop()
    spans = by_name(collector.spans)
    service = "memoryd.v1.LongTermMemoryService"
    assert spans.keys() == {
        f"{service}/CreateMemory",
        "create_memory",
        "commit",
        f"{service}/RecallMemories",
        "search_memory",
        "embed query",
        "index",
    }
    assert {each.trace_id.hex() for each in collector.spans} == {TRACE_ID}
    root = spans[f"{service}/RecallMemories"]
    assert root.parent_span_id.hex() == PARENT_ID
    assert attributes(root)["rpc.response.status_code"] == "OK"
    assert spans["search_memory"].parent_span_id == root.span_id
    indexed = {each.parent_span_id for each in collector.spans if each.name == "index"}
    assert spans["search_memory"].span_id in indexed
    assert attributes(spans["search_memory"])["gen_ai.memory.record.count"] == 1
    assert "rpc.server.call.duration" in collector.metrics


def test_calls_are_served_while_no_collector_is_there(
    launch_process: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = Collector()
    collector.close()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    daemon = launch_process()
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("a").set("key", 1)
        assert client.agent("a").get("key") == 1


def test_variables_that_are_not_followed_are_logged_and_the_daemon_serves(
    launch_process: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "-1")
    daemon = launch_process()
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("a").set("key", 1)
    assert "protocol of OTLP not supported signal=metrics protocol=grpc used=http/protobuf" in daemon.log
    assert "metrics are not exported" in daemon.log
