"""The content of events, and ListEvents: WM-17, and the causes of the contract."""

import grpc
from tests.integration.wire import Memory, refused, remove_operation, set_operation

from memoryd.v1 import event_pb2, event_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import Event, EventFilter
from memoryd.v1.listing_pb2 import RECORD_VIEW_WITHOUT_CONTENT
from memoryd.v1.record_pb2 import RECORD_KIND_ENTRY, RecordCount


def listed(agent: Memory, **fields: object) -> event_service_pb2.ListEventsResponse:
    filters = [EventFilter(agent_ids=[agent.id])]
    request = event_service_pb2.ListEventsRequest(filters=filters, **fields)  # type: ignore[arg-type]
    return agent.wire.events.ListEvents(request)


def events_of(agent: Memory) -> list[Event]:
    """Return all events of the agent so far, read in the smallest pages."""
    page = listed(agent, page_size=1)
    events = list(page.events)
    while page.next_page_token:
        page = listed(agent, page_size=1, page_token=page.next_page_token)
        events += page.events
    return events


def test_the_event_of_a_set_has_the_entry_and_whether_it_is_an_update(agent: Memory) -> None:
    """WM-17."""
    agent.set("key", {"a": 1}, type_name="T", tags=["x"])
    agent.set("key", 2)
    first, second = events_of(agent)
    assert first.type == event_pb2.EVENT_TYPE_ENTRY_SET
    assert (first.agent_id, first.kind, first.entry.key) == (agent.id, RECORD_KIND_ENTRY, "key")
    assert (first.entry.entry.type_name, first.previous_revision) == ("T", 0)
    assert (first.revision, first.index, first.cause) == (1, 0, event_pb2.EVENT_CAUSE_REQUEST)
    assert (first.entry.entry.value_json, list(first.entry.entry.tags)) == ('{"a": 1}', ["x"])
    assert (first.event_time, first.revision) == (first.entry.entry.update_time, first.entry.entry.revision)
    assert (second.previous_revision, second.revision) == (1, 2)
    assert second.entry.entry.entry_id == first.entry.entry.entry_id
    assert list(second.changed_fields.paths) == ["value_json", "type_name", "tags"]


def test_events_of_a_scope_name_it_and_its_parent(agent: Memory) -> None:
    """WM-17."""
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.set("key", 1, inner)
    agent.remove("key", inner)
    agent.clear(inner)
    agent.set("key", 1, inner)
    agent.clear(inner)
    agent.dispose(inner)
    events = events_of(agent)
    assert [event.type for event in events] == [
        event_pb2.EVENT_TYPE_SCOPE_CREATED,
        event_pb2.EVENT_TYPE_SCOPE_CREATED,
        event_pb2.EVENT_TYPE_ENTRY_SET,
        event_pb2.EVENT_TYPE_ENTRY_REMOVED,
        event_pb2.EVENT_TYPE_ENTRY_SET,
        event_pb2.EVENT_TYPE_ENTRIES_CLEARED,
        event_pb2.EVENT_TYPE_SCOPE_DISPOSED,
    ]
    scope = events[0].scope
    assert (scope.scope_id, scope.name, scope.parent_scope_id, scope.scope.name) == (outer, "outer", "", "outer")
    for event in (events[1], events[6]):
        assert (event.scope.scope_id, event.scope.name, event.scope.parent_scope_id) == (inner, "inner", outer)
    for subject in (*(event.entry for event in events[2:5]), events[5].cleared):
        assert (subject.scope_id, subject.scope_name) == (inner, "inner")
    assert events[5].cleared.cleared == [RecordCount(kind=RECORD_KIND_ENTRY, count=1)]
    assert [event.revision for event in events] == [1, 2, 3, 4, 5, 6, 7]


def test_the_event_of_clearing_the_root_has_the_number_of_entries(agent: Memory) -> None:
    """WM-17."""
    agent.write({"a": 1, "b": 2})
    agent.clear()
    cleared = events_of(agent)[-1]
    assert (cleared.type, cleared.cleared.scope_id) == (event_pb2.EVENT_TYPE_ENTRIES_CLEARED, "")
    assert cleared.cleared.cleared == [RecordCount(kind=RECORD_KIND_ENTRY, count=2)]


def test_the_events_of_a_batch_are_in_order_at_one_revision(agent: Memory) -> None:
    """WM-17."""
    agent.set("b")
    operations = [set_operation("a"), remove_operation("b"), remove_operation("none"), set_operation("c")]
    agent.wire.memory.BatchWriteEntries(pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations))
    batch = [(event.revision, event.index, event.type, event.entry.key) for event in events_of(agent)[1:]]
    assert batch == [
        (2, 0, event_pb2.EVENT_TYPE_ENTRY_SET, "a"),
        (2, 1, event_pb2.EVENT_TYPE_ENTRY_REMOVED, "b"),
        (2, 2, event_pb2.EVENT_TYPE_ENTRY_SET, "c"),
    ]


def test_the_events_of_a_merge_and_a_disposal_have_their_cause(agent: Memory) -> None:
    """WM-12, WM-13, WM-17."""
    agent.set("key")
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.set("key", 2, outer)
    agent.merge(outer, dispose=True)
    merged, inner_ended, outer_ended = events_of(agent)[-3:]
    assert (merged.type, merged.cause) == (event_pb2.EVENT_TYPE_ENTRY_SET, event_pb2.EVENT_CAUSE_MERGE)
    assert (merged.entry.scope_id, merged.previous_revision, merged.entry.entry.value_json) == ("", 1, "2")
    assert (inner_ended.scope.scope_id, inner_ended.cause) == (inner, event_pb2.EVENT_CAUSE_PARENT_DISPOSED)
    assert (outer_ended.scope.scope_id, outer_ended.cause) == (outer, event_pb2.EVENT_CAUSE_REQUEST)
    assert merged.revision == inner_ended.revision == outer_ended.revision


def test_a_call_that_changes_nothing_emits_no_event(agent: Memory) -> None:
    """WM-17."""
    agent.set("key")
    agent.remove("none")
    agent.get("key")
    agent.clear(agent.scope())
    agent.merge(agent.scopes().scopes[0].scope_id)
    assert [event.revision for event in events_of(agent)] == [1, 2]


def test_events_carry_the_origin_of_the_call(agent: Memory) -> None:
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json="1")
    agent.wire.memory.SetEntry(request, metadata=(("memoryd-origin", "planner"),))
    agent.set("other")
    assert [event.origin for event in events_of(agent)] == ["planner", ""]


def test_reservations_emit_no_event_but_increase_the_revision(agent: Memory) -> None:
    """WM-04: no revision has the events of two changes, and no change of an entry lacks its event."""
    reserved = agent.reserve("key")
    agent.set("key", 1, reservation_token=reserved.reservation_token)
    events = events_of(agent)
    assert [(event.type, event.entry.key) for event in events] == [(event_pb2.EVENT_TYPE_ENTRY_SET, "key")]
    assert events[0].revision == agent.revision


def test_a_listing_after_a_revision_begins_with_the_next_event(agent: Memory) -> None:
    for index in range(5):
        agent.set(f"key-{index}")
    assert [event.revision for event in listed(agent, after_revision=3).events] == [4, 5]
    assert not listed(agent, after_revision=5).events
    refusal = refused(lambda: listed(agent, after_revision=6))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.OUT_OF_RANGE, "REVISION_IN_FUTURE")
    assert refusal.own_metadata == {"revision": "5"}


def test_a_listing_of_events_can_omit_the_values(agent: Memory) -> None:
    agent.set("key", "secret", type_name="T")
    (event,) = listed(agent, view=RECORD_VIEW_WITHOUT_CONTENT).events
    assert (event.entry.entry.value_json, event.entry.key, event.entry.entry.key) == ("", "key", "key")


def test_after_revision_needs_exactly_one_agent(agent: Memory) -> None:
    agent.set("key")
    for filters in ([], [EventFilter(agent_ids=[agent.id, "other"])], [EventFilter(key_prefix="k")]):
        request = event_service_pb2.ListEventsRequest(filters=filters, after_revision=1)
        assert refused(lambda request=request: agent.wire.events.ListEvents(request)).fields == (  # type: ignore[misc]
            "after_revision",
        )


def test_filters_are_alternatives_and_their_fields_must_all_hold(agent: Memory) -> None:
    scope_id = agent.scope("s")
    agent.set("a:1")
    agent.set("a:2", 1, scope_id)
    agent.set("b:1", 1, scope_id)
    filters = [
        EventFilter(agent_ids=[agent.id], key_prefix="a:", scope_ids=[scope_id]),
        EventFilter(agent_ids=[agent.id], event_types=[event_pb2.EVENT_TYPE_SCOPE_CREATED]),
    ]
    page = agent.wire.events.ListEvents(event_service_pb2.ListEventsRequest(filters=filters))
    assert [(event.type, event.entry.key) for event in page.events] == [
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, ""),
        (event_pb2.EVENT_TYPE_ENTRY_SET, "a:2"),
    ]
