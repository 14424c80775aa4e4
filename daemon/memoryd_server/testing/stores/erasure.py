"""Tests of erasing content from the journal, also during commits and pruning."""

import asyncio

import msgspec

from memoryd_server.engine.agents.journal import JournalData, RecordChange, decode_row, encode_row
from memoryd_server.engine.erasure.journal_pass import erase_from_journal
from memoryd_server.ports.store import Commit, Store
from memoryd_server.testing.stores.change import change, home

ROWS = 300


def change_of(agent_id: str, revision: int, *keys: str) -> Commit:
    changes = tuple(RecordChange("memory", key, f"what {key} is".encode()) for key in keys)
    return msgspec.structs.replace(change(agent_id, revision), journal=encode_row((), (), changes))


def strip(data: JournalData, revision: int) -> JournalData | None:
    left = tuple(each for each in data.changes if each.key != "purged")
    return None if left == data.changes else msgspec.structs.replace(data, changes=left)


async def changed_keys(store: Store, agent_id: str) -> list[tuple[str, ...]]:
    start = await store.journal_start()
    keys, position, is_complete = [], start - 1, False
    while not is_complete:
        page = await store.read_journal(position, 1_000, (agent_id,))
        keys += [tuple(each.key for each in decode_row(row).changes) for row in page.rows]
        position, is_complete = page.end_position, page.complete
    return keys


class Erasure:
    """Tests of erasing content from the journal of every store."""

    async def test_erased_content_is_in_no_row_of_the_agent(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        for agent_id in (a, b):
            await asyncio.gather(*(store.commit(change_of(agent_id, each, "purged", "kept")) for each in range(ROWS)))
        await store.prune_journal((2 * ROWS - 10) * store.shard_count, 0)
        assert await erase_from_journal(store, a, strip) == ROWS - 10
        assert await changed_keys(store, a) == [("kept",)] * (ROWS - 10)
        assert await changed_keys(store, b) == [("purged", "kept")] * ROWS
        assert await erase_from_journal(store, a, strip) == 0

    async def test_commits_and_pruning_continue_during_an_erasure(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        await asyncio.gather(*(store.commit(change_of(a, each, "purged")) for each in range(ROWS)))

        async def write() -> None:
            for revision in range(50):
                await store.commit(change_of(b, revision, "purged"))
                if revision % 10 == 0:
                    await store.prune_journal(ROWS // 2 * store.shard_count, 0)

        await asyncio.gather(write(), erase_from_journal(store, a, strip))
        assert set(await changed_keys(store, a)) == {()}
        assert set(await changed_keys(store, b)) == {("purged",)}
        assert await store.commit(change_of(a, ROWS, "purged")) == ROWS + 51
