"""The check of the store's files against each other, before the first query."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.mark import MarkState, acceptance
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.schema import SCHEMA_VERSION, connect_reader, is_blank, load_tail, verify

DATABASE_NAME = "memoryd.db"
MARK_NAME = "memoryd.mark"
_PAGES_BEGIN, _PAGES_END = 16, 20
"""The bytes of a rollback journal with the number of pages that its database had."""


def verify_files(database: Path, found: MarkState | None, oldest: int = SCHEMA_VERSION) -> Tail | None:
    """Check the database, which may have any schema version from ``oldest`` on. Return its tail, None if nothing was
    created in it yet.

    ``found`` is the mark, read before this call: a daemon that writes meanwhile advances the database before the mark,
    so the database has at least reached ``found``. Raises DataDamaged, SchemaTooNew,
    SchemaTooOld, sqlite3.Error, OSError.
    """
    try:
        tail = _verified_tail(database, oldest)
    except sqlite3.Error as error:
        if found is not None or not _is_unfinished(error, database):
            raise
        tail = None
    mark = database.with_name(MARK_NAME)
    if tail is None and found is not None:
        raise DataDamaged(f"{database.name} is missing or empty; {acceptance(mark)}")
    if tail is not None and found is not None:
        _verify_mark(tail, found, mark)
    return tail


def _verified_tail(database: Path, oldest: int) -> Tail | None:
    """Read the tail with a read-only connection.

    The last connection that may write runs a checkpoint when it closes: a damaged log would become permanent.
    """
    if not (database.exists() and database.stat().st_size):
        return None
    with closing(connect_reader(database)) as connection:
        if is_blank(connection):
            return None
        verify(connection, oldest)
        return load_tail(connection)


def _is_unfinished(error: sqlite3.Error, database: Path) -> bool:
    """Return True if SQLite was stopped as it created the database, which the next connection that may write empties.

    Its rollback journal has the number of pages before: https://www.sqlite.org/fileformat2.html#the_rollback_journal
    """
    if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY_ROLLBACK:
        return False
    with database.with_name(f"{database.name}-journal").open("rb") as journal:
        return journal.read(_PAGES_END)[_PAGES_BEGIN:] == bytes(_PAGES_END - _PAGES_BEGIN)


def _verify_mark(tail: Tail, found: MarkState, mark: Path) -> None:
    if found.store_id != bytes.fromhex(tail.store_id):
        raise DataDamaged(f"{mark.name} belongs to another database; {acceptance(mark)}")
    if tail.generation < found.required_generation:
        raise DataDamaged(f"the database lacks acknowledged commits; {acceptance(mark)}")


def generation_of(database: Path) -> int | None:
    """Return the generation of a database; None if it cannot be read."""
    try:
        with closing(connect_reader(database)) as connection:
            return load_tail(connection).generation
    except (DataDamaged, sqlite3.Error):
        return None
