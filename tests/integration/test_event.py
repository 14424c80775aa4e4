"""The content of events, and ListEvents: WM-17, and the causes of the contract."""

import grpc
from tests.integration.wire import Memory, refused, remove_operation, set_operation

from memoryd.v1 import event_pb2, event_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.entry_pb2 import PAYLOAD_MODE_METADATA_ONLY
from memoryd.v1.event_pb2 import Event, EventFilter


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
    assert (first.agent_id, first.key, first.type_name, first.is_update) == (agent.id, "key", "T", False)
    assert (first.revision, first.index, first.cause) == (1, 0, event_pb2.EVENT_CAUSE_REQUEST)
    assert (first.entry.value_json, list(first.entry.tags), first.entry.revision) == ('{"a": 1}', ["x"], 1)
    assert first.time == first.entry.update_time
    assert (second.is_update, second.revision, second.entry.entry_id) == (True, 2, first.entry.entry_id)


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
        event_pb2.EVENT_TYPE_MEMORY_CLEARED,
        event_pb2.EVENT_TYPE_SCOPE_DISPOSED,
    ]
    assert (events[0].scope_id, events[0].scope_name, events[0].parent_scope_id) == (outer, "outer", "")
    for event in events[1:]:
        assert (event.scope_id, event.scope_name, event.parent_scope_id) == (inner, "inner", outer)
    assert events[5].entries_cleared == 1
    assert [event.revision for event in events] == [1, 2, 3, 4, 5, 6, 7]


def test_the_event_of_clearing_the_root_has_the_number_of_entries(agent: Memory) -> None:
    """WM-17."""
    agent.write({"a": 1, "b": 2})
    agent.clear()
    cleared = events_of(agent)[-1]
    assert (cleared.type, cleared.entries_cleared) == (event_pb2.EVENT_TYPE_MEMORY_CLEARED, 2)
    assert (cleared.scope_id, cleared.key) == ("", "")


def test_the_events_of_a_batch_are_in_order_at_one_revision(agent: Memory) -> None:
    """WM-17."""
    agent.set("b")
    operations = [set_operation("a"), remove_operation("b"), remove_operation("none"), set_operation("c")]
    agent.wire.memory.BatchWriteEntries(pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations))
    batch = [(event.revision, event.index, event.type, event.key) for event in events_of(agent)[1:]]
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
    assert (merged.scope_id, merged.is_update, merged.entry.value_json) == ("", True, "2")
    assert (inner_ended.scope_id, inner_ended.cause) == (inner, event_pb2.EVENT_CAUSE_PARENT_DISPOSED)
    assert (outer_ended.scope_id, outer_ended.cause) == (outer, event_pb2.EVENT_CAUSE_REQUEST)
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
    assert [(event.type, event.key) for event in events] == [(event_pb2.EVENT_TYPE_ENTRY_SET, "key")]
    assert events[0].revision == agent.revision


def test_a_listing_after_a_revision_begins_with_the_next_event(agent: Memory) -> None:
    for index in range(5):
        agent.set(f"key-{index}")
    assert [event.revision for event in listed(agent, after_revision=3).events] == [4, 5]
    assert not listed(agent, after_revision=5).events
    refusal = refused(lambda: listed(agent, after_revision=6))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.OUT_OF_RANGE, "REVISION_IN_FUTURE")
    assert refusal.metadata == {"revision": "5"}


def test_a_listing_of_events_can_omit_the_values(agent: Memory) -> None:
    agent.set("key", "secret", type_name="T")
    (event,) = listed(agent, payload_mode=PAYLOAD_MODE_METADATA_ONLY).events
    assert (event.entry.value_json, event.entry.key, event.type_name) == ("", "key", "T")


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
    assert [(event.type, event.key) for event in page.events] == [
        (event_pb2.EVENT_TYPE_SCOPE_CREATED, ""),
        (event_pb2.EVENT_TYPE_ENTRY_SET, "a:2"),
    ]
