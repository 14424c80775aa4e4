"""The messages of a watch: phases, filters, payloads, causes."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from tests.integration.mirror import Mirror
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import working_memory_service_pb2 as memory_pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.listing_pb2 import RECORD_VIEW_WITHOUT_CONTENT

SOON = Duration(nanos=100_000_000)


def place_of(event: event_pb2.Event) -> tuple[str, str]:
    """Return the scope and the key of an event about an entry, or the scope of one about a scope."""
    return (event.entry.scope_id, event.entry.key) if event.HasField("entry") else (event.scope.scope_id, "")


def test_opened_is_sent_at_once_with_a_token(agent: Memory) -> None:
    """Rule 1, DC-02."""
    agent.set("key")
    with Watcher(agent.wire, agent.id, progress_interval=Duration(seconds=3600)).opened() as watcher:
        opened = watcher.messages[0]
        assert (opened.revision, bool(opened.resume_token), len(opened.events)) == (1, True, 0)


def test_a_watch_begins_with_the_next_commit(agent: Memory) -> None:
    agent.set("before")
    with Watcher(agent.wire, agent.id).opened() as watcher:
        agent.set("after")
        (event,) = watcher.until_events(1)
        message = watcher.messages[-1]
    assert (event.entry.key, event.revision) == ("after", 2)
    assert (message.phase, message.revision, message.revision_continues) == (pb.WATCH_PHASE_LIVE, 2, False)


def test_a_watch_of_all_agents_has_the_events_of_each_and_no_revision(wire: Wire) -> None:
    one, other = wire.agent(), wire.agent()
    with Watcher(wire).opened() as watcher:
        one.set("key")
        other.set("key")
        watcher.wait(lambda: {one.id, other.id} <= {event.agent_id for event in watcher.events})
        assert {message.revision for message in watcher.messages} == {0}


def test_the_initial_state_of_an_empty_agent_ends_with_its_marker(agent: Memory) -> None:
    """Rule 1."""
    with Watcher(agent.wire, agent.id, include_initial_state=True) as watcher:
        complete = watcher.until_phase(pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        assert watcher.phases == [pb.WATCH_PHASE_OPENED, pb.WATCH_PHASE_INITIAL_STATE_COMPLETE]
        assert complete.revision == 0
        agent.set("key")
        assert watcher.until_events(1)[0].revision == 1


def test_the_initial_state_has_all_entries_and_scopes_parents_first(agent: Memory) -> None:
    """Rule 1."""
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.set("root")
    agent.set("own", 1, inner)
    agent.dispose(agent.scope("gone"))
    with Watcher(agent.wire, agent.id, include_initial_state=True) as watcher:
        complete = watcher.until_phase(pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        events = [(event.type, *place_of(event), event.revision) for event in watcher.events]
        tokens = [m.resume_token for m in watcher.messages if m.phase == pb.WATCH_PHASE_INITIAL_STATE]
        assert {event.cause for event in watcher.events} == {event_pb2.EVENT_CAUSE_INITIAL_STATE}
    assert events == [
        (event_pb2.EVENT_TYPE_ENTRY_SET, "", "root", 3),
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, outer, "", 1),
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, inner, "", 2),
        (event_pb2.EVENT_TYPE_ENTRY_SET, inner, "own", 4),
    ]
    assert set(tokens) == {""}
    assert (complete.revision, bool(complete.resume_token)) == (6, True)


def test_the_initial_state_is_filtered_as_events_are(agent: Memory) -> None:
    agent.write({"a:1": 1, "b:1": 1})
    filters = [EventFilter(agent_ids=[agent.id], key_prefix="a:")]
    with Watcher(agent.wire, filters=filters, include_initial_state=True) as watcher:
        watcher.until_phase(pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        assert [event.entry.key for event in watcher.events] == ["a:1"]


def selected(agent: Memory, event_filter: EventFilter, act: Callable[[], object], **fields: Any) -> list[str]:
    """Watch with this filter while ``act`` runs; return the key of each event, or its scope's name without a key."""
    event_filter.agent_ids.append(agent.id)
    with Watcher(agent.wire, filters=[event_filter], progress_interval=SOON, **fields).opened() as watcher:
        act()
        last = agent.set("last").revision
        watcher.wait(lambda: watcher.messages[-1].phase == pb.WATCH_PHASE_PROGRESS)
        watcher.until_phase(pb.WATCH_PHASE_PROGRESS, watcher.phases.count(pb.WATCH_PHASE_PROGRESS) + 2)
        assert not watcher.events or watcher.events[-1].revision <= last
        return [event.entry.key or event.scope.name or event.cleared.scope_name for event in watcher.events]


def test_filters_by_scope_with_and_without_descendants(agent: Memory) -> None:
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    other = agent.scope("other")

    def act() -> None:
        for index, scope_id in enumerate(("", outer, inner, other)):
            agent.set(f"key-{index}", 1, scope_id)
        agent.scope("innermost", inner)

    assert selected(agent, EventFilter(scope_ids=[outer]), act) == ["key-1"]
    below = EventFilter(scope_ids=[outer], include_descendants=True)
    assert selected(agent, below, act) == ["key-1", "key-2", "innermost"]
    assert selected(agent, EventFilter(scope_ids=[""]), act) == ["key-0", "last"]
    everywhere = EventFilter(scope_ids=[""], include_descendants=True)
    assert selected(agent, everywhere, act) == ["key-0", "key-1", "key-2", "key-3", "innermost", "last"]


def test_filters_by_prefix_pass_events_about_many_entries(agent: Memory) -> None:
    scope_id = agent.scope("s")

    def act() -> None:
        agent.write({"a:1": 1, "b:1": 1}, scope_id)
        agent.remove("a:1", scope_id)
        agent.dispose(scope_id)

    assert selected(agent, EventFilter(key_prefix="a:"), act) == ["a:1", "a:1", "s"]


def test_filters_by_type(agent: Memory) -> None:
    def act() -> None:
        agent.set("key")
        agent.remove("key")

    assert selected(agent, EventFilter(event_types=[event_pb2.EVENT_TYPE_ENTRY_REMOVED]), act) == ["key"]


def test_filters_by_agent_exclude_other_agents(agent: Memory) -> None:
    other = agent.wire.agent()
    assert selected(agent, EventFilter(), lambda: other.set("other's")) == ["last"]


def test_a_watch_can_exclude_the_events_of_its_own_origin(agent: Memory) -> None:
    def act() -> None:
        for origin in ("me", "you"):
            request = memory_pb.SetEntryRequest(agent_id=agent.id, key=f"by {origin}", value_json="1")
            agent.wire.memory.SetEntry(request, metadata=(("memoryd-origin", origin),))

    assert selected(agent, EventFilter(), act, exclude_origin="me") == ["by you", "last"]


def test_metadata_only_omits_the_values_in_initial_state_and_events(agent: Memory) -> None:
    agent.set("key", "secret", tags=["t"])
    with (
        Watcher(agent.wire, agent.id, include_initial_state=True, view=RECORD_VIEW_WITHOUT_CONTENT) as watcher,
        Watcher(agent.wire, agent.id).opened() as full,
    ):
        watcher.until_phase(pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        agent.set("key", "secret", tags=["t"])
        entries = [event.entry.entry for event in watcher.until_events(2)]
        assert full.until_events(1)[0].entry.entry.value_json == '"secret"'
    assert [(each.value_json, list(each.tags), each.key) for each in entries] == [("", [], "key")] * 2


def test_progress_is_sent_when_caught_up_and_advances_past_filtered_events(agent: Memory) -> None:
    """Rule 5."""
    filters = [EventFilter(agent_ids=[agent.id], key_prefix="a:")]
    with Watcher(agent.wire, filters=filters, progress_interval=SOON).opened() as watcher:
        first = watcher.until_phase(pb.WATCH_PHASE_PROGRESS)
        agent.set("b:1")
        agent.set("b:2")
        seen = watcher.phases.count(pb.WATCH_PHASE_PROGRESS)
        second = watcher.until_phase(pb.WATCH_PHASE_PROGRESS, seen + 2)
        assert not watcher.events
    assert first.resume_token != second.resume_token
    with Watcher(agent.wire, agent.id, resume_token=second.resume_token).opened() as resumed:
        agent.set("c")
        assert [event.entry.key for event in resumed.until_events(1)] == ["c"]


def test_progress_has_the_agents_revision_up_to_which_all_events_were_sent(agent: Memory) -> None:
    """Rule 5: also past revisions whose events were filtered."""
    filters = [EventFilter(agent_ids=[agent.id], key_prefix="a:")]
    with Watcher(agent.wire, filters=filters, progress_interval=SOON).opened() as watcher:
        agent.set("b:1")
        watcher.wait(lambda: watcher.messages[-1].revision == 1)
        assert watcher.messages[-1].phase == pb.WATCH_PHASE_PROGRESS


def test_a_watch_says_at_once_up_to_which_revision_it_has_sent_all_events(agent: Memory) -> None:
    """Rule 5, for a mirror of few of the records: no interval passes."""
    filters = [EventFilter(agent_ids=[agent.id], key_prefix="a:")]
    watchers = [Watcher(agent.wire, filters=filters, progress_on_commit=True) for _ in range(3)]
    with watchers[0].opened(), watchers[1].opened(), watchers[2].opened():
        for revision, key in enumerate(("b:1", "a:1", "b:2", "b:3", "a:2"), 1):
            agent.set(key)
            for watcher in watchers:
                watcher.wait(lambda watcher=watcher, revision=revision: watcher.messages[-1].revision == revision)
        assert [[event.revision for event in watcher.events] for watcher in watchers] == [[2, 5]] * 3


def test_events_of_expiry_merge_disposal_clear_restore_and_end_have_their_causes(agent: Memory) -> None:
    """Rule 3, WM-17."""
    snapshots = agent.wire.snapshots
    snapshot_id = f"s-{agent.id}"
    with Watcher(agent.wire, agent.id).opened() as watcher:
        agent.set("gone", ttl=Duration(nanos=1_000_000))
        watcher.until_events(2)
        agent.set("kept")
        snapshots.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(agent_id=agent.id, snapshot_id=snapshot_id))
        outer = agent.scope("outer")
        agent.scope("inner", outer)
        agent.set("merged", 1, outer)
        agent.merge(outer, dispose=True)
        agent.scope("cleared")
        agent.wire.agents.ClearAgent(agent_pb.ClearAgentRequest(agent_id=agent.id))
        agent.set("late")
        snapshots.RestoreSnapshot(snapshot_pb.RestoreSnapshotRequest(snapshot_id=snapshot_id))
        agent.wire.agents.EndAgent(agent_pb.EndAgentRequest(agent_id=agent.id))
        watcher.wait(lambda: any(event.type == event_pb2.EVENT_TYPE_AGENT_ENDED for event in watcher.events))
        events = [
            (event.type, event.cause, event.entry.key or event.scope.name or event.cleared.scope_name)
            for event in watcher.events
        ]
    request = event_pb2.EVENT_CAUSE_REQUEST
    assert events == [
        (event_pb2.EVENT_TYPE_ENTRY_SET, request, "gone"),
        (event_pb2.EVENT_TYPE_ENTRY_REMOVED, event_pb2.EVENT_CAUSE_EXPIRY, "gone"),
        (event_pb2.EVENT_TYPE_ENTRY_SET, request, "kept"),
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, request, "outer"),
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, request, "inner"),
        (event_pb2.EVENT_TYPE_ENTRY_SET, request, "merged"),
        (event_pb2.EVENT_TYPE_ENTRY_SET, event_pb2.EVENT_CAUSE_MERGE, "merged"),
        (event_pb2.EVENT_TYPE_SCOPE_DISPOSED, event_pb2.EVENT_CAUSE_PARENT_DISPOSED, "inner"),
        (event_pb2.EVENT_TYPE_SCOPE_DISPOSED, request, "outer"),
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, request, "cleared"),
        (event_pb2.EVENT_TYPE_SCOPE_DISPOSED, event_pb2.EVENT_CAUSE_CLEAR, "cleared"),
        (event_pb2.EVENT_TYPE_ENTRIES_CLEARED, request, ""),
        (event_pb2.EVENT_TYPE_ENTRY_SET, request, "late"),
        (event_pb2.EVENT_TYPE_ENTRY_REMOVED, event_pb2.EVENT_CAUSE_RESTORE, "late"),
        (event_pb2.EVENT_TYPE_ENTRY_SET, event_pb2.EVENT_CAUSE_RESTORE, "kept"),
        (event_pb2.EVENT_TYPE_AGENT_RESTORED, event_pb2.EVENT_CAUSE_RESTORE, ""),
        (event_pb2.EVENT_TYPE_AGENT_ENDED, request, ""),
    ]
    restored = [event for event in watcher.events if event.type == event_pb2.EVENT_TYPE_AGENT_RESTORED]
    assert restored[0].agent.snapshot_id == snapshot_id
    Mirror().apply(watcher.events).expect(agent)


@pytest.mark.parametrize("start", ["after_revision", "resume_token"])
def test_a_watch_cannot_begin_in_the_future(agent: Memory, start: str) -> None:
    agent.set("key")
    if start == "after_revision":
        filters = [EventFilter(agent_ids=[agent.id])]
        request = pb.WatchEventsRequest(filters=filters, after_revision=2)
        refusal = refused(lambda: next(agent.wire.events.WatchEvents(request)))
        assert (refusal.reason, refusal.own_metadata) == ("REVISION_IN_FUTURE", {"revision": "1"})
    else:
        with Watcher(agent.wire, agent.id, after_revision=1).opened() as watcher:
            agent.set("key", 2)
            assert watcher.until_events(1)[0].revision == 2
