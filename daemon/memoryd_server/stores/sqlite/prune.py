"""Deletion of the journal's oldest rows, in small steps, so that commits never wait long."""

import sqlite3
from itertools import takewhile
from typing import NamedTuple

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.commits.group import move_tail
from memoryd_server.stores.sqlite.limit import PRUNED_ROWS_PER_STEP_MAX
from memoryd_server.stores.sqlite.row import Tail


class Pruned(NamedTuple):
    """The result of a step: the new tail, the number of deleted rows, and the agents whose heads were deleted."""

    tail: Tail
    rows: int
    agent_ids: tuple[str, ...]


def prune_chunk(connection: sqlite3.Connection, tail: Tail, rows_max: int, since_time: int) -> Pruned:
    """Delete rows in one transaction, which is one step. Raises DataDamaged, ForeignWriter, sqlite3.Error."""
    oldest: list[tuple[int, int]] = connection.execute(
        "SELECT position, commit_time FROM journal WHERE position > ? ORDER BY position LIMIT ?",
        (tail.pruned_position, PRUNED_ROWS_PER_STEP_MAX),
    ).fetchall()
    expected = range(
        tail.pruned_position + 1, min(tail.pruned_position + PRUNED_ROWS_PER_STEP_MAX, tail.end_position) + 1
    )
    if [position for position, _ in oldest] != list(expected):
        raise DataDamaged(f"the journal has a hole after position {tail.pruned_position}")
    last_surplus = tail.end_position - rows_max
    dropped = list(takewhile(lambda row: row[0] <= last_surplus or row[1] < since_time, oldest))
    if not dropped:
        return Pruned(tail, 0, ())
    pruned_position = dropped[-1][0]
    after = tail._replace(generation=tail.generation + 1, pruned_position=pruned_position)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM journal WHERE position <= ?", (pruned_position,))
    ended = connection.execute(
        "DELETE FROM agent WHERE ended AND last_position <= ? RETURNING agent_id", (pruned_position,)
    ).fetchall()
    move_tail(connection, tail, after)
    connection.execute("COMMIT")
    return Pruned(after, len(dropped), tuple(agent_id for (agent_id,) in ended))
