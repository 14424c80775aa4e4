from memoryd_server.domain.agent.event import Event, EventSelection
from memoryd_server.domain.entries.entry import Entry, EntryType
from memoryd_server.domain.entries.entry_subject import EntrySubject
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint
from memoryd_server.engine.watching.journal_cursor import JournalCursor
from memoryd_server.ports.store import CommitPoint

ALL = EventSelection()


def commit(shard: int, position: int, *keys: str) -> Published:
    entry = Entry("k", "1", "id", "", EntryType.FACT, 0.5, (), "", "", position, 1, 1, None, 2)
    events = tuple(
        Event(EventType.ENTRY_SET, EventCause.REQUEST, position, index, 1, "", EntrySubject("", "", (), key, entry))
        for index, key in enumerate(keys)
    )
    return Published(position, f"of {shard}", position - 1, position, events, 2 * len(keys), shard)


def points(cursor: JournalCursor) -> dict[int, tuple[int, int]]:
    return {each.shard: (each.position, each.offset) for each in cursor.point.shards}


def test_the_commits_of_each_shard_are_yielded_in_order_and_once() -> None:
    cursor = JournalCursor(ALL, (0, 2))
    cursor.move_past({0: CommitPoint(0, 0), 2: CommitPoint(4, 0)})
    commits = [commit(2, 5, "c"), commit(0, 1, "a"), commit(2, 4, "old"), commit(0, 2, "b"), commit(2, 5, "c")]
    assert [event.subject.key for each in cursor.slices(commits) for event in each.events] == ["c", "a", "b"]


def test_the_point_follows_the_slices_that_were_sent_not_those_that_were_read() -> None:
    cursor = JournalCursor(ALL, (0, 1))
    cursor.move_past({0: CommitPoint(0, 0), 1: CommitPoint(0, 0)})
    first, second = cursor.slices([commit(0, 1, "a"), commit(1, 1, "b")])
    assert points(cursor) == {0: (1, 0), 1: (1, 0)}
    cursor.note_emitted(first)
    assert points(cursor) == {0: (2, 0), 1: (1, 0)}
    cursor.note_emitted(second)
    assert points(cursor) == {0: (2, 0), 1: (2, 0)}


def test_a_start_moves_only_the_shards_of_its_points() -> None:
    cursor = JournalCursor(ALL, (0, 1))
    cursor.move_past({0: CommitPoint(3, 0), 1: CommitPoint(3, 0)})
    cursor.start([ShardPoint(1, 2, 1)])
    assert cursor.point == ResumePoint((ShardPoint(0, 4), ShardPoint(1, 2, 1)))
    (left,) = cursor.slices([commit(0, 3, "a"), commit(1, 2, "b", "c")])
    assert [event.subject.key for event in left.events] == ["c"]


def test_a_journal_cursor_never_moves_back() -> None:
    cursor = JournalCursor(ALL, (0, 1))
    cursor.move_past({0: CommitPoint(2, 0), 1: CommitPoint(2, 0)})
    cursor.move_past({0: CommitPoint(1, 0), 1: CommitPoint(3, 0)})
    assert points(cursor) == {0: (3, 0), 1: (4, 0)}
    assert list(cursor.shards) == [0, 1]
