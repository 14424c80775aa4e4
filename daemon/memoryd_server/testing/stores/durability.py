"""Tests of a store whose data outlives its process."""

import asyncio
from collections.abc import Callable

import pytest

from memoryd_server.ports.store import JournalCompacted, RevisionConflict, Store
from memoryd_server.testing.stores.change import change, home, record


class DurableCommits:
    """Tests of a store whose data outlives it."""

    async def test_all_that_was_committed_is_there_when_it_is_opened_again(
        self, open_again: Callable[[], Store]
    ) -> None:
        store = open_again()
        await store.open()
        ids = home(store, *(f"a{number}" for number in range(20)))
        for revision in range(10):
            await asyncio.gather(
                *(store.commit(change(agent_id, revision, record("k", f"{revision}"), count=1)) for agent_id in ids)
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
            await again.commit(change(ids[0], 0))
        assert await again.commit(change(ids[0], 10)) == 201
        await again.close()

    async def test_what_was_submitted_before_closing_is_stored(self, open_again: Callable[[], Store]) -> None:
        store = open_again()
        await store.open()
        (agent_id,) = home(store, "a")
        futures = [store.commit(change(agent_id, revision)) for revision in range(500)]
        await store.close()
        assert await asyncio.gather(*futures) == list(range(1, 501))
        again = open_again()
        await again.open()
        assert await again.journal_end() == 500
        await again.close()

    async def test_pruning_is_remembered(self, open_again: Callable[[], Store]) -> None:
        store = open_again()
        await store.open()
        a, b = home(store, "a", "b")
        await store.commit(change(a, 0))
        await store.commit(change(a, 1, drop_records=True, ended=True))
        await store.commit(change(b, 0))
        await store.prune_journal(0, 0)
        await store.close()
        again = open_again()
        await again.open()
        assert await again.load_head(a) is None
        assert await again.journal_end() == 3
        with pytest.raises(JournalCompacted):
            await again.read_journal(2, 1)
        await again.close()
