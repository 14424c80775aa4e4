"""A pass over the whole journal, past its damaged rows."""

import sqlite3
from collections.abc import Iterable, Iterator

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.limit import POSITIONS_PER_STATEMENT
from memoryd_server.stores.sqlite.row import StoredHead, StoredRow, Tail, read_journal_row

_AFTER = "SELECT * FROM journal WHERE position > ? ORDER BY position LIMIT ?"


def damaged_journals(connection: sqlite3.Connection, tail: Tail, heads: Iterable[StoredHead]) -> set[int]:
    """Return the numbers of the agents whose retained rows do not form a whole chain up to the head."""
    reached: dict[int, int] = {}
    damaged: set[int] = set()
    for row in _readable_rows(connection, tail):
        if row.previous_position > tail.pruned_position and reached.get(row.agent_key) != row.previous_position:
            damaged.add(row.agent_key)
        reached[row.agent_key] = row.position
    for stored in heads:
        if stored.last_position > tail.pruned_position and reached.get(stored.agent_key) != stored.last_position:
            damaged.add(stored.agent_key)
    return damaged


def _readable_rows(connection: sqlite3.Connection, tail: Tail) -> Iterator[StoredRow]:
    position, count = tail.pruned_position, POSITIONS_PER_STATEMENT
    while position < tail.end_position:
        try:
            rows = connection.execute(_AFTER, (position, count)).fetchall()
        except sqlite3.Error:
            # A page cannot be read: go on row by row until it is passed.
            position += count == 1
            count = 1
            continue
        if not rows:
            return
        # Always forwards: a damaged tree may return rows that are out of order.
        position = max(position + 1, rows[-1][0])
        count = POSITIONS_PER_STATEMENT if count > 1 else min(2 * count, POSITIONS_PER_STATEMENT)
        for columns in rows:
            try:
                yield read_journal_row(columns)
            except DataDamaged:
                continue
