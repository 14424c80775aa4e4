"""Bookmarks: pages that an agent wants to find again."""

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind


class Bookmark(Collected, frozen=True, array_like=True, gc=False, tag="bookmark"):
    """One bookmark. Times are nanoseconds since the Unix epoch; fields are stored in this order."""

    bookmark_id: str
    url: str
    title: str
    create_time: int
    revision: int
    size_bytes: int

    @property
    def key(self) -> str:
        """The name of the bookmark among those of its agent."""
        return self.bookmark_id

    @property
    def update_time(self) -> int:
        """A bookmark never changes."""
        return self.create_time

    def without_content(self) -> "Bookmark":
        """Return the bookmark without its URL and title, for events that carry no content."""
        return msgspec.structs.replace(self, url="", title="")


BOOKMARK = CollectionPart(
    "bookmark",
    Bookmark,
    RecordKind.BOOKMARK,
    EventType.BOOKMARK_CREATED,
    EventType.BOOKMARK_CREATED,
    EventType.BOOKMARK_DELETED,
)
