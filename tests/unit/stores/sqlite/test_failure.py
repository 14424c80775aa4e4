import errno
import sqlite3
from pathlib import Path

import pytest

from memoryd_server.domain.error import DataDamaged, Refusal, StorageFull, StoreUnavailable
from memoryd_server.stores.sqlite.failure import refusal_of


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("why")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), StorageFull),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), DataDamaged),
        (sqlite_error(sqlite3.SQLITE_CORRUPT_INDEX), DataDamaged),
        (sqlite_error(sqlite3.SQLITE_NOTADB), DataDamaged),
        (sqlite_error(sqlite3.SQLITE_IOERR_SHORT_READ), DataDamaged),
        (sqlite3.OperationalError("Could not decode to UTF-8"), DataDamaged),
        (sqlite_error(sqlite3.SQLITE_IOERR_FSYNC), StoreUnavailable),
        (sqlite_error(sqlite3.SQLITE_BUSY), StoreUnavailable),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), StoreUnavailable),
        (OSError(errno.EDQUOT, "quota"), StorageFull),
        (OSError(errno.ENOSPC, "full"), StorageFull),
        (OSError(errno.EIO, "broken"), StoreUnavailable),
    ],
)
def test_an_error_of_sqlite_becomes_a_refusal(
    tmp_path: Path, error: sqlite3.Error | OSError, expected: type[Refusal]
) -> None:
    assert type(refusal_of(error, tmp_path / "memoryd.db")) is expected
    assert list(tmp_path.iterdir()) == []
