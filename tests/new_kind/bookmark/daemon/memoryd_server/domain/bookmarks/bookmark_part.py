"""Bookmarks as a part of an agent's state: how they are loaded, changed, swept, cleared, restored and reported."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from memoryd_server.domain.agent.collection import in_order
from memoryd_server.domain.agent.part import Access, Changes, Counts, Growth, InitialEvent, PartStatistics, Records
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.bookmarks.bookmark import Bookmark, Bookmarks
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind

_EXPIRED_PER_SWEEP_MAX = 1_000

_BOOKMARK_BYTES = 1_024
_WORD_BYTES = 192
_WORD_OF_BOOKMARK_BYTES = 48
"""Memory that a bookmark takes beside its texts, each word of the index, and each bookmark that has a word."""

_EMPTY = Bookmarks()


class BookmarkEditor:
    """Changes the bookmarks; see ``domain.agent.part.Editor``. ``bookmarks`` is the value so far."""

    __slots__ = ("_transition", "before", "bookmarks", "part")

    def __init__(self, part: "BookmarkPart", before: Bookmarks, transition: Transition) -> None:
        self.part = part
        self.before = before
        self.bookmarks = before
        self._transition = transition

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next bookmark expires, None if none does."""
        return self.bookmarks.next_deadline

    def finish(self) -> Bookmarks:
        """Return the bookmarks after the transition."""
        return self.bookmarks

    def growth(self) -> Growth:
        """Return how much the part has grown within the transition."""
        part, before, after = self.part, self.before, self.bookmarks
        return len(after) - len(before), part.memory_bytes(after) - part.memory_bytes(before)

    def put(self, bookmark: Bookmark, cause: EventCause) -> None:
        """Put a new bookmark, with its event; an expired one of the same id is removed first, with an event as well."""
        if expired := self.bookmarks.by_id.get(bookmark.bookmark_id):
            self.remove(expired, EventCause.EXPIRY)
        self._keep(bookmark)
        if bookmark.expire_time is not None:
            self._transition.note_deadline(bookmark.expire_time)
        self._transition.emit(self.part.created, cause, bookmark)

    def remove(self, bookmark: Bookmark, cause: EventCause) -> None:
        """Remove an existing bookmark, with its event."""
        self._drop(bookmark)
        self._transition.emit(self.part.deleted, cause, bookmark.without_content(), bookmark)

    def expire(self, count_max: int | None = None) -> int:
        """Remove expired bookmarks, the earliest first; return how many."""
        due = self.bookmarks.deadlines.due(self._transition.now, count_max)
        for bookmark_id in due:
            self.remove(self.bookmarks.by_id[bookmark_id], EventCause.EXPIRY)
        return len(due)

    def sweep(self, rules: Any) -> dict[str, int]:
        """Remove a bounded number of expired bookmarks; return how many."""
        return {"bookmarks": self.expire(_EXPIRED_PER_SWEEP_MAX)}

    def clear(self, cause: EventCause) -> Counts:
        """Remove all bookmarks; the machine emits one event for the live ones."""
        self.expire()
        cleared = len(self.bookmarks)
        for bookmark in self.bookmarks:
            self._drop(bookmark)
        return {RecordKind.BOOKMARK: cleared}

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Do nothing: bookmarks belong to no user."""
        return {}

    def restore(self, image: Records) -> None:
        """Replace all bookmarks by the live ones of a snapshot, with an event for each difference."""
        wanted = {each.key: each for each in image[self.part.name] if each.is_live(self._transition.now)}
        for stored in in_order(self.before):
            same = wanted.get(stored.key)
            if same is not None and stored == _at_revision(same, stored.revision):
                del wanted[stored.key]
            else:
                self.remove(stored, EventCause.RESTORE)
        for bookmark in in_order(wanted.values()):
            self.put(_at_revision(bookmark, self._transition.revision), EventCause.RESTORE)

    def replay(self, changes: Changes) -> None:
        """Put and delete the bookmarks among these changes, which were decided elsewhere, without an event."""
        for change, bookmark in changes.items():
            if change.kind == self.part.name:
                if stored := self.bookmarks.by_id.get(change.key):
                    self._drop(stored)
                if bookmark is not None:
                    self._keep(bookmark)

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Do nothing: reads of bookmarks are not counted."""

    def _keep(self, bookmark: Bookmark) -> None:
        self.bookmarks = self.bookmarks.put(bookmark)
        self._transition.put(self.part.name, bookmark.key, bookmark)
        self._transition.size_bytes += bookmark.size_bytes

    def _drop(self, bookmark: Bookmark) -> None:
        self.bookmarks = self.bookmarks.remove(bookmark)
        self._transition.put(self.part.name, bookmark.key, None)
        self._transition.size_bytes -= bookmark.size_bytes


class BookmarkPart:
    """Bookmarks; see ``domain.agent.part.Part``."""

    name = "bookmark"
    kind = RecordKind.BOOKMARK
    records: Mapping[str, type[Any]] = {"bookmark": Bookmark}
    is_cleared_together = True
    created = EventType.BOOKMARK_CREATED
    deleted = EventType.BOOKMARK_DELETED

    def empty(self, agent_id: str) -> Bookmarks:
        """Return no bookmarks."""
        return _EMPTY

    def check(self, agent_id: str, records: Records) -> None:
        """Do nothing: bookmarks depend on no other record."""

    def check_image(self, agent_id: str, records: Records) -> None:
        """Do nothing: bookmarks depend on no other record."""

    def load(self, agent_id: str, records: Records) -> Bookmarks:
        """Return the value of the agent's records."""
        return Bookmarks.of(records[self.name])

    def edit(self, value: Bookmarks, transition: Transition) -> BookmarkEditor:
        """Return what changes the bookmarks within a transition."""
        return BookmarkEditor(self, value, transition)

    def initial_events(self, value: Bookmarks, now: int) -> Iterator[InitialEvent]:
        """Yield the live bookmarks in the order of their creation."""
        for bookmark in value.search("", now):
            yield InitialEvent(self.created, bookmark.revision, bookmark.create_time, bookmark)

    def live_counts(self, value: Bookmarks, now: int) -> Counts:
        """Return the number of live bookmarks."""
        return {RecordKind.BOOKMARK: value.live_count(now)}

    def statistics(self, value: Bookmarks, now: int) -> PartStatistics:
        """Return the number of live bookmarks and their size."""
        live = value.search("", now)
        return PartStatistics(sum(bookmark.size_bytes for bookmark in live), {RecordKind.BOOKMARK: len(live)})

    def blocks_ending(self, value: Bookmarks) -> bool:
        """Return False: an agent may end whatever bookmarks it has."""
        return False

    def memory_bytes(self, value: Bookmarks) -> int:
        """Return an estimate of the memory that bookmarks and their index take beside their texts."""
        index_bytes = len(value.words.postings) * _WORD_BYTES + value.words.count * _WORD_OF_BOOKMARK_BYTES
        return len(value) * _BOOKMARK_BYTES + index_bytes


BOOKMARKS = BookmarkPart()


def _at_revision(bookmark: Bookmark, revision: int) -> Bookmark:
    return msgspec.structs.replace(bookmark, revision=revision)
