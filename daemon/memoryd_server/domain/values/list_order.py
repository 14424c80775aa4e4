"""The orders in which records are listed."""

import enum
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


class ListOrder(enum.IntEnum):
    """The order of a list. The numbers are those of the contract: never renumber."""

    ID = 1
    ID_DESCENDING = 2
    CREATE_TIME = 3
    CREATE_TIME_DESCENDING = 4
    UPDATE_TIME = 5
    UPDATE_TIME_DESCENDING = 6
    IMPORTANCE = 7
    IMPORTANCE_DESCENDING = 8

    @property
    def is_descending(self) -> bool:
        """True if the order is the reverse of another one."""
        return self % 2 == 0

    @property
    def ascending(self) -> "ListOrder":
        """The order itself, or that of which it is the reverse."""
        return ListOrder(self - self.is_descending)


UNRATED_ORDERS = tuple(order for order in ListOrder if order.ascending is not ListOrder.IMPORTANCE)
"""The orders of records that have no importance."""


def arranged(records: Iterable[T], order: ListOrder, id_of: Callable[[T], Any]) -> list[T]:
    """Return the records in an order; those that are equal by it in the order of what ``id_of`` returns.

    Records have ``create_time``, ``update_time`` and ``importance``, where the order is by that.
    """
    keys: dict[ListOrder, Callable[[Any], Any]] = {
        ListOrder.ID: id_of,
        ListOrder.CREATE_TIME: lambda each: (each.create_time, id_of(each)),
        ListOrder.UPDATE_TIME: lambda each: (each.update_time, id_of(each)),
        ListOrder.IMPORTANCE: lambda each: (each.importance, id_of(each)),
    }
    return sorted(records, key=keys[order.ascending], reverse=order.is_descending)
