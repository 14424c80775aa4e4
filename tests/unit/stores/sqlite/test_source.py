import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import DataDamaged, SchemaTooNew, StoreUnavailable
from memoryd_server.ports.store import AgentHead, AgentQuery, Commit, ListedAgent, Record
from memoryd_server.stores.sqlite import verification
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.mark import Mark, read_mark
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.schema import SCHEMA_VERSION
from memoryd_server.stores.sqlite.source import SqliteSource
from memoryd_server.stores.sqlite.store import SqliteStore

FILES = ("memoryd.db", "memoryd.db-wal", "memoryd.mark")


def commit(revision: int) -> Commit:
    """Return a commit that replaces the agent's only record, which takes several pages."""
    record = Record("entry", "/k", bytes([revision]) * 20_000)
    return Commit(AgentHead("a", revision, 1, revision, 1), revision - 1, (record,), journal=b"row")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """Yield an open store with one commit in its main file and three in its log."""
    store = SqliteStore(tmp_path / "live", Durability.JOURNALED)
    await store.open()
    await store.commit(commit(1))
    await store.close()
    store = SqliteStore(tmp_path / "live", Durability.JOURNALED)
    await store.open()
    for revision in (2, 3, 4):
        await store.commit(commit(revision))
    yield store
    await store.close()


@pytest.fixture
def killed(store: SqliteStore, tmp_path: Path) -> Path:
    """Return a directory with the files of a killed daemon."""
    directory = tmp_path / "killed"
    directory.mkdir()
    for name in FILES:
        shutil.copy(tmp_path / "live" / name, directory)
    return directory


async def revision(directory: Path) -> int:
    """Return the agent's revision as read from the source. Raises the errors of opening it."""
    source = SqliteSource(directory)
    await source.open()
    try:
        found = await source.load("a")
        assert found is not None
        assert await source.list_agents(AgentQuery(9)) == [ListedAgent(found.head)]
        assert await source.load_head("a") == found.head
        return found.head.revision
    finally:
        await source.close()


async def test_commits_of_a_running_daemon_are_read(store: SqliteStore, tmp_path: Path) -> None:
    assert await revision(tmp_path / "live") == 4
    await store.commit(commit(5))
    assert await revision(tmp_path / "live") == 5


async def test_the_files_of_a_killed_daemon_are_read_and_not_changed(killed: Path) -> None:
    before = {name: (killed / name).read_bytes() for name in FILES}
    assert await revision(killed) == 4
    assert {name: (killed / name).read_bytes() for name in FILES} == before


async def test_the_source_has_the_id_of_the_store(store: SqliteStore, tmp_path: Path) -> None:
    source = SqliteSource(tmp_path / "live")
    await source.open()
    assert source.store_id == store.store_id
    await source.close()


async def test_a_concurrent_commit_is_not_taken_for_damage(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    look = verification._verified_tail

    async def commit_once_more() -> None:
        await store.commit(commit(5))

    def look_and_wait(database: Path, oldest: int) -> Tail | None:
        tail = look(database, oldest)
        asyncio.run_coroutine_threadsafe(commit_once_more(), loop).result(WAIT_S_MAX)
        return tail

    monkeypatch.setattr(verification, "_verified_tail", look_and_wait)
    assert await revision(tmp_path / "live") == 5


def cut_log(directory: Path) -> None:
    log = directory / "memoryd.db-wal"
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


def remove_log(directory: Path) -> None:
    (directory / "memoryd.db-wal").unlink()


def empty_database(directory: Path) -> None:
    (directory / "memoryd.db").write_bytes(b"")


def remove_database(directory: Path) -> None:
    (directory / "memoryd.db").unlink()


def damage_mark(directory: Path) -> None:
    (directory / "memoryd.mark").write_bytes(b"x" * 4096)


def change_schema(directory: Path) -> None:
    with closing(sqlite3.connect(directory / "memoryd.db")) as connection:
        connection.execute("DROP INDEX agent_ended")


@pytest.mark.parametrize("damage", [cut_log, remove_log, empty_database, remove_database, damage_mark, change_schema])
async def test_damage_that_a_daemon_refuses_is_refused(killed: Path, damage: Callable[[Path], None]) -> None:
    damage(killed)
    for _ in range(2):
        with pytest.raises(DataDamaged):
            await revision(killed)
        with pytest.raises(DataDamaged):
            await SqliteStore(killed).open()


def mark_copying(directory: Path, store_id: str) -> None:
    """Record in the mark that the log is being copied to the main file."""
    path = directory / "memoryd.mark"
    found = read_mark(path)
    assert found is not None
    mark = Mark(path, found, store_id, found.generation)
    mark.backfill(running=True)
    mark.close()


async def test_a_log_that_was_lost_while_it_was_copied_is_refused(killed: Path) -> None:
    store = SqliteStore(killed)
    await store.open()
    await store.close()
    assert await revision(killed) == 4
    mark_copying(killed, store.store_id)
    with pytest.raises(DataDamaged, match="the log was lost"):
        await revision(killed)


async def test_a_store_is_read_whose_daemon_was_killed_while_it_copied_the_log(
    store: SqliteStore, killed: Path
) -> None:
    mark_copying(killed, store.store_id)
    assert await revision(killed) == 4


async def test_a_log_that_a_closing_daemon_truncates_is_no_loss(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It copies the log when the mark is read, and has truncated it when the log is read."""
    store = SqliteStore(killed)
    await store.open()
    mark_copying(killed, store.store_id)
    loop = asyncio.get_running_loop()
    look = verification._verified_tail

    def look_and_wait(database: Path, oldest: int) -> Tail | None:
        asyncio.run_coroutine_threadsafe(store.close(), loop).result(WAIT_S_MAX)
        return look(database, oldest)

    monkeypatch.setattr(verification, "_verified_tail", look_and_wait)
    assert await revision(killed) == 4


async def test_a_newer_schema_is_refused(killed: Path) -> None:
    with closing(sqlite3.connect(killed / "memoryd.db")) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(SchemaTooNew):
        await revision(killed)


async def test_an_accepted_loss_is_not_refused(killed: Path) -> None:
    remove_log(killed)
    (killed / "memoryd.mark").unlink()
    assert await revision(killed) == 1


@pytest.mark.parametrize("is_empty", [False, True])
async def test_a_directory_without_a_database_is_unavailable(tmp_path: Path, *, is_empty: bool) -> None:
    if is_empty:
        (tmp_path / "memoryd.db").touch()
    with pytest.raises(StoreUnavailable) as refused:
        await SqliteSource(tmp_path).open()
    assert "is missing or empty" in str(refused.value.__cause__)
