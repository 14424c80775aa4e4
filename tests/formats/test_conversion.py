"""A database of an older schema version is converted when it is opened; an interruption at any point loses nothing."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.formats.description import describe, differences
from tests.formats.fixture import FOLDER, VERSIONS, Fixture, clock_at
from tests.formats.older import make_oldest, version_of
from tests.in_process import InProcess
from tests.integration.wire import Wire

from memoryd_server.domain.error import SchemaTooNew, SchemaTooOld, StorageFull
from memoryd_server.stores.sqlite import conversion
from memoryd_server.stores.sqlite.conversion import copy_path
from memoryd_server.stores.sqlite.schema import OLDEST_VERSION, SCHEMA_VERSION
from memoryd_server.stores.sqlite.source import SqliteSource
from memoryd_server.stores.sqlite.store import SqliteStore

FIXTURE = Fixture(FOLDER / VERSIONS[0])
EXPECTED = {name: FIXTURE.expected[name] for name in ("agents", "ended", "recalled", "found")}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory whose database has the oldest version."""
    data = FIXTURE.unpack(tmp_path / "data")
    make_oldest(data)
    return data


@contextmanager
def served(directory: Path) -> Iterator[Wire]:
    with clock_at(FIXTURE.expected["written_ns"]), InProcess(directory) as daemon, daemon.channel() as channel:
        yield Wire(channel)


def test_a_converted_database_has_every_record_and_event(data: Path, tmp_path: Path) -> None:
    with served(tmp_path) as wire:
        assert differences(EXPECTED, describe(wire)) == []
        wire.agent("kinds").set("after", 1)
    assert version_of(data / "memoryd.db") == SCHEMA_VERSION
    with served(tmp_path) as wire:
        assert wire.agent("kinds").value("after") == 1


def test_the_copy_is_what_the_older_version_had(data: Path, tmp_path: Path) -> None:
    before = dump(data / "memoryd.db")
    with served(tmp_path) as wire:
        wire.agent("kinds").set("after", 1)
    kept = copy_path(data / "memoryd.db", OLDEST_VERSION)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert version_of(kept) == OLDEST_VERSION
    assert dump(kept) == before
    # As docs/versions.md describes: the copy takes the place of the database, without its log and mark.
    for path in data.glob("memoryd.*"):
        if path != kept:
            path.unlink()
    kept.rename(data / "memoryd.db")
    assert dump(data / "memoryd.db") == before
    with served(tmp_path) as wire:
        assert differences(EXPECTED, describe(wire)) == []


@pytest.mark.whole
@pytest.mark.parametrize("statement", range(12))
def test_a_kill_at_any_statement_leaves_a_database_that_is_converted_later(
    data: Path, tmp_path: Path, statement: int
) -> None:
    killed = subprocess.run([sys.executable, "-m", "tests.formats.killed", data, str(statement)], check=False)
    assert killed.returncode in (-signal.SIGKILL, 0)
    assert version_of(data / "memoryd.db") in (OLDEST_VERSION, SCHEMA_VERSION)
    with served(tmp_path) as wire:
        assert differences(EXPECTED, describe(wire)) == []
    assert version_of(copy_path(data / "memoryd.db", OLDEST_VERSION)) == OLDEST_VERSION


async def test_a_failed_step_changes_nothing(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dump(data / "memoryd.db")
    steps = (*conversion.STEPS[1][:-1], "INSERT INTO nowhere VALUES (1)")
    monkeypatch.setattr(conversion, "STEPS", {1: steps})
    with pytest.raises(Exception, match="nowhere"):
        await SqliteStore(data).open()
    assert version_of(data / "memoryd.db") == OLDEST_VERSION
    assert dump(data / "memoryd.db") == before


def copies_in(data: Path) -> list[Path]:
    return list(data.glob("*.version-*"))


async def test_without_room_for_the_copy_nothing_changes(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        assert path.stat().st_size > 0
        raise OSError(28, os.strerror(28))

    before = dump(data / "memoryd.db")
    monkeypatch.setattr(conversion, "_sync", full)
    with pytest.raises(StorageFull):
        await SqliteStore(data).open()
    assert dump(data / "memoryd.db") == before
    assert not copies_in(data)


async def test_commands_that_write_nothing_refuse_an_older_database(data: Path) -> None:
    with pytest.raises(SchemaTooOld, match="memoryd serve"):
        await SqliteSource(data).open()
    assert version_of(data / "memoryd.db") == OLDEST_VERSION


async def test_an_older_memoryd_refuses_the_converted_database_and_changes_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path):
        pass
    before = files(data)
    monkeypatch.setattr("memoryd_server.stores.sqlite.schema.SCHEMA_VERSION", SCHEMA_VERSION - 1)
    with pytest.raises(SchemaTooNew):
        await SqliteStore(data).open()
    assert files(data) == before


def files(data: Path) -> dict[str, bytes]:
    """Return the files of the store. Those that a reader makes beside a log have nothing of it."""
    return {path.name: path.read_bytes() for path in data.glob("memoryd.*") if not path.name.endswith(("-shm", "-wal"))}


def dump(database: Path) -> list[str]:
    """Return everything in a database, with what is in its log."""
    folder = database.with_name("dumped")
    folder.mkdir()
    try:
        for path in database.parent.glob(f"{database.name}*"):
            if path.name in (database.name, f"{database.name}-wal"):
                shutil.copyfile(path, folder / path.name)
        with closing(sqlite3.connect(folder / database.name)) as connection:
            return list(connection.iterdump())
    finally:
        shutil.rmtree(folder)
