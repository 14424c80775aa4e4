"""Listings of records as flows of calls."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from memoryd.errors import PageTokenExpired
from memoryd.protocol.call import Call, Page

Item = TypeVar("Item")
Result = TypeVar("Result")

Flow = Generator[Call[Any], Any, Result]
"""Steps that a connection performs, and their result."""

# A listing expires if too much is written before its last page is read. It is then started again, up to this often.
LISTINGS_MAX = 10


def collected(begin: Callable[[], Call[Page[Item]]]) -> Flow[list[Item]]:
    """Return all items of a listing, at one revision. ``begin`` returns the call for its first page."""
    for listing in range(1, LISTINGS_MAX + 1):
        items: list[Item] = []
        following: Call[Page[Item]] | None = begin()
        try:
            while following is not None:
                page: Page[Item] = yield following
                items += page.items
                following = page.following
        except PageTokenExpired:
            if listing == LISTINGS_MAX:
                raise
        else:
            return items
    raise AssertionError("unreachable: the last listing returns or raises")
