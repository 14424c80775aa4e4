"""Opening the store's files: they are checked before the first query."""

import logging
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import refusal_of, wal_path
from memoryd_server.stores.sqlite.journal_query import rows_at
from memoryd_server.stores.sqlite.log.mending import MendedLog, mend_log, replaced_log
from memoryd_server.stores.sqlite.log_file import LogFile
from memoryd_server.stores.sqlite.mark import Mark, MarkState, acceptance, read_mark
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.schema import connect_reader, connect_writer, create, is_blank, load_tail, verify

log = logging.getLogger("memoryd.sqlite")

DATABASE_NAME = "memoryd.db"
MARK_NAME = "memoryd.mark"


class Opened(NamedTuple):
    """An open database: the connection that writes, its tail, its mark and its log."""

    connection: sqlite3.Connection
    tail: Tail
    mark: Mark
    log_file: LogFile


def open_files(directory: Path, durability: Durability) -> Opened:
    """Open the database in ``directory``, and create what is missing. A damaged log is mended if that loses nothing
    in silence.

    Raises DataDamaged and SchemaTooNew, and then leaves the files unchanged; StoreUnavailable and StorageFull.
    """
    database = directory / DATABASE_NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = read_mark(directory / MARK_NAME)
        verify_or_mend(database, found)
        connection = connect_writer(database, synced=durability is Durability.SYNCED)
        try:
            return _opened(connection, database, durability, found)
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, OSError) as error:
        raise refusal_of(error, database) from error


def verify_or_mend(database: Path, found: MarkState | None) -> None:
    """Check the database as ``verify_files`` does. If its log is damaged, put a mended one in its place.

    Reading a page that the damage took fails from then on, which concerns the agents with rows on it. All other pages
    have their last content. The damaged log is kept under another name. Raises what ``verify_files`` raises, and then
    leaves the files unchanged.
    """
    try:
        verify_files(database, found)
    except (DataDamaged, sqlite3.DatabaseError) as damage:
        for repair in _repairs(database, found):
            with suppress(DataDamaged, sqlite3.DatabaseError):
                with replaced_log(database, repair.content):
                    tail = verify_files(database, found)
                    if tail is not None and repair.lost_pages:
                        _verify_last_row(database, tail)
                extra = {"file": database.name, "damage": str(damage), "lost_pages": repair.lost_pages}
                log.warning("write-ahead log mended", extra=extra)
                return
        raise


def _repairs(database: Path, found: MarkState | None) -> list[MendedLog]:
    """Return the ways to replace the log, the one that loses least first."""
    path = wal_path(database)
    if found is None or not path.exists():
        return []
    mended = mend_log(path.read_bytes())
    # Nothing is lost without the log if all of it was copied to the main file.
    repairs = [MendedLog(b"", ())] if found.shows_whole_copy else []
    if mended is not None:
        repairs.insert(len(repairs) if mended.lost_pages else 0, mended)
    return repairs


def _verify_last_row(database: Path, tail: Tail) -> None:
    """Raise DataDamaged if the end of the journal is lost: no commit could be added to it."""
    if tail.end_position > tail.pruned_position:
        with closing(connect_reader(database)) as connection:
            rows_at(connection, [tail.end_position])


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
