from pathlib import Path
from typing import Any

import pytest
from tests.unit.stores.redis.regression import go_back, image
from tests.unit.stores.redis.writing import Writer, fresh_store, impatient, journal_texts, keys_of
from tests.valkey.server import ValkeyServer

from memoryd_server.domain.error import DataDamaged, HistoryLost, StoreUnavailable
from memoryd_server.ports.store import NEVER, CommitPoint, JournalCompacted, Sharing
from memoryd_server.stores.redis import journal
from memoryd_server.stores.redis.store import RedisStore

MORE_THAN_A_WALK = 300


@pytest.fixture
def writer(store: RedisStore) -> Writer:
    return Writer(store)


@pytest.fixture
def sharing(store: RedisStore) -> Sharing:
    assert store.sharing is not None
    return store.sharing


def neighbour(store: RedisStore, agent_id: str) -> Writer:
    """Return a writer of another agent of the same shard."""
    other = agent_id + "-"
    while store.shard_of(other) != store.shard_of(agent_id):
        other += "-"
    return Writer(store, other)


async def revisions(sharing: Sharing, known: CommitPoint) -> list[int] | None:
    rows = await sharing.rows_since("a", known)
    return None if rows is None else [row.revision for row in rows]


async def test_the_rows_after_a_known_commit_are_returned_in_order(
    store: RedisStore, writer: Writer, sharing: Sharing
) -> None:
    points = [NEVER, await writer.write("k")]
    await neighbour(store, "a").write("k")
    points += [await writer.write("k"), await writer.write("k")]
    assert [await revisions(sharing, point) for point in points] == [[1, 2, 3], [2, 3], [3], []]


async def test_an_agent_that_never_existed_has_no_rows(sharing: Sharing) -> None:
    assert await revisions(sharing, NEVER) == []


async def test_too_many_rows_are_not_returned(writer: Writer, sharing: Sharing) -> None:
    first = await writer.write("k")
    for _ in range(MORE_THAN_A_WALK):
        await writer.write("k")
    assert await revisions(sharing, first) is None
    assert await revisions(sharing, NEVER) is None


async def test_large_rows_are_read_in_several_replies(
    store: RedisStore, writer: Writer, sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "PORTION_BYTES", 25_000)
    first = await writer.write("k")
    for _ in range(9):
        await writer.write("k", row=b"x" * 10_000)
    walks, walk = [], store._journals._walk

    async def counted(*arguments: Any, **kinds: Any) -> Any:
        answer = await walk(*arguments, **kinds)
        walks.append(len(answer[2]))
        return answer

    monkeypatch.setattr(store._journals, "_walk", counted)
    assert await revisions(sharing, first) == list(range(2, 11))
    assert [row.revision for row in await store.recent_journal("a", 0, 99)] == list(range(1, 11))
    assert [row.revision for row in await store.recent_journal("a", 6, 99)] == [6, 7, 8, 9, 10]
    assert [row.revision for row in await store.recent_journal("a", 0, 4)] == [7, 8, 9, 10]
    assert walks == [3, 3, 3, 3, 3, 3, 1, 3, 2, 3, 1]
    walks.clear()
    assert await store.locate("a", 4) == 4
    assert walks == [1, 1, 0]


async def test_pruned_rows_are_reported_as_missing(store: RedisStore, writer: Writer, sharing: Sharing) -> None:
    first, second = await writer.write("k"), await writer.write("k")
    third = await writer.write("k")
    await store.prune_journal(store.shard_count, 0)
    assert [await revisions(sharing, point) for point in (NEVER, first, second, third)] == [None, None, [3], []]


async def test_a_pruned_ended_agent_is_no_loss(store: RedisStore, writer: Writer, sharing: Sharing) -> None:
    first = await writer.write("k")
    last = await writer.write(ended=True)
    await neighbour(store, "a").write("k")
    await store.prune_journal(store.shard_count, 0)
    assert [await revisions(sharing, point) for point in (first, last)] == [None, None]
    await Writer(store).write("k")
    assert [await revisions(sharing, point) for point in (first, last)] == [None, None]


async def test_the_loss_of_the_last_commit_is_detected(
    store: RedisStore, writer: Writer, sharing: Sharing, valkey: ValkeyServer
) -> None:
    first = await writer.write("k")
    before = image(valkey, store, "a")
    lost = await writer.write("l")
    go_back(valkey, before)
    with pytest.raises(HistoryLost) as loss:
        await sharing.rows_since("a", lost)
    assert loss.value.metadata == {"agent_id": "a"}
    assert await revisions(sharing, first) == []


async def test_the_loss_of_an_agents_first_commit_is_detected(
    store: RedisStore, writer: Writer, sharing: Sharing, valkey: ValkeyServer
) -> None:
    await neighbour(store, "a").write("k")
    before = image(valkey, store, "a")
    lost = await writer.write("k")
    go_back(valkey, before)
    with pytest.raises(HistoryLost):
        await sharing.rows_since("a", lost)


@pytest.mark.parametrize("commits_between", [0, 1, 2])
async def test_a_loss_is_detected_after_the_agent_was_created_again(
    store: RedisStore, writer: Writer, sharing: Sharing, valkey: ValkeyServer, commits_between: int
) -> None:
    other = neighbour(store, "a")
    await other.write("k")
    before = image(valkey, store, "a")
    lost = await writer.write("k")
    go_back(valkey, before)
    for _ in range(commits_between):
        await other.write("k")
    await Writer(store).write("instead")
    with pytest.raises(HistoryLost):
        await sharing.rows_since("a", lost)


async def test_a_loss_is_detected_after_many_other_commits(
    store: RedisStore, writer: Writer, sharing: Sharing, valkey: ValkeyServer
) -> None:
    first = await writer.write("k")
    before = image(valkey, store, "a")
    lost = await writer.write("l")
    go_back(valkey, before)
    survivor = Writer(store, point=first)
    survivor.revision = 1
    for _ in range(MORE_THAN_A_WALK):
        await survivor.write("m")
    with pytest.raises(HistoryLost):
        await sharing.rows_since("a", lost)


async def test_a_page_ends_at_its_limit_or_at_the_end_of_the_journal(store: RedisStore, writer: Writer) -> None:
    shard = store.shard_of("a")
    for _ in range(600):
        await writer.write("k")

    async def page(after: int, limit: int, *agent_ids: str) -> tuple[int, int, bool]:
        found = await store.read_journal(after, limit, agent_ids or None, shard)
        return len(found.rows), found.end_position, found.complete

    assert await page(0, 600) == (600, 600, True)
    assert await page(0, 599) == (599, 599, False)
    assert await page(0, 1_000) == (600, 600, True)
    assert await page(600, 10) == (0, 600, True)
    assert await page(0, 3, "a") == (3, 3, False)
    assert await page(0, 3, "nobody") == (0, 600, True)


async def test_a_page_that_skips_many_rows_states_where_it_ends(store: RedisStore, writer: Writer) -> None:
    other = neighbour(store, "a")
    await writer.write("k")
    commits = []
    for _ in range(4_500):
        commit = other.next("k")
        position = store.commit(commit)
        other.note(commit, len(commits) + 2)
        commits.append(position)
    assert [await each for each in commits] == list(range(2, 4_502))
    page = await store.read_journal(1, 5, ["a"], store.shard_of("a"))
    assert (page.rows, page.complete) == ((), False)
    assert 4_096 <= page.end_position < 4_501
    rest = await store.read_journal(page.end_position, 5, ["a"], store.shard_of("a"))
    assert (rest.rows, rest.end_position, rest.complete) == ((), 4_501, True)


async def test_a_page_of_large_rows_is_read_in_several_replies(store: RedisStore, writer: Writer) -> None:
    shard, portion = store.shard_of("a"), store._journals._portion
    for _ in range(8):
        await writer.write("k", row=b"x" * 300_000)
    largest = portion.rows
    assert len((await store.read_journal(0, 5, None, shard)).rows) == 5
    assert portion.rows == largest // 2
    for _ in range(10):
        await store.read_journal(0, 5, None, shard)
    assert portion.rows < 5
    page = await store.read_journal(0, 99, None, shard)
    assert ([row.position for row in page.rows], page.complete) == (list(range(1, 8)), False)
    page = await store.read_journal(page.end_position, 99, None, shard)
    assert ([row.position for row in page.rows], page.complete) == ([8], True)


async def test_a_page_is_read_row_by_row_after_a_timeout(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        await store.open()
        writer = Writer(store)
        await writer.write("k")
        await writer.write("k")
        server.pause()
        with impatient(store), pytest.raises(StoreUnavailable):
            await store.read_journal(0, 9, None, store.shard_of("a"))
        assert store._journals._portion.rows == 1
        server.resume()
        assert len((await store.read_journal(0, 9, None, store.shard_of("a"))).rows) == 2
        await store.close()


async def test_reading_pruned_rows_raises_with_the_oldest_revision(store: RedisStore, writer: Writer) -> None:
    shard = store.shard_of("a")
    for _ in range(3):
        await writer.write("k")
    await store.prune_journal(store.shard_count, 0)
    assert await journal_texts(store, shard, 2) == ["a:3"]
    for agent_ids, oldest in ((None, None), (["a"], 3), (["a", "b"], None), (["nobody"], None)):
        with pytest.raises(JournalCompacted) as compacted:
            await store.read_journal(1, 9, agent_ids, shard)
        assert compacted.value.oldest_revision == oldest
    await store.prune_journal(0, 0)
    for after in (0, 2):
        with pytest.raises(JournalCompacted):
            await store.read_journal(after, 9, None, shard)
    assert (await store.read_journal(3, 9, None, shard)).complete


async def test_every_read_of_a_malformed_row_is_damage(
    store: RedisStore, writer: Writer, sharing: Sharing, valkey: ValkeyServer
) -> None:
    point = await writer.write("k")
    shard, keys = store.shard_of("a"), keys_of(store, "a")
    valkey.command("XADD", keys.journal, "2-7", "a", "a", "p", f"{point.position}-{point.nonce}")
    valkey.command("HSET", keys.shard, "last", "2-7")
    valkey.command("HSET", keys.agent("a"), "id", "2-7")
    attempts: list[Any] = [
        lambda: store.read_journal(0, 9, None, shard),
        lambda: sharing.rows_since("a", point),
        lambda: sharing.await_rows({shard: point}, 0.0),
    ]
    for attempt in attempts:
        with pytest.raises(DataDamaged, match="row 2"):
            await attempt()


async def test_the_nonce_of_a_row_is_returned_while_it_is_retained(store: RedisStore, sharing: Sharing) -> None:
    writer, shard = Writer(store), store.shard_of("a")
    points = [await writer.write("k") for _ in range(3)]
    assert [await sharing.nonce_at(shard, point.position) for point in points] == [point.nonce for point in points]
    assert [await sharing.nonce_at(shard, position) for position in (0, 4)] == [None, None]
    await store.prune_journal(store.shard_count, 0)
    assert [await sharing.nonce_at(shard, point.position) for point in points] == [None, None, points[2].nonce]
