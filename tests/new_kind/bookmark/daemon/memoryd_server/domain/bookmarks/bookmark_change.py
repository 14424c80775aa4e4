"""Commands about bookmarks, and how they are decided."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.bookmarks.bookmark import BOOKMARK, Bookmark
from memoryd_server.domain.error import LimitExceeded, RecordExists
from memoryd_server.domain.validation import size_bytes


class CreateBookmark(Command[RecordPut[Bookmark]], frozen=True):
    """Write a bookmark. ``bookmark_id`` must be free."""

    bookmark_id: str
    url: str
    title: str

    def decide(self, transition: Transition) -> RecordPut[Bookmark]:
        """Write a bookmark. Raises RecordExists, LimitExceeded."""
        bookmarks = transition.open(BOOKMARK)
        if bookmarks.records.find("", self.bookmark_id) is not None:
            raise RecordExists(BOOKMARK.name, self.bookmark_id)
        if len(bookmarks.records) >= transition.limits.bookmarks_per_agent:
            raise LimitExceeded("bookmarks_per_agent", transition.limits.bookmarks_per_agent)
        texts = (self.url, self.title)
        size = sum(map(size_bytes, texts))
        bookmark = Bookmark(self.bookmark_id, *texts, transition.now, transition.revision, size)
        bookmarks.put(bookmark)
        return RecordPut(bookmark, changed=True, revision=transition.revision)


class DeleteBookmark(Command[RecordRemoved], frozen=True):
    """Remove a bookmark, if it exists."""

    bookmark_id: str
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordRemoved:
        """Remove a bookmark, if it exists. Raises RevisionMismatch."""
        bookmarks = transition.open(BOOKMARK)
        if bookmarks.records.find("", self.bookmark_id) is None:
            return RecordRemoved(0, transition.result_revision)
        bookmarks.remove(bookmarks.existing("", self.bookmark_id, self.precondition))
        return RecordRemoved(1, transition.revision)
