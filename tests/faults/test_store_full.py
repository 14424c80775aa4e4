"""A full disk: writes are refused until there is space, reads succeed, and nothing acknowledged is lost."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.small_storage import ROOM_BYTES, Release, small_disk, small_files
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import StorageFull
from memoryd_server.ports.store import AgentHead, Commit, Record, RecordKey, RevisionConflict
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.log.log_file import LogFile
from memoryd_server.stores.sqlite.reserve import RESERVE_NAME
from memoryd_server.stores.sqlite.store import SqliteStore

DATA_BYTES = 20_000


def change(revision: int, key: str, data_bytes: int = DATA_BYTES) -> Commit:
    head = AgentHead("a", revision + 1, 1, 1, revision + 1)
    return Commit(head, revision, (Record("entry", key, key.encode() * (data_bytes // 4)),), journal=key.encode())


async def fill(store: SqliteStore) -> int:
    """Commit until a commit is refused, and return the number of acknowledged ones."""
    for revision in range(2 * ROOM_BYTES // DATA_BYTES):
        try:
            await store.commit(change(revision, f"{revision:04}"))
        except StorageFull:
            return revision
    raise AssertionError("the disk never filled up")


async def flood(store: SqliteStore, revision: int) -> int:
    """Submit more commits at once than there is space for, and return the number of acknowledged ones.

    Asserts that the acknowledged ones come first, without a gap.
    """
    commits = [change(revision + number, f"{revision + number:04}") for number in range(600)]
    outcomes = await asyncio.gather(*map(store.commit, commits), return_exceptions=True)
    count = sum(isinstance(outcome, int) for outcome in outcomes)
    assert all(isinstance(outcome, int) for outcome in outcomes[:count])
    assert {type(outcome) for outcome in outcomes[count:]} <= {StorageFull, RevisionConflict}
    assert any(isinstance(outcome, StorageFull) for outcome in outcomes)
    return count


async def verify(store: SqliteStore, count: int) -> None:
    agent = await store.load("a")
    assert agent is not None
    assert agent.head.revision == count
    assert sorted(record.key for record in agent.records) == [f"{revision:04}" for revision in range(count)]
    assert all(record.data == record.key.encode() * (DATA_BYTES // 4) for record in agent.records)
    page = await store.read_journal(0, 10_000)
    assert [row.revision for row in page.rows] == list(range(1, count + 1))


@pytest.mark.parametrize("durability", Durability)
@pytest.mark.parametrize("limited", [small_disk, small_files])
async def test_a_full_disk_refuses_writes_only_until_there_is_space(
    tmp_path: Path, limited: Callable[[Path], contextlib.AbstractContextManager[Release]], durability: Durability
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with limited(directory) as release:
        store = SqliteStore(directory, durability)
        await store.open()
        acknowledged = await fill(store)
        assert acknowledged > 10
        await verify(store, acknowledged)
        for _ in range(3):
            with pytest.raises(StorageFull):
                await store.commit(change(acknowledged, f"{acknowledged:04}", 3 * ROOM_BYTES))
        await verify(store, acknowledged)
        acknowledged += await flood(store, acknowledged)
        await verify(store, acknowledged)
        release()
        await store.commit(change(acknowledged, f"{acknowledged:04}"))
        await verify(store, acknowledged + 1)
        await store.close()
        store = SqliteStore(directory, durability)
        await store.open()
        await verify(store, acknowledged + 1)
        await store.close()


@pytest.mark.parametrize("limited", [small_disk, small_files])
async def test_a_store_opens_reads_and_closes_on_a_full_disk(
    tmp_path: Path, limited: Callable[[Path], contextlib.AbstractContextManager[Release]]
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with limited(directory):
        store = SqliteStore(directory)
        await store.open()
        acknowledged = await fill(store)
        await store.close()
        store = SqliteStore(directory)
        await store.open()
        await verify(store, acknowledged)
        await store.close()


def removal(revision: int, key: str, record_count: int) -> Commit:
    head = AgentHead("a", revision + 1, 1, 1, record_count)
    return Commit(head, revision, deletes=(RecordKey("entry", key),), journal=b"removed " + key.encode())


def clearing(revision: int) -> Commit:
    return Commit(AgentHead("a", revision + 1, 1, 1, 0, ended=True), revision, journal=b"ended", drop_records=True)


@pytest.mark.parametrize("durability", Durability)
@pytest.mark.parametrize("limited", [small_disk, small_files])
async def test_a_full_disk_is_freed_by_removals_and_recovers_by_itself(
    tmp_path: Path,
    limited: Callable[[Path], contextlib.AbstractContextManager[Release]],
    durability: Durability,
    caplog: pytest.LogCaptureFixture,
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    states: list[bool] = []
    with limited(directory), caplog.at_level(logging.INFO, "memoryd.sqlite"):
        store = SqliteStore(directory, durability)
        await store.open()
        assert store.room is not None
        store.room.observe(states.append)
        revision = count = await full(store)
        await asyncio_until(lambda: not states[-1])
        caplog.clear()
        for _ in range(50):
            with pytest.raises(StorageFull):
                await store.commit(change(revision, "refused", ROOM_BYTES))
        # A line for a change of the state, none for a refused write.
        assert len(caplog.records) <= 2
        # A removal may be as large as the reserve, however the space is shared between the database and its log.
        left = (directory / RESERVE_NAME).stat().st_size * 3 // 4 // DATA_BYTES
        assert 10 < left < count
        for number in range(count - left):
            await store.commit(removal(revision, f"{number:04}", count - number - 1))
            revision += 1
        await store.close()
        # The reserve is there again after a restart, and ending the agent frees the rest.
        store = SqliteStore(directory, durability)
        await store.open()
        await store.commit(clearing(revision))
        assert store.room is not None
        store.room.observe(states.append)
        await asyncio_until(lambda: states[-1])
        head = AgentHead("b", 1, 1, 1, 1)
        await store.commit(Commit(head, 0, (Record("entry", "k", bytes(DATA_BYTES)),), journal=b"new"))
        await asyncio_until(lambda: states[-1])
        await store.close()


async def test_a_first_removal_succeeds_on_a_disk_that_is_found_full_by_it(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with small_disk(directory):
        store = SqliteStore(directory)
        await store.open()
        for revision in range(20):
            await store.commit(change(revision, f"{revision:04}"))
        block = directory / "other"
        with contextlib.suppress(OSError), block.open("wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()
        with pytest.raises(OSError, match="No space left"):
            (directory / "more").write_bytes(bytes(4096))
        outcomes = await asyncio.gather(
            store.commit(removal(20, "0000", 19)),
            *(
                store.commit(
                    Commit(AgentHead(name, 1, 1, 1, 1), 0, (Record("entry", "k", bytes(1_000_000)),), journal=b"n")
                )
                for name in "bcd"
            ),
            return_exceptions=True,
        )
        assert [type(each) for each in outcomes] == [int, StorageFull, StorageFull, StorageFull]
        await store.close()


@pytest.mark.parametrize("limited", [small_disk, small_files])
async def test_no_change_is_refused_where_only_the_log_has_filled_the_disk(
    tmp_path: Path,
    limited: Callable[[Path], contextlib.AbstractContextManager[Release]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(LogFile, "maintain", lambda *_, **__: None)
    directory = tmp_path / "data"
    directory.mkdir()
    with limited(directory), caplog.at_level(logging.INFO, "memoryd.sqlite"):
        store = SqliteStore(directory)
        await store.open()
        for revision in range(2 * ROOM_BYTES // DATA_BYTES):
            head = AgentHead("a", revision + 1, 1, 1, 1)
            await store.commit(Commit(head, revision, (Record("entry", "k", bytes(DATA_BYTES)),), journal=b"again"))
        assert caplog.records == []
        await store.close()


async def full(store: SqliteStore) -> int:
    """Fill the store until it does not recover by emptying its log, and return the number of acknowledged commits."""
    count = await fill(store)
    while True:
        more = 0
        with contextlib.suppress(StorageFull):
            while True:
                await store.commit(change(count + more, f"{count + more:04}"))
                more += 1
        if not more:
            return count
        count += more


async def asyncio_until(condition: Callable[[], object]) -> None:
    """Wait for a condition that other tasks and threads bring about."""
    async with asyncio.timeout(WAIT_S_MAX):
        while not condition():  # noqa: ASYNC110 - any condition, not an event of ours
            await asyncio.sleep(0.01)  # time: a pace
