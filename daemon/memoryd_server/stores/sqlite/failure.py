"""The translation of errors of SQLite and of the file system to refusals."""

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from memoryd_server.domain.error import DataDamaged, Refusal, StorageFull, StoreUnavailable

_PROBE_BYTES = 64 * 1024
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_ERROR,  # a statement that no longer fits the schema
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_TOOBIG,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_NOTADB,
    }
)
_DAMAGED_INPUT = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS})


def refusal_of(error: sqlite3.Error | OSError, database: Path) -> Refusal:
    """Return the refusal for an error. May write a probe of 64 KiB beside the database to find out."""
    if isinstance(error, OSError):
        return StorageFull() if error.errno in _NO_ROOM else StoreUnavailable()
    code = _code_of(error)
    if code & 0xFF == sqlite3.SQLITE_FULL:
        return StorageFull()
    if is_damage(error):
        return DataDamaged(f"{database.name}: {error}")
    if code & 0xFF == sqlite3.SQLITE_IOERR and _no_room(database):
        return StorageFull()
    return StoreUnavailable()


def is_damage(error: DataDamaged | sqlite3.Error) -> bool:
    """Return True if the error is about what the files contain, not about access to them."""
    if isinstance(error, DataDamaged):
        return True
    code = _code_of(error)
    return code & 0xFF in _DAMAGE or code in _DAMAGED_INPUT


def _code_of(error: sqlite3.Error) -> int:
    # Errors of the sqlite3 module itself have no code: it raises them for text that is not UTF-8.
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT))


def _no_room(database: Path) -> bool:
    """Return True if there is no space to write.

    SQLite reports only ENOSPC as a full disk. A quota or a limit of the file size looks like any other I/O error.
    """
    sizes = [path.stat().st_size for path in (database, wal_path(database)) if path.exists()]
    probe = database.with_name(f"{database.name}-probe")
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # Write after a hole of the largest file's size: the hole takes no space, but exceeds a limit of file size.
            os.pwrite(descriptor, b"\1" * _PROBE_BYTES, max(sizes, default=0))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        return error.errno in _NO_ROOM
    finally:
        with suppress(OSError):
            probe.unlink()
    return False


def wal_path(database: Path) -> Path:
    """Return the path of a database's write-ahead log, which SQLite names."""
    return database.with_name(f"{database.name}-wal")


def has_log(database: Path) -> bool:
    """Return True if the database has a log that is not empty."""
    log = wal_path(database)
    return log.exists() and log.stat().st_size > 0
