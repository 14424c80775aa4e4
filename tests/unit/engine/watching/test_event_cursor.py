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


def told(slices: list[EventSlice]) -> list[list[str]]:
    return [[each.subject.key for each in one.events] for one in slices]


def large_commit(*keys: str) -> Published:
    """Revision 6 has the first two keys, each further key a revision of its own."""
    revisions = [6, 6, *range(7, 5 + len(keys))]
    events = [event(revision, 0, key, LARGE) for revision, key in zip(revisions, keys, strict=True)]
    return commit(4, 5, *events)


def test_commits_are_told_once_and_in_order() -> None:
    cursor = EventCursor(ALL, 2)
    first, second = commit(1, 0, event(1, 0, "old")), commit(2, 1, event(2, 0, "a"), event(2, 1, "b"))
    slices = list(cursor.slices([first, second, second, first]))
    assert told(slices) == [["a", "b"]]
    assert (slices[0].whole, slices[0].revision, slices[0].point) == (True, 2, cursor.point)
    assert (cursor.position, cursor.offset, cursor.passed_revision) == (3, 0, 2)


def test_what_is_not_selected_is_passed() -> None:
    cursor = EventCursor(KEYS_WITH_A, 1)
    assert told(list(cursor.slices([commit(1, 0, event(1, 0, "b")), commit(2, 1, event(2, 0, "ab"))]))) == [["ab"]]
    assert list(cursor.slices([commit(3, 2, event(3, 0, "b"))])) == []
    assert (cursor.position, cursor.passed_revision) == (4, 3)


def test_a_cursor_goes_on_inside_a_commit() -> None:
    whole = commit(1, 0, *(event(1, index, f"a{index}") for index in range(4)))
    for offset in range(5):
        (*slices,) = EventCursor(ALL, 1, offset).slices([whole])
        assert told(slices) == [[f"a{index}" for index in range(offset, 4)]][: offset < 4]
        assert all(each.whole == (offset == 0) for each in slices)


def test_revisions_that_are_known_in_another_way_are_left_out() -> None:
    cursor = EventCursor(ALL, 1)
    cursor.note_emitted("a", 2)
    straddling = commit(1, 0, event(1, 0, "x"), event(2, 0, "y"), event(3, 0, "z"))
    (one,) = cursor.slices([straddling])
    assert (told([one]), one.whole) == ([["z"]], False)
    (other,) = cursor.slices([commit(2, 0, event(1, 0, "b"), agent_id="b")])
    assert told([other]) == [["b"]]


def test_a_revision_before_what_is_known_in_another_way_is_not_the_one_that_was_passed() -> None:
    cursor = EventCursor(ALL, 1)
    cursor.note_emitted("a", 2)
    assert list(cursor.slices([commit(1, 0, event(1, 0, "x"))])) == []
    assert (cursor.position, cursor.passed_revision) == (2, 0)
    assert list(cursor.slices([commit(2, 1, event(2, 0, "y"))])) == []
    assert cursor.passed_revision == 2


def test_an_agent_that_begins_anew_is_not_taken_for_what_is_known() -> None:
    cursor = EventCursor(ALL, 1)
    cursor.note_emitted("a", 100)
    assert list(cursor.slices([commit(1, 99, event(100, 0, "known"))])) == []
    ended = commit(2, 100, event(101, 0, "end"))
    assert told(list(cursor.slices([ended, commit(3, 0, event(1, 0, "anew"))]))) == [["end"], ["anew"]]


def test_a_large_commit_is_split_and_says_where_a_revision_continues() -> None:
    slices = list(EventCursor(ALL, 4).slices([large_commit("a", "b", "c", "d")]))
    assert told(slices) == [["a"], ["b"], ["c"], ["d"]]
    assert [each.revision_continues for each in slices] == [True, False, False, False]
    assert [each.revision for each in slices] == [5, 6, 7, 8]
    assert [(each.point.position, each.point.offset) for each in slices] == [(4, 1), (4, 2), (4, 3), (5, 0)]
    assert not any(each.whole for each in slices)


def test_every_point_of_a_split_commit_goes_on_with_what_is_left() -> None:
    whole = large_commit("a", "b", "c", "d")
    slices = list(EventCursor(ALL, 4).slices([whole]))
    for index, each in enumerate(slices):
        rest = EventCursor(ALL, each.point.position, each.point.offset).slices([whole])
        assert told(list(rest)) == told(slices[index + 1 :])


def test_a_large_commit_of_which_a_part_is_selected_tells_that_part() -> None:
    cursor = EventCursor(KEYS_WITH_A, 4)
    slices = list(cursor.slices([large_commit("a1", "b", "a2", "b")]))
    assert told(slices) == [["a1"], ["a2"]]
    assert [(each.revision, each.revision_continues) for each in slices] == [(6, False), (8, False)]
    assert (cursor.position, cursor.passed_revision) == (5, 8)


def test_a_large_commit_of_which_nothing_is_selected_is_passed() -> None:
    cursor = EventCursor(KEYS_WITH_A, 4)
    assert list(cursor.slices([large_commit("b", "c", "d", "e")])) == []
    assert (cursor.position, cursor.passed_revision) == (5, 8)


def test_the_selected_events_of_a_commit_are_found_once_for_all_watchers() -> None:
    shared = commit(1, 0, event(1, 0, "a"), event(1, 1, "b"))
    (first,) = EventCursor(KEYS_WITH_A, 1).slices([shared])
    (second,) = EventCursor(EventSelection((EventFilter(key_prefix="a"),)), 1).slices([shared])
    assert first.events is second.events


def test_a_cursor_goes_on_after_what_was_told_of_a_commit_also_where_less_of_it_is_known_in_another_way() -> None:
    cursor = EventCursor(ALL, 1, offset=3)
    cursor.note_emitted("a", 1)
    (one,) = cursor.slices([commit(1, 0, *(event(1 + index // 2, index % 2, f"a{index}") for index in range(4)))])
    assert told([one]) == [["a3"]]


def test_a_point_within_a_commit_does_not_claim_to_know_the_row_before_it() -> None:
    """Unless that row was read: a token that names another row than there was is refused."""
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
