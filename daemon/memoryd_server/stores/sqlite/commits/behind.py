"""The rows that a large commit deletes, which are deleted after it, in steps, between which others are carried out.

The commit names the rows as those of a removal: by that, all of them are gone at once, for every reader. What an
interruption leaves is deleted before the next write. The rows of a kind are named by the first and the last of their
keys, if the commit deletes all that are stored between.
"""

import sqlite3

from memoryd_server.ports.store import Commit, RecordKey
from memoryd_server.stores.sqlite.commits.group import PAGE_BYTES
from memoryd_server.stores.sqlite.commits.removal import KeyRange, Removal
from memoryd_server.stores.sqlite.commits.statement import DELETE_RECORD, transaction
from memoryd_server.stores.sqlite.limit import ROW_OVERHEAD_BYTES, STEP_BYTES_MAX, STEP_ROWS_MAX
from memoryd_server.stores.sqlite.row import Tail

_IN_RANGE = "FROM record WHERE agent_key = ? AND kind = ? AND key BETWEEN ? AND ?"


class Behind:
    """The rows that are still to be deleted after a commit.

    ``removal`` names all of them, ``rest`` are the other records that the commit deletes.
    """

    def __init__(self, agent_key: int, commit: Commit, ranges: tuple[KeyRange, ...]) -> None:
        self.removal = Removal(agent_key, frozenset(), frozenset(), ranges)
        self.rest = tuple(each for each in commit.deletes if not self.removal.has(agent_key, each.kind, each.key))
        self._ranges = list(ranges)

    @property
    def is_done(self) -> bool:
        """True if nothing is left to delete."""
        return not self._ranges

    def carry_out(self, connection: sqlite3.Connection, tail: Tail) -> tuple[Tail, int]:
        """Delete the next rows, and the removal with the last ones.

        Returns the new tail, and the approximate number of written pages. Raises ForeignWriter, sqlite3.Error.
        """
        place = (self.removal.agent_key, *self._ranges[0])
        found = connection.execute(
            f"SELECT rowid, length(data) {_IN_RANGE} ORDER BY key LIMIT ?", (*place, STEP_ROWS_MAX)
        ).fetchall()
        rows, size_bytes = list[tuple[int]](), 0
        for rowid, row_bytes in found:
            size_bytes += row_bytes
            if rows and size_bytes > STEP_BYTES_MAX:
                break
            rows.append((rowid,))
        is_last = len(rows) == len(found) < STEP_ROWS_MAX
        moved = tail._replace(generation=tail.generation + 1)
        with transaction(connection, tail, moved):
            connection.executemany("DELETE FROM record WHERE rowid = ?", rows)
            if is_last and len(self._ranges) == 1:
                connection.execute(DELETE_RECORD.format(*"???"), self.removal.columns[:3])
        if is_last:
            del self._ranges[0]
        return moved, (size_bytes + len(rows) * ROW_OVERHEAD_BYTES) // PAGE_BYTES + len(rows) + 3


def behind_of(connection: sqlite3.Connection, agent_key: int, commit: Commit) -> Behind | None:
    """Return what can be deleted after a commit of a stored agent; None if it is one step or less.

    Raises sqlite3.Error.
    """
    if commit.drop_records:
        return None
    keys: dict[str, set[str]] = {}
    for each in commit.deletes:
        keys.setdefault(each.kind, set()).add(each.key)
    ranges = [(kind, min(of_kind), max(of_kind)) for kind, of_kind in keys.items() if len(of_kind) > STEP_ROWS_MAX]
    whole = tuple(each for each in ranges if _has_only(connection, agent_key, each, keys[each[0]]))
    behind = Behind(agent_key, commit, whole)
    puts = (RecordKey(each.kind, each.key) for each in commit.puts)
    is_written = any(behind.removal.has(agent_key, each.kind, each.key) for each in puts)
    return None if behind.is_done or is_written else behind


def _has_only(connection: sqlite3.Connection, agent_key: int, place: KeyRange, keys: set[str]) -> bool:
    """Return True if the agent's rows in the range are those with the keys."""
    rows = connection.execute(f"SELECT key {_IN_RANGE} LIMIT ?", (agent_key, *place, len(keys) + 1))
    return {key for (key,) in rows} == keys
