"""Agents as a whole through the wire: WM-01, WM-16, WM-21, WM-26."""

from collections.abc import Iterable

import grpc
from tests.integration.watcher import Watcher
from tests.integration.wire import ABSENT, Memory, Wire, at_revision, refused

from memoryd.v1 import agent_service_pb2 as pb
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1.event_pb2 import EVENT_CAUSE_CLEAR, EVENT_TYPE_AGENT_ENDED, EVENT_TYPE_SCOPE_DISPOSED
from memoryd.v1.note_service_pb2_grpc import NoteServiceStub
from memoryd.v1.record_pb2 import RECORD_KIND_ENTRY, RECORD_KIND_MESSAGE, RECORD_KIND_SCOPE, RecordCount
from memoryd.v1.snapshot_pb2 import SNAPSHOT_TRIGGER_END_AGENT
from memoryd.v1.snapshot_service_pb2 import GetSnapshotRequest, RestoreSnapshotRequest


def end(agent: Memory, **fields: object) -> pb.EndAgentResponse:
    return agent.wire.agents.EndAgent(pb.EndAgentRequest(agent_id=agent.id, **fields))  # type: ignore[arg-type]


def counts(messages: Iterable[RecordCount]) -> dict[int, int]:
    return {message.kind: message.count for message in messages}


def clear(agent: Memory, **fields: object) -> pb.ClearAgentResponse:
    return agent.wire.agents.ClearAgent(pb.ClearAgentRequest(agent_id=agent.id, **fields))  # type: ignore[arg-type]


def test_an_agent_has_its_revision_and_times(agent: Memory) -> None:
    agent.set("a")
    agent.set("b")
    answer = agent.wire.agents.GetAgent(pb.GetAgentRequest(agent_id=agent.id))
    assert (answer.agent.agent_id, answer.agent.revision, answer.revision) == (agent.id, 2, 2)
    assert answer.agent.create_time.ToNanoseconds() < answer.agent.update_time.ToNanoseconds()


def test_an_agent_that_does_not_exist_is_not_found(agent: Memory) -> None:
    agent.get("key")
    assert (list(clear(agent).cleared), end(agent).deleted) == ([], False)
    for call in (lambda: agent.wire.agents.GetAgent(pb.GetAgentRequest(agent_id=agent.id)), agent.stats):
        refusal = refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "AGENT_NOT_FOUND")
        assert refusal.metadata == {"agent_id": agent.id}


def test_agents_are_listed_by_prefix_and_in_pages(wire: Wire) -> None:
    prefix = wire.agent().id
    names = [f"{prefix}/{index}" for index in range(5)]
    for name in reversed(names):
        wire.agent(name).set("key")
    listed, token = [], ""
    while True:
        page = wire.agents.ListAgents(pb.ListAgentsRequest(agent_ids=[f"{prefix}*"], page_size=2, page_token=token))
        listed += [each.agent_id for each in page.agents]
        token = page.next_page_token
        if not token:
            break
    assert listed == names


def test_stats_count_what_the_agent_holds(agent: Memory) -> None:
    """WM-16."""
    agent.write({"a": "x" * 100, "b": 1})
    scope_id = agent.scope()
    agent.set("c", 1, scope_id)
    answer = agent.stats()
    stats = answer.stats
    assert (counts(stats.record_counts), stats.root_entry_count) == ({RECORD_KIND_ENTRY: 3, RECORD_KIND_SCOPE: 1}, 2)
    assert stats.forgotten_memory_count == 0
    assert stats.storage_bytes == len("a") + 102 + 2 * len("b1")
    assert stats.storage_bytes_max == 1 << 30
    assert stats.oldest_entry_time.ToNanoseconds() < stats.newest_entry_time.ToNanoseconds()
    assert (stats.context_token_count, answer.revision) == (0, 3)
    agent.dispose(scope_id)
    agent.clear()
    stats = agent.stats().stats
    assert (counts(stats.record_counts), stats.storage_bytes) == ({}, 0)
    assert not stats.HasField("oldest_entry_time")
    assert not stats.HasField("newest_entry_time")


def test_the_oldest_and_the_newest_record_may_be_of_any_kind(agent: Memory) -> None:
    note = (
        NoteServiceStub(agent.wire.channel)
        .CreateNote(note_pb.CreateNoteRequest(agent_id=agent.id, draft={"title": "t", "content": "first"}))
        .note
    )
    stats = agent.stats().stats
    assert stats.oldest_entry_time == stats.newest_entry_time == note.update_time
    agent.set("key")
    fragment = fragment_pb.CreateFragmentRequest(agent_id=agent.id, draft={"content": "last"})
    created = agent.wire.fragments.CreateFragment(fragment).fragment
    stats = agent.stats().stats
    assert (stats.oldest_entry_time, stats.newest_entry_time) == (note.update_time, created.create_time)


def test_clearing_an_agent_removes_entries_and_scopes_and_the_agent_stays(agent: Memory) -> None:
    """WM-21."""
    agent.write({"a": 1, "b": 2})
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.set("c", 3, inner)
    with Watcher(agent.wire, agent.id).opened() as watcher:
        answer = clear(agent)
        events = watcher.until_events(3)
    assert (counts(answer.cleared), answer.revision) == ({RECORD_KIND_ENTRY: 3, RECORD_KIND_SCOPE: 2}, 5)
    assert (agent.values(), agent.scopes().total_count, agent.revision) == ({}, 0, 5)
    assert [event.scope.scope_id for event in events if event.type == EVENT_TYPE_SCOPE_DISPOSED] == [inner, outer]
    assert {event.cause for event in events if event.type == EVENT_TYPE_SCOPE_DISPOSED} == {EVENT_CAUSE_CLEAR}
    assert agent.wire.agents.GetAgent(pb.GetAgentRequest(agent_id=agent.id)).revision == 5


def test_clearing_accepts_only_known_kinds(agent: Memory) -> None:
    """WM-21."""
    agent.set("a")
    assert counts(clear(agent, kinds=[RECORD_KIND_ENTRY]).cleared) == {RECORD_KIND_ENTRY: 1}
    assert refused(lambda: clear(agent, kinds=[0])).fields == ("kinds",)
    assert refused(lambda: clear(agent, kinds=[77])).fields == ("kinds",)
    assert refused(lambda: clear(agent, kinds=[RECORD_KIND_MESSAGE])).fields == ("kinds",)


def test_clearing_an_empty_agent_changes_nothing(agent: Memory) -> None:
    """WM-21."""
    agent.set("a")
    clear(agent)
    assert (counts(clear(agent).cleared), agent.revision) == ({}, 2)


def test_ending_an_agent_removes_all_of_it(agent: Memory) -> None:
    """WM-26."""
    agent.set("a")
    scope_id = agent.scope()
    agent.set("b", 2, scope_id)
    with Watcher(agent.wire, agent.id).opened() as watcher:
        answer = end(agent)
        (event,) = watcher.until_events(1)
    assert (counts(answer.cleared), answer.revision) == ({RECORD_KIND_ENTRY: 2, RECORD_KIND_SCOPE: 1}, 4)
    assert not answer.HasField("snapshot")
    assert (event.type, event.agent.cleared, event.revision) == (EVENT_TYPE_AGENT_ENDED, answer.cleared, 4)
    assert agent.value("a") is ABSENT
    assert refused(lambda: agent.get("b", scope_id)).reason == "RECORD_NOT_FOUND"
    listed = agent.wire.agents.ListAgents(pb.ListAgentsRequest(agent_ids=[agent.id])).agents
    assert not listed


def test_a_new_agent_under_an_ended_id_is_empty_and_continues_its_revisions(agent: Memory) -> None:
    """WM-26."""
    agent.set("a")
    end(agent)
    assert agent.set("b").revision == 3
    assert agent.values() == {"b": 1}


def test_ending_an_agent_can_take_a_last_snapshot(agent: Memory) -> None:
    """WM-26."""
    agent.write({"a": 1, "b": 2})
    answer = end(agent, create_snapshot=True)
    assert (answer.snapshot.agent_id, answer.snapshot.revision) == (agent.id, 1)
    assert answer.snapshot.trigger == SNAPSHOT_TRIGGER_END_AGENT
    snapshot_id = answer.snapshot.snapshot_id
    kept = agent.wire.snapshots.GetSnapshot(GetSnapshotRequest(snapshot_id=snapshot_id)).snapshot
    assert kept == answer.snapshot
    agent.wire.snapshots.RestoreSnapshot(RestoreSnapshotRequest(snapshot_id=snapshot_id))
    assert agent.values() == {"a": 1, "b": 2}


def test_ending_and_clearing_check_their_preconditions(agent: Memory) -> None:
    """WM-21, WM-26."""
    agent.set("a")
    for call in (end, clear):
        refusal = refused(lambda call=call: call(agent, agent_precondition=at_revision(7)))  # type: ignore[misc]
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.ABORTED, "REVISION_MISMATCH")
        assert refusal.own_metadata == {"expected_revision": "7", "actual_revision": "1"}
    assert (
        refused(lambda: end(agent, agent_precondition=at_revision(7), create_snapshot=True)).reason
        == "REVISION_MISMATCH"
    )
    assert agent.values() == {"a": 1}
    assert clear(agent, agent_precondition=at_revision(1)).revision == 2
    assert end(agent, agent_precondition=at_revision(2)).revision == 3
