"""The position of a watch, or of a group of watches, and the messages that advance it."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ResumePoint
from memoryd_server.engine.watching.event_cursor import EventSlice
from memoryd_server.engine.watching.journal_cursor import JournalCursor
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchStep
from memoryd_server.ports.store import CommitPoint


class WatchPosition:
    """A cursor in each shard, and the last emitted revision of the one agent that is watched, 0 if it is not one."""

    __slots__ = ("_one_agent", "cursor", "revision")

    def __init__(self, selection: EventSelection, shards: Collection[int]) -> None:
        self.cursor = JournalCursor(selection, shards)
        self.revision = 0
        self._one_agent = selection.agents.one_agent

    @property
    def passed_revision(self) -> int:
        """The revision of the one agent's last commit that was passed, whether an event of it was selected or not."""
        if self._one_agent is None:
            return 0
        return max(self.cursor.of(shard).passed_revision for shard in self.cursor.shards) or self.revision

    @property
    def lags(self) -> bool:
        """True if commits were passed since the last message to the one agent's watcher: none of their events is
        selected.
        """
        return self.passed_revision > self.revision

    def restart(self, point: ResumePoint, revision: int) -> None:
        """Continue after a message that had this point and this revision."""
        self.cursor.start(point.shards)
        self.revision = revision

    def move_past(self, points: Sequence[CommitPoint]) -> None:
        """Move past the last rows of all shards: what is selected of them was taken."""
        self.cursor.move_past({shard: points[shard] for shard in self.cursor.shards})

    def is_plain(self, settled: Mapping[int, CommitPoint]) -> bool:
        """Return True if every event after the position is to be emitted.

        ``settled`` are the points up to which the journal has what was emitted as initial state.
        """
        cursors = map(self.cursor.of, self.cursor.shards)
        return all(
            not each.offset and (not each.skips or each.position > settled[each.shard].position) for each in cursors
        )

    def precedes(self, commits: Iterable[Published], points: Sequence[CommitPoint]) -> bool:
        """Return True if no event of these commits is passed, nor any after the last published rows."""
        cursors = map(self.cursor.of, self.cursor.shards)
        return all(each.position <= points[each.shard].position + 1 for each in cursors) and all(
            self.cursor.of(each.shard).position <= each.position for each in commits
        )

    def steps_of(self, commits: Iterable[Published], points: Sequence[CommitPoint] | None) -> deque[WatchStep]:
        """Return the messages with these commits' events.

        ``points`` are the last published rows of all shards if these commits are the last of them, else None. The token
        may then advance in the shards without selected events, too.
        """
        steps = deque(self.live_steps(commits))
        if points is not None and len(self.cursor.shards) > 1:
            self.move_past(points)
            if steps:
                steps.append(msgspec.structs.replace(steps.pop(), point=self.cursor.point))
        return steps

    def live_steps(self, commits: Iterable[Published]) -> Iterator[WatchStep]:
        """Yield messages with these commits' events, as many in each as fit. A partial commit begins a new message."""
        slices: list[EventSlice] = []
        size_bytes = 0
        for each in self.cursor.slices(commits):
            if slices and (size_bytes + each.commit.size_bytes > PAGE_BYTES_MAX or not each.whole):
                yield self._live_step(slices)
                slices, size_bytes = [], 0
            slices.append(each)
            size_bytes += each.commit.size_bytes
        if slices:
            yield self._live_step(slices)

    def progress(self, points: Sequence[CommitPoint]) -> WatchStep:
        """Return a PROGRESS message whose token is past everything that the filters left out."""
        self.move_past(points)
        self.revision = self.passed_revision
        return self.step(WatchPhase.PROGRESS)

    def step(self, phase: WatchPhase) -> WatchStep:
        """Return a message without events."""
        return WatchStep(phase, (), self.revision, self.cursor.point)

    def _live_step(self, slices: list[EventSlice]) -> WatchStep:
        for each in slices:
            self.cursor.note_emitted(each)
        last = slices[-1]
        if last.commit.agent_id == self._one_agent:
            self.revision = last.revision
        return WatchStep(WatchPhase.LIVE, tuple(slices), self.revision, self.cursor.point, last.revision_continues)
