from memoryd_server.domain.agent.event import Event, EventFilter, EventSelection
from memoryd_server.domain.entries.entry import Entry, EntryType
from memoryd_server.domain.entries.entry_subject import EntrySubject
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.watching.event_cursor import EventCursor, EventSlice

ALL = EventSelection()
KEYS_WITH_A = EventSelection((EventFilter(key_prefix="a"),))
LARGE = PAGE_BYTES_MAX // 2


def event(revision: int, index: int, key: str, size_bytes: int = 10) -> Event:
    entry = Entry(key, "1", "id", "", EntryType.FACT, 0.5, (), "", "", revision, 1, 1, None, size_bytes)
    return Event(EventType.ENTRY_SET, EventCause.REQUEST, revision, index, 1, "", EntrySubject("", "", (), key, entry))


def commit(position: int, base_revision: int, *events: Event, agent_id: str = "a") -> Published:
    size_bytes = sum(each.subject.record_bytes for each in events)
    return Published(position, agent_id, base_revision, events[-1].revision, events, size_bytes)


def keys_of(slices: list[EventSlice]) -> list[list[str]]:
    return [[each.subject.key for each in one.events] for one in slices]


def large_commit(*keys: str) -> Published:
    """Return a commit whose revision 6 has the first two keys, and each further key a revision of its own."""
    revisions = [6, 6, *range(7, 5 + len(keys))]
    events = [event(revision, 0, key, LARGE) for revision, key in zip(revisions, keys, strict=True)]
    return commit(4, 5, *events)


def test_commits_are_yielded_once_and_in_order() -> None:
    cursor = EventCursor(ALL, 2)
    first, second = commit(1, 0, event(1, 0, "old")), commit(2, 1, event(2, 0, "a"), event(2, 1, "b"))
    slices = list(cursor.slices([first, second, second, first]))
    assert keys_of(slices) == [["a", "b"]]
    assert (slices[0].whole, slices[0].revision, slices[0].point) == (True, 2, cursor.point)
    assert (cursor.position, cursor.offset, cursor.passed_revision) == (3, 0, 2)


def test_unselected_events_are_skipped() -> None:
    cursor = EventCursor(KEYS_WITH_A, 1)
    assert keys_of(list(cursor.slices([commit(1, 0, event(1, 0, "b")), commit(2, 1, event(2, 0, "ab"))]))) == [["ab"]]
    assert list(cursor.slices([commit(3, 2, event(3, 0, "b"))])) == []
    assert (cursor.position, cursor.passed_revision) == (4, 3)


def test_a_cursor_resumes_inside_a_commit() -> None:
    whole = commit(1, 0, *(event(1, index, f"a{index}") for index in range(4)))
    for offset in range(5):
        (*slices,) = EventCursor(ALL, 1, offset).slices([whole])
        assert keys_of(slices) == [[f"a{index}" for index in range(offset, 4)]][: offset < 4]
        assert all(each.whole == (offset == 0) for each in slices)


def test_revisions_that_the_initial_state_has_are_skipped() -> None:
    cursor = EventCursor(ALL, 1)
    cursor.note_emitted("a", 2)
    straddling = commit(1, 0, event(1, 0, "x"), event(2, 0, "y"), event(3, 0, "z"))
    (one,) = cursor.slices([straddling])
    assert (keys_of([one]), one.whole) == ([["z"]], False)
    (other,) = cursor.slices([commit(2, 0, event(1, 0, "b"), agent_id="b")])
    assert keys_of([other]) == [["b"]]


def test_a_revision_below_the_known_one_does_not_advance_the_passed_revision() -> None:
    cursor = EventCursor(ALL, 1)
    cursor.note_emitted("a", 2)
    assert list(cursor.slices([commit(1, 0, event(1, 0, "x"))])) == []
    assert (cursor.position, cursor.passed_revision) == (2, 0)
    assert list(cursor.slices([commit(2, 1, event(2, 0, "y"))])) == []
    assert cursor.passed_revision == 2


def test_a_new_agent_of_the_same_id_is_not_skipped_as_known() -> None:
    cursor = EventCursor(ALL, 1)
    cursor.note_emitted("a", 100)
    assert list(cursor.slices([commit(1, 99, event(100, 0, "known"))])) == []
    ended = commit(2, 100, event(101, 0, "end"))
    assert keys_of(list(cursor.slices([ended, commit(3, 0, event(1, 0, "new"))]))) == [["end"], ["new"]]


def test_a_large_commit_is_split_and_marked_where_a_revision_continues() -> None:
    slices = list(EventCursor(ALL, 4).slices([large_commit("a", "b", "c", "d")]))
    assert keys_of(slices) == [["a"], ["b"], ["c"], ["d"]]
    assert [each.revision_continues for each in slices] == [True, False, False, False]
    assert [each.revision for each in slices] == [5, 6, 7, 8]
    assert [(each.point.position, each.point.offset) for each in slices] == [(4, 1), (4, 2), (4, 3), (5, 0)]
    assert not any(each.whole for each in slices)


def test_every_point_of_a_split_commit_resumes_with_the_remaining_events() -> None:
    whole = large_commit("a", "b", "c", "d")
    slices = list(EventCursor(ALL, 4).slices([whole]))
    for index, each in enumerate(slices):
        rest = EventCursor(ALL, each.point.position, each.point.offset).slices([whole])
        assert keys_of(list(rest)) == keys_of(slices[index + 1 :])


def test_only_the_selected_part_of_a_large_commit_is_yielded() -> None:
    cursor = EventCursor(KEYS_WITH_A, 4)
    slices = list(cursor.slices([large_commit("a1", "b", "a2", "b")]))
    assert keys_of(slices) == [["a1"], ["a2"]]
    assert [(each.revision, each.revision_continues) for each in slices] == [(6, False), (8, False)]
    assert (cursor.position, cursor.passed_revision) == (5, 8)


def test_a_large_commit_without_selected_events_is_skipped() -> None:
    cursor = EventCursor(KEYS_WITH_A, 4)
    assert list(cursor.slices([large_commit("b", "c", "d", "e")])) == []
    assert (cursor.position, cursor.passed_revision) == (5, 8)


def test_the_selected_events_of_a_commit_are_determined_once_for_all_watchers() -> None:
    shared = commit(1, 0, event(1, 0, "a"), event(1, 1, "b"))
    (first,) = EventCursor(KEYS_WITH_A, 1).slices([shared])
    (second,) = EventCursor(EventSelection((EventFilter(key_prefix="a"),)), 1).slices([shared])
    assert first.events is second.events


def test_a_cursor_resumes_at_its_offset_although_the_known_revision_is_lower() -> None:
    cursor = EventCursor(ALL, 1, offset=3)
    cursor.note_emitted("a", 1)
    (one,) = cursor.slices([commit(1, 0, *(event(1 + index // 2, index % 2, f"a{index}") for index in range(4)))])
    assert keys_of([one]) == [["a3"]]


def test_a_point_within_a_commit_does_not_name_the_previous_row() -> None:
    """Unless that row was read: a resume token that names the wrong row would be refused."""
    known = EventCursor(ALL, 4, check=7)
    assert [each.point.check for each in known.slices([large_commit("a", "b", "c")])][:2] == [7, 7]
    passed = EventCursor(ALL, 2, check=7)
    assert [each.point.check for each in passed.slices([large_commit("a", "b", "c")])][:2] == [0, 0]


def test_a_cursor_never_moves_back() -> None:
    cursor = EventCursor(ALL, 5, 2)
    for position in (1, 5):
        cursor.move_to(position)
        assert (cursor.position, cursor.offset) == (5, 2)
    cursor.move_to(6)
    assert (cursor.position, cursor.offset) == (6, 0)
