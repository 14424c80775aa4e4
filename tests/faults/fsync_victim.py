"""Run by test_store_fsync.py with an fsync that can be made to fail. Exits with 0 if the store handles the failures."""

import asyncio
import os
import sys
from pathlib import Path

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.ports.store import AgentHead, Commit, Record
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.store import SqliteStore

WAIT_S_MAX = 100.0


def change(revision: int) -> Commit:
    record = Record("entry", f"{revision}", b"x")
    return Commit(AgentHead("a", revision + 1, 1, 1, revision + 1), revision, (record,), journal=b"row")


async def revision_of(store: SqliteStore) -> int:
    agent = await store.load("a")
    assert agent is not None
    assert len((await store.read_journal(0, 10_000)).rows) == agent.head.revision
    return agent.head.revision


async def commit_until_refused(store: SqliteStore, revision: int) -> int:
    """Commit until a commit is refused, and return the revision of the last acknowledged one.

    With ``journaled``, commits are acknowledged before their fsync, and therefore until one has failed.
    """
    while True:
        try:
            await store.commit(change(revision))
        except StoreUnavailable:
            return revision
        revision += 1
        await asyncio.sleep(0.01)  # time: a pace


async def main(directory: Path, durability: Durability, switch: Path) -> None:
    store = SqliteStore(directory, durability)
    await store.open()
    for revision in range(5):
        await store.commit(change(revision))
    switch.touch()  # noqa: ASYNC240 - nothing else runs here
    async with asyncio.timeout(WAIT_S_MAX):
        acknowledged = await commit_until_refused(store, 5)
    assert durability is Durability.JOURNALED or acknowledged == 5
    for _ in range(3):
        try:
            await store.commit(change(acknowledged))
        except StoreUnavailable:
            continue
        raise AssertionError("a commit was acknowledged while fsync fails")
    assert await revision_of(store) == acknowledged
    switch.unlink()  # noqa: ASYNC240 - nothing else runs here
    await store.commit(change(acknowledged))
    assert await revision_of(store) == acknowledged + 1
    await store.close()
    store = SqliteStore(directory, durability)
    await store.open()
    assert await revision_of(store) == acknowledged + 1
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Durability(sys.argv[2]), Path(os.environ["FAULTS"]) / "sync"))
