"""What a store that outlives its process does."""

import asyncio
from collections.abc import Callable

import pytest

from memoryd_server.ports.store import AgentHead, Commit, JournalCompacted, Record, RevisionConflict, Store


def change(agent_id: str, expected_revision: int, *puts: Record, ended: bool = False) -> Commit:
    revision = expected_revision + 1
    head = AgentHead(agent_id, revision, 1, revision, len(puts), None, ended)
    return Commit(head, expected_revision, puts, journal=f"{agent_id}:{revision}".encode(), drop_records=True)


async def test_all_that_was_committed_is_there_when_it_is_opened_again(open_again: Callable[[], Store]) -> None:
    store = open_again()
    await store.open()
    for revision in range(10):
        await asyncio.gather(
            *(store.commit(change(f"a{n}", revision, Record("entry", "k", b"%d" % revision))) for n in range(20))
        )
    agents = [agent async for agent in store.scan()]
    rows = (await store.read_journal(0, 1_000)).rows
    store_id = store.store_id
    await store.close()

    again = open_again()
    await again.open()
    assert again.store_id == store_id
    assert [agent async for agent in again.scan()] == agents
    assert (await again.read_journal(0, 1_000)).rows == rows
    with pytest.raises(RevisionConflict):
        await again.commit(change("a0", 0))
    assert await again.commit(change("a0", 10)) == 201
    await again.close()


async def test_what_was_submitted_before_closing_is_stored(open_again: Callable[[], Store]) -> None:
    store = open_again()
    await store.open()
    futures = [store.commit(change("a", revision)) for revision in range(500)]
    await store.close()
    assert await asyncio.gather(*futures) == list(range(1, 501))
    again = open_again()
    await again.open()
    assert await again.journal_end() == 500
    await again.close()


async def test_pruning_is_remembered(open_again: Callable[[], Store]) -> None:
    store = open_again()
    await store.open()
    await store.commit(change("a", 0))
    await store.commit(change("a", 1, ended=True))
    await store.commit(change("b", 0))
    await store.prune_journal(0, 0)
    await store.close()
    again = open_again()
    await again.open()
    assert await again.load_head("a") is None
    assert await again.journal_end() == 3
    with pytest.raises(JournalCompacted):
        await again.read_journal(2, 1)
    await again.close()
