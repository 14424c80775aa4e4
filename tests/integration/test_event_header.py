"""The header of an event: who made the change, the fields that it changed, and the record before it."""

from tests.integration.test_event import events_of, listed
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory

from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2 as memory_pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.record_pb2 import RECORD_KIND_ENTRY, RECORD_KIND_SCOPE


def test_an_event_names_the_request_that_made_its_change(agent: Memory) -> None:
    agent.wire.memory.SetEntry(
        memory_pb.SetEntryRequest(agent_id=agent.id, key="key", value_json="1", request_id="request-1"),
        metadata=(("memoryd-origin", "planner"),),
    )
    (event,) = events_of(agent)
    assert (event.origin, event.request_id) == ("planner", "request-1")


def test_an_update_names_the_fields_that_it_changed(agent: Memory) -> None:
    agent.set("key", 1, tags=["a"], importance=0.5)
    agent.set("key", 2, tags=["a"], importance=0.75)
    agent.remove("key")
    created, updated, removed = events_of(agent)
    assert [list(each.changed_fields.paths) for each in (created, updated, removed)] == [
        [],
        ["value_json", "importance"],
        [],
    ]
    assert [each.previous_revision for each in (created, updated, removed)] == [0, 1, 2]


def test_the_record_before_a_change_is_included_on_request(agent: Memory) -> None:
    agent.set("key", 1)
    agent.set("key", 2)
    agent.remove("key")
    assert not any(event.entry.HasField("previous") for event in listed(agent).events)
    with Watcher(agent.wire, agent.id, after_revision=0, include_previous=True) as watcher:
        watched = watcher.until_events(3)
    events = listed(agent, include_previous=True).events
    assert list(events) == watched
    assert [(each.entry.entry.value_json, each.entry.previous.value_json) for each in events] == [
        ("1", ""),
        ("2", "1"),
        ("", "2"),
    ]
    assert events[1].entry.previous == events[0].entry.entry


def test_a_listing_has_the_revision_of_its_agent(agent: Memory) -> None:
    agent.set("a")
    agent.set("b")
    assert (listed(agent, page_size=1).revision, agent.revision) == (2, 2)
    everything = agent.wire.events.ListEvents(pb.ListEventsRequest())
    assert everything.revision == 0


def test_events_are_selected_by_kind_and_cause(agent: Memory) -> None:
    scope_id = agent.scope("s")
    agent.set("k", 1, scope_id)
    agent.merge(scope_id)
    chosen = EventFilter(agent_ids=[agent.id], kinds=[RECORD_KIND_ENTRY], causes=[event_pb2.EVENT_CAUSE_MERGE])
    page = agent.wire.events.ListEvents(pb.ListEventsRequest(filters=[chosen]))
    assert [(each.kind, each.cause, each.entry.scope_id) for each in page.events] == [
        (RECORD_KIND_ENTRY, event_pb2.EVENT_CAUSE_MERGE, "")
    ]
    scopes = EventFilter(agent_ids=[agent.id], kinds=[RECORD_KIND_SCOPE])
    assert [each.scope.scope_id for each in agent.wire.events.ListEvents(pb.ListEventsRequest(filters=[scopes])).events]
