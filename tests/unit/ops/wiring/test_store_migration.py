import asyncio
from pathlib import Path

import pytest

from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.wiring.store_migration import move
from memoryd_server.ports.store import AgentHead, Commit, Record, RevisionConflict
from memoryd_server.stores.sqlite.store import SqliteStore


def ignore(_: str, __: int, ___: int) -> None:
    """Nobody looks."""


@pytest.fixture
async def source(tmp_path: Path) -> str:
    """A store of one agent."""
    store = SqliteStore(tmp_path / "source")
    await store.open()
    await store.commit(Commit(AgentHead("ann", 1, 1, 1, 1), 0, (Record("entry", "/k", b"1"),)))
    await store.close()
    return f"sqlite:{tmp_path / 'source'}"


async def test_an_embedded_store_moves_to_another(source: str, tmp_path: Path) -> None:
    moved = await move(source, f"sqlite:{tmp_path / 'target'}", ignore)
    assert (moved.agents, moved.records, moved.copied) == (1, 1, 1)


async def test_a_concurrent_writer_to_the_target_is_an_error_of_one_line(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: SqliteStore, commit: Commit) -> asyncio.Future[int]:
        refused = asyncio.get_running_loop().create_future()
        refused.set_exception(RevisionConflict(commit.head.agent_id))
        return refused

    monkeypatch.setattr(SqliteStore, "commit", refuse)
    with pytest.raises(OperatorError, match="another process writes to the target"):
        await move(source, f"sqlite:{tmp_path / 'target'}", ignore)
