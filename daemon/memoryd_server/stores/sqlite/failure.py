"""What an error of SQLite or of the file system means for a caller."""

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
    """The refusal that an error stands for. May write a probe of 64 KiB beside the database to find out."""
    if isinstance(error, OSError):
        return StorageFull() if error.errno in _NO_ROOM else StoreUnavailable()
    # The module's own errors have no code: it raises them for text that is not UTF-8.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    if code & 0xFF == sqlite3.SQLITE_FULL:
        return StorageFull()
    if code & 0xFF in _DAMAGE or code in _DAMAGED_INPUT:
        return DataDamaged(f"{database.name}: {error}")
    if code & 0xFF == sqlite3.SQLITE_IOERR and _no_room(database):
        return StorageFull()
    return StoreUnavailable()


def _no_room(database: Path) -> bool:
    """SQLite calls only ENOSPC full; a quota or a limit of the file's size looks like any other I/O error."""
    sizes = [path.stat().st_size for path in (database, wal_path(database)) if path.exists()]
    probe = database.with_name(f"{database.name}-probe")
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # A hole up to the size of the largest file: takes no room, but meets a limit of the size.
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
    """SQLite's name for the write-ahead log of a database."""
    return database.with_name(f"{database.name}-wal")
