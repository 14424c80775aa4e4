"""BookmarkService: translate, call, translate."""

from memoryd.v1 import bookmark_service_pb2 as pb
from memoryd_server.domain.bookmarks.bookmark import BOOKMARK
from memoryd_server.domain.bookmarks.bookmark_change import DeleteBookmark
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.transport.bookmarks.bookmark_message import bookmark_message, creation_of
from memoryd_server.transport.call import Call
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of


class BookmarkService:
    """Serves bookmarks."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    async def create_bookmark(self, request: pb.CreateBookmarkRequest, call: Call) -> pb.CreateBookmarkResponse:
        """Write a bookmark."""
        creating = creation_of(request, new_id())
        done = await self._collections.change(request.agent_id, creating, call.origin, request_key_of(request, call))
        bookmark = bookmark_message(request.agent_id, done.record)
        return pb.CreateBookmarkResponse(bookmark=bookmark, revision=done.revision)

    async def get_bookmark(self, request: pb.GetBookmarkRequest, call: Call) -> pb.GetBookmarkResponse:
        """Answer one bookmark."""
        bookmark_id, staleness = record_id_of("bookmark_id", request.bookmark_id), max_staleness_of(request)
        bookmark, revision = await self._collections.get(request.agent_id, BOOKMARK, "", bookmark_id, staleness)
        return pb.GetBookmarkResponse(bookmark=bookmark_message(request.agent_id, bookmark), revision=revision)

    async def delete_bookmark(self, request: pb.DeleteBookmarkRequest, call: Call) -> pb.DeleteBookmarkResponse:
        """Remove a bookmark."""
        deleting = DeleteBookmark(record_id_of("bookmark_id", request.bookmark_id), precondition_of(request))
        done = await self._collections.change(request.agent_id, deleting, call.origin, request_key_of(request, call))
        return pb.DeleteBookmarkResponse(deleted=done.count > 0, revision=done.revision)

    async def list_bookmarks(self, request: pb.ListBookmarksRequest, call: Call) -> pb.ListBookmarksResponse:
        """List bookmarks in the order of their creation."""
        asked, staleness = page_request_of(request, call), max_staleness_of(request)
        page = await self._collections.list(request.agent_id, BOOKMARK, asked, max_staleness_ns=staleness)
        return pb.ListBookmarksResponse(
            bookmarks=[bookmark_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )
