"""Expiry over the wire: WM-15."""

import time
from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.watcher import Watcher
from tests.integration.wire import ABSENT, Memory, absent
from tests.wait import until

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import EVENT_CAUSE_EXPIRY, EVENT_TYPE_ENTRY_REMOVED, EVENT_TYPE_ENTRY_SET
from memoryd_server.domain.limit import DAY_NS, SECOND_NS

SOON = {"nanos": 50_000_000}
LATE = {"seconds": 3600}


def moment(seconds: float) -> Timestamp:
    message = Timestamp()
    message.FromDatetime(datetime.now(UTC) + timedelta(seconds=seconds))
    return message


def wait_past(agent: Memory, key: str, scope_id: str = "") -> None:
    """Wait until the entry has expired; it may not have been swept yet."""
    expire_time = agent.get(key, scope_id).entry.expire_time.ToNanoseconds()
    until(lambda: time.time_ns() > expire_time, "its time is over")


def test_an_expired_entry_is_never_served(agent: Memory) -> None:
    """WM-15: by no method."""
    agent.set("kept")
    agent.set("gone", ttl=SOON)
    wait_past(agent, "gone")
    assert agent.value("gone") is ABSENT
    assert not agent.contains("gone").found
    assert agent.values() == {"kept": 1}
    assert agent.list().total_count == 1
    request = pb.BatchGetEntriesRequest(agent_id=agent.id, keys=["gone", "kept"])
    assert list(agent.wire.memory.BatchGetEntries(request).missing_keys) == ["gone"]
    stats = agent.stats().stats
    assert ([each.count for each in stats.record_counts], stats.root_entry_count) == ([1], 1)


def test_an_expired_entry_no_longer_shadows_the_parents_value(agent: Memory) -> None:
    """WM-15, WM-09."""
    agent.set("key", "root's")
    scope_id = agent.scope()
    agent.set("key", "scope's", scope_id, ttl=SOON)
    wait_past(agent, "key", scope_id)
    assert agent.value("key", scope_id) == "root's"


def test_an_expired_entry_is_removed_in_the_background_with_its_event(agent: Memory) -> None:
    """WM-15: without any call about the agent."""
    with Watcher(agent.wire, agent.id).opened() as watcher:
        agent.set("gone", ttl=SOON)
        removed = watcher.until_events(2)[1]
    assert (removed.type, removed.cause) == (EVENT_TYPE_ENTRY_REMOVED, EVENT_CAUSE_EXPIRY)
    assert (removed.entry.key, removed.revision, agent.revision) == ("gone", 2, 2)


def test_overwriting_an_expired_entry_emits_the_expiry_first(agent: Memory) -> None:
    """WM-15: the set creates a new entry, and is no update."""
    agent.set("key", 1, ttl=SOON)
    wait_past(agent, "key")
    with Watcher(agent.wire, agent.id, after_revision=1) as watcher:
        assert agent.set("key", 2, precondition=absent()).created
        events = watcher.until_events(2)
    assert [(event.type, event.previous_revision) for event in events] == [
        (EVENT_TYPE_ENTRY_REMOVED, 1),
        (EVENT_TYPE_ENTRY_SET, 0),
    ]


def test_expiry_can_be_a_duration_a_time_or_days(agent: Memory) -> None:
    """WM-15."""
    at = moment(3600)
    before = time.time_ns()
    agent.set("ttl", ttl=LATE)
    agent.set("days", ttl=Duration(seconds=86_400))
    agent.set("moment", expire_time=at)
    after = time.time_ns()
    ttl, days, given = (agent.get(key).entry.expire_time.ToNanoseconds() for key in ("ttl", "days", "moment"))
    assert before <= ttl - 3600 * SECOND_NS <= after
    assert before <= days - DAY_NS <= after
    assert given == at.ToNanoseconds()


def test_overwriting_without_an_expiry_removes_it(agent: Memory) -> None:
    """WM-15."""
    agent.set("key", 1, ttl=SOON)
    agent.set("key", 2)
    agent.set("other", 1, ttl=SOON)
    wait_past(agent, "other")
    assert agent.value("other") is ABSENT
    assert agent.value("key") == 2


def test_get_or_set_does_not_change_the_expiry_of_an_existing_entry(agent: Memory) -> None:
    """WM-15, WM-04."""
    agent.set("key")
    request = pb.GetOrSetEntryRequest(agent_id=agent.id, key="key", value_json="2", ttl=SOON)
    assert not agent.wire.memory.GetOrSetEntry(request).entry.HasField("expire_time")


def test_merging_keeps_the_deadline(agent: Memory) -> None:
    """WM-15, WM-12."""
    scope_id = agent.scope()
    agent.set("key", 1, scope_id, ttl=LATE)
    deadline = agent.get("key", scope_id).entry.expire_time
    agent.merge(scope_id)
    assert agent.get("key").entry.expire_time == deadline


def test_later_pages_of_a_listing_omit_entries_that_expired_meanwhile(agent: Memory) -> None:
    """WM-15, WM-05."""
    agent.write({f"a{index}": index for index in range(4)})
    page = agent.list(page_size=4)
    while not page.next_page_token:
        agent.set("b", ttl=SOON)
        page = agent.list(page_size=4)
    wait_past(agent, "b")
    rest = agent.list(page_size=4, page_token=page.next_page_token)
    assert (len(page.entries), list(rest.entries), rest.next_page_token) == (4, [], "")
