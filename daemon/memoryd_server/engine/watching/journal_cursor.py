"""The positions of a watch or a listing of events in every shard that it covers."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint
from memoryd_server.engine.watching.event_cursor import EventCursor, EventSlice
from memoryd_server.ports.store import CommitPoint


class JournalCursor:
    """One cursor per shard. Commits of one shard must be passed in the order of their positions, shards in any order.

    ``point`` is the position after the last slice passed to ``note_emitted``. It may lie behind the cursors: they
    advance when a slice is created, but a slice waits until a message is full. A token from the cursors would skip the
    slices that are still waiting.
    """

    def __init__(self, selection: EventSelection, shards: Collection[int]) -> None:
        self._selection = selection
        self._cursors = {shard: EventCursor(selection, 0, shard=shard) for shard in shards}
        self._points = {shard: cursor.point for shard, cursor in self._cursors.items()}

    @property
    def shards(self) -> Collection[int]:
        """The shards that are covered."""
        return self._cursors.keys()

    @property
    def point(self) -> ResumePoint:
        """The position from which to resume after the last emitted slice."""
        return ResumePoint(tuple(self._points.values()))

    def of(self, shard: int) -> EventCursor:
        """Return the cursor of a shard."""
        return self._cursors[shard]

    def start(self, points: Iterable[ShardPoint]) -> None:
        """Restart the cursors of these shards at these points. The other cursors stay where they are."""
        for point in points:
            self._cursors[point.shard] = EventCursor(
                self._selection, point.position, point.offset, point.shard, point.check
            )
            self._points[point.shard] = point

    def move_past(self, points: Mapping[int, CommitPoint]) -> None:
        """Move past all rows up to these: they were emitted, or no event of them is selected. Never moves back.

        A nonce of 0 means that the nonce is not at hand.
        """
        for shard, point in points.items():
            cursor = self._cursors[shard]
            cursor.move_to(point.position + 1, point.nonce)
            self._points[shard] = cursor.point

    def slices(self, commits: Iterable[Published]) -> Iterator[EventSlice]:
        """Yield the events of these commits that are selected and new."""
        for commit in commits:
            yield from self._cursors[commit.shard].slices((commit,))

    def note_emitted(self, emitted: EventSlice) -> None:
        """Advance ``point`` past an emitted slice."""
        self._points[emitted.commit.shard] = emitted.point
