from memoryd_server.ports.instrument import SECONDS_BOUNDS, Histogram
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry


def test_a_bound_belongs_to_the_bucket_below_it() -> None:
    histogram = Histogram("x", "")
    histogram.observe(SECONDS_BOUNDS[0])
    histogram.observe(SECONDS_BOUNDS[-1])
    histogram.observe(SECONDS_BOUNDS[-1] + 1)
    assert histogram.bucket_counts[0] == 1
    assert histogram.bucket_counts[-2:] == [1, 1]
    assert sum(histogram.bucket_counts) == 3


def test_the_instruments_have_the_specified_names() -> None:
    telemetry = WorkingMemoryTelemetry()
    own = [each for each in telemetry.instruments() if each not in telemetry.engine.instruments()]
    assert [instrument.name for instrument in own] == [
        "agents.memory.working.entries",
        "agents.memory.working.scopes",
        "agents.memory.fragments",
        "agents.memory.fragments.stored_total",
        *["agents.memory.fragments.lost_total"] * 2,
        "agents.memory.fragments.flushed_total",
        "agents.memory.fragments.leased_total",
        "agents.memory.fragments.acknowledged_total",
        "agents.memory.fragments.consolidated_total",
        *["agents.memory.conversations.ingestions_total"] * 2,
        "agents.memory.long_term.memories",
        *["agents.memory.model.created"] * 4,
        "agents.memory.long_term.recall_latency_ms",
        "agents.memory.long_term.embedding_backlog",
        "agents.memory.store.read_only",
        "agents.memory.operations",
        "agents.memory.watch_bytes",
        "agents.memory.working.get_latency_ms",
        "agents.memory.working.set_latency_ms",
        "agents.memory.working.scope_fallback_total",
    ]


def test_created_memories_are_counted_by_their_type() -> None:
    created = WorkingMemoryTelemetry().memories_created
    assert {name: counter.attributes for name, counter in created.items()} == {
        name: {"type": name} for name in ("semantic", "episodic", "procedural", "working")
    }
