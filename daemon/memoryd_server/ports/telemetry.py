"""The metrics of what the daemon remembers, and of the engine."""

from memoryd_server.ports.engine_telemetry import EngineTelemetry
from memoryd_server.ports.instrument import LATENCY_BOUNDS_MS, Counter, Gauge, Histogram, Instrument


def _milliseconds(name: str, description: str) -> Histogram:
    """Return a histogram whose name has the unit, as the specification of working memory gives it."""
    return Histogram(name, description, "", LATENCY_BOUNDS_MS)


class WorkingMemoryTelemetry:
    """The metrics of working memory, of fragments and of long-term memory. A daemon has one instance.

    ``engine`` has those of what is below them.
    """

    def __init__(self) -> None:
        self.engine = EngineTelemetry()
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
        self.ingestions_total = {
            outcome: Counter(
                "agents.memory.conversations.ingestions_total",
                "Attempts of this daemon to ingest a conversation in the background",
                outcome=outcome,
            )
            for outcome in ("done", "postponed")
        }
        self.memories = Gauge("agents.memory.long_term.memories", "Long-term memories of all agents in the store")
        self.memories_created = {
            name: Counter("agents.memory.model.created", "Long-term memories that were created", type=name)
            for name in ("semantic", "episodic", "procedural", "working")
        }
        self.recall_latency_ms = _milliseconds(
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
        self.get_latency_ms = _milliseconds(
            "agents.memory.working.get_latency_ms", "How long getting an entry took, in milliseconds"
        )
        self.set_latency_ms = _milliseconds(
            "agents.memory.working.set_latency_ms", "How long setting an entry took, in milliseconds"
        )
        self.scope_fallback_total = Counter(
            "agents.memory.working.scope_fallback_total", "Entries that were found in a parent of the scope asked"
        )

    def instruments(self) -> tuple[Instrument, ...]:
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
            *self.ingestions_total.values(),
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
            *self.engine.instruments(),
        )
