"""The work of the thread that writes: commits, and upkeep of the store between them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoryd_server.ports.store import Commit


class Submission(NamedTuple):
    """A queued commit. The future's result is its position."""

    commit: Commit
    future: asyncio.Future[int]


class Pruning(NamedTuple):
    """A request to delete some of the rows up to a position, and of those before a time, the oldest first.

    The future's result is the number of deleted rows.
    """

    surplus_position: int
    since_time: int
    future: asyncio.Future[int]


class Rewriting(NamedTuple):
    """A request to replace the data of an agent's journal rows. The future's result is the number of replaced rows."""

    agent_id: str
    rows: Mapping[int, bytes]
    future: asyncio.Future[int]


class Truncating(NamedTuple):
    """A request to truncate the log. The future's result is 1, or 0 if readers prevented it."""

    future: asyncio.Future[int]


class Stop(NamedTuple):
    """The last item of the queue."""


Upkeep = Pruning | Rewriting | Truncating
Work = Submission | Upkeep | Stop
Outcome = tuple[asyncio.Future[int], int | Exception]


def resolve(outcomes: Sequence[Outcome]) -> None:
    """Complete the futures, on the event loop. Those of callers that are gone are done already."""
    for future, outcome in outcomes:
        if future.done():
            continue
        if isinstance(outcome, int):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)
