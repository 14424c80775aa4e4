"""The repair of a damaged log when the store is opened: a mended one takes its place, if that hides no loss."""

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite.failure import is_damage, wal_path
from memoryd_server.stores.sqlite.journal_query import rows_at
from memoryd_server.stores.sqlite.limit import LOG_ENDS_MAX, LOG_MENDED_BYTES_MAX
from memoryd_server.stores.sqlite.log.mending import MendedLog, mended_logs
from memoryd_server.stores.sqlite.mark import MarkState
from memoryd_server.stores.sqlite.schema import SCHEMA_VERSION, connect_reader
from memoryd_server.stores.sqlite.verification import generation_of, verify_files

log = logging.getLogger("memoryd.sqlite")

_TRIAL_NAME = "memoryd.mending"
"""The directory, beside the database, in which a mended log is tried."""


def verify_or_mend(database: Path, found: MarkState | None, oldest: int = SCHEMA_VERSION) -> None:
    """Check the database as ``verify_files`` does. If its log is damaged, put a mended one in its place.

    All pages then have their last content, except for the lost ones: reading one of these fails, which concerns the
    agents with rows on it. The damaged log is kept under another name. Raises what ``verify_files`` raises, and then
    leaves the files unchanged.
    """
    try:
        verify_files(database, found, oldest)
    except (DataDamaged, sqlite3.Error) as damage:
        if found is None or not is_damage(damage):
            raise
        is_mended = False
        with suppress(OSError, sqlite3.Error, DataDamaged):
            is_mended = _mend(database, found, oldest)
        if not is_mended:
            raise


def _mend(database: Path, found: MarkState, oldest: int) -> bool:
    """Replace the log by the mended one that has all acknowledged commits. Return False if none has them for certain.

    Raises DataDamaged, sqlite3.Error, OSError.
    """
    path = wal_path(database)
    if not path.exists() or path.stat().st_size > LOG_MENDED_BYTES_MAX:
        return False
    for mended, is_last in _candidates(path, found):
        with _trial(database, mended) as tried:
            reached = generation_of(tried)
            if reached is None and mended.content:
                return False
            if reached is None or reached < found.required_generation:
                continue
            # The mark of an earlier boot may be older than the last commit: then only one end may be possible.
            if not (is_last or found.is_of_this_boot):
                return False
            _verify(tried, found, mended, oldest)
            kept = _free_path(path)
            os.link(path, kept)
            wal_path(tried).replace(path)
            log.warning("damaged log mended", extra={"lost_pages": len(mended.lost_pages), "kept": kept.name})
            return True
    return False


def _candidates(path: Path, found: MarkState) -> Iterator[tuple[MendedLog, bool]]:
    """Yield logs to try, the one with the fewest transactions first, and whether each is the last."""
    if found.shows_whole_copy:
        # If all of the log was copied to the main file, nothing is lost without it.
        yield MendedLog(b"", ()), False
    ends = list(islice(mended_logs(path.read_bytes()), LOG_ENDS_MAX + 1))
    if len(ends) <= LOG_ENDS_MAX:
        yield from ((mended, mended is ends[-1]) for mended in ends)


@contextmanager
def _trial(database: Path, mended: MendedLog) -> Iterator[Path]:
    """Give the database another log in a directory of its own during a with block. Raises OSError.

    There, the database is a second name of the same file. Reading does not change it.
    """
    directory = database.with_name(_TRIAL_NAME)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700)
    try:
        tried = directory / database.name
        os.link(database, tried)
        descriptor = os.open(wal_path(tried), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(mended.content)
            file.flush()
            os.fsync(file.fileno())
        yield tried
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _verify(tried: Path, found: MarkState, mended: MendedLog, oldest: int) -> None:
    """Raise DataDamaged or sqlite3.Error if the database is not as it must be with a mended log."""
    tail = verify_files(tried, found, oldest)
    if tail is not None and mended.lost_pages and tail.end_position > tail.pruned_position:
        # Without the end of the journal, no commit could be added to it.
        with closing(connect_reader(tried)) as connection:
            rows_at(connection, [tail.end_position])


def _free_path(path: Path) -> Path:
    """Return the path at which a damaged log is kept: its name, and the first number that is free."""
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return kept
