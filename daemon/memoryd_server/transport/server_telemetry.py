"""The metrics of connections, of a server that counts them."""

from typing import Protocol

from memoryd_server.ports.instrument import Counter, Gauge
from memoryd_server.transport.observing.call_telemetry import CallTelemetry
from memoryd_server.transport.status import StatusCode

_REASONS = ("connections", "unauthenticated", "metadata", "too_large", "malformed", "stalled", "unread", "waiting")


class ServerCounts(Protocol):
    """A server that counts. To be called on any thread."""

    def usage(self) -> tuple[int, int, int]:
        """Return the numbers of connections, of calls that have not ended, and of calls that wait to be begun."""

    def refused_early(self) -> list[tuple[str, int]]:
        """Return how often connections and calls were refused before they had a place, by the reason."""

    def durations(self) -> list[tuple[str, int, list[int], float]]:
        """Return how long calls took: a method's path, a code, how many calls each bucket has, and their sum."""


class ServerTelemetry:
    """The metrics of connections. They are as ``counts`` says, once a server has set it, at each ``refresh``.

    So are the durations in ``calls``. The server also counts there, by its reason, each failed call that it began.
    """

    def __init__(self, calls: CallTelemetry) -> None:
        self.calls = calls
        self.counts: ServerCounts | None = None
        self._usage = (
            Gauge("agents.memory.server.connections", "Connections, unfinished handshakes among them"),
            Gauge("agents.memory.server.open_calls", "Calls that have not ended, watches and refused ones among them"),
            Gauge("agents.memory.server.waiting_calls", "Calls that wait for the event loop to begin them"),
        )
        self._refused = {
            reason: Counter(
                "agents.memory.server.refused_early_total",
                "Connections and calls that were refused before they had a place",
                reason=reason,
            )
            for reason in _REASONS
        }

    def instruments(self) -> tuple[Gauge | Counter, ...]:
        """Return the metrics."""
        return (*self._usage, *self._refused.values())

    def refresh(self) -> None:
        """Take the numbers of the server."""
        if self.counts is None:
            return
        for gauge, value in zip(self._usage, self.counts.usage(), strict=True):
            gauge.set(value)
        for reason, count in self.counts.refused_early():
            self._refused[reason].value = count
        for path, code, bucket_counts, sum_s in self.counts.durations():
            self.calls.set(path.removeprefix("/"), StatusCode(code), bucket_counts, sum_s)
