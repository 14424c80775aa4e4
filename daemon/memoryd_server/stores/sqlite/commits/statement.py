"""The statements that write a group of commits, and a single one that writes a small group.

After each statement, the writer's thread waits for the interpreter's lock. Next to threads that compute, the six
statements of a transaction take ten times as long as what they do. A small group is therefore inserted into a view, of
which a trigger writes to the tables: one statement, which is a transaction of its own. For more than a few commits, it
takes more processor time than the others do.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

from memoryd_server.stores.sqlite.limit import MANY_ROWS_PER_STATEMENT, ROWS_PER_STATEMENT
from memoryd_server.stores.sqlite.row import Tail, tail_columns

PUT_AGENTS = (
    "INSERT INTO agent {} ON CONFLICT (agent_key) DO UPDATE SET revision = excluded.revision,"
    " create_time = excluded.create_time, update_time = excluded.update_time, record_count = excluded.record_count,"
    " next_deadline = excluded.next_deadline, ended = excluded.ended, last_position = excluded.last_position,"
    " entries = excluded.entries, scopes = excluded.scopes, fragments = excluded.fragments,"
    " memories = excluded.memories, checksum = excluded.checksum"
)
# Not OR REPLACE: that deletes and inserts, which costs twice as much and dirties more pages.
PUT_RECORDS = (
    "INSERT INTO record {} ON CONFLICT (agent_key, kind, key) DO UPDATE SET data = excluded.data,"
    " checksum = excluded.checksum"
)
ADD_JOURNAL = "INSERT INTO journal {}"
DELETE_RECORD = "DELETE FROM record WHERE agent_key = {} AND kind = {} AND key = {}"
DROP_RECORDS = "DELETE FROM record WHERE agent_key = ?"
_MOVE_TAIL = (
    "UPDATE store SET store_id = {}, generation = {}, end_position = {}, pruned_position = {}, next_agent_key = {},"
    " checksum = {} WHERE generation = {}"
)

_WIDTHS = {"agent": 14, "deleted": 3, "record": 5, "journal": 8, "store": 7}
"""Number of columns of each part of the view, in their order."""


class ForeignWriter(Exception):  # noqa: N818 - handled within the writer
    """Another process wrote to the database."""


def create_view(connection: sqlite3.Connection) -> None:
    """Create the view, which exists for this connection only. Raises sqlite3.Error."""
    names = {part: [f"{part}_{number}" for number in range(width)] for part, width in _WIDTHS.items()}
    new = {part: [f"NEW.{name}" for name in columns] for part, columns in names.items()}

    def selected(part: str) -> str:
        return f"SELECT {', '.join(new[part])} WHERE {new[part][0]} IS NOT NULL"

    columns = list(chain(*names.values()))
    steps = (
        PUT_AGENTS.format(selected("agent")),
        DELETE_RECORD.format(*new["deleted"]),
        PUT_RECORDS.format(selected("record")),
        ADD_JOURNAL.format(selected("journal")),
        _MOVE_TAIL.format(*new["store"]),
        f"SELECT RAISE(ABORT, 'another process wrote') WHERE {new['store'][0]} IS NOT NULL AND changes() <> 1",
    )
    connection.execute(f"CREATE TEMP VIEW change ({', '.join(columns)}) AS SELECT {', '.join(['NULL'] * len(columns))}")
    connection.execute(f"CREATE TEMP TRIGGER carry_out INSTEAD OF INSERT ON change BEGIN {'; '.join(steps)}; END")


def write_at_once(
    connection: sqlite3.Connection,
    agents: Sequence[Sequence[Any]],
    deleted: Sequence[Sequence[Any]],
    records: Sequence[Sequence[Any]],
    journal: Sequence[Sequence[Any]],
    before: Tail,
    after: Tail,
) -> None:
    """Write these rows, and update the tail, by one statement. Raises ForeignWriter, sqlite3.Error.

    No row of ``records`` may be among those that are deleted.
    """
    count = max(map(len, (agents, deleted, records, journal)))
    moved = [*repeat(_NOTHING[_WIDTHS["store"]], count - 1), (*tail_columns(after), before.generation)]
    parts = (
        [*rows, *repeat(_NOTHING[width], count - len(rows))]
        for rows, width in zip((agents, deleted, records, journal, moved), _WIDTHS.values(), strict=True)
    )
    columns = list(chain.from_iterable(chain.from_iterable(zip(*parts, strict=True))))
    statement = _sized("INSERT INTO change {}", count, sum(_WIDTHS.values()))
    try:
        connection.execute(statement, columns)
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
            raise ForeignWriter from error
        raise


_NOTHING = {width: (None,) * width for width in _WIDTHS.values()}


@contextmanager
def transaction(connection: sqlite3.Connection, before: Tail, after: Tail) -> Iterator[None]:
    """Make the statements of a with block one transaction, which moves the tail. Raises sqlite3.Error, ForeignWriter.

    After an error, the transaction is open until the writer rolls it back.
    """
    connection.execute("BEGIN IMMEDIATE")
    yield
    # The statement matches no row if another process has changed the generation.
    moved = connection.execute(_MOVE_TAIL.format(*"???????"), (*tail_columns(after), before.generation))
    if moved.rowcount != 1:
        raise ForeignWriter
    connection.execute("COMMIT")


def write_rows(connection: sqlite3.Connection, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows by a statement of this module, many at a time. Raises sqlite3.Error."""
    waiting = list(rows)
    start = 0
    while start < len(waiting):
        is_many = len(waiting) - start >= MANY_ROWS_PER_STATEMENT
        chunk = waiting[start : start + (MANY_ROWS_PER_STATEMENT if is_many else ROWS_PER_STATEMENT)]
        connection.execute(_sized(statement, len(chunk), len(chunk[0])), list(chain.from_iterable(chunk)))
        start += len(chunk)


@lru_cache(maxsize=512)
def _sized(statement: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return statement.format(f"VALUES {', '.join([row] * rows)}")
