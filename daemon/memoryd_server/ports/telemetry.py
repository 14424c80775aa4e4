"""The metrics of the engine: plain accumulators, cheap enough to update on every call.

An OpenTelemetry instrument costs about 10 µs an update, these cost a fraction of one. They are updated by the event
loop's thread only, and read by any.
"""

from bisect import bisect_left

LATENCY_BOUNDS_MS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1_000.0, 5_000.0)
"""Upper bounds of a latency histogram's buckets, inclusive; one more bucket counts longer times."""


class Counter:
    """A number of occurrences, which never decreases. Attributes distinguish counters of the same name."""

    __slots__ = ("attributes", "description", "name", "value")

    def __init__(self, name: str, description: str, **attributes: str) -> None:
        self.name = name
        self.attributes = attributes
        self.description = description
        self.value = 0

    def add(self, count: int = 1) -> None:
        """Add ``count``, which is not negative."""
        self.value += count


class Gauge:
    """A current number, which may increase and decrease."""

    __slots__ = ("description", "name", "value")

    def __init__(self, name: str, description: str) -> None:
        self.name = name
        self.description = description
        self.value = 0

    def add(self, difference: int) -> None:
        """Add ``difference``, which may be negative."""
        self.value += difference

    def set(self, value: int) -> None:
        """Replace the value."""
        self.value = value


class LatencyHistogram:
    """A distribution of durations, in buckets of LATENCY_BOUNDS_MS."""

    __slots__ = ("bucket_counts", "description", "name", "sum_ms")

    def __init__(self, name: str, description: str) -> None:
        self.name = name
        self.description = description
        self.bucket_counts = [0] * (len(LATENCY_BOUNDS_MS) + 1)
        self.sum_ms = 0.0

    def observe(self, latency_ms: float) -> None:
        """Add one duration, in milliseconds."""
        self.bucket_counts[bisect_left(LATENCY_BOUNDS_MS, latency_ms)] += 1
        self.sum_ms += latency_ms


class WorkingMemoryTelemetry:
    """The metrics of working memory, of fragments and of long-term memory. A daemon has one instance."""

    def __init__(self) -> None:
        self.entries = Gauge("agents.memory.working.entries", "Entries of all agents in the store")
        self.scopes = Gauge("agents.memory.working.scopes", "Active scopes of all agents in the store")
        self.fragments = Gauge("agents.memory.fragments", "Fragments of all agents in the store")
        self.fragments_stored_total = Counter("agents.memory.fragments.stored_total", "Fragments that were stored")
        self.fragments_lost_total = {
            cause: Counter("agents.memory.fragments.lost_total", "Fragments that ended before a flush", cause=cause)
            for cause in ("eviction", "expiry")
        }
        self.fragments_flushed_total = Counter(
            "agents.memory.fragments.flushed_total", "Fragments that became ready for consolidation"
        )
        self.fragments_leased_total = Counter(
            "agents.memory.fragments.leased_total", "Fragments that were handed out, each time counted"
        )
        self.fragments_acknowledged_total = Counter(
            "agents.memory.fragments.acknowledged_total", "Fragments that a consumer acknowledged"
        )
        self.fragments_consolidated_total = Counter(
            "agents.memory.fragments.consolidated_total", "Fragments that this daemon made memories of"
        )
        self.memories = Gauge("agents.memory.long_term.memories", "Long-term memories of all agents in the store")
        self.memories_created = {
            name: Counter("agents.memory.model.created", "Long-term memories that were created", type=name)
            for name in ("semantic", "episodic", "procedural", "working")
        }
        self.recall_latency_ms = LatencyHistogram(
            "agents.memory.long_term.recall_latency_ms", "How long recalling memories took, in milliseconds"
        )
        self.embedding_backlog = Gauge(
            "agents.memory.long_term.embedding_backlog", "Memories of the agents that are loaded that wait for a vector"
        )
        self.read_only = Gauge(
            "agents.memory.store.read_only", "Whether the store is full, so that only reads and removals succeed (1)"
        )
        self.operations = Gauge("agents.memory.operations", "Operations that are running")
        self.watch_bytes = Gauge(
            "agents.memory.watch_bytes", "Bytes that are queued for watches, or not yet sent to them"
        )
        self.get_latency_ms = LatencyHistogram(
            "agents.memory.working.get_latency_ms", "How long getting an entry took, in milliseconds"
        )
        self.set_latency_ms = LatencyHistogram(
            "agents.memory.working.set_latency_ms", "How long setting an entry took, in milliseconds"
        )
        self.scope_fallback_total = Counter(
            "agents.memory.working.scope_fallback_total", "Entries that were found in a parent of the scope asked"
        )

    def instruments(self) -> tuple[Counter | Gauge | LatencyHistogram, ...]:
        """Return all metrics, so that they can be exported."""
        return (
            self.entries,
            self.scopes,
            self.fragments,
            self.fragments_stored_total,
            *self.fragments_lost_total.values(),
            self.fragments_flushed_total,
            self.fragments_leased_total,
            self.fragments_acknowledged_total,
            self.fragments_consolidated_total,
            self.memories,
            *self.memories_created.values(),
            self.recall_latency_ms,
            self.embedding_backlog,
            self.read_only,
            self.operations,
            self.watch_bytes,
            self.get_latency_ms,
            self.set_latency_ms,
            self.scope_fallback_total,
        )
