"""The mirror of a near cache, without a watch."""

from datetime import UTC, datetime, timedelta

import pytest

from memoryd.errors import CacheFull
from memoryd.model.entry import Entry, EntryType
from memoryd.model.event import Event, EventCause, EventType, WatchMessage, WatchPhase
from memoryd.model.event_subject import AgentEvent, EntryEvent, EventSubject, ScopeEvent
from memoryd.model.record import RecordKind
from memoryd.protocol.mirror import ROOT, Mirror
from memoryd.protocol.near_cache import Mark, mark_at, mark_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def event(kind: EventType, subject: EventSubject) -> Event:
    return Event(1, 0, kind, RecordKind.ENTRY, EventCause.REQUEST, "a", NOW, subject)


def entry_set(key: str, value_json: str = "1", scope_id: str = ROOT, expire_time: datetime | None = None) -> Event:
    entry = Entry(
        key, value_json, "id", "", EntryType.UNSPECIFIED, 0.5, (), {}, scope_id, 1, NOW, NOW, expire_time, 0, None, ""
    )
    return event(EventType.ENTRY_SET, EntryEvent(scope_id, key, entry))


def message(revision: int, *events: Event, continues: bool = False) -> WatchMessage:
    return WatchMessage(WatchPhase.LIVE, events, revision, revision_continues=continues)


def test_a_commit_is_applied_whole() -> None:
    mirror = Mirror(10_000)
    mirror.apply(message(1, entry_set("a"), continues=True))
    assert (mirror.find(ROOT, "a", local_only=False), mirror.revision) == (None, 0)
    mirror.apply(WatchMessage(WatchPhase.OPENED))
    assert mirror.find(ROOT, "a", local_only=False) is None
    mirror.apply(message(1, entry_set("b")))
    assert [each.key for each in mirror.entries(ROOT, "", inherited=False)] == ["a", "b"]
    assert mirror.revision == 1


def test_an_entry_ends_with_its_deadline_and_what_is_behind_it_is_found() -> None:
    now = NOW.timestamp()
    mirror = Mirror(10_000, lambda: now)
    mirror.apply(
        message(
            1,
            entry_set("k", '"root"'),
            event(EventType.SCOPE_CREATED, ScopeEvent("s", "S", ROOT, None)),
            entry_set("k", '"scope"', "s", NOW + timedelta(seconds=1)),
        )
    )
    found = mirror.find("s", "k", local_only=False)
    assert found is not None
    assert found.value == "scope"
    now += 1
    found = mirror.find("s", "k", local_only=False)
    assert found is not None
    assert found.value == "root"
    assert mirror.find("s", "k", local_only=True) is None
    assert [each.value for each in mirror.entries("s", "", inherited=True)] == ["root"]


def test_the_memory_of_what_is_overwritten_and_removed_is_free_again() -> None:
    mirror = Mirror(5_000)
    for revision in range(1, 20):
        mirror.apply(message(revision, entry_set("k", f'"{"v" * 2_000}"')))
    mirror.apply(message(20, event(EventType.ENTRY_REMOVED, EntryEvent(ROOT, "k", None))))
    assert mirror.size_bytes == 0
    with pytest.raises(CacheFull, match="5000 bytes"):
        mirror.apply(message(21, entry_set("k", f'"{"v" * 6_000}"')))


def test_a_lower_revision_is_of_a_later_life_also_where_no_record_is_selected() -> None:
    mirror = Mirror(10_000)
    mirror.apply(WatchMessage(WatchPhase.INITIAL_STATE_COMPLETE, (), 50))
    reached = [mark_of(revision, mark_at(mirror)).is_reached(mirror) for revision in (0, 10, 50, 51)]
    assert reached == [True, False, True, False]
    mirror.apply(message(51, event(EventType.AGENT_ENDED, AgentEvent(None))))
    mirror.apply(message(51))
    assert mark_of(1, mark_at(mirror)).is_reached(mirror)
    mirror.apply(message(60))
    assert not mark_of(59, mark_at(mirror)).is_reached(mirror)


def test_a_revision_of_a_later_life_is_not_reached_by_an_earlier_one() -> None:
    mirror = Mirror(10_000)
    mirror.apply(message(5, entry_set("k")))
    ended = mark_of(0, mark_at(mirror))
    assert not ended.is_reached(mirror)
    assert Mark(5, 0).is_reached(mirror)
    mirror.apply(message(6, event(EventType.AGENT_ENDED, AgentEvent(None))))
    assert ended.is_reached(mirror)
    assert mirror.find(ROOT, "k", local_only=False) is None
    assert mark_of(0, mark_at(mirror)).is_reached(mirror)
    new = mark_of(7, mark_at(mirror))
    assert not new.is_reached(mirror)
    mirror.apply(message(7, entry_set("k")))
    assert new.is_reached(mirror)
