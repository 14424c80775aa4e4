import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest

from memoryd_server.domain.error import DataDamaged, SchemaTooNew, StoreUnavailable
from memoryd_server.stores.sqlite import opening
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.opening import open_files
from memoryd_server.stores.sqlite.schema import SCHEMA_VERSION


def opened_once(directory: Path) -> None:
    opened = open_files(directory, Durability.SYNCED)
    opened.log_file.close()
    opened.connection.close()
    opened.mark.close()


def change(directory: Path, *statements: str) -> None:
    with closing(sqlite3.connect(directory / "memoryd.db", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_missing_directories_are_created_for_the_owner_alone(tmp_path: Path) -> None:
    directory = tmp_path / "not" / "yet"
    opened_once(directory)
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in directory.iterdir()} == {"memoryd.db", "memoryd.mark"}


def cut_off(directory: Path, *created: str) -> None:
    """Leave what a process leaves that is killed while it commits to a database, in which it has ``created``."""
    directory.mkdir()
    place = directory / "elsewhere.db"
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        for statement in ("PRAGMA cache_size = 1", *created, "BEGIN", "CREATE TABLE t (x)"):
            connection.execute(statement)
        # More than the cache holds: the journal and a part of the pages are written.
        connection.executemany("INSERT INTO t VALUES (randomblob(4000))", [()] * 100)
        for suffix in ("", "-journal"):
            shutil.copyfile(f"{place}{suffix}", directory / f"memoryd.db{suffix}")
        connection.execute("ROLLBACK")
    place.unlink()


def test_a_store_whose_creation_was_cut_off_is_created(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    cut_off(directory)
    opened_once(directory)
    assert {path.name for path in directory.iterdir()} == {"memoryd.db", "memoryd.mark"}


def test_a_start_that_fails_does_not_take_away_a_log_that_was_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, directory = tmp_path / "killed", tmp_path / "data"
    running = open_files(killed, Durability.SYNCED)
    running.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    running.mark.backfill(running=True)
    shutil.copytree(killed, directory)
    assert (directory / "memoryd.db-wal").stat().st_size
    with monkeypatch.context() as failing:
        failing.setattr(opening, "load_tail", mock.Mock(side_effect=sqlite3.OperationalError("broken")))
        with pytest.raises((DataDamaged, StoreUnavailable)):
            opened_once(directory)
    opened_once(directory)
    running.log_file.close()
    running.connection.close()
    running.mark.close()


def test_another_applications_file_is_refused_and_kept_although_its_last_change_was_cut_off(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    cut_off(directory, "CREATE TABLE theirs (x)")
    before = (directory / "memoryd.db").read_bytes()
    with pytest.raises(StoreUnavailable):
        opened_once(directory)
    assert (directory / "memoryd.db").read_bytes() == before


def test_a_newer_schema_is_refused_with_both_versions(tmp_path: Path) -> None:
    opened_once(tmp_path)
    change(tmp_path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(SchemaTooNew) as refused:
        opened_once(tmp_path)
    assert refused.value.metadata == {"found_version": "3", "supported_version": "2"}


@pytest.mark.parametrize("statements", [("CREATE TABLE theirs (x)",), ("PRAGMA application_id = 7",)])
def test_another_applications_file_is_refused(tmp_path: Path, statements: tuple[str, ...]) -> None:
    change(tmp_path, *statements)
    before = (tmp_path / "memoryd.db").read_bytes()
    with pytest.raises(DataDamaged, match="another application"):
        opened_once(tmp_path)
    assert (tmp_path / "memoryd.db").read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA user_version = 0",
        "DROP INDEX agent_ended",
        "CREATE TABLE more (x)",
        "DELETE FROM store",
        "UPDATE store SET end_position = end_position + 1",
    ],
)
def test_a_schema_or_state_that_memoryd_never_writes_is_refused(tmp_path: Path, statement: str) -> None:
    opened_once(tmp_path)
    change(tmp_path, statement)
    with pytest.raises(DataDamaged):
        opened_once(tmp_path)


@pytest.mark.parametrize("write", [Path.touch, lambda path: path.write_bytes(b"x" * 4096)], ids=["empty", "not SQLite"])
def test_a_missing_database_is_refused_if_there_is_a_mark(tmp_path: Path, write: Callable[[Path], object]) -> None:
    opened_once(tmp_path)
    (tmp_path / "memoryd.db").unlink()
    write(tmp_path / "memoryd.db")
    with pytest.raises(DataDamaged):
        opened_once(tmp_path)


def test_another_stores_mark_is_refused(tmp_path: Path) -> None:
    opened_once(tmp_path / "one")
    opened_once(tmp_path / "two")
    (tmp_path / "one" / "memoryd.mark").replace(tmp_path / "two" / "memoryd.mark")
    with pytest.raises(DataDamaged, match="belongs to another database"):
        opened_once(tmp_path / "two")


def test_an_unusable_directory_is_an_unavailable_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        opened_once(tmp_path / "file")
