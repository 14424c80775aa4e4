"""Replaying a commit on another replica leads to the state that was decided."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.random_agent import RandomAgent
from tests.unit.domain.sample import (
    IDENTITY,
    NOW,
    Agent,
    check_state,
    entry_access,
    entry_record,
    fragment_draft,
    image,
    memory_draft,
    plain,
    reads,
    records_of,
    reservation_record,
    scope_record,
)

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.part import ChangeKey, Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries import entry_editor
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure import Erasure, user_digest
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.fragments.fragment_change import CreateFragment, FlushFragments
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import AcknowledgeFragments, LeaseFragments, ReleaseFragments
from memoryd_server.domain.lifecycle.agent_change import (
    ClearAgent,
    EndAgent,
    ExpireRecords,
    RestoreAgent,
)
from memoryd_server.domain.lifecycle.replay import Replayed, replay
from memoryd_server.domain.lifecycle.user_removal import FinishErasures, ForgetUser
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges, PurgeMemory
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.notes.note import NOTE
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.domain.values.record_filter import EVERY_RECORD


class Batch:
    """The changes of several commands that are committed together."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._changes: Changes = {}
        self._drops_records = False

    def take(self) -> None:
        """Add the changes of the agent's last decision."""
        if self._agent.decision.ends:
            self._changes, self._drops_records = {}, True
        else:
            self._changes.update(self._agent.decision.changes)

    def commit(self) -> Replayed:
        state = self._agent.state
        return Replayed(
            state.revision,
            self._agent.now,
            self._changes,
            self._drops_records,
            not state.exists,
            state.next_deadline,
        )


def check_replay(before: AgentState, agent: Agent, commit: Replayed) -> AgentState:
    after = replay(before, commit)
    assert plain(after) == plain(agent.state)
    check_state(after, [value for value in records_of(after).values() if value is not None])
    return after


@pytest.mark.whole
@settings(max_examples=60)
@given(st.data())
def test_each_commit_leaves_the_state_that_was_decided(data: st.DataObject) -> None:
    agent = RandomAgent(data)
    replica = agent.state
    with patch.object(entry_editor, "DISPOSED_SCOPES_REMEMBERED_MAX", 2):
        for _ in range(data.draw(st.integers(1, 10))):
            batch = Batch(agent)
            for number in range(data.draw(st.integers(1, 6))):
                before = agent.state
                agent.step(at_once=number > 0)
                if agent.state is not before:
                    batch.take()
            if agent.state is not replica and agent.state != replica:
                replica = check_replay(replica, agent, batch.commit())


@pytest.fixture
def agent() -> Agent:
    agent = Agent()
    agent.create_scope()
    agent.set("k", ttl_ns=SECOND_NS)
    return agent


def replay_of(agent: Agent, *commands: Command) -> AgentState:
    """Decide the commands as one commit, and return the state that its replay leads to."""
    before, batch = agent.state, Batch(agent)
    for each in commands:
        agent.do(each)
        batch.take()
    return check_replay(before, agent, batch.commit())


def test_an_agent_that_ends_and_is_created_again_in_one_commit_has_what_came_after(agent: Agent) -> None:
    after = replay_of(agent, EndAgent(), CreateScope("scope", ROOT, "anew"))
    assert (list(after.part(WORKING_MEMORY).scopes), after.part(WORKING_MEMORY).entry_count, after.revision) == (
        ["anew"],
        0,
        4,
    )


def test_an_agent_that_ends_and_is_created_again_with_nothing_exists(agent: Agent) -> None:
    agent.now += 5
    after = replay_of(agent, EndAgent(), RestoreAgent(image(), "snapshot"))
    assert (after.exists, after.create_time, after.record_count, after.revision) == (True, agent.now, 0, 4)


def test_an_agent_that_ended_has_nothing_but_its_revision(agent: Agent) -> None:
    assert replay_of(agent, EndAgent()) == AgentState("a", 3)


def test_a_scope_that_was_made_and_disposed_in_one_commit_is_remembered(agent: Agent) -> None:
    after = replay_of(agent, CreateScope("scope", ROOT, "brief"), DisposeScope("brief"))
    assert "brief" in after.part(WORKING_MEMORY).disposed_scopes
    assert "brief" not in after.part(WORKING_MEMORY).scopes
    assert "brief" not in after.part(WORKING_MEMORY).entries


def test_a_restore_without_a_difference_makes_a_revision(agent: Agent) -> None:
    before = agent.state
    after = replay_of(agent, RestoreAgent(agent.image(), "snapshot"))
    assert after == msgspec.structs.replace(before, revision=3, update_time=agent.now)


def test_access_counts_leave_the_revision_and_the_time_of_the_last_change(agent: Agent) -> None:
    entry_id = agent.state.part(WORKING_MEMORY).entries[ROOT]["k"].entry_id
    agent.now += 5
    after = replay_of(agent, reads(entry_access(ROOT, "k", entry_id, 3, agent.now)))
    assert (after.part(WORKING_MEMORY).entries[ROOT]["k"].access_count, after.revision, after.update_time) == (
        3,
        2,
        NOW,
    )


def test_a_deadline_that_was_found_to_be_over_is_learnt(agent: Agent) -> None:
    agent.do(RemoveEntry(ROOT, "k"))
    agent.now += SECOND_NS
    before = agent.state
    agent.do(ExpireRecords())
    after = replay(before, Replayed(before.revision, agent.now, {}, False, False, agent.state.next_deadline))
    assert (before.next_deadline, after) == (NOW + SECOND_NS, agent.state)
    assert after.next_deadline is None


def test_a_scope_that_was_disposed_and_forgotten_in_one_commit_is_gone(agent: Agent) -> None:
    with patch.object(entry_editor, "DISPOSED_SCOPES_REMEMBERED_MAX", 1):
        agent.create_scope()
        after = replay_of(agent, ClearAgent())
    assert (len(after.part(WORKING_MEMORY).scopes), len(after.part(WORKING_MEMORY).disposed_scopes)) == (0, 1)


def test_an_erasure_that_was_begun_and_finished_in_one_commit_is_gone(agent: Agent) -> None:
    digest = user_digest("zoe", "x")
    erasure = Erasure("x", digest, agent.now, agent.state.revision + 1, is_complete=True)
    after = replay_of(agent, ForgetUser("x", digest), FinishErasures((erasure,)))
    assert (len(after.part(ERASURES)), after.next_deadline) == (0, NOW + SECOND_NS)


def test_a_fragment_that_is_restored_waits_again_though_it_was_flushed_since(agent: Agent) -> None:
    agent.do(CreateFragment(fragment_draft("red fox", NOW + 9 * SECOND_NS), 0))
    image = agent.image()
    agent.do(FlushFragments())
    after = replay_of(agent, RestoreAgent(image, "snapshot"))
    assert after.part(FRAGMENTS).waiting_count(agent.now) == 1
    assert not after.part(FRAGMENTS).has_available(agent.now)


def test_a_fragment_in_the_place_of_one_that_had_its_id_has_its_own_end_and_words(agent: Agent) -> None:
    agent.do(CreateFragment(fragment_draft("red fox", NOW + 9 * SECOND_NS), 0))
    image = agent.image()
    agent.do(EndAgent())
    agent.do(CreateFragment(fragment_draft("hen", NOW + SECOND_NS), 0))
    buffer = replay_of(agent, RestoreAgent(image, "snapshot")).part(FRAGMENTS)
    assert [fragment.content for fragment in buffer.search("fox", EVERY_RECORD, NOW)] == ["red fox"]
    assert not list(buffer.search("hen", EVERY_RECORD, NOW))
    assert buffer.next_deadline == NOW + 9 * SECOND_NS


def test_fragments_may_change_their_places_in_one_commit(agent: Agent) -> None:
    def store(number: int) -> None:
        agent.do(CreateFragment(fragment_draft(f"fox {number}", NOW + 9 * SECOND_NS), number))

    store(0)
    store(1)
    image = agent.image()
    agent.do(EndAgent())
    store(1)
    store(2)
    store(0)
    buffer = replay_of(agent, RestoreAgent(image, "snapshot")).part(FRAGMENTS)
    assert [fragment.content for fragment in buffer.oldest_first(NOW)] == ["fox 0", "fox 1"]


def test_leases_are_given_and_ended_by_a_replay(agent: Agent) -> None:
    for number, content in enumerate(("red fox", "hen"), 1):
        stored = CreateFragment(fragment_draft(content, NOW + 9 * SECOND_NS), number)
        assert len(replay_of(agent, stored).part(FRAGMENTS)) == number
    agent.do(FlushFragments())
    after = replay_of(agent, LeaseFragments("t", 9, SECOND_NS))
    assert [len(lease.sequences) for lease in after.part(FRAGMENTS).leases.values()] == [2]
    after = replay_of(agent, AcknowledgeFragments("t", frozenset({"mem_00000001"})))
    assert after.part(FRAGMENTS).leases["t"].sequences == (1,)
    assert not replay_of(agent, ReleaseFragments("t")).part(FRAGMENTS).leases


def remembering_agent() -> Agent:
    """Return an agent with memories, a vector, a link, a version and two purges."""
    agent = Agent()
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=b"8 bytes.")
    agent.create("hen", memory_id="m2", relates_to=(("m1", 0.5),))
    agent.create("owl", memory_id="m3")
    agent.create("cat", memory_id="m4")
    agent.now += SECOND_NS
    agent.do(UpdateMemory("m2", MemoryPatch(content="fox"), agent.policy))
    agent.do(PurgeMemory("m3", blocks_reimport=True))
    agent.do(PurgeMemory("m4"))
    agent.do(FinishPurges(("m3",), agent.state.revision))
    return agent


def test_all_that_a_memory_has_is_put_by_a_replay_and_put_in_the_place_of_what_was() -> None:
    agent = remembering_agent()
    records = records_of(agent.state)
    commit = Replayed(agent.state.revision, agent.now, records, False, False, agent.state.next_deadline)
    for before in (AgentState("a"), agent.state):
        after = replay(before, commit)
        assert plain(after).part(MEMORIES) == plain(agent.state).part(MEMORIES)
        assert (after.size_bytes, after.next_deadline) == (agent.state.size_bytes, 0)
        check_state(after, [value for value in records.values() if value is not None])


def test_all_that_a_memory_has_is_taken_away_by_a_replay() -> None:
    state = remembering_agent().state
    kinds = Counter(name.kind for name in records_of(state))
    assert kinds == {"memory": 2, "embedding": 1, "link": 1, "version": 1, "purge": 2}
    for kind in ("embedding", "link", "version", "purge"):
        gone: Changes = {name: None for name in records_of(state) if name.kind == kind}
        after = replay(state, Replayed(state.revision, NOW, gone, False, False, None))
        left = {name: value for name, value in records_of(state).items() if name not in gone}
        assert records_of(after) == left
        # The replay was given no deadline, but the remaining records may have one: 0 is not later than any.
        due = msgspec.structs.replace(after, next_deadline=0)
        check_state(due, [value for value in left.values() if value is not None])
    everything: Changes = dict.fromkeys(records_of(state))
    assert replay(state, Replayed(state.revision, NOW, everything, False, False, None)).part(
        MEMORIES
    ) == LongTermMemory(next_sequence=state.part(MEMORIES).next_sequence)


def test_what_a_memory_never_had_may_be_taken_away() -> None:
    state = remembering_agent().state
    kinds = ("memory", "embedding", "link", "version", "purge")
    keys = ("unknown", "unknown/m1/1", "m1/m2/1", "m1/5", "m2/5")
    never: Changes = {ChangeKey(kind, key): None for kind in kinds for key in keys}
    after = replay(state, Replayed(state.revision, NOW, never, False, False, state.next_deadline))
    assert (after.part(MEMORIES), after.size_bytes) == (state.part(MEMORIES), state.size_bytes)


def test_a_memory_that_was_purged_and_created_again_in_one_commit_is_the_new_one() -> None:
    agent = remembering_agent()
    created = CreateMemories((memory_draft("new", memory_id="m1"),), "id", agent.policy)
    memories = replay_of(agent, PurgeMemory("m1"), created).part(MEMORIES)
    assert (memories.memories["m1"].content, len(memories.embeddings), memories.link_count) == ("new", 0, 0)


def values() -> Iterator[tuple[str, AgentState, Any]]:
    """Yield states, each with a record to put."""
    agent = Agent()
    scope_id = agent.create_scope()
    scope = agent.state.part(WORKING_MEMORY).scopes[scope_id]
    yield "scope", AgentState("a"), scope
    empty = agent.state
    entry = agent.set("k", scope_id=scope_id)
    yield "entry", empty, entry
    replaced = agent.state
    expiring = agent.set("k", "22", scope_id=scope_id, ttl_ns=SECOND_NS)
    yield "entry that expires", empty, expiring
    yield "entry that expires in place of one", replaced, expiring
    yield "entry in place of one that expires", agent.state, entry
    agent.do(ReserveEntry(ROOT, "l", "t", SECOND_NS))
    yield "reservation", empty, agent.state.part(WORKING_MEMORY).reservations[ROOT, "l"]
    agent.do(DisposeScope(scope_id))
    disposed = agent.state.part(WORKING_MEMORY).disposed_scopes[scope_id]
    yield "disposed scope", empty, disposed
    yield "disposed scope that was not known", AgentState("a"), disposed
    yield "scope that was disposed", agent.state, scope


@pytest.mark.parametrize(("before", "value"), [case[1:] for case in values()], ids=[case[0] for case in values()])
def test_a_record_that_is_put_is_there_and_everything_fits(before: AgentState, value: Any) -> None:
    name = next(iter(records_of_value(value)))
    deadline = min((each for each in (before.next_deadline, deadline_of(value)) if each is not None), default=None)
    after = replay(before, Replayed(before.revision + 1, NOW, {name: value}, False, False, deadline))
    assert records_of(after) == {**records_of(before), name: value}
    check_state(after, [each for each in records_of(after).values() if each is not None])


def records_of_value(value: Any) -> Changes:
    if isinstance(value, Entry):
        return {entry_record(value.scope_id, value.key): value}
    if isinstance(value, Reservation):
        return {reservation_record(value.scope_id, value.key): value}
    return {scope_record(value.scope_id): value}


def deadline_of(value: Any) -> int | None:
    return None if isinstance(value, Scope) else value.expire_time


def test_records_that_are_deleted_are_gone_and_those_that_were_never_there_do_not_matter() -> None:
    agent = Agent()
    scope_id, other_id = agent.create_scope(), agent.create_scope()
    agent.set("k", scope_id=scope_id)
    agent.set("l", ttl_ns=SECOND_NS)
    agent.do(ReserveEntry(ROOT, "m", "t", SECOND_NS))
    agent.do(DisposeScope(other_id))
    state = agent.state
    for name in records_of(state):
        gone = (
            {scope_record(scope_id): None, entry_record(scope_id, "k"): None} if name.key == scope_id else {name: None}
        )
        after = replay(state, Replayed(state.revision, NOW, gone, False, False, state.next_deadline))
        assert records_of(after) == {each: value for each, value in records_of(state).items() if each not in gone}
        check_state(after, [each for each in records_of(after).values() if each is not None])
    never: Changes = dict.fromkeys(
        (entry_record("no", "k"), entry_record(ROOT, "no"), reservation_record(ROOT, "no"), scope_record("no"))
    )
    assert replay(state, Replayed(state.revision, NOW, never, False, False, state.next_deadline)) == state


def test_deleting_a_record_of_a_collection_that_is_not_there_changes_nothing_else() -> None:
    agent = Agent()
    agent.do(CreateNote("n", "title", "content", "", 0.5))
    changes: Changes = {ChangeKey(NOTE.name, f"{group}/unknown"): None for group in ("", "no group")}
    after = replay(agent.state, Replayed(2, agent.now, changes, False, False, None))
    assert list(after.part(NOTE)) == list(agent.state.part(NOTE))
    assert after.revision == 2
