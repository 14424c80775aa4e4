"""The new rows of a large commit, which are written before it, in steps, between which other commits are carried out.

Before the first of them is written, they are named as the rows of a removal. Reads therefore leave them out, and what
an interruption leaves is deleted before the next write. The commit itself deletes the removal: by that, all the rows
are there at once, for every reader. Rows that replace others cannot be written ahead. The rows of a kind are if no row
is stored between the first and the last of their keys, which is so for the chunks of a document: to look for each key,
and to name each, would take as long as to write them.
"""

import sqlite3

from memoryd_server.ports.store import Commit, Record
from memoryd_server.stores.sqlite.commits.group import PAGE_BYTES
from memoryd_server.stores.sqlite.commits.removal import KeyRange, Removal
from memoryd_server.stores.sqlite.commits.statement import PUT_RECORDS, transaction, write_rows
from memoryd_server.stores.sqlite.limit import STEP_BYTES_MAX, STEP_ROWS_MAX
from memoryd_server.stores.sqlite.row import RecordColumns, Tail, record_columns


class Ahead:
    """The rows that are still to be written ahead of a commit.

    ``removal`` names all of them, ``rest`` are the other records that the commit writes.
    """

    def __init__(self, agent_key: int, commit: Commit, ranges: dict[KeyRange, list[Record]]) -> None:
        self.removal = Removal(agent_key, frozenset(), frozenset(), tuple(ranges))
        kinds = {kind for kind, *_ in ranges}
        self.rest = tuple(each for each in commit.puts if each.kind not in kinds)
        self._agent_key = agent_key
        self._records = [each for records in ranges.values() for each in records]
        self._is_named = False

    @property
    def is_done(self) -> bool:
        """True if nothing is left to write."""
        return self._is_named and not self._records

    def carry_out(self, connection: sqlite3.Connection, tail: Tail) -> tuple[Tail, int]:
        """Write the next rows, or first the removal.

        Returns the new tail, and the approximate number of written pages. Raises ForeignWriter, sqlite3.Error.
        """
        rows = self._next() if self._is_named else [self.removal.columns]
        moved = tail._replace(generation=tail.generation + 1)
        with transaction(connection, tail, moved):
            write_rows(connection, PUT_RECORDS, rows)
        if self._is_named:
            del self._records[: len(rows)]
        self._is_named = True
        return moved, len(rows) + sum(len(row[3]) for row in rows) // PAGE_BYTES + 3

    def _next(self) -> list[RecordColumns]:
        rows = list[RecordColumns]()
        size_bytes = 0
        for record in self._records[:STEP_ROWS_MAX]:
            size_bytes += len(record.data)
            if rows and size_bytes > STEP_BYTES_MAX:
                break
            rows.append(record_columns(self._agent_key, record))
        return rows


def ahead_of(connection: sqlite3.Connection, agent_key: int, commit: Commit) -> Ahead | None:
    """Return what can be written ahead of a commit of a stored agent; None if it is one step or less.

    Raises sqlite3.Error.
    """
    if commit.drop_records:
        return None
    kinds: dict[str, dict[str, Record]] = {}
    for each in commit.puts:
        kinds.setdefault(each.kind, {})[each.key] = each
    deleted = {each.kind for each in commit.deletes}
    new = {
        (kind, min(records), max(records)): list(records.values())
        for kind, records in kinds.items()
        if kind not in deleted and not _has_rows(connection, agent_key, (kind, min(records), max(records)))
    }
    count = sum(map(len, new.values()))
    size_bytes = sum(len(each.data) for records in new.values() for each in records)
    if count <= STEP_ROWS_MAX and size_bytes <= STEP_BYTES_MAX:
        return None
    return Ahead(agent_key, commit, new)


def _has_rows(connection: sqlite3.Connection, agent_key: int, keys: KeyRange) -> bool:
    """Return True if the agent has a row in the range."""
    statement = "SELECT 1 FROM record WHERE agent_key = ? AND kind = ? AND key BETWEEN ? AND ? LIMIT 1"
    return connection.execute(statement, (agent_key, *keys)).fetchone() is not None
