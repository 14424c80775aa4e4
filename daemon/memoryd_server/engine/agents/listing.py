"""Listings whose pages all show the revision of the first page, although the agent changes between them."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from memoryd_server.domain.error import InvalidPageToken, PageTokenExpired
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.engine.agents.token import PagePoint, decode_page, encode_page
from memoryd_server.engine.limit import LISTING_PINNED_NS_MAX, LISTINGS_PINNED_MAX

T = TypeVar("T")

_COUNT_UNIT = 2**32
"""A page token's second number is the count of all items times this, plus the index of the next item. The count detects
expiry: without a commit an item may expire between two pages, and then the indexes of the others have shifted."""


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a listing. ``total_count`` and ``revision`` are the same for all of its pages."""

    items: Sequence[T]
    next_page_token: str
    total_count: int
    revision: int


class PageRequest(msgspec.Struct, frozen=True):
    """A request for a page of a listing. ``listing`` is a digest of the rest of the request: a token is bound to it."""

    listing: bytes
    size: int
    token: str


class _Pinned(msgspec.Struct, Generic[T], frozen=True):
    """The items of a listing, whose they are, and when its last page was returned."""

    agent_id: str
    time: int
    items: Sequence[T]


class Listings(Generic[T]):
    """Keeps the items of unfinished listings, bounded in age and in number.

    States are immutable and share records: a kept listing only keeps records in memory that were replaced since.
    """

    def __init__(self) -> None:
        self._pinned: WeightedLru[tuple[bytes, int, int], _Pinned[T]] = WeightedLru(LISTINGS_PINNED_MAX)

    def drop(self, agent_id: str) -> None:
        """Drop the kept listings of an agent: their next pages are of the current revision, or must begin again."""
        for key in [key for key, pinned in self._pinned.items() if pinned.agent_id == agent_id]:
            self._pinned.pop(key)

    def keeps(self, request: PageRequest, now: int) -> bool:
        """Return True if ``page`` has the items, and does not call ``items``. Raises InvalidPageToken."""
        if not request.token:
            # A first page lists again, even at a revision whose items are kept: some of them may have expired since.
            return False
        return self._kept(request.listing, decode_page(request.listing, request.token), now) is not None

    def page(
        self,
        agent_id: str,
        request: PageRequest,
        revision: int,
        now: int,
        items: Callable[[], Sequence[T]],
        size_bytes: Callable[[T], int],
        bytes_max: int,
    ) -> Page[T]:
        """Return a page of the agent's items at the token's revision. Without a token, list ``items`` at ``revision``.

        Raises InvalidPageToken, and PageTokenExpired if the token's revision is neither kept nor current.
        """
        start = 0
        if request.token:
            point = decode_page(request.listing, request.token)
            listed = self._listed(request.listing, point, revision, now, items)
            revision, start = point.first, point.second % _COUNT_UNIT
            if start >= len(listed):
                # No page before this one said that there is more.
                raise InvalidPageToken
        else:
            listed = items()
        end, page_bytes = start, 0
        while end < len(listed) and end - start < request.size and (end == start or page_bytes < bytes_max):
            page_bytes += size_bytes(listed[end])
            end += 1
        next_page_token = ""
        if end < len(listed):
            self._pin(agent_id, request.listing, revision, now, listed)
            next_page_token = encode_page(request.listing, PagePoint(revision, len(listed) * _COUNT_UNIT + end))
        return Page(listed[start:end], next_page_token, len(listed), revision)

    def _listed(
        self, listing: bytes, point: PagePoint, revision: int, now: int, items: Callable[[], Sequence[T]]
    ) -> Sequence[T]:
        kept = self._kept(listing, point, now)
        if kept is not None:
            return kept
        listed = items() if point.first == revision else ()
        if len(listed) != point.second // _COUNT_UNIT:
            raise PageTokenExpired
        return listed

    def _kept(self, listing: bytes, point: PagePoint, now: int) -> Sequence[T] | None:
        # Only a page that was returned counts as a use, so that the order of use is the order of times.
        pinned = self._pinned.peek((listing, point.first, point.second // _COUNT_UNIT))
        return pinned.items if pinned is not None and now - pinned.time <= LISTING_PINNED_NS_MAX else None

    def _pin(self, agent_id: str, listing: bytes, revision: int, now: int, items: Sequence[T]) -> None:
        # Two listings of one revision differ where something expired in between, and then in their counts.
        self._pinned.put((listing, revision, len(items)), _Pinned(agent_id, now, items))
        while (oldest := self._pinned.oldest()) is not None and now - oldest[1].time > LISTING_PINNED_NS_MAX:
            self._pinned.pop(oldest[0])
