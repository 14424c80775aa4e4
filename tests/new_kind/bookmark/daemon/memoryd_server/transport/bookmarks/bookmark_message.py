"""Bookmarks, between the domain and the contract."""

from memoryd.v1 import bookmark_pb2
from memoryd.v1 import bookmark_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.bookmarks.bookmark import Bookmark
from memoryd_server.domain.bookmarks.bookmark_change import CreateBookmark
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import timestamp


def bookmark_message(agent_id: str, bookmark: Bookmark) -> bookmark_pb2.Bookmark:
    """A bookmark as it is answered, and as an event tells it."""
    return bookmark_pb2.Bookmark(
        bookmark_id=bookmark.bookmark_id,
        agent_id=agent_id,
        url=bookmark.url,
        title=bookmark.title,
        create_time=timestamp(bookmark.create_time),
        revision=bookmark.revision,
    )


def creation_of(message: pb.CreateBookmarkRequest, new_id: str) -> CreateBookmark:
    """A bookmark to be written. Raises InvalidField."""
    return CreateBookmark(
        record_id_of("bookmark_id", message.bookmark_id) if message.bookmark_id else new_id,
        validation.text("url", message.url, limit.BOOKMARK_URL_BYTES_MAX),
        validation.text("title", message.title, limit.TITLE_BYTES_MAX),
    )
