"""Exports metrics and traces by OTLP over HTTP, as the standard variables of OpenTelemetry say.

It needs the extra ``memoryd-server[otlp]``.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from random import random

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from memoryd_server import __version__
from memoryd_server.ops.observing.metrics_data import feed
from memoryd_server.ops.observing.sampling import Sampling, sampling_of
from memoryd_server.ports import tracing
from memoryd_server.ports.instrument import Instrument
from memoryd_server.ports.tracing import Attributes

log = logging.getLogger("memoryd.otlp")

_PARENT, _STATE = "traceparent", "tracestate"


def export_metrics(instruments: Callable[[], Iterable[Instrument]], resource: Resource) -> Callable[[], None] | None:
    """Export metrics every OTEL_METRIC_EXPORT_INTERVAL milliseconds. Return what ends that, after a last export.

    None, with a line in the log, if the variables are not valid.
    """
    try:
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    except ValueError as error:
        log.error("metrics are not exported", extra={"error": " ".join(str(error).split())})
        return None
    feed(reader, instruments, resource)
    return reader.shutdown


class OtlpTracer:
    """Implements ``ports.tracing.Tracer``. Spans leave in batches, from a thread of their own."""

    def __init__(self, sampling: Sampling, resource: Resource) -> None:
        self._sampling = sampling
        self._rate = sampling.rate
        self._provider = TracerProvider(ALWAYS_ON, resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("memoryd", __version__)
        self._propagator = TraceContextTextMapPropagator()

    def begin(self, name: str, metadata: Callable[[str], str | None]) -> "OtlpSpan | None":
        """Begin the span of a call; None if it is not sampled."""
        parent_header = metadata(_PARENT)
        if parent_header is None:
            # As ``Sampling.takes``, written out: nearly every call ends here.
            is_taken = random() < self._rate  # noqa: S311 - nothing depends on its being secret
            return self._begun(name, Context()) if is_taken else None
        carried = {_PARENT: parent_header, _STATE: metadata(_STATE) or ""}
        context = self._propagator.extract(carried, Context())
        parent = get_current_span(context).get_span_context()
        trace_id = parent.trace_id if parent.is_valid else None
        if not self._sampling.takes(trace_id, is_parent_sampled=parent.trace_flags.sampled):
            return None
        return self._begun(name, context)

    def _begun(self, name: str, context: Context) -> "OtlpSpan":
        attributes = {"rpc.system.name": "grpc", "rpc.method": name}
        return OtlpSpan(self, self._tracer.start_span(name, context, SpanKind.SERVER, attributes))

    def part(self, of: Span, name: str, attributes: Attributes | None) -> "OtlpSpan":
        """Begin a part of a span."""
        return OtlpSpan(self, self._tracer.start_span(name, set_span_in_context(of, Context()), attributes=attributes))

    def shutdown(self) -> None:
        """Export what has ended, and stop."""
        self._provider.shutdown()


class OtlpSpan:
    """Implements ``ports.tracing.Span``."""

    def __init__(self, tracer: OtlpTracer, span: Span) -> None:
        self.trace_id = f"{span.get_span_context().trace_id:032x}"
        self._tracer = tracer
        self._span = span

    def begin(self, name: str, attributes: Attributes | None = None) -> tracing.Span:
        """Begin a span that is a part of this one."""
        return self._tracer.part(self._span, name, attributes)

    def set(self, name: str, value: str | int) -> None:
        """Set an attribute."""
        self._span.set_attribute(name, value)

    def end(self, error: str = "") -> None:
        """End the span."""
        if error:
            self._span.set_attribute("error.type", error)
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


def tracer_of(environ: Mapping[str, str], resource: Resource) -> OtlpTracer | None:
    """Return a tracer that samples as the variables say; None, with a line in the log, if they are not valid."""
    try:
        return OtlpTracer(sampling_of(environ), resource)
    except ValueError as error:
        log.error("calls are not traced", extra={"error": str(error)})
        return None
