"""The choice of what is exported by OTLP, by the standard variables of OpenTelemetry."""

from collections.abc import Mapping

_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
PROTOCOL = "http/protobuf"
"""The protocol of all exports."""


def is_exported(signal: str, environ: Mapping[str, str]) -> bool:
    """Return whether METRICS or TRACES are exported: an endpoint is named, and nothing turns them off."""
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    if environ.get(f"OTEL_{signal}_EXPORTER", "otlp").strip().lower() not in ("otlp", ""):
        return False
    return bool(environ.get(_ENDPOINT) or environ.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"))


def other_protocol(signal: str, environ: Mapping[str, str]) -> str:
    """Return the protocol that is named for METRICS or TRACES if it is another one; an empty text if not."""
    general = environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "")
    named = (environ.get(f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", "") or general).strip().lower()
    return "" if named == PROTOCOL else named
