"""The accumulators of ports/telemetry.py as OpenTelemetry's data model, which all exporters take.

OpenTelemetry's own instruments are not used: see docs/decisions/0007-our-own-metric-accumulators.md.
"""

import time
from collections.abc import Callable, Iterable

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    DataPointT,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricReader,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from memoryd_server import __version__
from memoryd_server.ports import instrument as accumulator
from memoryd_server.ports.instrument import Instrument

SCOPE = InstrumentationScope("memoryd", __version__)
_START_TIME_NS = time.time_ns()


def own_resource() -> Resource:
    """Return who reports: what the variables of OpenTelemetry say, otherwise this daemon's name and version."""
    named = OTELResourceDetector().detect().attributes
    return Resource.create({"service.name": "memoryd", "service.version": __version__, **named})


def feed(reader: MetricReader, instruments: Callable[[], Iterable[Instrument]], resource: Resource) -> None:
    """Let a reader collect these accumulators, as a MeterProvider would its own instruments."""

    def collect(_reader: MetricReader, timeout_millis: float = 0) -> MetricsData:
        return metrics_data(instruments(), resource)

    reader._set_collect_callback(collect)


def metrics_data(instruments: Iterable[Instrument], resource: Resource) -> MetricsData:
    """Return the present values of the accumulators. Those of one name become the points of one metric."""
    by_name: dict[str, list[Instrument]] = {}
    for instrument in instruments:
        by_name.setdefault(instrument.name, []).append(instrument)
    now = time.time_ns()
    metrics = [_metric(together, now) for together in by_name.values()]
    return MetricsData([ResourceMetrics(resource, [ScopeMetrics(SCOPE, metrics, "")], "")])


def _metric(together: list[Instrument], now: int) -> Metric:
    first, points = together[0], [_point(each, now) for each in together]
    data: Histogram | Sum | Gauge
    match first:
        case accumulator.Histogram():
            data = Histogram(points, AggregationTemporality.CUMULATIVE)  # type: ignore[arg-type]
        case accumulator.Counter():
            data = Sum(points, AggregationTemporality.CUMULATIVE, is_monotonic=True)  # type: ignore[arg-type]
        case _:
            data = Gauge(points)  # type: ignore[arg-type]
    return Metric(first.name, first.description, first.unit, data)


def _point(instrument: Instrument, now: int) -> DataPointT:
    if not isinstance(instrument, accumulator.Histogram):
        return NumberDataPoint(instrument.attributes, _START_TIME_NS, now, instrument.value)
    # The copy is atomic under the interpreter's lock. The sum may be slightly later, which does not matter for a rate.
    bucket_counts = list(instrument.bucket_counts)
    return HistogramDataPoint(
        attributes=instrument.attributes,
        start_time_unix_nano=_START_TIME_NS,
        time_unix_nano=now,
        count=sum(bucket_counts),
        sum=instrument.sum,
        bucket_counts=bucket_counts,
        explicit_bounds=instrument.bounds,
        # Not kept: both are optional, and are left out of what is exported.
        min=None,  # type: ignore[arg-type]
        max=None,  # type: ignore[arg-type]
    )
