"""The consistency of a read: how current it must be."""

from datetime import timedelta
from typing import Any, TypedDict, TypeVar

from memoryd.model.moment import duration_of
from memoryd.protocol.call import Call
from memoryd.v1.consistency_pb2 import Consistency

Result = TypeVar("Result")


class ReadOptions(TypedDict, total=False):
    """The consistency of a read, as at most one of two options; by default it has every change before the call.

    Both let a daemon that shares its store read from its memory if that suffices.

    ``max_staleness``: every change that was committed at least this long ago, in seconds or as a timedelta; at most
    one day.
    ``min_revision``: every change of the agent up to this revision, such as one that an earlier change returned. Raises
    RevisionInFuture if the agent has not reached it.
    """

    max_staleness: timedelta | float | None
    min_revision: int | None


def reading(call: Call[Result], options: ReadOptions) -> Call[Result]:
    """Write how current the response must be into a new call, and return the call. Raises ValueError for two options.

    The calls for the further pages of a listing copy its request.
    """
    consistency = consistency_of(options)
    if consistency is not None:
        request: Any = call.request
        request.consistency.CopyFrom(consistency)
    return call


def consistency_of(options: ReadOptions) -> Consistency | None:
    """Return the consistency among the options as a message; None if there is none. Raises ValueError for two."""
    max_staleness, min_revision = options.get("max_staleness"), options.get("min_revision")
    if max_staleness is not None and min_revision is not None:
        raise ValueError("max_staleness and min_revision exclude each other: give at most one")
    if max_staleness is not None:
        return Consistency(max_staleness=duration_of(max_staleness))
    return None if min_revision is None else Consistency(min_revision=min_revision)
