"""Deletion of the journal's oldest rows, in small steps, so that commits never wait long."""

import sqlite3
from itertools import accumulate, islice, takewhile
from typing import NamedTuple

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.commits.statement import transaction
from memoryd_server.stores.sqlite.limit import PRUNED_ROWS_PER_STEP_MAX
from memoryd_server.stores.sqlite.row import Tail


class Pruned(NamedTuple):
    """The result of a step: the new tail, the number of deleted rows, and the agents whose heads were deleted."""

    tail: Tail
    rows: int
    agent_ids: tuple[str, ...]


def prune_chunk(
    connection: sqlite3.Connection, tail: Tail, surplus_position: int, since_time: int, bytes_max: int
) -> Pruned:
    """Delete the oldest rows up to a position, and those before a time, in one transaction, which is one step.

    The first row is deleted even if it is larger than ``bytes_max``. Raises DataDamaged, ForeignWriter, sqlite3.Error.
    """
    oldest: list[tuple[int, int, int]] = connection.execute(
        "SELECT position, commit_time, length(data) FROM journal WHERE position > ? ORDER BY position LIMIT ?",
        (tail.pruned_position, PRUNED_ROWS_PER_STEP_MAX),
    ).fetchall()
    expected = range(
        tail.pruned_position + 1, min(tail.pruned_position + PRUNED_ROWS_PER_STEP_MAX, tail.end_position) + 1
    )
    if [position for position, *_ in oldest] != list(expected):
        raise DataDamaged(f"the journal has a hole after position {tail.pruned_position}")
    sizes = accumulate(size for *_, size in oldest)
    fitting = 1 + sum(size <= bytes_max for size in islice(sizes, 1, None))
    dropped = list(takewhile(lambda row: row[0] <= surplus_position or row[1] < since_time, oldest[:fitting]))
    if not dropped:
        return Pruned(tail, 0, ())
    pruned_position = dropped[-1][0]
    after = tail._replace(generation=tail.generation + 1, pruned_position=pruned_position)
    with transaction(connection, tail, after):
        connection.execute("DELETE FROM journal WHERE position <= ?", (pruned_position,))
        ended = connection.execute(
            "DELETE FROM agent WHERE ended AND last_position <= ? RETURNING agent_id", (pruned_position,)
        ).fetchall()
    return Pruned(after, len(dropped), tuple(agent_id for (agent_id,) in ended))
