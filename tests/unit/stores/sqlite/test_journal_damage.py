"""A journal that lacks rows is refused, whichever way it is read."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import AgentHead, Commit
from memoryd_server.stores.sqlite import journal_query
from memoryd_server.stores.sqlite.store import SqliteStore


async def written(directory: Path) -> SqliteStore:
    """Return an open store in which agent a has the rows 1, 3 and 5, and agent b the rows 2 and 4."""
    store = SqliteStore(directory)
    await store.open()
    for number in range(5):
        revision = number // 2
        await store.commit(Commit(AgentHead("ab"[number % 2], revision + 1, 1, 1), revision, journal=b"row"))
    return store


def delete_row(directory: Path, position: int) -> None:
    with closing(sqlite3.connect(directory / "memoryd.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM journal WHERE position = ?", (position,))


@pytest.mark.parametrize("follows_chains", [True, False], ids=["by chains", "forward"])
@pytest.mark.parametrize("position", [1, 3, 5])
async def test_a_missing_row_of_an_agent_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int, follows_chains: bool
) -> None:
    if not follows_chains:
        monkeypatch.setattr(journal_query, "CHAIN_STEPS_MAX", 0)
    store = await written(tmp_path)
    assert [row.position for row in (await store.read_journal(0, 10, {"a"})).rows] == [1, 3, 5]
    delete_row(tmp_path, position)
    for agent_ids in ({"a"}, {"a", "b"}):
        with pytest.raises(DataDamaged, match="the journal lacks"):
            await store.read_journal(0, 10, agent_ids)
    assert [row.position for row in (await store.read_journal(0, 10, {"b"})).rows] == [2, 4]
    await store.close()


@pytest.mark.parametrize("position", [1, 3, 5])
async def test_a_missing_row_is_detected_when_recent_rows_are_read(tmp_path: Path, position: int) -> None:
    store = await written(tmp_path)
    assert [row.position for row in await store.recent_journal("a", 0, 10)] == [1, 3, 5]
    delete_row(tmp_path, position)
    with pytest.raises(DataDamaged, match="the journal lacks"):
        await store.recent_journal("a", 0, 10)
    assert [row.position for row in await store.recent_journal("b", 0, 10)] == [2, 4]
    await store.close()
