"""Pages of lists that are in memory as a whole, and have no revision: snapshots, operations."""

from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import decode_text_page, encode_text_page


class Listed(Protocol):
    """An item of a list, with what orders it."""

    @property
    def item_id(self) -> str:
        """The id, which no other item has."""

    @property
    def create_time(self) -> int:
        """The time of creation."""

    @property
    def update_time(self) -> int:
        """The time of the last change."""


L = TypeVar("L", bound=Listed)


class ArrangedPage(NamedTuple, Generic[L]):
    """One page of a list. ``total_count`` is the number of items on all pages."""

    items: Sequence[L]
    next_page_token: str
    total_count: int


def arranged_page(items: Iterable[L], order: ListOrder, page: PageRequest) -> ArrangedPage[L]:
    """Return a page of the items in an order. Raises InvalidPageToken.

    A page continues after the place of the last item before, which may be gone since.
    """
    listed = arranged(items, order, lambda each: each.item_id)
    following = listed[_start(listed, order, decode_text_page(page.listing, page.token)) if page.token else 0 :]
    shown = following[: page.size]
    is_last = len(following) == len(shown)
    token = "" if is_last else encode_text_page(page.listing, _place(shown[-1], order))
    return ArrangedPage(shown, token, len(listed))


def _place(item: Listed, order: ListOrder) -> str:
    """Return a text that sorts as the order does."""
    if order in (ListOrder.ID, ListOrder.ID_DESCENDING):
        return item.item_id
    is_by_update = order in (ListOrder.UPDATE_TIME, ListOrder.UPDATE_TIME_DESCENDING)
    return f"{item.update_time if is_by_update else item.create_time:020d}/{item.item_id}"


def _start(listed: Sequence[Listed], order: ListOrder, after: str) -> int:
    """Return the index of the first item after a place."""
    for index, each in enumerate(listed):
        place = _place(each, order)
        if place < after if order in _DESCENDING else place > after:
            return index
    return len(listed)


_DESCENDING = (ListOrder.ID_DESCENDING, ListOrder.CREATE_TIME_DESCENDING, ListOrder.UPDATE_TIME_DESCENDING)
