"""A removal in steps: its commit at once, and the rows that it removes by several transactions afterwards.

A removal writes each page that it frees to the log, so that one transaction may need more space than there is on a full
disk. Its commit then contains the new head, the journal row and the names of the rows that are still to be deleted,
in a row of table ``record`` of no agent. Reads leave those rows out: to every reader all is removed at once. The
next transaction that writes comes after their deletion, also after a crash.
"""

import sqlite3
from typing import NamedTuple

import msgspec

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import Commit, Record
from memoryd_server.stores.sqlite.commits.group import PAGE_BYTES
from memoryd_server.stores.sqlite.commits.statement import DELETE_RECORD, transaction
from memoryd_server.stores.sqlite.failure import is_damage
from memoryd_server.stores.sqlite.limit import REMOVED_ROWS_PER_STEP_MAX, ROW_OVERHEAD_BYTES
from memoryd_server.stores.sqlite.row import RecordColumns, Tail, read_record, record_columns

_NO_AGENT = 0
_KIND = "removal"
_FIND = "SELECT kind, key, data, checksum FROM record WHERE agent_key = ? AND kind = ?"
_NAMES = "SELECT kind, key FROM record WHERE agent_key = ?"
_NEXT = (
    "SELECT kind, key, length(data) FROM record WHERE agent_key = ? AND (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?"
)
_DELETE = DELETE_RECORD.format(*"???")


KeyRange = tuple[str, str, str]
"""A kind, the first key and the last one."""


class Removal(msgspec.Struct, frozen=True, array_like=True):
    """The rows of an agent that a commit removed and that may still be there.

    They are all rows of the ``kinds``, those with the ``names``, which are pairs of a kind and a key, and those in the
    ``ranges``.
    """

    agent_key: int
    kinds: frozenset[str]
    names: frozenset[tuple[str, str]]
    ranges: tuple[KeyRange, ...] = ()

    def has(self, agent_key: int, kind: str, key: str) -> bool:
        """Return True if the row is removed."""
        return agent_key == self.agent_key and (
            kind in self.kinds
            or (kind, key) in self.names
            or any(kind == each and first <= key <= last for each, first, last in self.ranges)
        )

    @property
    def columns(self) -> RecordColumns:
        """The row that stores the removal until it is finished."""
        return record_columns(_NO_AGENT, Record(_KIND, str(self.agent_key), msgspec.msgpack.encode(self)))


class RemovalStep(NamedTuple):
    """The result of a step: the new tail, the approximate number of written pages, and the last row that was read.

    ``last`` is None if nothing is left of the removal.
    """

    tail: Tail
    pages_max: int
    last: tuple[str, str] | None


FIRST = ("", "")
"""A place before every row."""


def removal_of(connection: sqlite3.Connection, agent_key: int, commit: Commit) -> Removal:
    """Return what a commit removes of the stored rows. Kinds of which nothing stays are named as a whole."""
    deletes = {(each.kind, each.key) for each in commit.deletes}
    puts = {(each.kind, each.key) for each in commit.puts}

    def is_removed(name: tuple[str, str]) -> bool:
        return (commit.drop_records or name in deletes) and name not in puts

    kinds, partial = set[str](), {kind for kind, _ in puts}
    for name in connection.execute(_NAMES, (agent_key,)):
        (kinds if is_removed(name) else partial).add(name[0])
    stored = connection.execute(_NAMES, (agent_key,))
    names = frozenset(name for name in stored if name[0] in partial and is_removed(name))
    return Removal(agent_key, frozenset(kinds - partial), names)


def find_removal(connection: sqlite3.Connection) -> Removal | None:
    """Return the unfinished removal; there is one at most. Raises sqlite3.Error.

    A damaged one is None: its agent has more records than its head says, and is damaged, too.
    """
    try:
        row = connection.execute(_FIND, (_NO_AGENT, _KIND)).fetchone()
        return None if row is None else msgspec.msgpack.decode(read_record(_NO_AGENT, row).data, type=Removal)
    except (DataDamaged, sqlite3.Error) as error:
        if is_damage(error):
            return None
        raise


def delete_step(
    connection: sqlite3.Connection, tail: Tail, removal: Removal, after: tuple[str, str], pages_max: int
) -> RemovalStep:
    """Delete the next rows, of about ``pages_max`` pages, in one transaction. Raises ForeignWriter, sqlite3.Error.

    The last step deletes the removal's own row, too.
    """
    rows = connection.execute(_NEXT, (removal.agent_key, *after, REMOVED_ROWS_PER_STEP_MAX)).fetchall()
    pages, last = 0.0, None
    chosen: list[tuple[int, str, str]] = []
    for kind, key, size_bytes in rows:
        if pages >= pages_max:
            break
        last = (kind, key)
        if removal.has(removal.agent_key, kind, key):
            chosen.append((removal.agent_key, kind, key))
            # Rows that are neighbours by their keys, and in the index, may be in pages of the table far apart.
            pages += 1 + (size_bytes + ROW_OVERHEAD_BYTES) / PAGE_BYTES
    if last is None:
        chosen.append((_NO_AGENT, _KIND, str(removal.agent_key)))
    moved = tail._replace(generation=tail.generation + 1)
    with transaction(connection, tail, moved):
        connection.executemany(_DELETE, chosen)
    return RemovalStep(moved, int(pages) + 3, last)
