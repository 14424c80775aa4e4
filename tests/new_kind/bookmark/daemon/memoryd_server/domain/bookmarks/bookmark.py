"""Bookmarks, and all bookmarks of an agent with what finds them. Times are nanoseconds since the Unix epoch."""

from collections.abc import Iterable, Iterator, Sequence

import immutables
import msgspec

from memoryd_server.domain.agent.collection import Collected, in_order
from memoryd_server.domain.values.deadline import Deadlines
from memoryd_server.domain.values.word_index import WordIndex


class Bookmark(Collected, frozen=True, array_like=True, gc=False, tag="bookmark"):
    """One bookmark, which never changes. Fields are stored in this order."""

    bookmark_id: str
    url: str
    title: str
    expire_time: int | None
    create_time: int
    revision: int
    size_bytes: int

    @property
    def key(self) -> str:
        """The name of the bookmark among those of its agent."""
        return self.bookmark_id

    @property
    def update_time(self) -> int:
        """The time of its creation."""
        return self.create_time

    def is_live(self, now: int) -> bool:
        """Return whether the bookmark may be served at this time."""
        return self.expire_time is None or now < self.expire_time

    def without_content(self) -> "Bookmark":
        """Return the bookmark without its URL and title, for events that carry no content."""
        return msgspec.structs.replace(self, url="", title="")


class Bookmarks(msgspec.Struct, frozen=True):
    """All bookmarks of an agent: an immutable value. Those that have expired are in it until a sweep removes them.

    ``words`` finds a bookmark by the words of its title, ``deadlines`` has those that expire.
    """

    by_id: immutables.Map[str, Bookmark] = immutables.Map()
    words: WordIndex[str] = WordIndex()
    deadlines: Deadlines[str] = Deadlines()

    @classmethod
    def of(cls, bookmarks: Iterable[Bookmark]) -> "Bookmarks":
        """Return the value of these bookmarks, which have different ids."""
        by_id = {each.bookmark_id: each for each in bookmarks}
        return cls(
            immutables.Map(by_id),
            WordIndex.of((key, each.title) for key, each in by_id.items()),
            Deadlines.of((key, each.expire_time) for key, each in by_id.items() if each.expire_time is not None),
        )

    def __len__(self) -> int:
        return len(self.by_id)

    def __iter__(self) -> Iterator[Bookmark]:
        return iter(self.by_id.values())

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next bookmark expires, None if none does."""
        return self.deadlines.first

    @property
    def record_count(self) -> int:
        """The number of stored bookmarks."""
        return len(self)

    def live_count(self, now: int) -> int:
        """Return the number of bookmarks that may be served at this time."""
        return len(self) - self.deadlines.count_due(now)

    def find(self, bookmark_id: str, now: int) -> Bookmark | None:
        """Return a bookmark; None if there is none of this id, or it has expired."""
        bookmark = self.by_id.get(bookmark_id)
        return bookmark if bookmark is not None and bookmark.is_live(now) else None

    def search(self, query: str, now: int) -> Sequence[Bookmark]:
        """Return the live bookmarks whose title has any word of the query, in the order of their creation.

        An empty query finds all.
        """
        found = map(self.by_id.__getitem__, self.words.find(query)) if query else iter(self)
        return in_order(bookmark for bookmark in found if bookmark.is_live(now))

    def put(self, bookmark: Bookmark) -> "Bookmarks":
        """Return the value with a bookmark whose id it does not have."""
        key, deadlines = bookmark.bookmark_id, self.deadlines
        if bookmark.expire_time is not None:
            deadlines = deadlines.add(key, bookmark.expire_time)
        return Bookmarks(self.by_id.set(key, bookmark), self.words.add(key, bookmark.title), deadlines)

    def remove(self, bookmark: Bookmark) -> "Bookmarks":
        """Return the value without a bookmark that it has."""
        key, deadlines = bookmark.bookmark_id, self.deadlines
        if bookmark.expire_time is not None:
            deadlines = deadlines.remove(key, bookmark.expire_time)
        return Bookmarks(self.by_id.delete(key), self.words.remove([(key, bookmark.title)]), deadlines)
