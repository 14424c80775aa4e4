"""What is forgotten for good leaves the journal of every store, whatever goes on beside it."""

import asyncio

import msgspec
from tests.acceptance.stores.change import change, home

from memoryd_server.engine.agents.journal import JournalData, RecordChange, decode_row, encode_row
from memoryd_server.engine.memories.erasure import erase_from_journal
from memoryd_server.ports.store import Commit, Store

ROWS = 300


def telling(agent_id: str, revision: int, *keys: str) -> Commit:
    changes = tuple(RecordChange("memory", key, f"what {key} is".encode()) for key in keys)
    return msgspec.structs.replace(change(agent_id, revision), journal=encode_row((), (), changes))


def strip(data: JournalData, revision: int) -> JournalData | None:
    left = tuple(each for each in data.changes if each.key != "purged")
    return None if left == data.changes else msgspec.structs.replace(data, changes=left)


async def keys_told(store: Store, agent_id: str) -> list[tuple[str, ...]]:
    start = await store.journal_start()
    told, position, is_complete = [], start - 1, False
    while not is_complete:
        page = await store.read_journal(position, 1_000, (agent_id,))
        told += [tuple(each.key for each in decode_row(row).changes) for row in page.rows]
        position, is_complete = page.end_position, page.complete
    return told


async def test_an_agents_rows_tell_no_more_of_what_is_erased(store: Store) -> None:
    a, b = home(store, "a", "b")
    for agent_id in (a, b):
        await asyncio.gather(*(store.commit(telling(agent_id, each, "purged", "kept")) for each in range(ROWS)))
    await store.prune_journal((2 * ROWS - 10) * store.shard_count, 0)
    assert await erase_from_journal(store, a, strip) == ROWS - 10
    assert await keys_told(store, a) == [("kept",)] * (ROWS - 10)
    assert await keys_told(store, b) == [("purged", "kept")] * ROWS
    assert await erase_from_journal(store, a, strip) == 0


async def test_commits_and_prunings_go_on_beside_an_erasure(store: Store) -> None:
    a, b = home(store, "a", "b")
    await asyncio.gather(*(store.commit(telling(a, each, "purged")) for each in range(ROWS)))

    async def write() -> None:
        for revision in range(50):
            await store.commit(telling(b, revision, "purged"))
            if revision % 10 == 0:
                await store.prune_journal(ROWS // 2 * store.shard_count, 0)

    await asyncio.gather(write(), erase_from_journal(store, a, strip))
    assert set(await keys_told(store, a)) == {()}
    assert set(await keys_told(store, b)) == {("purged",)}
    assert await store.commit(telling(a, ROWS, "purged")) == ROWS + 51
