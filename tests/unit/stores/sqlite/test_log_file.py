"""The log while it is copied beside the commits."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.ports.store import AgentHead, Commit, Record
from memoryd_server.stores.sqlite.log import copier
from memoryd_server.stores.sqlite.mark import read_mark
from memoryd_server.stores.sqlite.store import SqliteStore

LOG = "memoryd_server.stores.sqlite.log.log_file"


def change(revision: int) -> Commit:
    record = Record("entry", f"{revision % 50}", b"x" * 3_000)
    return Commit(AgentHead("a", revision + 1, 1, 1, min(revision + 1, 50)), revision, (record,), journal=b"row")


class Held:
    """Copies that are held up, after SQLite has made them, until ``go_on`` is set."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()


@contextmanager
def held_copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held, copy = Held(), copier._copy

    def copy_slowly(connection: sqlite3.Connection, mode: str) -> copier.Copied:
        copied = copy(connection, mode)
        if threading.current_thread().name.startswith("memoryd-store-copier"):
            held.begun.set()
            assert held.go_on.wait(WAIT_S_MAX)
        return copied

    monkeypatch.setattr(copier, "_copy", copy_slowly)
    try:
        yield held
    finally:
        held.go_on.set()


async def test_commits_do_not_wait_while_the_log_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{LOG}.LOG_PAGES_MAX", 16)
    store = SqliteStore(tmp_path)
    await store.open()
    with held_copies(monkeypatch) as held:
        revision = 0
        while not held.begun.is_set():
            await store.commit(change(revision))
            revision += 1
        for later in range(revision, revision + 20):
            await store.commit(change(later))
    await store.close()


async def test_a_large_commit_waits_while_much_was_committed_since_the_log_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else much would be left at the end, and all commits would wait until it is copied."""
    monkeypatch.setattr(f"{LOG}.LOG_PAGES_MAX", 16)
    monkeypatch.setattr(f"{LOG}.LOG_REST_PAGES_MAX", 16)
    store = SqliteStore(tmp_path)
    await store.open()
    with held_copies(monkeypatch) as held:
        revision = 0
        while not held.begun.is_set():
            await store.commit(change(revision))
            revision += 1
        while not store._writer._log_file.is_behind:
            await store.commit(change(revision))
            revision += 1
        large = Commit(AgentHead("b", 1, 1, 1, 1), 0, (Record("entry", "k", bytes(300_000)),), journal=b"large")
        waiting = store.commit(large)
        for later in range(revision, revision + 20):
            await store.commit(change(later))
        assert not waiting.done()
        held.go_on.set()
        await waiting
    await store.close()


async def test_the_mark_says_that_the_log_is_needed_until_the_copy_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a kill could find a log that is reused, and a mark that takes its content for lost."""
    monkeypatch.setattr(f"{LOG}.LOG_PAGES_MAX", 16)
    store = SqliteStore(tmp_path)
    await store.open()
    log = tmp_path / "memoryd.db-wal"
    with held_copies(monkeypatch) as held:
        revision = 0
        while not held.begun.is_set():
            await store.commit(change(revision))
            revision += 1
        salts = log.read_bytes()[16:24]
        await store.commit(change(revision))
        mark = read_mark(tmp_path / "memoryd.mark")
        assert mark is not None
        assert mark.backfilling
        assert log.read_bytes()[16:24] == salts
    await store.close()
    mark = read_mark(tmp_path / "memoryd.mark")
    assert mark is not None
    assert not mark.backfilling


async def test_the_log_is_reused_although_commits_never_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{LOG}.LOG_PAGES_MAX", 16)
    monkeypatch.setattr(f"{LOG}.LOG_REST_PAGES_MAX", 1)
    store = SqliteStore(tmp_path)
    await store.open()
    for revision in range(500):
        await store.commit(change(revision))
    assert (tmp_path / "memoryd.db-wal").stat().st_size < 1_000_000
    await store.close()


async def test_a_copy_that_fails_refuses_one_commit_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{LOG}.LOG_PAGES_MAX", 16)
    store = SqliteStore(tmp_path)
    await store.open()
    copy, failures = copier._copy, iter([True])

    def copy_badly(connection: sqlite3.Connection, mode: str) -> copier.Copied:
        if mode == "PASSIVE" and next(failures, False):
            raise sqlite3.OperationalError("disk I/O error")
        return copy(connection, mode)

    monkeypatch.setattr(copier, "_copy", copy_badly)
    revision = 0
    while revision < 200:
        try:
            await store.commit(change(revision))
        except StoreUnavailable:
            await asyncio.sleep(0)
            continue
        revision += 1
    assert next(failures, None) is None
    await store.close()
    store = SqliteStore(tmp_path)
    await store.open()
    stored = await anext(store.scan())
    assert stored.head.revision == 200
    await store.close()
