"""Replacement of the data of journal rows."""

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from memoryd_server.stores.sqlite.agent_query import heads_of
from memoryd_server.stores.sqlite.commits.group import PAGE_BYTES
from memoryd_server.stores.sqlite.commits.statement import transaction
from memoryd_server.stores.sqlite.journal_query import rows_at
from memoryd_server.stores.sqlite.row import Tail, journal_columns

_REPLACE = "UPDATE journal SET data = ?, checksum = ? WHERE position = ?"


class Rewritten(NamedTuple):
    """The new tail, the number of replaced rows, and the approximate maximum number of pages written to the log."""

    tail: Tail
    rows: int
    pages_max: int


def rewrite_rows(connection: sqlite3.Connection, tail: Tail, agent_id: str, rows: Mapping[int, bytes]) -> Rewritten:
    """Replace the data of an agent's rows in one transaction. Raises DataDamaged, ForeignWriter, sqlite3.Error."""
    stored = heads_of(connection, (agent_id,)).get(agent_id)
    retained = sorted(position for position in rows if tail.pruned_position < position <= tail.end_position)
    found = [row for row in rows_at(connection, retained) if stored and row.agent_key == stored.agent_key]
    if not found:
        return Rewritten(tail, 0, 0)
    # The old data counts, too: freed overflow pages are overwritten with zeros.
    size_bytes = sum(len(row.data) + len(rows[row.position]) for row in found)
    replaced = [(*journal_columns(row.place, rows[row.position])[-2:], row.position) for row in found]
    after = tail._replace(generation=tail.generation + 1)
    with transaction(connection, tail, after):
        connection.executemany(_REPLACE, replaced)
    return Rewritten(after, len(found), len(found) + size_bytes // PAGE_BYTES + 3)
