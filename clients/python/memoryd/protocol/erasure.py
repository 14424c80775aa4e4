"""Removals that may erase: their result is then the receipt."""

from collections.abc import Callable
from typing import Any, TypeVar

from memoryd.model.erasure import ErasureReceipt, receipt_from

T = TypeVar("T")

_PATIENCE = 60.0


def removed(convert: Callable[[Any], T], *, erase: bool) -> Callable[[Any], T | ErasureReceipt]:
    """Return the conversion of the response to a removal: what ``convert`` returns, or the receipt of an erasure."""
    return (lambda answer: receipt_from(answer.receipt)) if erase else convert


def erasing(*, erase: bool) -> float:
    """Return the seconds that the server may take to erase, 0 if it is not to."""
    return _PATIENCE if erase else 0.0
