import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.unit.stores.redis.regression import go_back, image
from tests.unit.stores.redis.writing import Writer, fresh_store
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX, until

from memoryd_server.domain.error import HistoryLost, StoreUnavailable
from memoryd_server.ports.store import NEVER, CommitPoint, JournalCompacted, JournalRow, Sharing
from memoryd_server.stores.redis import tail
from memoryd_server.stores.redis.store import RedisStore
from memoryd_server.stores.redis.tail import Tail

LONG_S = WAIT_S_MAX
"""A wait that must end before this time."""
SHORT_S = 0.01  # time: existing rows are returned at once


@pytest.fixture
def without_look_back_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "LOOK_BACK_S", 0.0)


@pytest.fixture
def sharing(store: RedisStore) -> Sharing:
    assert store.sharing is not None
    return store.sharing


@asynccontextmanager
async def open_store(url: str, **settings: object) -> AsyncIterator[RedisStore]:
    store = fresh_store(url, **settings)  # type: ignore[arg-type]
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def sharing_of(store: RedisStore) -> Sharing:
    assert store.sharing is not None
    return store.sharing


def is_blocked(server: ValkeyServer) -> bool:
    return server.information("clients")["blocked_clients"] == "1"


def from_the_start(store: RedisStore) -> dict[int, CommitPoint]:
    return dict.fromkeys(range(store.shard_count), NEVER)


def agents(rows: list[JournalRow]) -> list[tuple[int, str]]:
    return [(row.shard, row.agent_id) for row in rows]


async def test_one_wait_covers_all_shards_of_one_server(store: RedisStore, sharing: Sharing) -> None:
    assert sharing.shard_groups == [range(2)]
    names = {store.shard_of(name): name for name in "abcdefgh"}
    for shard in (0, 1):
        await Writer(store, names[shard]).write("k")
    assert sorted(agents(await sharing.await_rows(from_the_start(store), SHORT_S))) == [(0, names[0]), (1, names[1])]


async def test_each_slot_of_a_cluster_has_its_own_wait(valkey_cluster: ValkeyCluster) -> None:
    async with open_store(f"redis+cluster://{valkey_cluster.nodes[0].address}", shard_count=3) as store:
        sharing = sharing_of(store)
        assert sharing.shard_groups == [(0,), (1,), (2,)]
        for name in "abcdefgh":
            await Writer(store, name).write("k")
        rows = await asyncio.gather(*(sharing.await_rows({shard: NEVER}, SHORT_S) for shard in range(3)))
        assert sorted(row.agent_id for each in rows for row in each) == list("abcdefgh")


async def test_a_wait_ends_with_the_first_row_or_at_its_time_limit(store: RedisStore, sharing: Sharing) -> None:
    assert await sharing.await_rows(from_the_start(store), SHORT_S) == []
    waiting = asyncio.ensure_future(sharing.await_rows(from_the_start(store), LONG_S))
    point = await Writer(store).write("k")
    assert [row.point for row in await waiting] == [point]
    assert await sharing.await_rows({store.shard_of("a"): point}, SHORT_S) == []


async def test_rows_are_returned_in_order_without_gaps(store: RedisStore, sharing: Sharing) -> None:
    writers = [Writer(store, name) for name in "abcdefgh"]
    points = from_the_start(store)
    came: list[JournalRow] = []

    async def follow() -> None:
        while len(came) < 400:
            for row in await sharing.await_rows(points, LONG_S):
                assert row.position == points[row.shard].position + 1
                points[row.shard] = row.point
                came.append(row)

    following = asyncio.ensure_future(follow())
    for _ in range(50):
        await asyncio.gather(*(writer.write("k") for writer in writers))
    await following
    assert len({row.point for row in came}) == 400


async def test_rows_that_were_pruned_unread_raise_with_their_shards(
    valkey: ValkeyServer,
) -> None:
    async with open_store(valkey.url, shard_count=3) as store:
        sharing = sharing_of(store)
        names = {store.shard_of(name): name for name in "abcdefgh"}
        for shard, count in ((0, 3), (1, 1), (2, 2)):
            writer = Writer(store, names[shard])
            for _ in range(count):
                await writer.write("k")
        await store.prune_journal(store.shard_count, 0)
        with pytest.raises(JournalCompacted) as compacted:
            await sharing.await_rows(from_the_start(store), SHORT_S)
        assert sorted(compacted.value.shards) == [0, 2]
        ends = await sharing.journal_points((0, 2))
        assert agents(await sharing.await_rows({**from_the_start(store), **ends}, SHORT_S)) == [(1, names[1])]


async def test_each_shard_has_an_equal_share_of_a_page(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "ROWS_FOLLOWED_MAX", 10)
    reading = Tail(store._route, store._journals, {shard: store._shards[shard] for shard in (0, 1)})
    names = {store.shard_of(name): name for name in "abcdefgh"}
    busy, quiet = Writer(store, names[0]), Writer(store, names[1])
    for _ in range(12):
        await busy.write("k")
    await quiet.write("k")
    points, counts = from_the_start(store), []
    for _ in range(3):
        rows = await reading.rows(points, SHORT_S)
        counts.append(([row.shard for row in rows].count(0), [row.shard for row in rows].count(1), rows.complete))
        points.update((row.shard, row.point) for row in rows)
    assert counts == [(5, 1, False), (5, 0, False), (2, 0, True)]
    assert (await reading.rows(points, SHORT_S)).complete
    await reading.close()


async def test_rows_are_read_a_few_at_a_time_after_a_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that some rows of any size are returned, and more of them the next time."""
    with ValkeyServer(tmp_path) as server:
        async with open_store(server.url) as store:
            writer, shard = Writer(store), store.shard_of("a")
            for _ in range(7):
                await writer.write("k")
            reading = Tail(store._route, store._journals, {shard: store._shards[shard]})
            server.pause()
            with monkeypatch.context() as impatient:
                impatient.setattr(tail, "ANSWER_S", 0.1)
                with pytest.raises(StoreUnavailable):
                    await reading.rows({shard: NEVER}, SHORT_S)
            server.resume()
            point, counts = NEVER, []
            while point != writer.point:
                rows = await reading.rows({shard: point}, SHORT_S)
                counts.append((len(rows), rows.complete))
                point = rows[-1].point
            assert counts == [(1, False), (2, False), (4, False)]
            await reading.close()


@pytest.mark.parametrize("later", [1, 2, 5])
async def test_another_row_at_the_position_of_a_point_is_a_loss(
    store: RedisStore, sharing: Sharing, valkey: ValkeyServer, later: int
) -> None:
    first = await Writer(store).write("k")
    before = image(valkey, store, "a")
    survivor = Writer(store, point=first)
    survivor.revision = 1
    # The same position with a larger nonce: the row follows the lost one in the stream.
    other = survivor.next("l")
    lost = CommitPoint(await store.commit(other), other.nonce)
    go_back(valkey, before)
    for _ in range(later):
        await survivor.write("m")
    with pytest.raises(HistoryLost):
        await sharing.await_rows({store.shard_of("a"): lost}, SHORT_S)


@pytest.mark.usefixtures("without_look_back_interval")
async def test_a_shorter_journal_is_a_loss(store: RedisStore, sharing: Sharing, valkey: ValkeyServer) -> None:
    writer = Writer(store)
    await writer.write("k")
    before = image(valkey, store, "a")
    lost = await writer.write("l")
    assert await sharing.await_rows({store.shard_of("a"): lost}, SHORT_S) == []
    go_back(valkey, before)
    with pytest.raises(HistoryLost):
        await sharing.await_rows({store.shard_of("a"): lost}, SHORT_S)


@pytest.mark.usefixtures("without_look_back_interval")
async def test_an_emptied_server_is_a_loss(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        async with open_store(server.url) as store:
            points = from_the_start(store)
            assert await sharing_of(store).await_rows(points, SHORT_S) == []
            server.command("FLUSHALL")
            with pytest.raises(HistoryLost):
                await sharing_of(store).await_rows(points, SHORT_S)


@pytest.mark.usefixtures("without_look_back_interval")
async def test_a_server_that_became_a_replica_is_unavailable(valkey: ValkeyServer, tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        async with open_store(server.url) as store:
            points = from_the_start(store)
            assert await sharing_of(store).await_rows(points, SHORT_S) == []
            server.replicate(valkey)
            with pytest.raises(StoreUnavailable):
                await sharing_of(store).await_rows(points, SHORT_S)
            server.promote()


async def test_an_interrupted_wait_is_unavailable_and_the_next_one_continues(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        async with open_store(server.url) as store:
            waiting = asyncio.ensure_future(sharing_of(store).await_rows(from_the_start(store), LONG_S))
            blocked = functools.partial(is_blocked, server)
            await asyncio.to_thread(until, blocked, "the wait has come to the server")
            server.kill()
            with pytest.raises(StoreUnavailable):
                await waiting
            with pytest.raises(StoreUnavailable):
                await sharing_of(store).await_rows(from_the_start(store), SHORT_S)
            server.start()
            point = await Writer(store).write("k")
            rows = await sharing_of(store).await_rows(from_the_start(store), SHORT_S)
            assert [row.point for row in rows] == [point]


async def test_a_silent_server_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ValkeyServer(tmp_path) as server:
        async with open_store(server.url) as store:
            await sharing_of(store).await_rows(from_the_start(store), SHORT_S)
            server.pause()
            with monkeypatch.context() as impatient:
                impatient.setattr(tail, "ANSWER_S", 0.1)
                with pytest.raises(StoreUnavailable):
                    await sharing_of(store).await_rows(from_the_start(store), SHORT_S)
            server.resume()
            assert await sharing_of(store).await_rows(from_the_start(store), SHORT_S) == []
