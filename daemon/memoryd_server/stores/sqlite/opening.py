"""Opening the store's files: they are checked before the first query."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import refusal_of
from memoryd_server.stores.sqlite.log_file import LogFile
from memoryd_server.stores.sqlite.mark import Mark, MarkState, acceptance, read_mark
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.schema import connect_reader, connect_writer, create, is_blank, load_tail, verify

DATABASE_NAME = "memoryd.db"
MARK_NAME = "memoryd.mark"


class Opened(NamedTuple):
    """An open database: the connection that writes, its tail, its mark and its log."""

    connection: sqlite3.Connection
    tail: Tail
    mark: Mark
    log_file: LogFile


def open_files(directory: Path, durability: Durability) -> Opened:
    """Open the database in ``directory``, and create what is missing.

    Raises DataDamaged and SchemaTooNew, and then leaves the files unchanged; StoreUnavailable and StorageFull.
    """
    database = directory / DATABASE_NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = read_mark(directory / MARK_NAME)
        verify_files(database, found)
        connection = connect_writer(database, synced=durability is Durability.SYNCED)
        try:
            return _opened(connection, database, durability, found)
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, OSError) as error:
        raise refusal_of(error, database) from error


def verify_files(database: Path, found: MarkState | None) -> Tail | None:
    """Check the database. Return its tail, None if nothing was created in it yet.

    ``found`` is the mark, read before this call: a daemon that writes meanwhile advances the database before the mark,
    so the database has at least reached ``found``. Raises DataDamaged, SchemaTooNew, sqlite3.Error, OSError.
    """
    tail = _verified_tail(database)
    mark = database.with_name(MARK_NAME)
    if tail is None and found is not None:
        raise DataDamaged(f"{database.name} is missing or empty; {acceptance(mark)}")
    if tail is not None and found is not None:
        _verify_mark(tail, found, mark)
    return tail


def _verified_tail(database: Path) -> Tail | None:
    """Read the tail with a read-only connection.

    The last connection that may write runs a checkpoint when it closes: a damaged log would become permanent.
    """
    if not (database.exists() and database.stat().st_size):
        return None
    with closing(connect_reader(database)) as connection:
        if is_blank(connection):
            return None
        verify(connection)
        return load_tail(connection)


def _verify_mark(tail: Tail, found: MarkState, mark: Path) -> None:
    if found.store_id != bytes.fromhex(tail.store_id):
        raise DataDamaged(f"{mark.name} belongs to another database; {acceptance(mark)}")
    if tail.generation < found.required_generation:
        raise DataDamaged(f"the database lacks acknowledged commits; {acceptance(mark)}")


def _opened(connection: sqlite3.Connection, database: Path, durability: Durability, found: MarkState | None) -> Opened:
    if is_blank(connection):
        create(connection)
    tail = load_tail(connection)
    mark = Mark(database.with_name(MARK_NAME), found, tail.store_id, tail.generation)
    log_file = LogFile(database, durability, mark)
    log_file.begin(connection, tail.generation, needed=found is not None and found.backfilling)
    return Opened(connection, tail, mark, log_file)
