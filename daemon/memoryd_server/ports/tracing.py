"""Spans: how long a call, and each of its parts, took. Only sampled calls have one; for all others nothing is done."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

Attributes = Mapping[str, str | int]


class Span(Protocol):
    """A span that has begun. ``trace_id`` is that of its trace, in hexadecimal digits."""

    trace_id: str

    def begin(self, name: str, attributes: Attributes | None = None) -> "Span":
        """Begin a span that is a part of this one."""

    def set(self, name: str, value: str | int) -> None:
        """Set an attribute."""

    def end(self, error: str = "") -> None:
        """End the span. ``error`` is the type of the error that ended it; empty for none."""


class Tracer(Protocol):
    """Begins the spans of calls."""

    def begin(self, name: str, metadata: Callable[[str], str | None]) -> Span | None:
        """Begin the span of a call. None if it is not sampled.

        ``metadata`` returns the text of a key that came with the call; None without one. It may name the parent.
        """


SPAN: ContextVar[Span | None] = ContextVar("span", default=None)
"""The span of what runs now; None if it is not sampled."""

current_span = SPAN.get


def annotate(name: str, value: str | int) -> None:
    """Set an attribute of the span of what runs now, if it has one."""
    span = current_span()
    if span is not None:
        span.set(name, value)


@contextmanager
def part(name: str) -> Iterator[None]:
    """Have a span for a with block, if what runs now has one."""
    parent = current_span()
    if parent is None:
        yield
        return
    span = parent.begin(name)
    token = SPAN.set(span)
    error = ""
    try:
        yield
    except BaseException as failure:
        error = type(failure).__name__
        raise
    finally:
        SPAN.reset(token)
        span.end(error)
