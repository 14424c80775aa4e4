"""The conversion of a database of an older schema version, when it is opened.

The database is copied first. All steps are then one transaction: whatever interrupts it leaves the older version, and
the next start converts it again. Table ``store`` and the mark are read before any step, so neither ever changes.
"""

import logging
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from memoryd_server.stores.sqlite.schema import RECORD_TABLE, SCHEMA_VERSION, verify, version_of

log = logging.getLogger("memoryd.sqlite")

STEPS: Mapping[int, Sequence[str]] = {
    # Records were rows of the index of their keys.
    1: (
        "ALTER TABLE record RENAME TO record_1",
        RECORD_TABLE,
        "INSERT INTO record SELECT * FROM record_1",
        "DROP TABLE record_1",
    ),
}
"""The statements that turn each older version into the next one. A step is never changed, except to name the statement
of a table that changes again."""


def convert(connection: sqlite3.Connection, database: Path) -> None:
    """Convert a database of an older version, which is copied to a file beside it before.

    Raises sqlite3.Error, OSError and DataDamaged; the database is then as it was before.
    """
    version = version_of(connection)
    if version == SCHEMA_VERSION:
        return
    kept = copy_path(database, version)
    _copy(connection, kept)
    # A table that is renamed keeps its name in the trigger of the connection, which is to use the new one.
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for each in range(version, SCHEMA_VERSION):
            for statement in STEPS[each]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        verify(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA legacy_alter_table = OFF")
    log.warning(
        "database converted; delete the copy once no older memoryd is needed: purges do not reach it",
        extra={"found_version": version, "version": SCHEMA_VERSION, "kept": kept.name},
    )


def copy_path(database: Path, version: int) -> Path:
    """Return the path of the copy of a database of an older version."""
    return database.with_name(f"{database.name}.version-{version}")


def _copy(connection: sqlite3.Connection, kept: Path) -> None:
    """Write a consistent copy with a path, durably. That of an interrupted conversion is replaced."""
    new = kept.with_name(f"{kept.name}.new")
    new.unlink(missing_ok=True)
    try:
        # Made before, for its owner alone: SQLite would give it the mode of any new file.
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(new, isolation_level=None)) as copy:
            connection.backup(copy)
        _sync(new)
        new.replace(kept)
    finally:
        # A part of a copy would fill the disk that was too small for it, and purges would not reach it.
        new.unlink(missing_ok=True)
    _sync(kept.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
