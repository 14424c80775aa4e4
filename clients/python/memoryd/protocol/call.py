"""Calls that are described, but not performed yet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from memoryd.protocol.method import Method, Request, Response

Result = TypeVar("Result")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Call(Generic[Result]):
    """A unary call to perform: its request, and the conversion of its response.

    ``patience`` is the time in seconds that the server may take on purpose, in addition to the usual timeout. ``undo``
    returns the call that undoes a result which nobody waits for any more, or None if there is nothing to undo.
    """

    method: Method[Any, Any]
    request: Any
    convert: Callable[[Any], Result]
    patience: float = 0.0
    undo: "Callable[[Result], Call[Any] | None] | None" = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a listing. ``following`` is the call for the next page; None after the last."""

    items: list[Item]
    following: "Call[Page[Item]] | None"


def call(
    method: Method[Request, Response],
    request: Request,
    convert: Callable[[Response], Result],
    *,
    patience: float = 0.0,
    undo: Callable[[Result], Call[Any] | None] | None = None,
) -> Call[Result]:
    """Return a call. Its type checks that the request and the conversion fit the method."""
    return Call(method, request, convert, patience, undo)


def page_call(
    method: Method[Request, Any], request: Request, items_of: Callable[[Any], list[Item]]
) -> Call[Page[Item]]:
    """Return the call for the first page of a listing; each page has the call for the next one."""

    def convert(response: Any) -> Page[Item]:
        following = None
        if response.next_page_token:
            next_request: Any = type(request)()
            next_request.CopyFrom(request)
            next_request.page_token = response.next_page_token
            following = page_call(method, next_request, items_of)
        return Page(items_of(response), following)

    return Call(method, request, convert)


def new_request_id() -> str:
    """Return a new random request id, which makes one change safe to repeat."""
    return uuid4().hex
