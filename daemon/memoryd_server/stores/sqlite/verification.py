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


def verify_files(database: Path, found: MarkState | None, oldest: int = SCHEMA_VERSION) -> Tail | None:
    """Check the database, which may have any schema version from ``oldest`` on. Return its tail, None if nothing was
    created in it yet.

    ``found`` is the mark, read before this call: a daemon that writes meanwhile advances the database before the mark,
    so the database has at least reached ``found``. Raises DataDamaged, SchemaTooNew,
    SchemaTooOld, sqlite3.Error, OSError.
    """
    tail = _verified_tail(database, oldest)
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
