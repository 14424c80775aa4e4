"""Publishes the accumulators of ports/telemetry.py by OpenTelemetry. No other module imports it.

Gauges and counters are observable instruments. The SDK has no observable histogram: a reader adds the histograms to
each collection, as instances of the SDK's public data classes.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any
from wsgiref.simple_server import WSGIServer

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    ScopeMetrics,
)
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client import Metric as PrometheusMetric

from memoryd_server import __version__
from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.telemetry import LATENCY_BOUNDS_MS, Counter, Gauge, LatencyHistogram


class MetricsExporter:
    """Publishes accumulators to Prometheus until ``shutdown``.

    ``metrics_address`` has the actual port if ``listen`` has port 0. Raises OperatorError if it cannot listen. Scrapes
    are served on threads of their own, each after a call of ``refresh``, which must not raise.
    """

    def __init__(
        self,
        instruments: Sequence[Counter | Gauge | LatencyHistogram],
        listen: TcpAddress,
        refresh: Callable[[], None] = lambda: None,
    ) -> None:
        registry = _RefreshedRegistry(refresh)
        histograms = [instrument for instrument in instruments if isinstance(instrument, LatencyHistogram)]
        self._server, self._thread = _serve(registry, listen)
        self._provider = MeterProvider(
            [_PrometheusReader(histograms, registry)],
            Resource.create({"service.name": "memoryd", "service.version": __version__}),
            shutdown_on_exit=False,
        )
        meter = self._provider.get_meter("memoryd", __version__)
        counters: dict[str, list[Counter]] = {}
        for instrument in instruments:
            if isinstance(instrument, Counter):
                counters.setdefault(instrument.name, []).append(instrument)
        # Without a unit: the names contain it, and the exporter would append it again.
        for name, together in counters.items():
            meter.create_observable_counter(name, list(map(_observe, together)), "", together[0].description)
        for instrument in instruments:
            if isinstance(instrument, Gauge):
                meter.create_observable_gauge(instrument.name, [_observe(instrument)], "", instrument.description)
        self.metrics_address = TcpAddress(listen.host, self._server.server_port)

    def shutdown(self) -> None:
        """Close the port, and wait for the thread that listens.

        A scrape in progress is not waited for: one that hangs must not hold up the daemon's end.
        """
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._provider.shutdown()


def _serve(registry: CollectorRegistry, listen: TcpAddress) -> tuple[WSGIServer, threading.Thread]:
    try:
        return start_http_server(listen.port, listen.host, registry)
    except OSError as error:
        message = f"metrics_listen: cannot listen on {listen}: {error.strerror}"
        raise OperatorError(message) from error


def _observe(accumulator: Counter | Gauge) -> Callable[[CallbackOptions], Iterable[Observation]]:
    attributes = accumulator.attributes if isinstance(accumulator, Counter) else None
    return lambda _options: (Observation(accumulator.value, attributes),)


class _RefreshedRegistry(CollectorRegistry):
    def __init__(self, refresh: Callable[[], None]) -> None:
        super().__init__()
        self._refresh = refresh

    def collect(self) -> Iterable[PrometheusMetric]:
        self._refresh()
        return super().collect()


class _PrometheusReader(PrometheusMetricReader):
    def __init__(self, histograms: Sequence[LatencyHistogram], registry: CollectorRegistry) -> None:
        super().__init__(scope_info_enabled=False, registry=registry)
        self._histograms = histograms
        self._start_time_ns = time.time_ns()

    def _receive_metrics(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: Any) -> None:
        merged = with_histograms(metrics_data, self._histograms, self._start_time_ns, time.time_ns())
        super()._receive_metrics(merged, timeout_millis, **kwargs)


def with_histograms(
    metrics_data: MetricsData, histograms: Sequence[LatencyHistogram], start_time_ns: int, time_ns: int
) -> MetricsData:
    """Return a collection with the histograms added to its first scope."""
    resource, *resources = metrics_data.resource_metrics
    scope, *scopes = resource.scope_metrics
    metrics = [*scope.metrics, *(_metric(histogram, start_time_ns, time_ns) for histogram in histograms)]
    merged = ScopeMetrics(scope.scope, metrics, scope.schema_url)
    return MetricsData([replace(resource, scope_metrics=[merged, *scopes]), *resources])


def _metric(histogram: LatencyHistogram, start_time_ns: int, time_ns: int) -> Metric:
    # The copy is atomic under the interpreter's lock. The sum may be slightly later, which does not matter for a rate.
    bucket_counts = list(histogram.bucket_counts)
    point = HistogramDataPoint(
        attributes={},
        start_time_unix_nano=start_time_ns,
        time_unix_nano=time_ns,
        count=sum(bucket_counts),
        sum=histogram.sum_ms,
        bucket_counts=bucket_counts,
        explicit_bounds=LATENCY_BOUNDS_MS,
        min=math.inf,
        max=-math.inf,
    )
    data = Histogram([point], AggregationTemporality.CUMULATIVE)
    return Metric(histogram.name, histogram.description, "", data)
