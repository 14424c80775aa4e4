"""Removals that are larger than the reserve of a full disk: they take several steps, and are whole to all readers."""

import contextlib
import errno
import sqlite3
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from tests.faults.small_storage import ROOM_BYTES, Release, small_disk, small_files
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import DataDamaged, StorageFull
from memoryd_server.ports.store import AgentHead, Commit, Record, RecordKey
from memoryd_server.stores.sqlite import writer
from memoryd_server.stores.sqlite.commits.removal import delete_step
from memoryd_server.stores.sqlite.log import copier
from memoryd_server.stores.sqlite.reserve import RESERVE_NAME
from memoryd_server.stores.sqlite.store import SqliteStore

Limited = Callable[[Path], contextlib.AbstractContextManager[Release]]
SECRET = b"secret"
BYTES_TOGETHER = 60_000
KEPT = [Record("agent", "", b"kept"), *(Record("note", f"{number}", b"kept") for number in range(3))]


def head(revision: int, count: int, *, ended: bool = False) -> AgentHead:
    return AgentHead("a", revision, 1, 1, count, ended=ended)


async def fill(store: SqliteStore, data: bytes) -> tuple[int, list[RecordKey]]:
    """Commit until the disk is full. Return the agent's revision, and the keys of the records beside ``KEPT``."""
    await store.commit(Commit(head(1, len(KEPT)), 0, tuple(KEPT), journal=b"first"))
    revision, keys, refused = 1, list[RecordKey](), 0
    while refused < 5:
        assert len(keys) * len(data) < 4 * ROOM_BYTES
        numbers = range(BYTES_TOGETHER // len(data))
        # Neighbours by their keys are in pages far apart.
        names = [sha256(f"{revision}-{number}".encode()).hexdigest()[:12] for number in numbers]
        new = [RecordKey(("entry", "note")[number % 2], name) for number, name in enumerate(names)]
        records = tuple(Record(each.kind, each.key, data) for each in new)
        count = len(KEPT) + len(keys) + len(new)
        try:
            await store.commit(Commit(head(revision + 1, count), revision, records, journal=b"more"))
        except StorageFull:
            refused += 1
            continue
        refused = 0
        revision, keys = revision + 1, keys + new
    return revision, keys


def clearing(revision: int, keys: Iterable[RecordKey]) -> Commit:
    return Commit(head(revision + 1, len(KEPT)), revision, deletes=tuple(keys), journal=b"cleared")


def ending(revision: int) -> Commit:
    return Commit(head(revision + 1, 0, ended=True), revision, journal=b"ended", drop_records=True)


def ending_and_beginning(revision: int) -> Commit:
    """The agent ends and begins again: one of its old records is there, with other data."""
    records = (Record("note", "0", b"again"),)
    return Commit(head(revision + 2, 1), revision, records, journal=b"ended, begun", drop_records=True)


def rows_of(directory: Path) -> list[tuple[str, bytes]]:
    with closing(sqlite3.connect(directory / "memoryd.db")) as connection:
        return connection.execute("SELECT key, data FROM record ORDER BY kind, key").fetchall()


def secrets_in(directory: Path) -> dict[str, int]:
    counts = {path.name: path.read_bytes().count(SECRET) for path in directory.glob("memoryd.db*")}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize("limited", [small_disk, small_files])
@pytest.mark.parametrize("size_bytes", [100, 3_000, 60_000])
@pytest.mark.parametrize("what", ["clear", "end", "begin"])
async def test_a_removal_larger_than_the_reserve_is_carried_out_on_a_full_disk(
    tmp_path: Path, limited: Limited, size_bytes: int, what: str
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with limited(directory):
        store = SqliteStore(directory)
        await store.open()
        data = SECRET * (size_bytes // len(SECRET))
        revision, keys = await fill(store, data)
        assert (directory / "memoryd.db").stat().st_size > (directory / RESERVE_NAME).stat().st_size
        if what == "clear":
            await store.commit(clearing(revision, keys))
            left = [(each.key, each.data) for each in KEPT]
        elif what == "end":
            await store.commit(ending(revision))
            left = []
        else:
            await store.commit(ending_and_beginning(revision))
            left = [("0", b"again")]
        assert await store.rewrite_journal("a", {}) == 0
        assert secrets_in(directory) == {}
        agent = await store.load("a")
        assert agent is not None
        assert [(each.key, each.data) for each in agent.records] == left
        assert rows_of(directory) == left
        # There is room for as much again.
        next_head = head(agent.head.revision + 1, len(left) + 1)
        new = Commit(next_head, agent.head.revision, (Record("entry", "new", bytes(500_000)),), journal=b"new")
        await store.commit(new)
        await store.close()


async def test_the_log_is_copied_before_it_outgrows_the_reserve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is slower than the commits: the log is not copied before the writer waits for that."""
    is_awaited, copy = threading.Event(), copier._copy

    def copy_when_awaited(connection: sqlite3.Connection, mode: str) -> copier.Copied:
        if threading.current_thread().name.startswith("memoryd-store-copier"):
            assert is_awaited.wait(WAIT_S_MAX)
        return copy(connection, mode)

    def await_copy(copying: list[Future[copier.Copied]]) -> None:
        is_awaited.set()
        wait(copying)
        is_awaited.clear()

    monkeypatch.setattr(copier, "_copy", copy_when_awaited)
    monkeypatch.setattr(copier, "wait", await_copy)
    directory = tmp_path / "data"
    directory.mkdir()
    with small_disk(directory):
        store = SqliteStore(directory)
        await store.open()
        revision, keys = await fill(store, SECRET * 500)
        await store.commit(clearing(revision, keys))
        assert rows_of(directory) == [(each.key, each.data) for each in KEPT]
        await store.close()


async def interrupt(store: SqliteStore, commit: Commit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit a removal whose second step fails."""
    steps = 0

    def failing(*arguments: object) -> object:
        nonlocal steps
        steps += 1
        if steps > 1:
            raise OSError(errno.ENOSPC, "no space left on device")
        return delete_step(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "delete_step", failing)
    # It is committed, and does not come back.
    await store.commit(commit)
    assert steps > 1


@pytest.mark.parametrize("what", ["clear", "end"])
async def test_an_interrupted_large_removal_is_whole_to_readers_and_goes_on_at_the_start(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with small_disk(directory):
        store = SqliteStore(directory)
        await store.open()
        revision, keys = await fill(store, SECRET * 200)
        await interrupt(store, clearing(revision, keys) if what == "clear" else ending(revision), monkeypatch)
        assert len(KEPT) < len(rows_of(directory)) < len(keys)
        left = [(each.key, each.data) for each in KEPT] if what == "clear" else []
        agent = await store.load("a")
        assert agent is not None
        assert [(each.key, each.data) for each in agent.records] == left
        async for each in store.scan():
            assert [(record.key, record.data) for record in each.records] == left
        # What is erased then is not whole before the rest is deleted: the call says so.
        with pytest.raises(StorageFull):
            await store.rewrite_journal("a", {})
        await store.close()
        monkeypatch.undo()
        assert secrets_in(directory)
        store = SqliteStore(directory)
        await store.open()
        await store.rewrite_journal("a", {})
        assert rows_of(directory) == left
        assert secrets_in(directory) == {}
        await store.close()


async def test_a_damaged_name_of_removed_rows_damages_their_agent_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with small_disk(directory):
        store = SqliteStore(directory)
        await store.open()
        other = Commit(AgentHead("b", 1, 1, 1, 1), 0, (Record("entry", "k", b"other"),), journal=b"other")
        await store.commit(other)
        revision, keys = await fill(store, SECRET * 200)
        await interrupt(store, clearing(revision, keys), monkeypatch)
        await store.close()
        with closing(sqlite3.connect(directory / "memoryd.db", isolation_level=None)) as connection:
            connection.execute("UPDATE record SET checksum = checksum + 1 WHERE agent_key = 0")
        store = SqliteStore(directory)
        await store.open()
        agent = await store.load("b")
        assert agent is not None
        assert agent.records == other.puts
        with pytest.raises(DataDamaged):
            await store.load("a")
        await store.close()


@pytest.mark.parametrize("limited", [small_disk, small_files])
async def test_journal_rows_larger_than_the_reserve_together_are_pruned_on_a_full_disk(
    tmp_path: Path, limited: Limited
) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    with limited(directory):
        store = SqliteStore(directory)
        await store.open()
        revision, refused = 0, 0
        row = bytes(50_000)
        while refused < 5:
            try:
                await store.commit(Commit(head(revision + 1, 0), revision, journal=row))
            except StorageFull:
                refused += 1
                continue
            revision, refused = revision + 1, 0
        assert revision * len(row) > (directory / RESERVE_NAME).stat().st_size
        assert await store.prune_journal(1, 0) == revision - 1
        await store.commit(Commit(head(revision + 1, 0), revision, journal=row))
        await store.close()
