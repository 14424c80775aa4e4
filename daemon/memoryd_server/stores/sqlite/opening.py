"""Opening the store's files: they are checked before the first query."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

from memoryd_server.stores.sqlite.conversion import convert
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import has_log, refusal_of
from memoryd_server.stores.sqlite.log.log_file import LogFile
from memoryd_server.stores.sqlite.log.repair import verify_or_mend
from memoryd_server.stores.sqlite.mark import Mark, MarkState, read_mark
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.schema import OLDEST_VERSION, connect_writer, create, is_blank, load_tail
from memoryd_server.stores.sqlite.verification import DATABASE_NAME, MARK_NAME


class Opened(NamedTuple):
    """An open database: the connection that writes, its tail, its mark and its log."""

    connection: sqlite3.Connection
    tail: Tail
    mark: Mark
    log_file: LogFile


def open_files(directory: Path, durability: Durability) -> Opened:
    """Open the database in ``directory``, and create what is missing. A damaged log is mended, if that can be done, and
    a database of an older version is converted.

    Raises DataDamaged, SchemaTooNew and SchemaTooOld, and then leaves the files unchanged; StoreUnavailable and
    StorageFull.
    """
    database = directory / DATABASE_NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = read_mark(directory / MARK_NAME)
        verify_or_mend(database, found, OLDEST_VERSION)
        had_log = has_log(database)
        connection = connect_writer(database, synced=durability is Durability.SYNCED)
        try:
            return _opened(connection, database, durability, found)
        except BaseException:
            connection.close()
            # The last connection copies the log, and removes it: it must not be missed afterwards.
            if found is not None and found.backfilling and had_log and not has_log(database):
                mark = Mark(directory / MARK_NAME, found, "", found.generation)
                mark.settle(found.generation)
                mark.close()
            raise
    except (sqlite3.Error, OSError) as error:
        raise refusal_of(error, database) from error


def _opened(connection: sqlite3.Connection, database: Path, durability: Durability, found: MarkState | None) -> Opened:
    if is_blank(connection):
        create(connection)
    convert(connection, database)
    tail = load_tail(connection)
    mark = Mark(database.with_name(MARK_NAME), found, tail.store_id, tail.generation)
    log_file = LogFile(database, durability, mark)
    log_file.begin(tail.generation, needed=found is not None and found.backfilling)
    return Opened(connection, tail, mark, log_file)
