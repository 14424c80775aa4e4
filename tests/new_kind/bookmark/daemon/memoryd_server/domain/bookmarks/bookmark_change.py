"""Commands about bookmarks, and how they are decided."""

from typing import Any

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.bookmarks.bookmark import Bookmark
from memoryd_server.domain.bookmarks.bookmark_part import BOOKMARKS
from memoryd_server.domain.error import QuotaExceeded, RecordExists
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.validation import size_bytes


class CreateBookmark(Command[RecordPut[Bookmark]], frozen=True):
    """Create a bookmark. ``expire_time`` is in nanoseconds since the Unix epoch, None for a bookmark that is kept."""

    bookmark_id: str
    url: str
    title: str
    expire_time: int | None = None

    def decide(self, transition: Transition) -> RecordPut[Bookmark]:
        """Create a bookmark. Raises RecordExists, QuotaExceeded."""
        editor, now, limits = transition.open(BOOKMARKS), transition.now, transition.limits
        there = editor.bookmarks.find(self.bookmark_id, now)
        if there is not None:
            raise RecordExists(BOOKMARKS.name, self.bookmark_id, there.revision)
        if editor.bookmarks.live_count(now) >= limits.bookmarks_per_agent:
            raise QuotaExceeded("bookmarks_per_agent", limits.bookmarks_per_agent)
        size = size_bytes(self.url) + size_bytes(self.title)
        bookmark = Bookmark(self.bookmark_id, self.url, self.title, self.expire_time, now, transition.revision, size)
        editor.put(bookmark, EventCause.REQUEST)
        transition.check_size()
        return RecordPut(bookmark, changed=True, revision=transition.revision)


class DeleteBookmark(Command[RecordRemoved], frozen=True):
    """Delete a bookmark, if it exists."""

    bookmark_id: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the bookmark."""
        return ((BOOKMARKS.name, "", self.bookmark_id),)

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a bookmark, if it exists. Raises what ``check_record`` raises."""
        editor = transition.open(BOOKMARKS)
        bookmark = editor.bookmarks.find(self.bookmark_id, transition.now)
        revision = 0 if bookmark is None else bookmark.revision
        check_record(self.precondition, transition.state.agent_id, BOOKMARKS.name, self.bookmark_id, revision)
        if bookmark is None:
            return RecordRemoved(0, transition.result_revision)
        editor.remove(bookmark, EventCause.REQUEST)
        return RecordRemoved(1, transition.revision)
