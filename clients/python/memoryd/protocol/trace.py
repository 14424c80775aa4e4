"""The trace that a call belongs to, if the application uses OpenTelemetry."""

import sys

Metadata = tuple[tuple[str, str | bytes], ...]


def traced(metadata: Metadata) -> Metadata:
    """Return the metadata of a call, with ``traceparent`` if a span of OpenTelemetry is active.

    OpenTelemetry is not imported: where the application has not done so, no span can be active.
    """
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return metadata
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return metadata
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
    state = context.trace_state.to_header()
    return (*metadata, ("traceparent", parent), *((("tracestate", state),) if state else ()))
