"""The gathering of commits into groups. A maximum that no test could wait for shows that nothing waits for it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from memoryd_server.ports.store import AgentHead, Commit
from memoryd_server.stores.sqlite.commits import schedule
from memoryd_server.stores.sqlite.row import read_tail
from memoryd_server.stores.sqlite.store import SqliteStore

FOREVER_S = 3600.0


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    store.hasten()
    await store.open()
    yield store
    await store.close()


def change(agent_id: str, revision: int) -> Commit:
    return Commit(AgentHead(agent_id, revision + 1, 1, 1), revision, journal=b"row")


def transactions(directory: Path) -> int:
    with closing(sqlite3.connect(directory / "memoryd.db", isolation_level=None)) as connection:
        return read_tail(connection.execute("SELECT * FROM store").fetchone()).generation


async def commit_each(store: SqliteStore, agent_ids: Iterable[str], revision: int) -> None:
    await asyncio.gather(*(store.commit(change(agent_id, revision)) for agent_id in agent_ids))


async def test_commits_of_one_turn_of_the_loop_are_one_transaction(store: SqliteStore, tmp_path: Path) -> None:
    before = transactions(tmp_path)
    await commit_each(store, map(str, range(100)), 0)
    assert transactions(tmp_path) == before + 1


async def test_callers_who_write_again_at_once_never_wait_the_maximum(
    hasty: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "GATHER_S_MAX_HASTY", FOREVER_S)
    for revision in range(10):
        await commit_each(hasty, map(str, range(20)), revision)


async def test_a_few_callers_never_wait_the_maximum_where_calls_cost_much(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "GATHER_S_MAX", FOREVER_S)
    await store.commit(change("a", 0))
    for revision in range(1, 10):
        await store.commit(change("a", revision))
    for revision in range(10):
        await commit_each(store, "bc", revision)


async def test_callers_who_write_in_turn_never_wait(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "GATHER_S_MAX", FOREVER_S)

    async def write(agent_id: str) -> None:
        for revision in range(20):
            await mine.acquire()
            await store.commit(change(agent_id, revision))
            mine.release()

    mine = asyncio.Lock()
    await asyncio.gather(write("a"), write("b"))


async def test_commits_that_come_one_by_one_share_the_transaction_that_is_gathered(
    hasty: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await commit_each(hasty, "abc", 0)
    before = transactions(tmp_path)
    monkeypatch.setattr(schedule, "GATHER_S_MAX_HASTY", FOREVER_S)
    commits = []
    for agent_id in "abc":
        commits.append(hasty.commit(change(agent_id, 1)))
        assert transactions(tmp_path) == before
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await asyncio.gather(*commits)
    assert transactions(tmp_path) == before + 1


async def test_a_larger_group_than_the_last_one_is_gathered_where_calls_cost_much(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "GROUP_COMMITS_MAX", 8)
    await commit_each(store, "abcde", 0)
    before = transactions(tmp_path)
    monkeypatch.setattr(schedule, "GATHER_S_MAX", FOREVER_S)
    early = [store.commit(change(agent_id, 1)) for agent_id in "abcde"]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    late = [store.commit(change(agent_id, 0)) for agent_id in "fgh"]
    await asyncio.gather(*early, *late)
    assert transactions(tmp_path) == before + 1


async def test_what_was_submitted_is_written_before_the_store_closes(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    before = transactions(tmp_path)
    committed = store.commit(change("a", 0))
    await store.close()
    assert await committed == 1
    assert transactions(tmp_path) == before + 1
