"""Rewritten rows, and deleted or replaced records: none of their former bytes remain in a file of the store."""

import random
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.ports.store import AgentHead, Commit, Record, RecordKey
from memoryd_server.stores.sqlite import store as store_module
from memoryd_server.stores.sqlite.store import SqliteStore

SIZES = (30, 100, 400, 1_000, 3_900, 4_100, 9_000, 40_000, 1_000_000)
"""Sizes within a page, above the part of a row that a page holds, and of many pages."""


def secret(number: int, size: int = 30) -> bytes:
    """Return data of which any part of more than a few bytes is found."""
    mark = b"<%06d>" % number
    return mark * max(size // len(mark), 1)


def secrets_in(directory: Path) -> set[int]:
    return {int(found) for path in directory.iterdir() for found in re.findall(rb"<(\d{6})>", path.read_bytes())}


def change(revision: int, count: int, *puts: Record, deletes: tuple[RecordKey, ...] = (), row: bytes = b"") -> Commit:
    return Commit(AgentHead("a", revision + 1, 1, 1, count), revision, puts, deletes, row)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.parametrize("size", SIZES)
async def test_the_former_data_of_a_row_and_a_record_is_in_no_file(
    store: SqliteStore, tmp_path: Path, size: int
) -> None:
    key = RecordKey("memory", "k")
    await store.commit(change(0, 2, Record("memory", "k", secret(1, size)), Record("memory", "l", secret(2, size))))
    await store.commit(change(1, 2, Record("memory", "k", secret(3)), row=secret(4, size)))
    await store.commit(change(2, 1, deletes=(key,), row=secret(5)))
    assert secrets_in(tmp_path) >= {2, 4, 5}
    assert await store.rewrite_journal("a", {2: secret(6)}) == 1
    assert secrets_in(tmp_path) == {2, 5, 6}
    assert (tmp_path / "memoryd.db-wal").stat().st_size == 0


async def test_hardly_any_copies_remain_of_data_that_moved_between_pages(store: SqliteStore, tmp_path: Path) -> None:
    chance = random.Random(2)
    held: dict[str, int] = {}
    for revision in range(400):
        key = f"k{chance.randrange(60)}"
        held[key] = revision
        record = Record("memory", key, secret(revision, chance.choice(SIZES[:8])))
        row = secret(10_000 + revision, chance.choice(SIZES[:8]))
        await store.commit(change(revision, len(held), record, row=row))
    gone = tuple(key for key in held if int(key[1:]) % 3)
    await store.commit(change(400, len(held) - len(gone), deletes=tuple(RecordKey("memory", key) for key in gone)))
    rows = {revision + 1: secret(20_000 + revision, chance.choice((30, 5_000))) for revision in range(0, 400, 3)}
    assert await store.rewrite_journal("a", rows) == len(rows)
    records = {number for key, number in held.items() if key not in gone}
    former_rows = {10_000 + number for number in range(400) if number % 3}
    expected = records | former_rows | {20_000 + number for number in range(0, 400, 3)}
    found = secrets_in(tmp_path)
    assert found >= expected
    # SQLite leaves copies in the free part of a page: docs/decisions/0018-purging-rewrites-the-journal.md says why.
    assert len(found - expected) <= 4


async def test_a_rewrite_without_rows_erases_deleted_records(store: SqliteStore, tmp_path: Path) -> None:
    await store.commit(change(0, 1, Record("memory", "k", secret(1, 10_000))))
    await store.commit(change(1, 0, deletes=(RecordKey("memory", "k"),)))
    assert secrets_in(tmp_path) == {1}
    assert await store.rewrite_journal("a", {}) == 0
    assert secrets_in(tmp_path) == set()


async def test_a_rewrite_fails_while_the_log_is_being_read(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "TRUNCATIONS_MAX", 2)
    monkeypatch.setattr(store_module, "TRUNCATION_REST_S", 0.0)
    for number in range(3):
        await store.commit(change(number, 1, Record("memory", "k", b""), row=secret(number)))
    async with aclosing(store.scan()) as scan:  # type: ignore[type-var]
        async for _ in scan:
            with pytest.raises(StoreUnavailable):
                await store.rewrite_journal("a", {2: b"-"})
            assert [row.data for row in (await store.read_journal(1, 1)).rows] == [b"-"]
            assert await store.commit(change(3, 1, Record("memory", "k", b""))) == 4
    monkeypatch.setattr(store_module, "TRUNCATIONS_MAX", 1_000)
    assert await store.rewrite_journal("a", {2: b"-"}) == 1
    assert secrets_in(tmp_path) == {0, 2}


async def test_a_log_that_a_rewrite_truncated_is_not_taken_for_lost(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change(0, 1, Record("memory", "k", b"v"), row=b"row"))
    await store.rewrite_journal("a", {1: b"-"})
    killed = SqliteStore(shutil.copytree(tmp_path, tmp_path.with_name("killed")))
    await killed.open()
    assert [row.data for row in (await killed.read_journal(0, 9)).rows] == [b"-"]
    assert await killed.commit(change(1, 1, Record("memory", "k", b"v"))) == 2
    await killed.close()
    await store.close()


async def test_a_vacuumed_database_has_the_same_content(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    for revision in range(50):
        await store.commit(change(revision, 1, Record("memory", "k", secret(revision, 5_000)), row=b"row"))
    loaded, rows = await store.load("a"), await store.read_journal(0, 99)
    await store.close()
    with closing(sqlite3.connect(tmp_path / "memoryd.db")) as connection:
        connection.execute("VACUUM")
    again = SqliteStore(tmp_path)
    await again.open()
    assert (await again.load("a"), await again.read_journal(0, 99)) == (loaded, rows)
    assert secrets_in(tmp_path) == {49}
    await again.close()


async def test_a_rewrite_of_a_damaged_row_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change(0, 0, row=b"row"))
    await store.close()
    with closing(sqlite3.connect(tmp_path / "memoryd.db", isolation_level=None)) as connection:
        connection.execute("UPDATE journal SET revision = 7")
    again = SqliteStore(tmp_path)
    await again.open()
    with pytest.raises(DataDamaged):
        await again.rewrite_journal("a", {1: b"-"})
    await again.close()
