"""The progress of the work that runs as an operation.

It is reported through a context variable, which the tasks of the work inherit: a use case reports what it has done
without a parameter for it, and reports nothing where it serves a call.
"""

from collections.abc import Callable
from contextvars import ContextVar

import msgspec

from memoryd_server.domain.record_kind import RecordKind


class Progress(msgspec.Struct, frozen=True):
    """The number of records of a kind that are done. ``total`` is the number to do, None if it is not known."""

    kind: RecordKind
    done: int
    total: int | None = None


_listener: ContextVar[Callable[[Progress], None] | None] = ContextVar("progress", default=None)


def listen(listener: Callable[[Progress], None]) -> None:
    """Call a function with the progress of this task from now on."""
    _listener.set(listener)


def is_wanted() -> bool:
    """Return True if the current work is an operation: a total that takes time to count is worth it only then."""
    return _listener.get() is not None


def report(kind: RecordKind, done: int, total: int | None = None) -> None:
    """Report the progress of the current work, if it is an operation."""
    listener = _listener.get()
    if listener is not None:
        listener(Progress(kind, done, total))
