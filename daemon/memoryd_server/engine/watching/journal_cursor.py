"""How far events were told in every shard that a watch or a listing is about."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint
from memoryd_server.engine.watching.event_cursor import EventCursor, EventSlice
from memoryd_server.ports.store import CommitPoint


class JournalCursor:
    """One cursor a shard. Commits of several shards come in any order, those of one in the order of their positions.

    ``point`` is where to go on after what was noted as told, which may lie behind the cursors: they move when slices
    are made, and slices wait for each other to fill a message.
    """

    def __init__(self, selection: EventSelection, shards: Collection[int]) -> None:
        self._selection = selection
        self._cursors = {shard: EventCursor(selection, 0, shard=shard) for shard in shards}
        self._points = {shard: cursor.point for shard, cursor in self._cursors.items()}

    @property
    def shards(self) -> Collection[int]:
        """The shards that it is about."""
        return self._cursors.keys()

    @property
    def point(self) -> ResumePoint:
        """Where to go on after what was told."""
        return ResumePoint(tuple(self._points.values()))

    def of(self, shard: int) -> EventCursor:
        """The cursor of a shard."""
        return self._cursors[shard]

    def start(self, points: Iterable[ShardPoint]) -> None:
        """Go on in these shards at these points, in the others as before."""
        for point in points:
            self._cursors[point.shard] = EventCursor(
                self._selection, point.position, point.offset, point.shard, point.check
            )
            self._points[point.shard] = point

    def move_past(self, points: Mapping[int, CommitPoint]) -> None:
        """All rows up to these are told, or hold nothing that is selected. Never moves back.

        A nonce of 0 stands for one that is not known.
        """
        for shard, point in points.items():
            cursor = self._cursors[shard]
            cursor.move_to(point.position + 1, point.nonce)
            self._points[shard] = cursor.point

    def slices(self, commits: Iterable[Published]) -> Iterator[EventSlice]:
        """What is to be told of these commits."""
        for commit in commits:
            yield from self._cursors[commit.shard].slices((commit,))

    def note_told(self, told: EventSlice) -> None:
        """Go on after this slice."""
        self._points[told.commit.shard] = told.point
