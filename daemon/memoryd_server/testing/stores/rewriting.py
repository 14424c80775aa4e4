"""Tests of replacing the data of journal rows."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from memoryd_server.ports.store import NEVER, CommitPoint, JournalCompacted, JournalRow, RecordKey, Store
from memoryd_server.testing.stores.change import change, home, record, texts_of

MANY = 250
"""Number of rows that exceeds the batches of any store."""


async def filled(store: Store, count: int = 6) -> tuple[str, str]:
    """Return two agents of shard 0 whose rows alternate, ``count`` rows each."""
    a, b = home(store, "a", "b")
    for revision in range(count):
        await store.commit(change(a, revision))
        await store.commit(change(b, revision))
    return a, b


async def rows_of(store: Store, after: int = 0) -> list[JournalRow]:
    return list((await store.read_journal(after, 1_000)).rows)


def replaced(rows: list[JournalRow], data: dict[int, bytes]) -> list[JournalRow]:
    return [msgspec.structs.replace(row, data=data.get(row.position, row.data)) for row in rows]


def files_below(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


async def shared_commits(store: Store, agent_id: str, count: int, first: CommitPoint = NEVER) -> list[CommitPoint]:
    points = [first]
    for revision in range(count):
        made = change(agent_id, revision)
        nonce = 100 + revision
        made = msgspec.structs.replace(made, expected_point=points[-1], nonce=nonce)
        points.append(CommitPoint(await store.commit(made), nonce))
    return points


class DurableRewriting:
    """Additional tests of a store whose data outlives it."""

    async def test_what_was_rewritten_stays_so_when_the_store_is_opened_again(
        self, open_again: Callable[[], Store]
    ) -> None:
        store = open_again()
        await store.open()
        a, _ = await filled(store)
        await store.rewrite_journal(a, {1: b"first", 7: b"x" * 100_000, 11: b"last"})
        rows = await rows_of(store)
        await store.close()
        again = open_again()
        await again.open()
        assert await rows_of(again) == rows
        assert await again.commit(change(a, 6)) == 13
        await again.close()

    async def test_no_file_holds_what_was_rewritten_or_replaced(
        self, open_again: Callable[[], Store], tmp_path: Path
    ) -> None:
        store = open_again()
        await store.open()
        (a,) = home(store, "a")
        secret = b"never to be found again"
        first = change(a, 0, record("replaced", secret.decode()), record("deleted", secret.decode()), count=2)
        await store.commit(msgspec.structs.replace(first, journal=secret))
        await store.commit(change(a, 1, record("replaced"), deletes=(RecordKey("entry", "deleted"),), count=1))
        assert await store.rewrite_journal(a, {1: b"-"}) == 1
        assert [path.name for path in files_below(tmp_path) if secret in path.read_bytes()] == []
        await store.close()


class SharedRewriting:
    """Additional tests of a store that several daemons share."""

    @pytest.mark.parametrize("rewritten", [(1,), (2,), (4,), (2, 3), (1, 2, 3, 4)])
    async def test_a_rewritten_row_is_the_same_commit(self, shared_store: Store, rewritten: tuple[int, ...]) -> None:
        sharing = shared_store.sharing
        assert sharing is not None
        (a,) = home(shared_store, "a")
        points = await shared_commits(shared_store, a, 4)
        await shared_store.rewrite_journal(a, dict.fromkeys(rewritten, b"-"))
        expected = [f"a:{number}" if number not in rewritten else "-" for number in range(1, 5)]
        for known, point in enumerate(points):
            rows = await sharing.rows_since(a, point)
            assert rows is not None
            assert [row.data.decode() for row in rows] == expected[known:]
            assert [row.point for row in rows] == points[known + 1 :]
            assert [row.base_point for row in rows] == points[known:-1]
            followed = await sharing.await_rows({0: point}, 0.0)
            assert (list(followed), followed.complete) == (rows, True)
        assert [await sharing.nonce_at(0, position) for position in range(1, 6)] == [100, 101, 102, 103, None]
        assert await sharing.journal_points([0]) == {0: points[-1]}
        assert not await sharing.changed(a, points[-1])

    async def test_who_waits_for_rows_gets_those_that_were_rewritten_before_they_were_read(
        self, shared_store: Store
    ) -> None:
        sharing = shared_store.sharing
        assert sharing is not None
        (a,) = home(shared_store, "a")
        group = next(each for each in sharing.shard_groups if 0 in each)
        after = await sharing.journal_points(group)
        assert await sharing.await_rows(after, 0.0) == []
        points = await shared_commits(shared_store, a, 2)
        await shared_store.rewrite_journal(a, {1: b"-", 2: b"-"})
        # The position was read before the rows were rewritten: only the store knows that there are new ones.
        rows = await sharing.await_rows(after, 1_000)
        assert [(row.data, row.point) for row in rows] == [(b"-", points[1]), (b"-", points[2])]
        after[0] = points[2]
        assert await sharing.await_rows(after, 0.0) == []
        nonce = 500
        made = msgspec.structs.replace(change(a, 2), expected_point=points[2], nonce=nonce)
        await shared_store.commit(made)
        assert [row.data for row in await sharing.await_rows(after, 1_000)] == [b"a:3"]


class Rewriting:
    """Tests of every store."""

    @pytest.mark.parametrize("positions", [[1], [5], [11], [1, 11], [1, 3, 5, 7, 9, 11]])
    async def test_rewriting_changes_only_the_data_of_rows(self, store: Store, positions: list[int]) -> None:
        a, _ = await filled(store)
        before = await rows_of(store)
        other = {position: f"instead of {position}".encode() for position in positions}
        assert await store.rewrite_journal(a, other) == len(positions)
        assert await rows_of(store) == replaced(before, other)
        assert (await store.journal_start(), await store.journal_end()) == (1, 12)

    async def test_a_row_is_rewritten_again_and_again(self, store: Store) -> None:
        a, _ = await filled(store)
        for data in (b"", b"x", b"x", b"x" * 100_000, b"y"):
            assert await store.rewrite_journal(a, {3: data, 5: data}) == 2
            assert [row.data for row in await rows_of(store, 1)][1:4:2] == [data, data]

    async def test_all_rows_are_rewritten(self, store: Store) -> None:
        a, b = await filled(store, MANY)
        before = await rows_of(store)
        of = {agent_id: {row.position: b"-" for row in before if row.agent_id == agent_id} for agent_id in (a, b)}
        assert [await store.rewrite_journal(agent_id, of[agent_id]) for agent_id in (a, b)] == [MANY, MANY]
        assert await rows_of(store) == replaced(before, of[a] | of[b])
        assert await store.commit(change(a, MANY)) == 2 * MANY + 1
        assert await texts_of(store, 2 * MANY) == [f"a:{MANY + 1}"]

    async def test_what_is_no_row_of_the_agent_is_passed_over(self, store: Store) -> None:
        a, b = await filled(store)
        await store.prune_journal(10 * store.shard_count, 0)
        before = await rows_of(store, 2)
        assert await store.rewrite_journal(b, dict.fromkeys((0, 1, 2, 3, 4, 13, 2**40), b"-")) == 1
        assert await store.rewrite_journal("nobody", {4: b"nobody's"}) == 0
        assert await store.rewrite_journal(a, {}) == 0
        assert await rows_of(store, 2) == replaced(before, {4: b"-"})
        with pytest.raises(JournalCompacted):
            await store.read_journal(1, 10)

    async def test_rows_are_found_as_before(self, store: Store) -> None:
        a, b = await filled(store)
        for agent_id, positions in ((a, (1, 5, 11)), (b, (6, 12))):
            await store.rewrite_journal(agent_id, dict.fromkeys(positions, b"-"))
        assert [await store.locate(a, revision) for revision in range(7)] == [0, 2, 4, 6, 8, 10, 12]
        assert [await store.locate(b, revision) for revision in range(7)] == [1, 3, 5, 7, 9, 11, 12]
        assert [row.data for row in await store.recent_journal(a, 3, 9)] == [b"-", b"a:4", b"a:5", b"-"]
        assert [row.data for row in await store.recent_journal(b, 0, 2)] == [b"b:5", b"-"]
        assert await texts_of(store, 0, 3, (a,)) == ["-", "a:2", "-"]
        assert await texts_of(store, 4, 3) == ["-", "-", "a:4"]
        page = await store.read_journal(4, 2, (b,))
        assert ([row.data for row in page.rows], page.end_position, page.complete) == ([b"-", b"b:4"], 8, False)

    async def test_commits_go_on_after_the_last_row_was_rewritten(self, store: Store) -> None:
        a, b = await filled(store)
        await store.rewrite_journal(b, {12: b"-"})
        assert await store.commit(change(b, 6, record("k"), count=1)) == 13
        await store.rewrite_journal(b, {13: b"-"})
        assert await store.commit(change(a, 6)) == 14
        assert await texts_of(store, 10) == ["a:6", "-", "-", "a:7"]
        assert await store.journal_end() == 14

    @pytest.mark.parametrize("rewritten", [(1, 3, 5), (3,), (7,), (11,), (1, 3, 5, 7, 9, 11)])
    @pytest.mark.parametrize("retained", range(0, 13, 2))
    async def test_rewritten_rows_are_pruned_in_their_turn(
        self, store: Store, rewritten: tuple[int, ...], retained: int
    ) -> None:
        a, _ = await filled(store)
        await store.rewrite_journal(a, dict.fromkeys(rewritten, b"-"))
        whole = await rows_of(store)
        assert await store.prune_journal(retained * store.shard_count, 0) == 12 - retained
        assert await store.journal_start() == 13 - retained
        assert await rows_of(store, 12 - retained) == whole[12 - retained :]
        assert await store.commit(change(a, 6)) == 13
        if retained < 12:
            with pytest.raises(JournalCompacted):
                await store.read_journal(11 - retained, 10)

    async def test_rewritten_rows_keep_their_times(self, store: Store) -> None:
        (a,) = home(store, "a")
        for revision, time in enumerate((10, 20, 50, 30, 40, 60)):
            await store.commit(change(a, revision, time=time))
        await store.rewrite_journal(a, {2: b"-", 3: b"-", 6: b"-"})
        assert [await store.prune_journal(1_000 * store.shard_count, time) for time in (10, 15, 45, 45)] == [0, 1, 1, 0]
        assert await texts_of(store, 2) == ["-", "a:4", "a:5", "-"]
        assert await store.prune_journal(1_000 * store.shard_count, 60) == 3
        assert await texts_of(store, 5) == ["-"]
        assert await store.prune_journal(1_000 * store.shard_count, 61) == 1
        assert await store.journal_start() == 7

    async def test_the_head_of_an_ended_agent_goes_with_its_rewritten_row(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        await store.commit(change(a, 0))
        await store.commit(change(a, 1, drop_records=True, ended=True))
        await store.commit(change(b, 0))
        await store.rewrite_journal(a, {1: b"-", 2: b"-"})
        await store.prune_journal(2 * store.shard_count, 0)
        assert await store.load_head(a) is not None
        await store.prune_journal(store.shard_count, 0)
        assert await store.load_head(a) is None
        assert await texts_of(store, 2) == ["b:1"]

    async def test_commits_and_reads_go_on_while_rows_are_rewritten(self, store: Store) -> None:
        a, b = await filled(store, MANY)
        last = 2 * MANY

        async def write() -> None:
            for revision in range(MANY, MANY + 100):
                await store.commit(change(b, revision))

        async def rewrite() -> None:
            for first in range(last - 1, 0, -20):
                assert await store.rewrite_journal(a, dict.fromkeys(range(first, max(first - 20, 0), -2), b"-")) > 0

        working = asyncio.gather(write(), rewrite())
        while not working.done():
            rows = await rows_of(store)
            assert [row.position for row in rows] == list(range(1, len(rows) + 1))
            assert {row.data for row in rows if row.agent_id == b} == {
                f"b:{number}".encode() for number in range(1, len(rows) - MANY + 1)
            }
            assert await store.locate(a, MANY - 1) == last - 2
            await asyncio.sleep(0)
        await working
        assert [row.data for row in await rows_of(store) if row.agent_id == a] == [b"-"] * MANY
