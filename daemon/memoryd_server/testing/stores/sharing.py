"""Tests of ``ports.store.Sharing``."""

import asyncio
import itertools

import msgspec
import pytest

from memoryd_server.domain.error import HistoryLost
from memoryd_server.ports.store import (
    NEVER,
    Commit,
    CommitPoint,
    FollowingRows,
    JournalCompacted,
    JournalRow,
    RevisionConflict,
    Sharing,
    Store,
)
from memoryd_server.testing.stores.change import change, home, record, records_of

_nonces = itertools.count(1)
SOON_S = 0.01


def sharing_of(store: Store) -> Sharing:
    assert store.sharing is not None
    return store.sharing


async def commit(store: Store, made: Commit, after: CommitPoint) -> CommitPoint:
    """Commit after an agent's last commit, and return the new point."""
    nonce = next(_nonces)
    position = await store.commit(msgspec.structs.replace(made, expected_point=after, nonce=nonce))
    return CommitPoint(position, nonce)


async def commits(store: Store, agent_id: str, count: int) -> list[CommitPoint]:
    """Commit ``count`` times for a new agent, and return the points before, between and after the commits."""
    points = [NEVER]
    for revision in range(count):
        points.append(await commit(store, change(agent_id, revision), points[-1]))
    return points


def texts_of(rows: list[JournalRow] | None) -> list[str]:
    assert rows is not None
    return [row.data.decode() for row in rows]


async def points_of(store: Store, shards: list[int]) -> dict[int, CommitPoint]:
    return await sharing_of(store).journal_points(shards)


async def await_rows(store: Store, after: dict[int, CommitPoint], wait_s: float = SOON_S) -> FollowingRows:
    async with asyncio.timeout(30):
        return await sharing_of(store).await_rows(after, wait_s)


class SharedCommits:
    """Tests of a store that several daemons share."""

    async def test_every_shard_is_in_one_group(self, shared_store: Store) -> None:
        groups = sharing_of(shared_store).shard_groups
        assert sorted(shard for group in groups for shard in group) == list(range(shared_store.shard_count))

    async def test_an_agent_is_loaded_with_the_point_of_its_last_commit(self, shared_store: Store) -> None:
        points = await commits(shared_store, "a", 3)
        agent = await shared_store.load("a")
        assert agent is not None
        assert agent.point == points[-1]

    async def test_a_commit_after_another_point_than_the_last_conflicts_even_at_the_same_revision(
        self,
        shared_store: Store,
    ) -> None:
        first = await commit(shared_store, change("a", 0, record("k", "1"), count=1), NEVER)
        counted = await commit(shared_store, change("a", 1, record("k", "counted"), count=1, revisions=0), first)
        for stale in (NEVER, first, CommitPoint(counted.position, counted.nonce + 1_000_000)):
            with pytest.raises(RevisionConflict) as refused:
                await commit(shared_store, change("a", 1, record("k", "lost"), count=1), stale)
            assert refused.value.agent_id == "a"
        assert await records_of(shared_store, "a") == {("entry", "k"): b"counted"}
        with pytest.raises(RevisionConflict):
            await commit(shared_store, change("a", 0), counted)
        assert (await commit(shared_store, change("a", 1), counted)).position == counted.position + 1

    async def test_one_of_those_who_commit_after_the_same_point_wins(self, shared_store: Store) -> None:
        point = await commit(shared_store, change("a", 0), NEVER)
        racing = (commit(shared_store, change("a", 1, record("k", f"{n}"), count=1), point) for n in range(10))
        outcomes = await asyncio.gather(*racing, return_exceptions=True)
        (winner,) = [number for number, each in enumerate(outcomes) if isinstance(each, CommitPoint)]
        assert sum(isinstance(each, RevisionConflict) for each in outcomes) == 9
        assert await records_of(shared_store, "a") == {("entry", "k"): f"{winner}".encode()}

    async def test_an_agent_has_changed_when_its_last_commit_is_another_than_the_known_one(
        self, shared_store: Store
    ) -> None:
        sharing = sharing_of(shared_store)
        assert not await sharing.changed("a", NEVER)
        points = await commits(shared_store, "a", 3)
        await commits(shared_store, "b", 2)
        changed = await asyncio.gather(*(sharing.changed("a", point) for point in points))
        assert changed == [True, True, True, False]
        assert await sharing.changed("a", CommitPoint(points[-1].position, points[-1].nonce + 1_000_000))

    async def test_a_settled_commit_is_compared_like_any_other(self, shared_store: Store) -> None:
        sharing = sharing_of(shared_store)
        points = await commits(shared_store, "a", 2)
        assert [await sharing.changed("a", point, settle=True) for point in points] == [True, True, False]
        assert not await sharing.changed("never", NEVER, settle=True)

    async def test_many_may_be_asked_at_a_time(self, shared_store: Store) -> None:
        sharing = sharing_of(shared_store)
        points = {f"a{number}": (await commits(shared_store, f"a{number}", 1))[-1] for number in range(50)}
        assert not any(await asyncio.gather(*(sharing.changed(agent_id, point) for agent_id, point in points.items())))
        assert all(await asyncio.gather(*(sharing.changed(agent_id, NEVER) for agent_id in points)))

    async def test_a_commit_is_visible_to_every_question_after_it(self, shared_store: Store) -> None:
        sharing, point = sharing_of(shared_store), NEVER
        for revision in range(30):
            known, point = point, await commit(shared_store, change("a", revision), point)
            before, after = await asyncio.gather(sharing.changed("a", known), sharing.changed("a", point))
            assert (before, after) == (True, False)

    async def test_the_rows_after_a_known_commit_are_those_of_the_agent_alone(self, shared_store: Store) -> None:
        sharing = sharing_of(shared_store)
        a, b = home(shared_store, "a", "b")
        points, other = [NEVER], NEVER
        for revision in range(4):
            points.append(await commit(shared_store, change(a, revision), points[-1]))
            other = await commit(shared_store, change(b, revision), other)
        for number, point in enumerate(points):
            rows = await sharing.rows_since(a, point)
            assert texts_of(rows) == [f"a:{revision}" for revision in range(number + 1, 5)]
            assert [(row.base_point, row.point) for row in rows or ()] == list(itertools.pairwise(points[number:]))
        assert await sharing.rows_since("never", NEVER) == []

    async def test_rows_after_what_was_compacted_must_be_loaded(self, shared_store: Store) -> None:
        sharing = sharing_of(shared_store)
        points = await commits(shared_store, "a", 4)
        await shared_store.prune_journal(2 * shared_store.shard_count, 0)
        for point in points[:2]:
            assert await sharing.rows_since("a", point) is None
        assert texts_of(await sharing.rows_since("a", points[2])) == ["a:3", "a:4"]
        await shared_store.prune_journal(0, 0)
        assert await sharing.rows_since("a", points[3]) is None
        assert await sharing.rows_since("a", points[4]) == []

    async def test_an_agent_that_was_forgotten_must_be_loaded(self, shared_store: Store) -> None:
        point = (await commits(shared_store, "a", 2))[-1]
        last = await commit(shared_store, change("a", 2, drop_records=True, ended=True), point)
        await shared_store.prune_journal(0, 0)
        sharing = sharing_of(shared_store)
        assert await sharing.changed("a", last)
        assert await sharing.rows_since("a", last) is None
        assert await shared_store.load("a") is None
        created = await commit(shared_store, change("a", 0), NEVER)
        assert await sharing.rows_since("a", last) is None
        assert texts_of(await sharing.rows_since("a", NEVER)) == ["a:1"]
        assert not await sharing.changed("a", created)

    async def test_history_is_lost_when_a_known_commit_is_not_among_those_that_are_retained(
        self, shared_store: Store
    ) -> None:
        sharing = sharing_of(shared_store)
        points = await commits(shared_store, "a", 3)
        for point in points[1:]:
            with pytest.raises(HistoryLost) as lost:
                await sharing.rows_since("a", CommitPoint(point.position, point.nonce + 1_000_000))
            assert lost.value.metadata == {"agent_id": "a"}
        with pytest.raises(HistoryLost):
            await sharing.rows_since("a", CommitPoint(points[-1].position + 5, 1))
        with pytest.raises(HistoryLost):
            await sharing.rows_since("never", CommitPoint(points[-1].position + 5, 1))
        await shared_store.prune_journal(shared_store.shard_count, 0)
        assert await sharing.rows_since("a", CommitPoint(points[1].position, points[1].nonce + 1_000_000)) is None

    async def test_journal_points_are_those_of_the_last_rows(self, shared_store: Store) -> None:
        every = list(range(shared_store.shard_count))
        assert await points_of(shared_store, every) == dict.fromkeys(every, NEVER)
        last = {}
        for number in range(20):
            last[shared_store.shard_of(f"a{number}")] = (await commits(shared_store, f"a{number}", 2))[-1]
        assert await points_of(shared_store, every) == {**dict.fromkeys(every, NEVER), **last}
        assert await points_of(shared_store, every[1:2]) == {every[1]: last.get(every[1], NEVER)}
        await shared_store.prune_journal(0, 0)
        assert await points_of(shared_store, every) == {**dict.fromkeys(every, NEVER), **last}

    async def test_existing_rows_are_returned_in_the_order_of_their_shard(self, shared_store: Store) -> None:
        group = list(sharing_of(shared_store).shard_groups[0])
        after = dict.fromkeys(group, NEVER)
        nothing = await await_rows(shared_store, after)
        assert (nothing, nothing.complete) == ([], True)
        expected: dict[int, list[str]] = {shard: [] for shard in group}
        for number in range(30):
            shard = shared_store.shard_of(f"a{number}")
            await commits(shared_store, f"a{number}", 2)
            if shard in expected:
                expected[shard] += [f"a{number}:1", f"a{number}:2"]
        found: dict[int, list[str]] = {shard: [] for shard in group}
        while rows := await await_rows(shared_store, after):
            for row in rows:
                assert row.position == after[row.shard].position + 1
                after[row.shard] = row.point
                found[row.shard].append(row.data.decode())
            assert rows.complete is (found == expected)
        assert found == expected
        assert after == await points_of(shared_store, group)

    async def test_a_wait_for_rows_ends_with_the_next_commit(self, shared_store: Store) -> None:
        (agent_id,) = home(shared_store, "a")
        group = next(each for each in sharing_of(shared_store).shard_groups if 0 in each)
        after, point = await points_of(shared_store, list(group)), NEVER
        for revision in range(3):
            waiting = [asyncio.create_task(await_rows(shared_store, after, 1_000)) for _ in range(2)]
            await asyncio.sleep(0)
            point = await commit(shared_store, change(agent_id, revision), point)
            for rows in await asyncio.gather(*waiting):
                assert texts_of(rows) == [f"a:{revision + 1}"]
                after[0] = rows[0].point

    async def test_only_rows_of_the_requested_shards_are_returned(self, shared_store: Store) -> None:
        (agent_id,) = home(shared_store, "a")
        await commits(shared_store, agent_id, 1)
        for number in range(10):
            await commits(shared_store, f"other{number}", 1)
        assert {row.shard for row in await await_rows(shared_store, {0: NEVER})} == {0}

    async def test_only_rows_after_the_pruned_ones_can_be_followed(self, shared_store: Store) -> None:
        (agent_id,) = home(shared_store, "a")
        points = await commits(shared_store, agent_id, 3)
        await shared_store.prune_journal(0, 0)
        assert await await_rows(shared_store, {0: points[3]}) == []
        await commit(shared_store, change(agent_id, 3), points[3])
        assert texts_of(await await_rows(shared_store, {0: points[3]})) == ["a:4"]
        with pytest.raises(JournalCompacted) as compacted:
            await await_rows(shared_store, {0: points[2]})
        assert list(compacted.value.shards) == [0]

    async def test_following_a_point_that_is_not_in_the_journal_raises_history_lost(self, shared_store: Store) -> None:
        (agent_id,) = home(shared_store, "a")
        points = await commits(shared_store, agent_id, 3)
        for point in (points[1], points[2]):
            with pytest.raises(HistoryLost):
                await await_rows(shared_store, {0: CommitPoint(point.position, point.nonce + 1_000_000)})
        with pytest.raises(HistoryLost):
            await await_rows(shared_store, {0: CommitPoint(points[-1].position + 5, 1)})

    async def test_somebody_has_the_duty_of_every_shard(self, shared_store: Store) -> None:
        async with asyncio.timeout(30):
            while set(await sharing_of(shared_store).duties()) != set(range(shared_store.shard_count)):
                await sharing_of(shared_store).await_rows({0: NEVER}, SOON_S)

    async def test_a_store_is_used_by_no_daemon_until_one_asks_for_duties(self, shared_store: Store) -> None:
        assert await sharing_of(shared_store).daemon_count() == 0

    async def test_due_agents_and_pruning_are_asked_for_by_shard(self, shared_store: Store) -> None:
        agent_ids = [f"a{number}" for number in range(12)]
        for agent_id in agent_ids:
            await commit(shared_store, change(agent_id, 0, deadline=5), NEVER)
        by_shard: dict[int, set[str]] = {shard: set() for shard in range(shared_store.shard_count)}
        for agent_id in agent_ids:
            by_shard[shared_store.shard_of(agent_id)].add(agent_id)
        for shard, expected in by_shard.items():
            assert set(await shared_store.due_agents(5, 100, [shard])) == expected
        assert set(await shared_store.due_agents(5, 100, [])) == set()
        assert set(await shared_store.due_agents(5, 100)) == set(agent_ids)
        (shard, *_) = [each for each, ids in by_shard.items() if ids]
        assert await shared_store.prune_journal(0, 0, [shard]) == len(by_shard[shard])
        assert await shared_store.prune_journal(0, 0) == 12 - len(by_shard[shard])

    async def test_a_scan_sees_each_agent_whole_while_others_commit(self, shared_store: Store) -> None:
        points = {}
        for number in range(20):
            made = change(f"a{number}", 0, record("k", "0"), record("l", "0"), count=2)
            points[f"a{number}"] = await commit(shared_store, made, NEVER)

        async def write() -> None:
            for agent_id, point in points.items():
                await commit(shared_store, change(agent_id, 1, record("k", "1"), record("l", "1"), count=2), point)

        writing = asyncio.create_task(write())
        seen = {}
        async for agent in shared_store.scan():
            seen[agent.head.agent_id] = agent
            await asyncio.sleep(0)
        await writing
        assert seen.keys() == points.keys()
        assert all(len({each.data for each in agent.records}) == 1 for agent in seen.values())
        assert all(agent.head.record_count == len(agent.records) == 2 for agent in seen.values())

    async def test_the_nonce_of_a_row_is_there_as_long_as_the_row(self, shared_store: Store) -> None:
        assert shared_store.sharing is not None
        shard = shared_store.shard_of("a")
        assert await shared_store.sharing.nonce_at(shard, 1) is None
        point = await commit(shared_store, change("a", 0), NEVER)
        assert await shared_store.sharing.nonce_at(shard, point.position) == point.nonce
        assert await shared_store.sharing.nonce_at(shard, point.position + 1) is None
        await shared_store.prune_journal(0, 0)
        assert await shared_store.sharing.nonce_at(shard, point.position) is None

    async def test_all_shards_of_a_store_that_answers_are_available(self, shared_store: Store) -> None:
        assert shared_store.sharing is not None
        assert await shared_store.sharing.unavailable_shards(5) == []
