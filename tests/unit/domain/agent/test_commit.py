"""Commits of several commands: all or nothing, at one revision, each command on what the earlier ones left."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.random_agent import RandomAgent
from tests.unit.domain.sample import (
    MUST_NOT_EXIST,
    Agent,
    at,
    draft,
    entry_access,
    fragment_draft,
    memory_draft,
    reads,
)

from memoryd_server.domain.agent import commit as module
from memoryd_server.domain.agent.author import NOBODY
from memoryd_server.domain.agent.commit import CommitWrites, WritesCommitted
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import GetOrSetEntry, RemoveEntry, SetEntry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import (
    LeaseLost,
    QuotaExceeded,
    RecordExists,
    RecordNotFound,
    Refusal,
    RevisionMismatch,
    TooLarge,
)
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.fragments.fragment_change import CreateFragment, FlushFragments
from memoryd_server.domain.fragments.lease_change import AcknowledgeFragments, LeaseFragments
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.notes.note_change import CreateNote, DeleteNote, NotePatch, UpdateNote
from memoryd_server.domain.plans.plan import PlanNote
from memoryd_server.domain.plans.plan_change import PlanNoteAdded

POLICY = MemoryPolicy()


def setting(key: str, value_json: str = "1", precondition: Precondition | None = None) -> SetEntry:
    return SetEntry(ROOT, draft(key, value_json), f"id of {key}", "", precondition)


def creating(content: str, memory_id: str = "") -> CreateMemories:
    return CreateMemories((memory_draft(content, memory_id=memory_id),), f"new {content[:9]}", POLICY, True)


def noting(note_id: str, content: str) -> CreateNote:
    return CreateNote(note_id, "title", content, "", 0.5)


def commit(agent: Agent, *writes: Any) -> WritesCommitted[Any]:
    return agent.do(CommitWrites(writes))


def keys(agent: Agent) -> set[str]:
    return set(agent.state.part(WORKING_MEMORY).entries.get(ROOT, {}))


def test_the_events_of_a_commit_have_one_revision_and_increasing_indexes() -> None:
    agent = Agent()
    done = commit(agent, setting("a"), noting("n", "content"), creating("fox"), setting("b"))
    assert (done.revision, agent.state.revision) == (1, 1)
    assert [(event.revision, event.index) for event in agent.events] == [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert [event.type for event in agent.events] == [
        EventType.ENTRY_SET,
        EventType.NOTE_CREATED,
        EventType.MEMORY_CREATED,
        EventType.ENTRY_SET,
    ]


def test_a_refused_write_refuses_all_and_is_named() -> None:
    agent = Agent()
    agent.do(setting("a"))
    before = agent.state
    with pytest.raises(RecordExists) as refused:
        commit(agent, setting("b"), noting("n", "c"), setting("a", "2", MUST_NOT_EXIST))
    assert refused.value.metadata["write_index"] == "2"
    assert refused.value.message.startswith("writes[2]: ")
    assert agent.state is before


def test_a_write_finds_what_the_earlier_ones_left() -> None:
    agent = Agent()
    done = commit(
        agent,
        setting("k", "1", MUST_NOT_EXIST),
        setting("k", "2", at(1)),
        RemoveEntry(ROOT, "k", Precondition(must_exist=True)),
        setting("k", "3", MUST_NOT_EXIST),
        GetOrSetEntry(ROOT, draft("k", "4"), "id"),
    )
    assert [getattr(each, "created", None) for each in done.results] == [True, False, None, True, False]
    assert [(event.previous_revision, event.index) for event in agent.events] == [(0, 0), (1, 1), (1, 2), (0, 3)]
    entry = agent.state.part(WORKING_MEMORY).entries[ROOT]["k"]
    assert (entry.value_json, entry.revision, agent.decision.changes) == (
        "3",
        1,
        {next(iter(agent.decision.changes)): entry},
    )


def test_a_record_of_an_earlier_write_is_updated_and_deleted() -> None:
    agent = Agent()
    updating = UpdateNote("n", NotePatch(title="new"))
    commit(agent, noting("n", "c"), updating, DeleteNote("n"))
    assert [event.type for event in agent.events] == [
        EventType.NOTE_CREATED,
        EventType.NOTE_UPDATED,
        EventType.NOTE_DELETED,
    ]
    assert list(agent.decision.changes.values()) == [None]
    with pytest.raises(RecordNotFound) as missing:
        commit(agent, updating, noting("n", "c"))
    assert missing.value.metadata["write_index"] == "0"


def test_the_limits_of_the_agent_count_all_writes() -> None:
    agent = Agent(Limits(notes_per_agent=1))
    with pytest.raises(QuotaExceeded) as full:
        commit(agent, noting("n", "c"), noting("m", "c"))
    assert full.value.metadata == {"limit": "notes_per_agent", "value": "1", "write_index": "1"}
    commit(agent, noting("n", "c"), DeleteNote("n"), noting("m", "c"))


def test_a_commit_that_changes_nothing_leaves_the_state_and_the_revision() -> None:
    agent = Agent()
    agent.do(setting("a"))
    before = agent.state
    done = commit(agent, RemoveEntry(ROOT, "unknown"), DeleteNote("unknown"))
    assert (done.revision, agent.state is before, agent.decision.events) == (1, True, [])


def test_a_commit_whose_changes_no_event_reports_keeps_the_revision() -> None:
    agent = Agent()
    agent.do(setting("a"))
    done = commit(agent, reads(agent_access(agent, "a")))
    assert (done.revision, agent.state.revision, bool(agent.decision.changes)) == (1, 1, True)
    done = commit(agent, reads(agent_access(agent, "a")), setting("b"), reads(agent_access(agent, "a")))
    assert (done.revision, agent.state.revision) == (2, 2)
    assert agent.state.part(WORKING_MEMORY).entries[ROOT]["a"].access_count == 3


def agent_access(agent: Agent, key: str) -> Any:
    return entry_access(ROOT, key, f"id of {key}", 1, agent.now)


def test_fragments_are_acknowledged_and_their_memories_created_as_one_change() -> None:
    agent = Agent()
    agent.do(CreateFragment(fragment_draft("red fox", agent.now + SECOND_NS), 1, 0))
    agent.do(FlushFragments())
    lease = agent.do(LeaseFragments("token", 10, SECOND_NS)).lease
    assert lease is not None
    writes = (AcknowledgeFragments("token", frozenset()), creating("red fox"), setting("done"))
    done = commit(agent, *writes)
    assert (done.results[0].count, done.results[1].created[0].outcome) == (1, CreateMemoryOutcome.CREATED)
    with pytest.raises(LeaseLost):
        commit(agent, *reversed(writes))
    assert (agent.state.revision, keys(agent)) == (done.revision, {"done"})


def test_a_memory_reinforces_its_duplicate_of_the_same_commit() -> None:
    agent = Agent()
    done = commit(agent, creating("fox"), creating("fox"), creating("hen"))
    assert [each.created[0].outcome for each in done.results] == [
        CreateMemoryOutcome.CREATED,
        CreateMemoryOutcome.REINFORCED,
        CreateMemoryOutcome.CREATED,
    ]


def test_the_id_of_a_memory_that_a_commit_purged_is_not_reused_in_it() -> None:
    agent = Agent()
    agent.do(creating("fox", "m"))
    with pytest.raises(RecordExists):
        commit(agent, PurgeMemory("m"), creating("hen", "m"))
    commit(agent, PurgeMemory("m"), setting("a"))
    agent.do(creating("hen", "m"))


def test_remembered_results_have_no_content_and_are_small() -> None:
    agent = Agent()
    long = "x" * 10_000
    done = commit(
        agent,
        setting("k", f'"{long}"'),
        GetOrSetEntry(ROOT, draft("k"), "id"),
        noting("n", long),
        creating(long),
    )
    assert long in str(done)
    done = done.remembered
    assert long not in str(done)
    assert done.memory_bytes < 10_000
    assert not done.is_provisional
    assert WritesCommitted((LeaseFragments("t", 1, 1).decide(transition_of(agent)),), 1).is_provisional


def transition_of(agent: Agent) -> Any:
    return Transition(agent.state, agent.now, agent.limits, NOBODY)


def test_the_notes_of_plans_are_remembered_without_their_text() -> None:
    note = PlanNoteAdded("p", PlanNote("a secret", 5), 1)
    remembered = WritesCommitted((note,), 1).remembered
    assert remembered.results == (PlanNoteAdded("p", PlanNote("", 5), 1),)


def test_the_number_of_events_before_the_last_write_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVENTS_PER_COMMIT_MAX", 2)
    agent = Agent()
    commit(agent, setting("a"), setting("b"), setting("c"))
    with pytest.raises(TooLarge) as refused:
        commit(agent, setting("a"), setting("b"), setting("c"), setting("d"))
    assert refused.value.metadata == {"limit": "events_per_commit", "value": "2", "write_index": "3"}


def test_an_agent_is_cleared_but_not_ended_within_a_commit() -> None:
    agent = Agent()
    agent.do(setting("a"))
    commit(agent, ClearAgent(), setting("b"))
    assert keys(agent) == {"b"}
    with pytest.raises(AssertionError):
        commit(agent, EndAgent())


@settings(max_examples=60)
@given(st.data())
def test_a_commit_leaves_what_its_commands_leave_one_after_the_other(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(0, 12))):
        agent.step()
    before, writes = agent.state, agent.writes()
    outcomes: list[Any] = []
    for each in writes:
        outcomes.append(outcome(agent, each))
        if isinstance(outcomes[-1], Refusal):
            break
    after, agent.state = agent.state, before
    refused = outcomes.pop() if isinstance(outcomes[-1], Refusal) else None
    done = outcome(agent, CommitWrites(writes))
    if any(isinstance(each, RevisionMismatch | RecordExists) for each in (refused, done)):
        return
    if isinstance(done, Refusal):
        assert (type(done), done.metadata["write_index"]) == (type(refused), str(len(outcomes)))
        assert agent.state is before
        return
    assert refused is None
    assert [type(each) for each in done.results] == [type(each) for each in outcomes]
    assert agent.state.revision - before.revision == (after.revision > before.revision)
    for part in PARTS:
        found, expected = records_of(agent.state, part), records_of(after, part)
        # Scopes of one revision have no order among each other.
        assert len(found) == len(expected)
        assert all(each in found for each in expected)
    figures = ("record_count", "size_bytes", "memory_bytes", "next_deadline", "create_time")
    assert [getattr(agent.state, each) for each in figures] == [getattr(after, each) for each in figures]


def outcome(agent: Agent, command: Any) -> Any:
    """Return the result of a command, or its refusal."""
    try:
        return agent.do(command)
    except Refusal as refusal:
        return refusal


def records_of(state: Any, part: Any) -> Any:
    """Return a part's initial events, which have all its records, without revisions."""
    return [(each.type, unversioned(each.subject)) for each in part.initial_events(state.part(part), 0)]


def unversioned(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        names = [name for name in value.__struct_fields__ if "revision" not in name]
        return type(value), [unversioned(getattr(value, name)) for name in names]
    return list(map(unversioned, value)) if isinstance(value, tuple) else value
