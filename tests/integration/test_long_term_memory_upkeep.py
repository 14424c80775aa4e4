"""The daemon's upkeep of memories: archiving, expiry and consolidation, and its log records and metrics."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.integration.long_term_memory import LongTermMemories
from tests.integration.test_observability import records, scraped
from tests.integration.wire import Wire, refused
from tests.port import free_port
from tests.wait import until

from memoryd.v1 import event_pb2, memory_pb2
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import working_memory_service_pb2 as working_pb

SECRET = "zebracorn"
FLAGS = ["--durability", "memory", "--log-level", "debug", "--log-format", "json", "--fragment-consolidate"]
FLAGS += ["--memory-half-life", "1s", "--memory-forgotten", "1s", "--memory-archive-below", "0.3"]
FLAGS += ["--memory-history", "0s"]
ANY_STATUS: Any = {"memory": {"statuses": [1, 2, 3]}}


class Kept:
    """A daemon whose memories fade within seconds, by FLAGS, and the port of its metrics."""

    def __init__(self, daemon: Daemon, wire: Wire, metrics_port: int) -> None:
        self.daemon = daemon
        self.wire = wire
        self.metrics_port = metrics_port

    def memories(self) -> LongTermMemories:
        return LongTermMemories(self.wire.agent())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    port = free_port()
    daemon = Daemon(tmp_path_factory.mktemp("kept"), *FLAGS, "--metrics-listen", f"127.0.0.1:{port}")
    daemon.start()
    with insecure_channel(daemon.address) as channel:
        yield Kept(daemon, Wire(channel), port)
    daemon.close()


def causes(memories: LongTermMemories, event_type: int) -> list[int]:
    """Return the causes of the agent's events of a type."""
    filters = [event_pb2.EventFilter(agent_ids=[memories.agent.id], event_types=[event_type])]  # type: ignore[list-item]
    request = event_pb.ListEventsRequest(filters=filters, page_size=1_000)
    return [event.cause for event in memories.agent.wire.events.ListEvents(request).events]


@pytest.mark.whole
def test_an_unused_memory_is_archived_and_a_reinforced_one_is_active_again(kept: Kept) -> None:
    memories = kept.memories()
    memory_id = memories.create("A red fox", importance=0.5)
    # A listing is no recall: one recall every now and then would keep the memory from fading.
    until(lambda: memories.contents() == [], "the memory is archived")
    archived: Any = {"memory": {"statuses": [memory_pb2.MEMORY_STATUS_ARCHIVED]}}
    assert memories.contents(filter=archived) == memories.found("fox", filter=archived) == ["A red fox"]
    assert memories.agent.stats().stats.archived_memory_count == 1
    assert causes(memories, event_pb2.EVENT_TYPE_MEMORY_ARCHIVED) == [event_pb2.EVENT_CAUSE_EXPIRY]
    # It fades again at once.
    until(lambda: memories.reinforce(memory_id) and memories.found("fox") == ["A red fox"], "the memory is back")


@pytest.mark.whole
def test_expired_and_forgotten_memories_are_deleted_with_an_event(kept: Kept) -> None:
    memories = kept.memories()
    memories.create("ends", ttl={"nanos": 500_000_000}, importance=1.0)
    forgotten = memories.create("forgotten", importance=1.0)
    assert memories.forget(forgotten).memory.HasField("purge_time")
    until(lambda: len(causes(memories, event_pb2.EVENT_TYPE_MEMORY_PURGED)) == 2, "both are gone")
    assert set(causes(memories, event_pb2.EVENT_TYPE_MEMORY_PURGED)) == {event_pb2.EVENT_CAUSE_EXPIRY}
    assert refused(lambda: memories.restore(forgotten)).reason == "RECORD_NOT_FOUND"
    stats = memories.agent.stats().stats
    assert (list(stats.record_counts), stats.forgotten_memory_count) == ([], 0)


def test_what_an_expired_memory_superseded_is_active_again(kept: Kept) -> None:
    memories = kept.memories()
    old = memories.create("The kiosk opens at nine", importance=1.0)
    new = memories.create("The shop is closed today", importance=1.0, ttl={"nanos": 500_000_000})
    memories.link(new, old, memory_pb2.MEMORY_LINK_TYPE_SUPERSEDES)
    superseded = event_pb2.EVENT_CAUSE_SUPERSEDED
    until(
        lambda: causes(memories, event_pb2.EVENT_TYPE_MEMORY_UPDATED).count(superseded) == 2, "the older one is active"
    )
    assert causes(memories, event_pb2.EVENT_TYPE_MEMORY_PURGED) == [event_pb2.EVENT_CAUSE_EXPIRY]


def test_flushed_fragments_become_memories(kept: Kept) -> None:
    memories, stub = kept.memories(), kept.wire.fragments
    ids = []
    for content in ("Ann lives in Oslo", "Ann lives in Oslo", "the deadline is on Monday"):
        request = fragment_pb.CreateFragmentRequest(
            agent_id=memories.agent.id, draft={"content": content, "participants": ["ann"]}
        )
        ids.append(stub.CreateFragment(request).fragment.fragment_id)
    assert memories.contents() == []
    stub.FlushFragments(fragment_pb.FlushFragmentsRequest(agent_id=memories.agent.id))
    until(lambda: len(memories.contents(filter=ANY_STATUS)) == 2, "the fragments are consolidated")
    consolidated = [(each.memory_id, each.content) for each in memories.listed(filter=ANY_STATUS).memories]
    assert consolidated == [(ids[2], "the deadline is on Monday"), (ids[0], "Ann lives in Oslo")]
    assert memories.get(ids[0]).reinforce_count == 1
    count = stub.CountFragments(fragment_pb.CountFragmentsRequest(agent_id=memories.agent.id))
    assert count.fragment_count == 0


def test_a_memory_keeps_what_its_fragment_knew_and_one_person_has_one_id(kept: Kept) -> None:
    memories, stub = kept.memories(), kept.wire.fragments
    sources = [{"conversation_id": "talk"}]
    drafts: list[Any] = [
        {"content": "Ann moved to Oslo", "user_id": "ann", "confidence": 0.9, "sources": sources},
        {"content": "Ann moved to Oslo", "participants": [memories.agent.id, "Ann"], "sources": sources},
        {"content": "the deadline is on Monday", "participants": [memories.agent.id], "sources": sources},
    ]
    for draft in drafts:
        stub.CreateFragment(fragment_pb.CreateFragmentRequest(agent_id=memories.agent.id, draft=draft))
    stub.FlushFragments(fragment_pb.FlushFragmentsRequest(agent_id=memories.agent.id))
    until(lambda: len(memories.contents(filter=ANY_STATUS)) == 2, "the fragments are consolidated")
    monday, oslo = memories.listed(filter=ANY_STATUS).memories
    assert (oslo.user_id, monday.user_id) == ("ann", "ann")
    assert oslo.provenance.conversation_id == monday.provenance.conversation_id == "talk"
    assert oslo.confidence == pytest.approx(0.92)


def test_metrics_count_memories_recalls_and_the_embedding_backlog(kept: Kept) -> None:
    before = scraped(kept.metrics_port)
    memories = kept.memories()
    memories.create("To deploy, first run make, then push", importance=1.0)
    memories.create("Ann lives in Oslo", importance=1.0)
    memories.found("Oslo")
    after = scraped(kept.metrics_port)
    grown = {name: after[name] - before[name] for name in after}
    assert grown["agents_memory_model_created_total"] == 2
    assert grown["agents_memory_long_term_recall_latency_ms_count"] == 1
    assert after["agents_memory_long_term_memories"] >= 2
    until(lambda: scraped(kept.metrics_port)["agents_memory_long_term_embedding_backlog"] == 0, "the backlog is gone")


def test_the_log_has_every_change_and_never_a_content(kept: Kept) -> None:
    memories, stub = kept.memories(), kept.wire.fragments
    brought = {"conversation_id": SECRET, "learning_context": SECRET}
    first = memories.create(f"{SECRET} one", SECRET, tags=[SECRET], metadata={"n": SECRET}, provenance=brought)
    memories.created(f"{SECRET} one", SECRET)
    second = memories.create(f"{SECRET} two", SECRET)
    memories.link(first, second)
    memories.update(first, content=f"{SECRET} three")
    memories.reinforce(first)
    memories.found(SECRET)
    memories.forget(second)
    memories.purge(first)
    memories.reembed(replace_client_embeddings=True)
    refused(lambda: memories.create(SECRET, "\0"))
    refused(lambda: memories.create(f"{SECRET}" * 200_000, SECRET))
    request = fragment_pb.CreateFragmentRequest(agent_id=memories.agent.id, draft={"content": f"{SECRET} four"})
    stub.CreateFragment(request)
    stub.FlushFragments(fragment_pb.FlushFragmentsRequest(agent_id=memories.agent.id))
    until(lambda: f"{SECRET} four" in memories.contents(filter=ANY_STATUS), "it is consolidated")
    memories.agent.wire.memory.ClearEntries(working_pb.ClearEntriesRequest(agent_id=memories.agent.id))
    logged = [each for each in records(kept.daemon) if each.get("agent_id") == memories.agent.id]
    messages = {each["message"] for each in logged}
    assert {"memory created", "memory reinforced", "memory forgotten", "memory purged"} <= messages
    (created, *_) = (each for each in logged if each["message"] == "memory created")
    assert (created["memory_id"], created["content_length"]) == (first, len(f"{SECRET} one"))
    assert SECRET not in kept.daemon.log
