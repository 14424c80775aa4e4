"""How far the events of one shard were told, and what is next: the part of a watch and of a listing without waiting."""

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from memoryd_server.domain.agent.event import Event, EventSelection
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ShardPoint, check_of

_EVENT_OVERHEAD_BYTES = 512


class EventSlice(msgspec.Struct, frozen=True):
    """Selected events of one commit. ``whole`` is whether they are all of the commit's that are selected.

    ``point`` is where to go on in the commit's shard after them, ``revision`` the agent's revision that they complete.
    """

    commit: Published
    events: tuple[Event, ...]
    whole: bool
    point: ShardPoint
    revision: int
    revision_continues: bool = False


class EventCursor:
    """Follows a shard's commits in the order of their positions, and leaves out what was told or is not selected.

    ``passed_revision`` is the revision of the last commit that it moved past, selected or not, unless later ones are
    known in another way; 0 before the first.
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
        self._told_revisions: dict[str, int] = {}

    @property
    def point(self) -> ShardPoint:
        """Where to go on."""
        return ShardPoint(self.shard, self.position, self.offset, self.check)

    def note_told(self, agent_id: str, revision: int) -> None:
        """Leave out the agent's events up to this revision: they are known in another way."""
        self._told_revisions[agent_id] = revision

    def move_to(self, position: int, nonce: int = 0) -> None:
        """All rows before ``position`` are told, or hold nothing that is selected. Never moves back.

        ``nonce`` is that of the row before it, 0 when it is not known.
        """
        if position > self.position:
            self.position, self.offset, self.check = position, 0, check_of(nonce)

    def slices(self, commits: Iterable[Published]) -> Iterator[EventSlice]:
        """What is to be told of these commits. The cursor has moved past what was given out."""
        for commit in commits:
            if commit.position < self.position:
                continue
            told = self._told_count(commit) if self.offset or self._told_revisions else 0
            if commit.size_bytes > PAGE_BYTES_MAX:
                yield from self._split(commit, self._selected(commit, told))
                continue
            self._pass(commit)
            each = self._whole(commit) if told == 0 else self._rest(commit, told)
            if each.events:
                yield each

    def _pass(self, commit: Published) -> None:
        self.position, self.offset, self.check = commit.position + 1, 0, check_of(commit.nonce)
        if not self._told_revisions or self._told_revisions.get(commit.agent_id, 0) <= commit.revision:
            self._told_revisions.pop(commit.agent_id, None)
            self.passed_revision = commit.revision

    def _told_count(self, commit: Published) -> int:
        told = self.offset if commit.position == self.position else 0
        floor = self._told_revisions.get(commit.agent_id, 0)
        if floor > commit.base_revision:
            told = max(told, sum(1 for event in commit.events if event.revision <= floor))
        return told

    def _whole(self, commit: Published) -> EventSlice:
        """All of a commit. Its parts are made once for all who select the same."""
        # Not the slice itself: it holds the commit, which would hold it, and only the garbage collector ends that.
        parts: tuple[tuple[Event, ...], ShardPoint] | None = commit.encoded.get(self._selection)
        if parts is None:
            parts = commit.encoded[self._selection] = (self._selected(commit, 0), self.point)
        events, point = parts
        return EventSlice(commit, events, True, point, commit.revision)

    def _rest(self, commit: Published, told: int) -> EventSlice:
        return EventSlice(commit, self._selected(commit, told), False, self.point, commit.revision)

    def _selected(self, commit: Published, told: int) -> tuple[Event, ...]:
        keeps = self._selection.keeps
        return tuple(event for event in commit.events[told:] if keeps(commit.agent_id, event))

    def _split(self, commit: Published, events: tuple[Event, ...]) -> Iterator[EventSlice]:
        parts = list(split(events))
        for part, following in itertools.pairwise(parts):
            if self.position < commit.position:
                self.check = 0
            self.position, self.offset = commit.position, commit.events.index(following[0])
            continues = following[0].revision == part[-1].revision
            revision = part[-1].revision - continues
            yield EventSlice(commit, part, False, self.point, revision, continues)
        self._pass(commit)
        if parts:
            yield EventSlice(commit, parts[-1], False, self.point, commit.revision)


def split(events: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
    """The events in parts that fit into a message."""
    start = size_bytes = 0
    for index, event in enumerate(events):
        event_bytes = _EVENT_OVERHEAD_BYTES + event.subject.record_bytes
        if index > start and size_bytes + event_bytes > PAGE_BYTES_MAX:
            yield events[start:index]
            start, size_bytes = index, 0
        size_bytes += event_bytes
    if start < len(events):
        yield events[start:]
