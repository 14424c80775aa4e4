"""The metrics of calls, by OpenTelemetry's semantic conventions for RPC, version 1.45 (stable)."""

from collections.abc import Sequence

from memoryd_server.ports.instrument import Counter, Histogram, Instrument
from memoryd_server.transport.status import Status, StatusCode

DURATION = "rpc.server.call.duration"
SYSTEM = "grpc"

SERVER_ERRORS = frozenset(
    {
        StatusCode.UNKNOWN,
        StatusCode.DEADLINE_EXCEEDED,
        StatusCode.UNIMPLEMENTED,
        StatusCode.INTERNAL,
        StatusCode.UNAVAILABLE,
        StatusCode.DATA_LOSS,
    }
)
"""The statuses that the conventions count as errors of the server. All others are the client's doing."""


class MethodTelemetry:
    """The durations of one method's calls, by status. ``succeeded`` is that of calls that ended with OK."""

    def __init__(self, method: str) -> None:
        self._method = method
        self.succeeded = self._new(StatusCode.OK)
        self._by_status = {StatusCode.OK: self.succeeded}

    def durations(self, code: StatusCode) -> Histogram:
        """Return the durations of the calls that ended with a status."""
        durations = self._by_status.get(code)
        if durations is None:
            durations = self._by_status[code] = self._new(code)
        return durations

    def instruments(self) -> tuple[Histogram, ...]:
        """Return a histogram for each status that has occurred."""
        return tuple(each for each in tuple(self._by_status.values()) if each.count)

    def _new(self, code: StatusCode) -> Histogram:
        attributes = {"rpc.system.name": SYSTEM, "rpc.method": self._method, "rpc.response.status_code": code.name}
        if code in SERVER_ERRORS:
            attributes["error.type"] = code.name
        return Histogram(DURATION, "Duration of calls, by method and status", attributes=attributes)


class CallTelemetry:
    """The metrics of all methods: durations by status, and failures by the reason that clients get."""

    def __init__(self) -> None:
        self._methods: dict[str, MethodTelemetry] = {}
        self._failed: dict[str, Counter] = {}

    def of(self, method: str) -> MethodTelemetry:
        """Return the metrics of a method, such as ``memoryd.v1.EventService/ListEvents``."""
        return self._methods.setdefault(method, MethodTelemetry(method))

    def set(self, method: str, code: StatusCode, bucket_counts: Sequence[int], sum_s: float) -> None:
        """Replace the durations of the calls of a method that ended with a status: their server has counted them."""
        durations = self.of(method).durations(code)
        durations.bucket_counts[:] = bucket_counts
        durations.sum = sum_s

    def fail(self, status: Status) -> None:
        """Count a call that was refused. One without a reason is counted by its code."""
        reason = status.reason or status.code.name
        failed = self._failed.get(reason)
        if failed is None:
            name, description = "agents.memory.server.failed_total", "Calls that failed, by the reason of the error"
            failed = self._failed[reason] = Counter(name, description, reason=reason)
        failed.add()

    def instruments(self) -> tuple[Instrument, ...]:
        """Return the metrics of what has occurred. Any thread may call it."""
        durations = (each for method in tuple(self._methods.values()) for each in method.instruments())
        return (*durations, *tuple(self._failed.values()))
