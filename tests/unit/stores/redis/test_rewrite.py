"""Rewritten rows: none of their former bytes remain in a server's memory or files."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.stores.redis.writing import Writer, fresh_store, keys_of, prefix_of
from tests.valkey.server import ValkeyServer
from tests.wait import until

from memoryd_server.domain.error import DataDamaged, HistoryLost
from memoryd_server.ports.store import NEVER
from memoryd_server.stores.redis import journal
from memoryd_server.stores.redis.store import RedisStore


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """Yield a server whose files are not compressed."""
    with ValkeyServer(tmp_path_factory.mktemp("plain"), options={"rdbcompression": "no"}) as server:
        yield server


def dumped(server: ValkeyServer) -> bytes:
    """Return all data of the server, as a dump without compression."""
    server.command("SAVE")
    return (server.directory / "dump.rdb").read_bytes()


def append_only_files(server: ValkeyServer) -> bytes:
    """Return the content of the append-only files after their rewrite."""
    server.command("BGREWRITEAOF")
    until(lambda: server.information("persistence")["aof_rewrite_in_progress"] == "0", "the file is rewritten")
    return b"".join(path.read_bytes() for path in (server.directory / "appendonlydir").iterdir())


def secret(number: int) -> bytes:
    return b"<secret %05d>" % number


@pytest.mark.parametrize("size", [13, 400, 3_900, 4_200, 1_000_000])
@pytest.mark.parametrize("count", [1, 260])
async def test_the_former_data_of_rewritten_rows_is_nowhere_in_the_server(
    plain: ValkeyServer, size: int, count: int
) -> None:
    store = fresh_store(plain.url)
    await store.open()
    writer, shard = Writer(store), store.shard_of("a")
    sizes = [size if number % 50 == 7 or count == 1 else 30 + number % 7 * 60 for number in range(1, count + 1)]
    for number, each in enumerate(sizes, 1):
        await writer.write("k", row=secret(number) * max(each // 13, 1))
    chosen = range(1, count + 1) if count == 1 else (1, 7, 57, 58, 100, 101, 157, 207, 259, 260)
    assert all(secret(number) in dumped(plain) for number in chosen)
    assert await store.rewrite_journal("a", dict.fromkeys(chosen, b"-")) == len(chosen)
    for kept in (dumped(plain), append_only_files(plain)):
        assert [number for number in range(1, count + 1) if secret(number) not in kept] == list(chosen)
    page = await store.read_journal(0, 1_000, None, shard)
    rows = list(page.rows)
    while not page.complete:
        page = await store.read_journal(page.end_position, 1_000, None, shard)
        rows += page.rows
    assert [row.position for row in rows if row.data == b"-"] == list(chosen)
    # A row that was moved as a neighbour leaves no bytes at its former place.
    for number in (2, 8, 59, 99, 200, 258) if count > 1 else ():
        assert await store.rewrite_journal("a", {number: b"-"}) == 1
        assert secret(number) not in dumped(plain)
    await store.close()


async def test_a_full_server_rewrites_rows(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        await store.open()
        writer = Writer(store)
        for _ in range(5):
            await writer.write("k", row=b"x" * 1_000)
        server.command("CONFIG", "SET", "maxmemory", 1)
        assert await store.rewrite_journal("a", {2: b"-", 5: b"-"}) == 2
        assert await store.rewrite_journal("a", {2: b"+", 5: b"+"}) == 2
        server.command("CONFIG", "SET", "maxmemory", 0)
        assert [row.data[:1] for row in (await store.read_journal(0, 9, None, store.shard_of("a"))).rows] == [
            b"x",
            b"+",
            b"x",
            b"x",
            b"+",
        ]
        await store.close()


async def test_moved_rows_are_bounded_between_prunings(valkey: ValkeyServer, store: RedisStore) -> None:
    store._settings = type(store._settings)(prefix=store._settings.prefix, journal_rows_max=2 * 200)
    writer, shard, keys = Writer(store), store.shard_of("a"), keys_of(store, "a")
    for number in range(1, 1_001):
        await writer.write("k")
        if number % 10 == 0:
            await store.rewrite_journal("a", {number - number % 3: b"-"})
        if number % 97 == 0:
            start = await store.journal_start(shard)
            rows = (await store.read_journal(start - 1, 1_000, None, shard)).rows
            assert [row.position for row in rows] == list(range(start, number + 1))
    kept = [valkey.command("XLEN", keys.journal), valkey.command("ZCARD", keys.moved)]
    assert 200 <= sum(each for each in kept if isinstance(each, int)) <= 420


async def test_rows_that_are_moved_while_they_are_read_are_returned_once(store: RedisStore) -> None:
    writer, shard = Writer(store), store.shard_of("a")
    for _ in range(300):
        await writer.write("k")

    async def rewrite() -> None:
        for number in range(1, 301, 7):
            await store.rewrite_journal("a", {number: b"-"})

    rewriting = asyncio.ensure_future(rewrite())
    while not rewriting.done():
        rows = (await store.read_journal(0, 1_000, None, shard)).rows
        assert [row.position for row in rows] == list(range(1, 301))
    await rewriting


async def test_another_daemon_reads_and_commits_undisturbed_by_rewrites(
    store: RedisStore, valkey: ValkeyServer
) -> None:
    other = fresh_store(valkey.url, prefix_of(store))
    await other.open()
    assert other.sharing is not None
    writer, shard = Writer(other), store.shard_of("a")
    positions: list[int] = []

    async def follow() -> None:
        assert other.sharing is not None
        point = NEVER
        while len(positions) < 300:
            for row in await other.sharing.await_rows({shard: point}, 30.0):
                positions.append(row.position)
                point = row.point

    async def rewrite() -> None:
        # The newest row: mostly before the reader has it, and always with its neighbours.
        while writer.revision < 300:
            await store.rewrite_journal("a", {writer.point.position: b"-"})

    following, rewriting = asyncio.ensure_future(follow()), asyncio.ensure_future(rewrite())
    for _ in range(300):
        await writer.write("k")
    await asyncio.gather(following, rewriting)
    assert positions == list(range(1, 301))
    assert [row.revision for row in await other.recent_journal("a", 0, 300)] == positions
    await other.close()


async def test_a_malformed_moved_row_is_damage(store: RedisStore, valkey: ValkeyServer) -> None:
    writer, shard, keys = Writer(store), store.shard_of("a"), keys_of(store, "a")
    await writer.write("k")
    await writer.write("k")
    valkey.command("XDEL", keys.journal, f"{writer.point.position}-{writer.point.nonce}")
    valkey.command("ZADD", keys.moved, 2, "2-7 and no more")
    with pytest.raises(DataDamaged):
        await store.read_journal(0, 9, None, shard)


async def test_a_rewrite_in_a_replaced_store_is_a_loss(store: RedisStore, valkey: ValkeyServer) -> None:
    await Writer(store).write("k")
    valkey.command("HSET", keys_of(store, "a").shard, "store", "another")
    with pytest.raises(HistoryLost):
        await store.rewrite_journal("a", {1: b"-"})


def test_rows_past_the_end_of_a_page_are_left_for_the_next() -> None:
    def item(position: int) -> list[object]:
        return [b"%d-7" % position, []]

    def member(position: int) -> bytes:
        return b"%d-7  0-0 0 1 5 1 ad" % position

    assert [each[0] for each in journal._merged([item(2)], [member(1), member(4)], 3)] == [b"1-7", b"2-7"]
    assert [each[0] for each in journal._merged([item(1), item(5)], [member(4), member(6)], 1)] == [
        b"1-7",
        b"4-7",
        b"5-7",
    ]
    assert [each[0] for each in journal._merged([], [member(1), member(2)], 1)] == [b"1-7"]
