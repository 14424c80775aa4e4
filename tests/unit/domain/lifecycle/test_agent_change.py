import msgspec
import pytest
from tests.unit.domain.sample import NOW, Agent, at, draft

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry, SetOperation, WriteEntries
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import AgentNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.fragments.fragment_change import FlushFragments
from memoryd_server.domain.fragments.fragment_editor import FragmentSweep
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.lifecycle.agent_change import (
    AgentCleared,
    ClearAgent,
    EndAgent,
    ExpireRecords,
    RecordsExpired,
    RestoreAgent,
)
from memoryd_server.domain.limit import EXPIRED_ENTRIES_PER_SWEEP_MAX, SECOND_NS
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges, ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind


def full_agent() -> Agent:
    agent = Agent()
    agent.set("k")
    outer = agent.create_scope()
    inner = agent.create_scope(outer)
    agent.set("l", "1", inner)
    agent.set("m", "1", ttl_ns=SECOND_NS)
    agent.do(ReserveEntry(ROOT, "r", "t", 2 * SECOND_NS))
    agent.take_events()
    return agent


def test_clearing_an_agent_disposes_the_deepest_scopes_first_and_then_the_root() -> None:
    agent = full_agent()
    agent.now += SECOND_NS
    inner, outer = (scope.scope_id for scope in agent.state.part(WORKING_MEMORY).scopes_deepest_first())
    assert agent.do(ClearAgent()) == AgentCleared({RecordKind.ENTRY: 2, RecordKind.SCOPE: 2}, 7)
    events = [
        (event.type.name, event.cause.name, event.subject.scope_id, event.subject.entries_cleared)
        for event in agent.events
    ]
    assert events == [
        ("SCOPE_DISPOSED", "CLEAR", inner, 1),
        ("SCOPE_DISPOSED", "CLEAR", outer, 0),
        ("ENTRIES_CLEARED", "REQUEST", ROOT, 1),
    ]
    assert (agent.state.record_count, agent.state.exists) == (2, True)


def test_clearing_an_empty_agent_changes_nothing() -> None:
    agent = full_agent()
    agent.do(ClearAgent())
    assert agent.do(ClearAgent()) == AgentCleared({}, agent.state.revision)
    assert agent.decision.events == []


def test_an_ended_agent_has_nothing_and_its_revisions_go_on() -> None:
    agent = full_agent()
    assert agent.do(EndAgent()) == AgentCleared({RecordKind.ENTRY: 3, RecordKind.SCOPE: 2}, 7, deleted=True)
    assert agent.decision.ends
    assert agent.take_events() == [("AGENT_ENDED", "REQUEST", ROOT, "")]
    assert (agent.state.exists, agent.state.revision, agent.state.record_count) == (False, 7, 0)
    assert agent.set("k").revision == 8


def test_an_agent_does_not_end_while_a_purge_is_not_complete() -> None:
    agent = full_agent()
    agent.create("fox", memory_id="m1")
    agent.purge("m1")
    before = agent.state
    assert agent.do(EndAgent()) == AgentCleared({}, before.revision, is_blocked=True)
    assert agent.state is before
    agent.do(FinishPurges(("m1",), before.revision))
    assert not agent.do(EndAgent()).is_blocked
    assert not agent.state.exists


def test_an_agent_may_be_ended_by_a_restore() -> None:
    agent = full_agent()
    agent.do(EndAgent(cause=EventCause.RESTORE))
    assert agent.take_events() == [("AGENT_ENDED", "RESTORE", ROOT, "")]


@pytest.mark.parametrize("kind", [ClearAgent, EndAgent])
def test_clear_and_end_need_an_agent_at_the_expected_revision(kind: type[ClearAgent]) -> None:
    agent = Agent()
    assert agent.do(kind()) == AgentCleared({}, 0)
    assert agent.events == []
    with pytest.raises(AgentNotFound):
        agent.do(kind(), precondition=Precondition(must_exist=True))
    agent.set("k")
    with pytest.raises(RevisionMismatch):
        agent.do(kind(), precondition=at(2))
    assert agent.do(kind(), precondition=at(1)).counts == {RecordKind.ENTRY: 1}


def test_an_entry_is_over_at_its_deadline_and_not_before() -> None:
    agent = Agent()
    agent.set("k", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS - 1
    assert agent.value("k") == "1"
    assert agent.do(ExpireRecords()) == RecordsExpired({}, 1)
    agent.now += 1
    assert agent.value("k") is None
    assert agent.state.part(WORKING_MEMORY).live_count(ROOT, agent.now) == 0
    assert agent.do(ExpireRecords()) == RecordsExpired({"entries": 1}, 2)
    assert agent.state.part(WORKING_MEMORY).entry_count == 0


def test_expiry_takes_reservations_and_learns_the_next_deadline() -> None:
    agent = full_agent()
    agent.now += SECOND_NS
    agent.do(ExpireRecords())
    assert agent.take_events() == [("ENTRY_REMOVED", "EXPIRY", ROOT, "m")]
    assert agent.state.next_deadline == NOW + 2 * SECOND_NS
    agent.now += SECOND_NS
    assert agent.do(ExpireRecords()).counts.get("entries", 0) == 0
    assert not agent.state.part(WORKING_MEMORY).reservations
    assert agent.state.next_deadline is None


def test_a_deadline_that_was_taken_away_is_learnt_without_a_revision() -> None:
    agent = Agent()
    agent.set("k", ttl_ns=SECOND_NS)
    agent.set("k")
    assert agent.state.next_deadline == NOW + SECOND_NS
    agent.now += SECOND_NS
    assert agent.do(ExpireRecords()) == RecordsExpired({}, 2)
    assert agent.state.next_deadline is None


def test_a_sweep_takes_a_bounded_number_the_earliest_first() -> None:
    agent = Agent()
    count = EXPIRED_ENTRIES_PER_SWEEP_MAX + 1
    for start in range(0, count, 100):
        numbers = range(start, min(start + 100, count))
        operations = tuple(SetOperation(draft(f"k{n}", "1", NOW + count - n)) for n in numbers)
        agent.do(WriteEntries(ROOT, operations, f"b{start}"))
    agent.now += count
    assert agent.do(ExpireRecords()).counts["entries"] == count - 1
    assert list(agent.state.part(WORKING_MEMORY).entries[ROOT]) == ["k0"]
    assert agent.do(ExpireRecords()).counts["entries"] == 1


def test_restoring_emits_each_difference_and_the_restore() -> None:
    agent = full_agent()
    agent.do(RemoveEntry(ROOT, "m"))
    image = agent.image()
    inner, outer = (scope.scope_id for scope in agent.state.part(WORKING_MEMORY).scopes_deepest_first())
    agent.do(DisposeScope(inner))
    added = agent.create_scope(outer)
    agent.set("k", "changed")
    agent.set("n")
    agent.take_events()
    agent.do(RestoreAgent(image, "snapshot"))
    assert agent.events[-1].subject.snapshot_id == "snapshot"
    events = agent.take_events()
    assert events[:3] == [
        ("SCOPE_DISPOSED", "RESTORE", added, ""),
        ("SCOPE_CREATED", "RESTORE", inner, ""),
        ("ENTRY_REMOVED", "RESTORE", ROOT, "n"),
    ]
    assert sorted(events[3:5]) == [("ENTRY_SET", "RESTORE", ROOT, "k"), ("ENTRY_SET", "RESTORE", inner, "l")]
    assert events[5:] == [("AGENT_RESTORED", "RESTORE", ROOT, "")]
    assert not agent.state.part(WORKING_MEMORY).reservations
    assert inner not in agent.state.part(WORKING_MEMORY).disposed_scopes


def test_restoring_what_is_there_emits_nothing_but_the_restore() -> None:
    agent = full_agent()
    agent.do(RestoreAgent(agent.image(), "snapshot"))
    assert agent.take_events() == [("AGENT_RESTORED", "RESTORE", ROOT, "")]


def test_restored_entries_past_their_deadline_stay_out() -> None:
    agent = full_agent()
    image = agent.image()
    agent.now += SECOND_NS
    agent.do(RestoreAgent(image, "snapshot"))
    assert agent.value("m") is None
    assert agent.state.part(WORKING_MEMORY).entry_count == 2


def test_a_restored_entry_keeps_its_id_and_times_and_gets_the_new_revision() -> None:
    agent = Agent()
    entry = agent.set("k")
    image = agent.image()
    agent.now += SECOND_NS
    agent.set("k", "2")
    agent.do(RestoreAgent(image, "snapshot"))
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["k"] == msgspec.structs.replace(entry, revision=3)


def test_a_restore_replaces_an_expired_entry_of_the_same_key() -> None:
    agent = Agent()
    agent.set("k", "1")
    image = agent.image()
    agent.set("k", "2", ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    agent.do(RestoreAgent(image, "snapshot"))
    assert agent.take_events()[:2] == [("ENTRY_REMOVED", "EXPIRY", ROOT, "k"), ("ENTRY_SET", "RESTORE", ROOT, "k")]


def test_an_agent_that_never_was_begins_with_a_restore() -> None:
    source = full_agent()
    agent = Agent()
    agent.do(RestoreAgent(source.image(), "snapshot"))
    assert agent.state.exists
    assert agent.state.part(WORKING_MEMORY).entry_count == source.state.part(WORKING_MEMORY).entry_count


def test_restored_scopes_stay_in_the_order_of_their_creation() -> None:
    agent = Agent()
    agent.do(CreateScope("first", ROOT, "z"))
    agent.now += 1
    agent.do(CreateScope("second", ROOT, "a"))
    image = agent.image()
    agent.do(ClearAgent())
    agent.do(RestoreAgent(image, "snapshot"))
    assert [scope.name for scope in agent.state.part(WORKING_MEMORY).scopes_in_order()] == ["first", "second"]


def test_clearing_takes_the_kinds_that_are_named() -> None:
    agent = full_agent()
    agent.store("fragment")
    for memory_id, ends in (("m0", None), ("m1", NOW + SECOND_NS), ("m2", NOW + 2 * SECOND_NS)):
        agent.create(f"fox {memory_id}", memory_id=memory_id, expire_time=ends)
    agent.link("m1", "m2")
    agent.do(PurgeMemory("m0", blocks_reimport=True))
    agent.now += SECOND_NS
    agent.events = []
    only_memories = ClearAgent(kinds=frozenset({RecordKind.MEMORY}))
    assert agent.do(only_memories) == AgentCleared({RecordKind.MEMORY: 1}, agent.state.revision)
    events = [(event.type.name, event.cause.name, event.subject.counts) for event in agent.events]
    assert events == [("MEMORIES_CLEARED", "CLEAR", {RecordKind.MEMORY: 1})]
    assert (len(agent.state.part(MEMORIES)), list(agent.state.part(MEMORIES).purges)) == (0, ["m0"])
    assert (agent.state.part(WORKING_MEMORY).entry_count, agent.contents()) == (3, ["fragment"])
    cleared = agent.do(ClearAgent())
    assert cleared.counts == {RecordKind.ENTRY: 2, RecordKind.SCOPE: 2, RecordKind.FRAGMENT: 1}
    assert agent.state.part(WORKING_MEMORY).entry_count == 0


def test_clearing_leaves_memories_unless_they_are_named() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    before = agent.state
    assert agent.do(ClearAgent()) == AgentCleared({}, 1)
    assert agent.state is before
    agent.do(ClearAgent(kinds=CLEARED_BY_DEFAULT | {RecordKind.MEMORY}))
    assert agent.do(ClearAgent(kinds=CLEARED_BY_DEFAULT | {RecordKind.MEMORY})) == AgentCleared({}, 2)


def test_an_agent_that_ends_reports_how_many_memories_it_had() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2", expire_time=NOW + SECOND_NS)
    agent.create("owl", memory_id="m3")
    agent.do(ForgetMemory("m3", agent.policy))
    agent.now += SECOND_NS
    assert agent.do(EndAgent()) == AgentCleared({RecordKind.MEMORY: 2}, 5, deleted=True)
    assert agent.events[-1].subject.counts == {RecordKind.MEMORY: 2}
    assert agent.state.record_count == 0


@pytest.mark.parametrize("consolidates", [False, True])
def test_fragments_that_are_ready_keep_an_agent_due_where_the_daemon_consolidates(consolidates: bool) -> None:
    agent = Agent()
    fragment = agent.store("fox")
    agent.do(ExpireRecords({FRAGMENTS.name: FragmentSweep(consolidates)}))
    assert agent.state.next_deadline == fragment.expire_time
    agent.do(FlushFragments())
    agent.do(ExpireRecords({FRAGMENTS.name: FragmentSweep(consolidates)}))
    assert agent.state.next_deadline == (agent.now if consolidates else None)
