"""BookmarkService, and bookmarks between the domain and the contract."""

from memoryd.v1 import bookmark_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.bookmarks.bookmark import Bookmark
from memoryd_server.domain.bookmarks.bookmark_change import CreateBookmark, DeleteBookmark
from memoryd_server.domain.bookmarks.bookmark_part import BOOKMARKS
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.engine.agents.clock import Clock, new_id
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.fields.expiry import expire_time_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.view import order_of, view_of, viewed


class BookmarkService:
    """Serves bookmarks."""

    def __init__(self, collections: Collections, clock: Clock) -> None:
        self._collections = collections
        self._clock = clock

    @change
    def create_bookmark(self, request: pb.CreateBookmarkRequest) -> Change[RecordPut[Bookmark]]:
        """Create a bookmark."""
        draft = request.draft
        creation = CreateBookmark(
            record_id_of("draft.bookmark_id", draft.bookmark_id) if draft.bookmark_id else new_id(),
            validation.text("draft.url", draft.url, limit.BOOKMARK_URL_BYTES_MAX),
            validation.text("draft.title", draft.title, limit.TITLE_BYTES_MAX),
            expire_time_of(draft, self._clock(), "draft.") if draft.WhichOneof("expiry") else None,
        )

        def encode(done: RecordPut[Bookmark]) -> pb.CreateBookmarkResponse:
            bookmark = bookmark_message(request.agent_id, done.record)
            return pb.CreateBookmarkResponse(bookmark=bookmark, revision=done.revision)

        return Change(creation, encode, log_change)

    async def get_bookmark(self, request: pb.GetBookmarkRequest, call: Call) -> pb.GetBookmarkResponse:
        """Return one bookmark."""
        bookmark_id, consistency = record_id_of("bookmark_id", request.bookmark_id), consistency_of(request)
        bookmark, revision = await self._collections.read(
            request.agent_id, BOOKMARKS, lambda bookmarks, now: bookmarks.find(bookmark_id, now), consistency
        )
        if bookmark is None:
            raise RecordNotFound(request.agent_id, BOOKMARKS.name, bookmark_id)
        return pb.GetBookmarkResponse(bookmark=bookmark_message(request.agent_id, bookmark), revision=revision)

    @change
    def delete_bookmark(self, request: pb.DeleteBookmarkRequest) -> Change[RecordRemoved]:
        """Delete a bookmark."""
        deletion = DeleteBookmark(record_id_of("bookmark_id", request.bookmark_id), precondition_of(request))

        def encode(done: RecordRemoved) -> pb.DeleteBookmarkResponse:
            return pb.DeleteBookmarkResponse(deleted=done.count > 0, revision=done.revision)

        return Change(deletion, encode, log_change, erases=request.erase)

    async def list_bookmarks(self, request: pb.ListBookmarksRequest, call: Call) -> pb.ListBookmarksResponse:
        """List bookmarks."""
        order, view = order_of(request, ListOrder.CREATE_TIME), view_of(request)
        query = validation.optional_text("query", request.query, limit.QUERY_BYTES_MAX)
        page = await self._collections.list_found(
            request.agent_id,
            BOOKMARKS,
            page_request_of(request, call),
            lambda bookmarks, now: arranged(bookmarks.search(query, now), order, lambda each: each.key),
            is_live=Bookmark.is_live,
            consistency=consistency_of(request),
        )
        return pb.ListBookmarksResponse(
            bookmarks=[viewed(bookmark_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )


def bookmark_message(agent_id: str, bookmark: Bookmark) -> pb.Bookmark:
    """Return a bookmark as responses and events carry it."""
    return pb.Bookmark(
        bookmark_id=bookmark.bookmark_id,
        agent_id=agent_id,
        url=bookmark.url,
        title=bookmark.title,
        expire_time=None if bookmark.expire_time is None else timestamp(bookmark.expire_time),
        create_time=timestamp(bookmark.create_time),
        revision=bookmark.revision,
    )
