"""What may be done with bookmarks, and how it is decided."""

from memoryd_server.domain.agent.collection_transition import collection, known, put, remove
from memoryd_server.domain.agent.command import CollectionCommand, Precondition
from memoryd_server.domain.agent.kind import BOOKMARK
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.bookmark import Bookmark
from memoryd_server.domain.error import LimitExceeded, RecordExists
from memoryd_server.domain.validation import size_bytes


class CreateBookmark(CollectionCommand, frozen=True):
    """Write a bookmark. ``bookmark_id`` must be free."""

    bookmark_id: str
    url: str
    title: str


class DeleteBookmark(CollectionCommand, frozen=True):
    """Remove a bookmark, if it is there."""

    bookmark_id: str
    precondition: Precondition | None = None


def create_bookmark(command: CreateBookmark, transition: Transition) -> RecordPut:
    """Write a bookmark. Raises RecordExists, LimitExceeded."""
    bookmarks = collection(transition, BOOKMARK)
    if bookmarks.find("", command.bookmark_id) is not None:
        raise RecordExists(BOOKMARK.name, command.bookmark_id)
    if len(bookmarks) >= transition.limits.bookmarks_per_agent:
        raise LimitExceeded("bookmarks_per_agent", transition.limits.bookmarks_per_agent)
    texts = (command.url, command.title)
    size = sum(map(size_bytes, texts))
    bookmark = Bookmark(command.bookmark_id, *texts, transition.now, transition.revision, size)
    put(transition, BOOKMARK, bookmark)
    return RecordPut(bookmark, changed=True, revision=transition.revision)


def delete_bookmark(command: DeleteBookmark, transition: Transition) -> RecordRemoved:
    """Remove a bookmark, if it is there. Raises RevisionMismatch."""
    if collection(transition, BOOKMARK).find("", command.bookmark_id) is None:
        return RecordRemoved(0, transition.result_revision)
    remove(transition, BOOKMARK, known(transition, BOOKMARK, "", command.bookmark_id, command.precondition))
    return RecordRemoved(1, transition.revision)
