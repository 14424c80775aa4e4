"""Bookmarks: pages that an agent wants to find again."""

import msgspec


class Bookmark(msgspec.Struct, frozen=True, array_like=True, gc=False, tag="bookmark"):
    """One bookmark. Times are nanoseconds since the Unix epoch; fields are stored in this order."""

    bookmark_id: str
    url: str
    title: str
    create_time: int
    revision: int
    size_bytes: int

    @property
    def group(self) -> str:
        """Bookmarks are not grouped: each is found by its id alone."""
        return ""

    @property
    def key(self) -> str:
        """What names it among the bookmarks of its agent."""
        return self.bookmark_id

    @property
    def update_time(self) -> int:
        """A bookmark never changes."""
        return self.create_time

    def without_content(self) -> "Bookmark":
        """The bookmark as those are told of it who may not read it."""
        return msgspec.structs.replace(self, url="", title="")
