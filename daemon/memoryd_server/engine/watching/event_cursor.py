"""The position in one shard's events, and the events after it: the synchronous part of watches and event listings."""

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from memoryd_server.domain.agent.event import Event, EventSelection
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ShardPoint, check_of

_EVENT_OVERHEAD_BYTES = 512
"""Estimated size of an encoded event without its record."""


class EventSlice(msgspec.Struct, frozen=True):
    """Selected events of one commit. ``whole`` is true if they are all of the commit's selected events.

    ``point`` is the position after them in the commit's shard. ``revision`` is the last revision of the agent that they
    complete. ``revision_continues`` is true if further events of the next revision follow in another slice.
    """

    commit: Published
    events: tuple[Event, ...]
    whole: bool
    point: ShardPoint
    revision: int
    revision_continues: bool = False


class EventCursor:
    """Selects the events of a shard's commits, in the order of their positions. Skips those that were emitted before.

    ``passed_revision`` is the revision of the last commit that it moved past, selected or not; 0 before the first. A
    commit below the revision given to ``note_emitted`` does not count: the watcher is at that later revision already.
    """

    def __init__(
        self, selection: EventSelection, position: int, offset: int = 0, shard: int = 0, check: int = 0
    ) -> None:
        self.shard = shard
        self.position = position
        self.offset = offset
        self.check = check
        self.passed_revision = 0
        self._selection = selection
        self._skipped_revisions: dict[str, int] = {}

    @property
    def point(self) -> ShardPoint:
        """The position of the next event."""
        return ShardPoint(self.shard, self.position, self.offset, self.check)

    @property
    def skips(self) -> bool:
        """True if events of an agent are to be skipped."""
        return bool(self._skipped_revisions)

    def note_emitted(self, agent_id: str, revision: int) -> None:
        """Skip the agent's events up to this revision: the watcher has them, as initial state or from before."""
        self._skipped_revisions[agent_id] = revision

    def move_to(self, position: int, nonce: int = 0) -> None:
        """Move past all rows before ``position``: they were emitted, or no event of them is selected. Never moves back.

        ``nonce`` is that of the row before ``position``; 0 if it is not at hand.
        """
        if position > self.position:
            self.position, self.offset, self.check = position, 0, check_of(nonce)

    def slices(self, commits: Iterable[Published]) -> Iterator[EventSlice]:
        """Yield the selected, new events of these commits. The cursor moves past each slice as it is yielded."""
        for commit in commits:
            if commit.position < self.position:
                continue
            skipped = self._skipped_count(commit) if self.offset or self._skipped_revisions else 0
            if commit.size_bytes > PAGE_BYTES_MAX:
                yield from self._split(commit, self._selected(commit, skipped))
                continue
            self._pass(commit)
            each = self._whole(commit) if skipped == 0 else self._rest(commit, skipped)
            if each.events:
                yield each

    def _pass(self, commit: Published) -> None:
        self.position, self.offset, self.check = commit.position + 1, 0, check_of(commit.nonce)
        # Before the skipped revision is reached, the watcher is ahead of this commit: its revision must not go back.
        if not self._skipped_revisions or self._skipped_revisions.get(commit.agent_id, 0) <= commit.revision:
            self._skipped_revisions.pop(commit.agent_id, None)
            self.passed_revision = commit.revision

    def _skipped_count(self, commit: Published) -> int:
        skipped = self.offset if commit.position == self.position else 0
        # A commit may contain several revisions, of which the watcher has only the first ones.
        floor = self._skipped_revisions.get(commit.agent_id, 0)
        if floor > commit.base_revision:
            skipped = max(skipped, sum(1 for event in commit.events if event.revision <= floor))
        return skipped

    def _whole(self, commit: Published) -> EventSlice:
        """Return all selected events of a commit, computed once for all watches with the same selection."""
        # Cache the parts, not the slice: it refers to the commit, and only the garbage collector would free that cycle.
        parts: tuple[tuple[Event, ...], ShardPoint] | None = commit.encoded.get(self._selection)
        if parts is None:
            parts = commit.encoded[self._selection] = (self._selected(commit, 0), self.point)
        events, point = parts
        return EventSlice(commit, events, True, point, commit.revision)

    def _rest(self, commit: Published, skipped: int) -> EventSlice:
        return EventSlice(commit, self._selected(commit, skipped), False, self.point, commit.revision)

    def _selected(self, commit: Published, skipped: int) -> tuple[Event, ...]:
        keeps = self._selection.keeps
        return tuple(event for event in commit.events[skipped:] if keeps(commit.agent_id, event))

    def _split(self, commit: Published, events: tuple[Event, ...]) -> Iterator[EventSlice]:
        """Yield a commit that exceeds a message in parts. A watch may resume between any two of them."""
        parts = list(split(events))
        for part, following in itertools.pairwise(parts):
            if self.position < commit.position:
                # The check is that of the row before the position, which now is another row, and was not seen here:
                # commits that were filtered out may lie in between. A stale check would look like lost history.
                self.check = 0
            # Stay at this commit. The offset counts all of its events, not the selected ones: the events of a row never
            # change, while the selection is the watcher's.
            self.position, self.offset = commit.position, commit.events.index(following[0])
            # A revision that is cut in two is not complete. A watcher that resumed after it by its number would miss
            # the rest of its events: report the one before it.
            continues = following[0].revision == part[-1].revision
            revision = part[-1].revision - continues
            yield EventSlice(commit, part, False, self.point, revision, continues)
        # Before the last part: its point is the one after the commit, and a commit without selected events is passed.
        self._pass(commit)
        if parts:
            yield EventSlice(commit, parts[-1], False, self.point, commit.revision)


def split(events: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
    """Yield the events in parts that fit into a message. A single larger event is a part of its own."""
    start = size_bytes = 0
    for index, event in enumerate(events):
        event_bytes = _EVENT_OVERHEAD_BYTES + event.subject.record_bytes
        if index > start and size_bytes + event_bytes > PAGE_BYTES_MAX:
            yield events[start:index]
            start, size_bytes = index, 0
        size_bytes += event_bytes
    if start < len(events):
        yield events[start:]
