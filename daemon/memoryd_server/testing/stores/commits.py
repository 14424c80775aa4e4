"""Tests of ``ports.store.Store`` for every store."""

import asyncio
from contextlib import aclosing

import msgspec
import pytest

from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.ports.store import (
    AgentHead,
    AgentQuery,
    Commit,
    JournalCompacted,
    JournalRow,
    Record,
    RecordKey,
    RevisionConflict,
    Store,
    StoredAgent,
    Tally,
)
from memoryd_server.testing.stores.change import change, home, record, records_of, texts_of


class EmbeddedCommits:
    """Additional tests of a store that only one daemon uses at a time."""

    async def test_a_commit_without_an_event_writes_no_row_and_returns_the_last_position(self, store: Store) -> None:
        head = AgentHead("a", 1, 1, 1, 1)
        await store.commit(change("a", 0, record("k", "1"), count=1))
        assert await store.commit(Commit(head, 1, (record("k", "counted"),))) == 1
        assert await records_of(store, "a") == {("entry", "k"): b"counted"}
        assert await texts_of(store) == ["a:1"]

    async def test_a_scan_is_of_one_moment(self, store: Store) -> None:
        ids = [f"agent-{number:03}" for number in range(200)]
        await asyncio.gather(*(store.commit(change(agent_id, 0, record("k", "old"), count=1)) for agent_id in ids))
        seen: list[StoredAgent] = []
        async with aclosing(store.scan()) as scan:
            async for agent in scan:
                if not seen:
                    await store.commit(change("new", 0))
                    await store.commit(change(ids[-1], 1, record("k", "new"), count=1))
                    await store.commit(change(ids[-2], 1, drop_records=True, ended=True))
                seen.append(agent)
        assert [agent.head.agent_id for agent in seen] == ids
        assert {agent.records for agent in seen} == {(record("k", "old"),)}
        assert len(await store.list_agents(AgentQuery(1000))) == 200


class Commits:
    """Tests of every store."""

    async def test_a_new_store_is_empty(self, store: Store) -> None:
        assert store.store_id
        assert await store.journal_end() == 0
        assert await store.load("a") is None
        assert await store.load_head("a") is None
        assert await store.list_agents(AgentQuery(10)) == []
        assert await store.due_agents(2**62, 10) == []
        assert [agent async for agent in store.scan()] == []
        page = await store.read_journal(0, 10)
        assert (page.rows, page.end_position, page.complete) == ((), 0, True)
        assert await store.prune_journal(0, 2**62) == 0

    async def test_a_commit_is_loaded_as_it_was_given(self, store: Store) -> None:
        (agent_id,) = home(store, "agent-ß")
        nonce = 0 if store.sharing is None else 7
        head = AgentHead(agent_id, 3, 11, 12, 2, 13)
        puts = (Record("entry", "schlüssel\x00\U0010ffff", bytes(range(256))), Record("scope", "", b""))
        assert await store.commit(Commit(head, 0, puts, journal=b"\x00told", nonce=nonce)) == 1
        agent = await store.load(agent_id)
        assert agent is not None
        assert agent.head == head
        assert sorted(agent.records, key=lambda r: r.kind) == list(puts)
        assert await store.load_head(agent_id) == head
        assert (await store.read_journal(0, 10)).rows == (JournalRow(1, agent_id, 0, 3, 12, b"\x00told", 0, nonce),)

    async def test_the_totals_are_the_sums_of_the_agents_tallies(self, store: Store) -> None:
        async def commit(agent_id: str, revision: int, tally: Tally, *, ended: bool = False) -> None:
            plain = change(agent_id, revision, drop_records=ended, ended=ended)
            await store.commit(msgspec.structs.replace(plain, head=msgspec.structs.replace(plain.head, tally=tally)))

        assert await store.totals() == Tally()
        await commit("a", 0, Tally(1, 2, 3, 4))
        await commit("b", 0, Tally(entries=10))
        assert await store.totals() == Tally(11, 2, 3, 4)
        await commit("b", 1, Tally(entries=7, memories=1))
        assert await store.totals() == Tally(8, 2, 3, 5)
        head = await store.load_head("b")
        assert head is not None
        assert head.tally == Tally(entries=7, memories=1)
        await commit("b", 2, Tally(), ended=True)
        assert await store.totals() == Tally(1, 2, 3, 4)

    async def test_large_data_comes_back_whole(self, store: Store) -> None:
        large = record("k", "x" * 3_000_000)
        await store.commit(change("a", 0, large, count=1))
        assert await records_of(store, "a") == {("entry", "k"): large.data}

    async def test_a_put_replaces_and_a_delete_removes(self, store: Store) -> None:
        await store.commit(change("a", 0, record("k", "1"), record("l", "1"), record("m", "1"), count=3))
        await store.commit(change("a", 1, record("k", "2"), deletes=(RecordKey("entry", "l"),), count=2))
        assert await records_of(store, "a") == {("entry", "k"): b"2", ("entry", "m"): b"1"}

    async def test_records_are_named_by_kind_and_key(self, store: Store) -> None:
        await store.commit(change("a", 0, record("k", "entry"), record("k", "scope", kind="scope"), count=2))
        await store.commit(change("a", 1, deletes=(RecordKey("scope", "k"), RecordKey("scope", "never")), count=1))
        assert await records_of(store, "a") == {("entry", "k"): b"entry"}

    async def test_drop_records_comes_before_the_puts(self, store: Store) -> None:
        await store.commit(change("a", 0, record("k", "1"), record("l", "1"), count=2))
        await store.commit(change("a", 1, record("l", "2"), count=1, drop_records=True))
        assert await records_of(store, "a") == {("entry", "l"): b"2"}

    async def test_agents_do_not_see_each_others_records(self, store: Store) -> None:
        await asyncio.gather(*(store.commit(change(a, 0, record("k", a), count=1)) for a in ("a", "b", "c")))
        await store.commit(change("b", 1, drop_records=True))
        assert await records_of(store, "a") == {("entry", "k"): b"a"}
        assert await records_of(store, "b") == {}

    async def test_a_commit_that_expects_another_revision_is_refused(self, store: Store) -> None:
        await store.commit(change("a", 0, record("k", "1"), count=1))
        for expected in (0, 2):
            with pytest.raises(RevisionConflict) as refused:
                await store.commit(change("a", expected, record("k", "2"), count=1))
            assert refused.value.agent_id == "a"
        with pytest.raises(RevisionConflict):
            await store.commit(change("never", 7))
        assert await records_of(store, "a") == {("entry", "k"): b"1"}
        assert await store.load_head("never") is None
        assert await store.journal_end(store.shard_of("a")) == 1

    async def test_a_stale_commit_fails_alone_among_those_submitted_with_it(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        futures = [store.commit(change(a, e)) for a, e in ((a, 0), (b, 5), (a, 0), (b, 0), (a, 1))]
        outcomes = await asyncio.gather(*futures, return_exceptions=True)
        assert [o if isinstance(o, int) else type(o) for o in outcomes] == [1, RevisionConflict, RevisionConflict, 2, 3]
        assert await texts_of(store) == ["a:1", "b:1", "a:2"]

    async def test_submitted_commits_are_carried_out_in_order(self, store: Store) -> None:
        commits = [
            change("a", r, record("k", str(r)), record(f"k{r % 7}"), count=1 + min(r + 1, 7)) for r in range(300)
        ]
        assert await asyncio.gather(*map(store.commit, commits)) == list(range(1, 301))
        assert (await records_of(store, "a"))["entry", "k"] == b"299"

    async def test_commits_of_one_agent_that_undo_each_other_leave_what_the_last_one_says(self, store: Store) -> None:
        key = RecordKey("entry", "k")
        await asyncio.gather(
            store.commit(change("a", 0, record("k", "1"), record("l"), count=2)),
            store.commit(change("a", 1, deletes=(key,), count=1)),
            store.commit(change("a", 2, record("k", "3"), count=2)),
            store.commit(change("a", 3, drop_records=True)),
            store.commit(change("a", 4, record("m", "5"), count=1)),
            store.commit(change("b", 0, record("k"), count=1)),
            store.commit(change("b", 1, deletes=(key,))),
        )
        assert await records_of(store, "a") == {("entry", "m"): b"5"}
        assert await records_of(store, "b") == {}

    async def test_a_caller_that_gives_up_does_not_undo_its_commit(self, store: Store) -> None:
        (a,) = home(store, "a")
        store.commit(change(a, 0)).cancel()
        assert await store.commit(change(a, 1)) == 2
        assert await texts_of(store) == ["a:1", "a:2"]

    async def test_an_acknowledged_commit_is_seen_by_every_read_after_it(self, store: Store) -> None:
        (a,) = home(store, "a")
        for revision in range(50):
            position = await store.commit(change(a, revision, time=revision))
            head, end, rows = await asyncio.gather(
                store.load_head(a), store.journal_end(), texts_of(store, position - 1)
            )
            assert head is not None
            assert (head.revision, end, rows) == (revision + 1, position, [f"a:{revision + 1}"])

    async def test_agents_are_listed_in_the_order_of_their_bytes_by_prefix_and_page(self, store: Store) -> None:
        ids = ["a", "b", "b/1", "b/10", "b/2", "bä", "c", "z\uffff", "z\U0001f600"]
        await asyncio.gather(*(store.commit(change(agent_id, 0)) for agent_id in reversed(ids)))

        async def listed(pattern: str, after: str, limit: int) -> list[str]:
            query = AgentQuery(limit, AgentPatterns.of([pattern]), after=(0, after) if after else None)
            return [each.head.agent_id for each in await store.list_agents(query)]

        assert await listed("*", "", 100) == ids
        assert await listed("*", "b/10", 3) == ["b/2", "bä", "c"]
        assert await listed("b/*", "", 2) == ["b/1", "b/10"]
        assert await listed("b/*", "b/10", 2) == ["b/2"]
        assert await listed("b*", "a", 100) == ["b", "b/1", "b/10", "b/2", "bä"]
        assert await listed("nobody*", "", 100) == []

    async def test_due_agents_come_earliest_first(self, store: Store) -> None:
        for agent_id, deadline in (("a", 30), ("b", 10), ("c", None), ("d", 20), ("e", 40)):
            await store.commit(change(agent_id, 0, deadline=deadline))
        assert await store.due_agents(30, 10) == ["b", "d", "a"]
        assert await store.due_agents(30, 2) == ["b", "d"]
        assert await store.due_agents(9, 10) == []
        await store.commit(change("b", 1, deadline=None))
        await store.commit(change("d", 1, deadline=35))
        assert await store.due_agents(40, 10) == ["a", "d", "e"]

    async def test_an_ended_agent_is_not_listed_and_its_revisions_continue_when_it_is_created_again(
        self, store: Store
    ) -> None:
        await store.commit(change("a", 0, record("k"), count=1))
        await store.commit(change("a", 1, drop_records=True, ended=True))
        assert await store.list_agents(AgentQuery(10)) == []
        assert [agent async for agent in store.scan()] == []
        head = await store.load_head("a")
        assert head is not None
        assert (head.ended, head.revision) == (True, 2)
        agent = await store.load("a")
        assert agent is not None
        assert (agent.head, agent.records) == (head, ())
        await store.commit(change("a", 2, record("k"), count=1))
        assert [each.head.agent_id for each in await store.list_agents(AgentQuery(10))] == ["a"]

    async def test_the_head_of_an_ended_agent_goes_with_its_last_row(self, store: Store) -> None:
        ended, alive = home(store, "ended", "alive")
        await store.commit(change(ended, 0))
        await store.commit(change(ended, 1, ended=True))
        await store.commit(change(alive, 0))
        await store.prune_journal(2 * store.shard_count, 0)
        assert await store.load_head(ended) is not None
        await store.prune_journal(store.shard_count, 0)
        assert await store.load_head(ended) is None
        assert await store.load_head(alive) is not None
        assert await store.commit(change(ended, 0)) == 4

    async def test_a_scan_may_be_left_before_its_end(self, store: Store) -> None:
        ids = home(store, *(f"a{number}" for number in range(5)), "b")
        await asyncio.gather(*(store.commit(change(agent_id, 0)) for agent_id in ids[:5]))
        async with aclosing(store.scan()) as scan:
            async for agent in scan:
                assert agent.head.agent_id == ids[0]
                break
        assert await store.commit(change(ids[5], 0)) == 6

    async def test_the_journal_is_read_in_pages_of_all_agents(self, store: Store) -> None:
        for revision in range(3):
            for agent_id in home(store, "a", "b"):
                await store.commit(change(agent_id, revision))
        first = await store.read_journal(0, 4)
        assert [row.position for row in first.rows] == [1, 2, 3, 4]
        assert (first.end_position, first.complete) == (4, False)
        second = await store.read_journal(4, 4)
        assert [row.position for row in second.rows] == [5, 6]
        assert (second.end_position, second.complete) == (6, True)
        assert (await store.read_journal(2, 4)).complete

    async def test_the_journal_is_read_in_pages_of_some_agents(self, store: Store) -> None:
        a, b, c = home(store, "a", "b", "c")
        for revision in range(4):
            for agent_id in (a, b, c):
                await store.commit(change(agent_id, revision))
        page = await store.read_journal(1, 3, {a, c, "nobody"})
        assert [row.data for row in page.rows] == [b"c:1", b"a:2", b"c:2"]
        assert (page.end_position, page.complete) == (6, False)
        rest = await store.read_journal(6, 9, {a, c})
        assert [row.data for row in rest.rows] == [b"a:3", b"c:3", b"a:4", b"c:4"]
        assert (rest.end_position, rest.complete) == (12, True)
        silent = await store.read_journal(10, 9, (a,))
        assert (silent.rows, silent.end_position, silent.complete) == ((), 12, True)
        nobody = await store.read_journal(0, 9, ())
        assert (nobody.rows, nobody.end_position, nobody.complete) == ((), 12, True)

    async def test_a_page_of_the_journal_ends_once_its_rows_are_large(self, store: Store) -> None:
        large, small = home(store, "large", "small")
        share = PAGE_BYTES_MAX // 2
        for revision in range(5):
            await store.commit(msgspec.structs.replace(change(large, revision), journal=b"d" * share))
            await store.commit(change(small, revision))
        for agent_ids, own in ((None, [1, 2, 3]), ((large,), [1, 3]), ((small,), [2, 4, 6, 8, 10])):
            page = await store.read_journal(0, 1_000, agent_ids)
            assert [row.position for row in page.rows] == own
            assert page.complete == (agent_ids == (small,))
            assert page.end_position >= own[-1]
        for agent_ids, own in ((None, [10, 9, 8, 7]), ((large,), [9, 7])):
            page = await store.read_journal_back(11, 1_000, agent_ids)
            assert [row.position for row in page.rows] == own
            assert (page.end_position, page.complete) == (own[-1], False)
        position, read = 0, []
        while True:
            page = await store.read_journal(position, 1_000)
            read += [row.position for row in page.rows]
            position = page.end_position
            if page.complete:
                break
        assert read == list(range(1, 11))
        alone = await store.read_journal(4, 1)
        assert ([row.position for row in alone.rows], alone.end_position) == ([5], 5)

    async def test_a_busy_agent_among_others_is_read_to_its_end(self, store: Store) -> None:
        busy, quiet = home(store, "busy", "quiet")
        commits = [change(busy, revision) for revision in range(5_000)]
        commits.insert(2_500, change(quiet, 0))
        await asyncio.gather(*map(store.commit, commits))
        after, rows = 0, 0
        while True:
            page = await store.read_journal(after, 1_000, (busy, "nobody"))
            assert [row.revision for row in page.rows] == list(range(rows + 1, rows + 1 + len(page.rows)))
            rows += len(page.rows)
            after = page.end_position
            if page.complete:
                break
        assert (rows, after) == (5_000, 5_001)
        assert await texts_of(store, 0, 10, (quiet,)) == ["quiet:1"]

    async def test_locate_returns_the_position_before_the_first_row_of_a_later_revision(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        for commit in (change(a, 0, revisions=3), change(b, 0), change(a, 3), change(b, 1), change(a, 4)):
            await store.commit(commit)
        assert [await store.locate(a, revision) for revision in range(7)] == [0, 0, 0, 2, 4, 5, 5]
        assert [await store.locate(b, revision) for revision in range(3)] == [1, 3, 5]
        (nobody,) = home(store, "nobody")
        assert await store.locate(nobody, 0) == 5

    async def test_recent_rows_are_the_last_ones_since_a_time(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        for revision in range(6):
            await store.commit(change(a, revision, time=10 * revision))
            await store.commit(change(b, revision, time=10 * revision))

        async def recent(agent_id: str, since_time: int, limit: int) -> list[int]:
            return [row.revision for row in await store.recent_journal(agent_id, since_time, limit)]

        assert await recent(a, 0, 100) == [1, 2, 3, 4, 5, 6]
        assert await recent(a, 30, 100) == [4, 5, 6]
        assert await recent(a, 0, 2) == [5, 6]
        assert await recent(a, 51, 100) == []
        assert await recent("nobody", 0, 100) == []
        await store.prune_journal(3 * store.shard_count, 0)
        assert await recent(a, 0, 100) == [6]

    async def test_pruning_keeps_the_last_rows(self, store: Store) -> None:
        (a,) = home(store, "a")
        await asyncio.gather(*(store.commit(change(a, revision, time=revision)) for revision in range(1_000)))
        assert await store.prune_journal(10 * store.shard_count, 0) == 990
        assert await store.prune_journal(10 * store.shard_count, 0) == 0
        assert await texts_of(store, 990) == [f"a:{revision}" for revision in range(991, 1_001)]
        assert await store.commit(change(a, 1_000)) == 1_001

    async def test_pruning_drops_rows_from_before_a_time_and_keeps_those_of_that_time(self, store: Store) -> None:
        (a,) = home(store, "a")
        for revision in range(10):
            await store.commit(change(a, revision, time=10 * revision))
        assert await store.prune_journal(1_000 * store.shard_count, 40) == 4
        assert (await store.read_journal(4, 1)).rows[0].commit_time == 40

    async def test_everything_may_be_pruned_and_positions_go_on(self, store: Store) -> None:
        (a,) = home(store, "a")
        await store.commit(change(a, 0))
        await store.commit(change(a, 1))
        assert await store.prune_journal(0, 0) == 2
        assert await store.journal_end() == 2
        assert await texts_of(store, 2) == []
        assert await store.locate(a, 2) == 2
        assert await store.recent_journal(a, 0, 10) == []
        with pytest.raises(JournalCompacted) as compacted:
            await store.locate(a, 1)
        assert compacted.value.oldest_revision == 3
        assert await store.commit(change(a, 2)) == 3
        assert await texts_of(store, 2) == ["a:3"]
        assert await store.locate(a, 2) == 2

    async def test_what_was_pruned_is_refused_with_the_oldest_revision(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        for revision in range(4):
            await store.commit(change(a, revision))
            await store.commit(change(b, revision))
        await store.prune_journal(5 * store.shard_count, 0)  # b:2 a:3 b:3 a:4 b:4 are left
        for agent_ids, oldest_revision in ((None, None), ({a}, 3), ({b}, 2), ({a, b}, None), ({"nobody"}, None)):
            with pytest.raises(JournalCompacted) as compacted:
                await store.read_journal(2, 10, agent_ids)
            assert compacted.value.oldest_revision == oldest_revision
        with pytest.raises(JournalCompacted) as compacted:
            await store.locate(a, 1)
        assert compacted.value.oldest_revision == 3
        assert await store.locate(a, 2) == 4
        assert await store.locate(b, 1) == 3
        assert await texts_of(store, 3) == ["b:2", "a:3", "b:3", "a:4", "b:4"]

    async def test_commits_go_on_while_the_journal_is_pruned(self, store: Store) -> None:
        a, b = home(store, "a", "b")
        await asyncio.gather(*(store.commit(change(a, revision)) for revision in range(2_000)))
        pruning = asyncio.create_task(store.prune_journal(5 * store.shard_count, 0))
        for revision in range(20):
            await store.commit(change(b, revision))
        assert await pruning >= 1_980
        await store.prune_journal(5 * store.shard_count, 0)
        assert await texts_of(store, 2_015) == [f"b:{revision}" for revision in range(16, 21)]
