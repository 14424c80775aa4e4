"""A shared store that fails for a time, loses acknowledged commits, or holds malformed rows."""

import asyncio
import logging

import pytest
from tests.unit.engine.shared_store import SharedStore, agents_of_all_shards, sharing
from tests.unit.engine.world import NOW, Watcher, draft, keys_of, settle, until
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry, SetEntry
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.error import DataDamaged, HistoryLost, RevisionCompacted, StoreUnavailable
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents import writer
from memoryd_server.engine.agents.token import encode_resume
from memoryd_server.engine.agents.write import UNCONDITIONAL
from memoryd_server.engine.limit import WATCH_QUEUE_COMMITS_MAX
from memoryd_server.engine.watching import follower
from memoryd_server.engine.watching.watch_step import WatchPhase
from memoryd_server.ports.store import AgentHead, Commit, CommitPoint, JournalRow

FOREVER_NS = 10**18


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "FOLLOW_WAIT_S", 0.0)
    monkeypatch.setattr(follower, "FOLLOW_RETRY_S_MIN", 0.0)
    monkeypatch.setattr(follower, "FOLLOW_RETRY_S_MAX", 0.0)


async def test_an_engine_that_knows_a_lost_commit_raises_once_and_continues() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        image = store.image()
        await a.set("k", "2")
        assert await b.value("k") == "2"
        store.go_back(image)
        for world in (a, b):
            with pytest.raises(HistoryLost) as lost:
                await world.value("k")
            assert lost.value.metadata == {"agent_id": "a"}
            assert await world.value("k") == "1"
        assert (await b.set("k", "3")).revision == 2
        assert await a.value("k") == "3"


@pytest.mark.parametrize("failing_call", ["commit", "changed"])
async def test_a_loss_is_reported_after_calls_failed_while_the_store_was_unavailable(failing_call: str) -> None:
    store = SharedStore()
    async with sharing(store) as (a, _):
        await a.set("k")
        image = store.image()
        await a.set("k", "2")
        store.failure, store.failing = StoreUnavailable(), (failing_call,)
        with pytest.raises(StoreUnavailable):
            await (a.set("k", "3") if failing_call == "commit" else a.do(RemoveEntry(ROOT, "not there")))
        store.go_back(image)
        store.failure = None
        with pytest.raises(HistoryLost):
            await a.value("k")
        assert await a.value("k") == "1"


async def test_loaded_agents_are_kept_through_an_outage() -> None:
    store = SharedStore()
    async with sharing(store) as (a, _):
        await a.set("k")
        await a.value("k")
        store.failure, store.failing = StoreUnavailable(), ("commit",)
        with pytest.raises(StoreUnavailable):
            await a.set("k", "2")
        store.failure = None
        assert await a.value("k") == "1"
        assert (await a.set("k", "3")).revision == 2
        assert store.asked["load"] == 1


async def test_a_lost_commit_of_its_own_is_not_published_in_place_of_another() -> None:
    store = SharedStore()
    agent_ids = [agent_id for agent_id in map(str, range(100)) if store.shard_of(agent_id) == 0][:2]
    async with sharing(store) as (a, b), a.watch() as watch:
        image = store.image()
        store.gates["await_rows"].clear()
        await a.set("gone", agent_id=agent_ids[0])
        store.go_back(image)
        await b.set("there", agent_id=agent_ids[1])
        store.gates["await_rows"].set()
        assert await watch.keys(1) == ["there"]


async def test_a_change_on_a_lost_commit_is_refused_with_all_queued_changes() -> None:
    store = SharedStore()
    async with sharing(store) as (a, _):
        await a.set("k")
        image = store.image()
        await a.set("k", "2")
        store.go_back(image)
        answers = await asyncio.gather(*(a.set(f"k{number}") for number in range(3)), return_exceptions=True)
        assert {type(answer) for answer in answers} == {HistoryLost}
        assert (await a.set("l")).revision == 2
        assert store.asked["load"] == 2


async def test_a_committed_change_is_refused_if_its_reader_learned_of_a_commit_that_was_lost() -> None:
    """The state has a commit of the other daemon that the store lost, and the change was decided without it."""
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        assert await b.value("k") == "1"
        image = store.image()
        await a.set("k", "2")
        store.gates["rows_since"].clear()
        reading = asyncio.create_task(b.value("k"))
        await until(lambda: store.asked["rows_since"])
        store.go_back(image)
        store.gates["changed"].clear()
        asked = store.asked["changed"]
        changing_nothing = asyncio.create_task(b.do(RemoveEntry(ROOT, "not there")))
        await until(lambda: store.asked["changed"] > asked)
        changing = asyncio.create_task(b.set("l"))
        store.gates["rows_since"].set()
        await settle()
        store.gates["changed"].set()
        await asyncio.wait((reading, changing_nothing))
        with pytest.raises(HistoryLost):
            await changing
        assert (await b.value("k"), await b.value("l")) == ("1", "1")


async def test_another_commit_of_the_same_revision_is_not_taken_for_a_lost_one() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        image = store.image()
        await a.set("k", "2")
        assert await b.value("k") == "2"
        store.go_back(image)
        with pytest.raises(HistoryLost):
            await a.value("k")
        await a.set("k", '"another"')
        with pytest.raises(HistoryLost):
            await b.value("k")
        assert await b.value("k") == '"another"'


async def test_watches_of_lost_commits_raise_and_new_ones_continue() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        image = store.image()
        async with b.watch("a") as one, b.watch() as every:
            await a.set("k", "2")
            assert await one.keys(1) == await every.keys(1) == ["k"]
            store.go_back(image)
            for watch in (one, every):
                with pytest.raises(HistoryLost):
                    await watch.next()
        for world in (a, b):
            with pytest.raises(HistoryLost):
                await world.value("k")
        async with b.watch("a") as watch:
            assert watch.last.revision == 1
            await a.set("l")
            assert await watch.keys(1) == ["l"]


@pytest.mark.parametrize("watched", [("a",), ()], ids=["one agent", "all"])
async def test_a_resume_token_of_a_lost_commit_is_refused_after_other_commits(watched: tuple[str, ...]) -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        image = store.image()
        async with a.watch(*watched) as watch:
            await a.set("k", "2")
            await watch.keys(1)
            assert watch.last.point is not None
            token = encode_resume(store.store_id, watch.last.point)
        store.go_back(image)
        for _ in range(3):
            await b.set("k", '"another"')
        with pytest.raises(HistoryLost):
            await b.watch(*watched, resume_token=token).next()


@pytest.mark.parametrize("selects_its_agent", [True, False], ids=["of its agent", "of another agent"])
async def test_a_resume_token_that_advanced_past_a_lost_unselected_commit_is_refused(
    selects_its_agent: bool,
) -> None:
    store = SharedStore()
    written, other = [agent_id for agent_id in map(str, range(100)) if store.shard_of(agent_id) == 0][:2]
    watched = AgentPatterns.of({written if selects_its_agent else other})
    selection = EventSelection((EventFilter(watched, key_prefix="z"),))
    async with sharing(store) as (a, b):
        await a.set("k", agent_id=written)
        image = store.image()
        async with a.watch(selection=selection, progress_interval_ns=1) as watch:
            await a.set("k", "2", agent_id=written)
            while watch.last.point is None or watch.last.point.shards[0].position < 3:
                assert (await watch.next()).phase is WatchPhase.PROGRESS
            token = encode_resume(store.store_id, watch.last.point)
        store.go_back(image)
        for _ in range(3):
            await b.set("k", '"another"', agent_id=written)
        with pytest.raises(HistoryLost):
            await b.watch(selection=selection, resume_token=token).next()


async def test_a_resume_token_of_a_pruned_commit_is_accepted() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        async with a.watch("a") as watch:
            await a.set("k")
            await watch.keys(1)
            assert watch.last.point is not None
            token = encode_resume(store.store_id, watch.last.point)
        await store.prune_journal(0, 0)
        async with b.watch("a", resume_token=token) as resumed:
            await a.set("l")
            assert await resumed.keys(1) == ["l"]


async def test_a_watch_that_reads_lost_commits_from_the_journal_raises() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        image = store.image()
        for number in range(3):
            await a.set(f"k{number}")
        async with b.watch("a", after_revision=0) as watch:
            store.go_back(image)
            with pytest.raises(HistoryLost):
                await watch.next()


async def keys_until_lost(watch: Watcher) -> list[str]:
    """Return the keys that a watch yields before it raises HistoryLost."""
    found: list[str] = []
    try:
        while True:
            found += keys_of(await watch.next())
    except HistoryLost:
        return found


@pytest.mark.parametrize("count", [3, WATCH_QUEUE_COMMITS_MAX + 10], ids=["in step", "parked"])
async def test_a_watch_of_lost_commits_does_not_yield_those_that_replaced_them(count: int) -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("before")
        image = store.image()
        async with b.watch("a") as watch:
            for number in range(count):
                await a.set(f"k{number}")
            await until(lambda: b.engine.hub.points[store.shard_of("a")].position == count + 1)
            store.go_back(image)
            (subscription,) = b.engine.hub._by_agent["a"]
            await until(lambda: subscription.failure)
            with pytest.raises(HistoryLost):
                await a.value("k")
            for number in range(count + 5):
                await a.set(f"another{number}")
            await until(lambda: b.engine.hub.points[store.shard_of("a")].position == count + 6)
            assert await keys_until_lost(watch) == (
                [f"k{number}" for number in range(count)] if count < WATCH_QUEUE_COMMITS_MAX else []
            )


async def test_a_lost_state_is_not_served_from_memory_once_the_loss_is_known() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        image = store.image()
        await a.set("k", "2")
        assert await b.value("k") == "2"
        async with b.watch("a") as watch:
            assert await b.value("k", max_staleness_ns=FOREVER_NS) == "2"
            store.go_back(image)
            with pytest.raises(HistoryLost):
                await watch.next()
            with pytest.raises(HistoryLost):
                await b.value("k", max_staleness_ns=FOREVER_NS)
            assert await b.value("k", max_staleness_ns=FOREVER_NS) == "1"


async def test_a_change_with_an_unknown_outcome_is_not_repeated() -> None:
    """Its reply was lost, and the journal no longer has the row that would show whether it was applied."""
    store = SharedStore()
    async with sharing(store) as (a, _):
        await a.set("k")
        rows_since = store.rows_since

        async def none_retained(agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
            await store.prune_journal(0, 0)
            return await rows_since(agent_id, known)

        store.rows_since = none_retained  # type: ignore[method-assign]
        store.loses_answer = True
        with pytest.raises(StoreUnavailable):
            await a.set("k", "2")
        assert await a.value("k") == "2"
        assert (await a.set("l")).revision == 3


async def test_a_wait_for_a_reservation_ends_when_a_reader_loads_the_new_entry() -> None:
    """The row of the new entry is no longer retained, so that the whole agent is loaded."""
    store = SharedStore()
    async with sharing(store) as (a, b):
        reservation = await a.do(ReserveEntry(ROOT, "k", "of A", FOREVER_NS))
        assert reservation.held_by_caller
        reserving = ReserveEntry(ROOT, "k", "of B", FOREVER_NS)
        waiting = asyncio.create_task(b.memory.reserve_entry("a", reserving, FOREVER_NS, UNCONDITIONAL))
        await until(lambda: b.cache.peek("a") is not None and b.cache.peek("a")._waiters)
        store.gates["await_rows"].clear()
        await until(lambda: store.gates["await_rows"]._waiters)  # type: ignore[attr-defined]
        await a.do(SetEntry(ROOT, draft("k", "7"), "id", "of A"))
        await store.prune_journal(0, 0)
        assert await b.value("k") == "7"
        async with asyncio.timeout(WAIT_S_MAX):
            found = await waiting
        assert found.entry is not None
        assert found.entry.value_json == "7"
        store.gates["await_rows"].set()


async def test_a_wait_for_a_lost_reservation_raises() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        image = store.image()
        await a.do(ReserveEntry(ROOT, "k", "of A", FOREVER_NS))
        reserving = ReserveEntry(ROOT, "k", "of B", FOREVER_NS)
        waiting = asyncio.create_task(b.memory.reserve_entry("a", reserving, FOREVER_NS, UNCONDITIONAL))
        await until(lambda: b.cache.peek("a") is not None and not b.cache.peek("a").idle)
        await until(lambda: b.cache.peek("a")._waiters)
        store.go_back(image)
        async with asyncio.timeout(WAIT_S_MAX):
            with pytest.raises(HistoryLost):
                await waiting
            assert (await b.memory.reserve_entry("a", reserving, FOREVER_NS, UNCONDITIONAL)).held_by_caller


async def test_a_wait_for_a_reservation_continues_when_a_reader_finds_it_lost() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        image = store.image()
        await a.do(ReserveEntry(ROOT, "k", "of A", FOREVER_NS))
        reserving = ReserveEntry(ROOT, "k", "of B", FOREVER_NS)
        waiting = asyncio.create_task(b.memory.reserve_entry("a", reserving, FOREVER_NS, UNCONDITIONAL))
        await until(lambda: b.cache.peek("a") is not None and b.cache.peek("a")._waiters)
        store.gates["await_rows"].clear()
        await until(lambda: store.gates["await_rows"]._waiters)  # type: ignore[attr-defined]
        store.go_back(image)
        with pytest.raises(HistoryLost):
            await b.value("k")
        async with asyncio.timeout(WAIT_S_MAX):
            assert (await waiting).held_by_caller
        store.gates["await_rows"].set()


async def test_following_continues_after_the_store_was_unavailable(caplog: pytest.LogCaptureFixture) -> None:
    store = SharedStore()
    agent_ids = agents_of_all_shards(store)
    async with sharing(store) as (a, b), b.watch() as watch:
        await a.set("before", agent_id=agent_ids[0])
        assert await watch.keys(1) == ["before"]
        with caplog.at_level(logging.WARNING):
            store.failure = StoreUnavailable()
            await until(lambda: caplog.records)
            with pytest.raises(StoreUnavailable):
                await a.set("refused", agent_id=agent_ids[0])
            with pytest.raises(StoreUnavailable):
                await b.watch("a").next()
        store.failure = None
        for agent_id in agent_ids:
            await a.set("after", agent_id=agent_id)
        assert await watch.keys(4) == ["after"] * 4


async def test_a_watch_whose_rows_were_pruned_before_they_were_read_raises() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        assert await b.value("k") == "1"
        async with b.watch("a") as watch:
            store.failure, store.failing = StoreUnavailable(), ("await_rows",)
            asked = store.asked["await_rows"]
            await until(lambda: store.asked["await_rows"] > asked)
            await a.set("k", "2")
            await store.prune_journal(0, 0)
            store.failure = None
            with pytest.raises(RevisionCompacted):
                await watch.next()
            assert await b.value("k", max_staleness_ns=FOREVER_NS) == "2"
        async with b.watch("a") as watch:
            await a.set("l")
            assert await watch.keys(1) == ["l"]


async def test_watches_of_shards_whose_rows_were_not_pruned_continue() -> None:
    store = SharedStore()
    one, other = agents_of_all_shards(store)[:2]
    async with sharing(store) as (a, b), b.watch(one) as lost, b.watch(other) as watch:
        store.failure, store.failing = StoreUnavailable(), ("await_rows",)
        asked = store.asked["await_rows"]
        await until(lambda: store.asked["await_rows"] > asked)
        await a.set("k", agent_id=one)
        await store.prune_journal(0, 0)
        await a.set("l", agent_id=other)
        store.failure = None
        with pytest.raises(RevisionCompacted):
            await lost.next()
        assert await watch.keys(1) == ["l"]


async def test_following_continues_after_a_defect(caplog: pytest.LogCaptureFixture) -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch("a") as watch:
        with caplog.at_level(logging.ERROR):
            store.failure = ValueError("a defect")
            await until(lambda: any(record.message == "following failed" for record in caplog.records))
        store.failure = None
        await a.set("k")
        assert await watch.keys(1) == ["k"]


async def test_watches_are_refused_while_the_store_is_unavailable_after_a_loss() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        image = store.image()
        async with b.watch("b", "c") as watch:
            await a.set("k")
            await until(lambda: b.engine.hub.points[store.shard_of("a")].position == 1)
            store.failure, store.failing = StoreUnavailable(), ("journal_points",)
            store.go_back(image)
            with pytest.raises(HistoryLost):
                await watch.next()
            for _ in range(3):
                async with asyncio.timeout(WAIT_S_MAX):
                    with pytest.raises(StoreUnavailable):
                        await b.watch("b").next()
            store.failure = None
            async with b.watch("b"):
                pass
        assert [point.position for point in b.engine.hub.points] == [0] * store.shard_count


async def test_a_malformed_row_ends_only_the_watches_of_its_agent() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch("a") as damaged, b.watch("b") as other:
        assert await b.value("k") is None
        await store.commit(Commit(AgentHead("a", 1, NOW, NOW), 0, journal=b"\x03damaged", nonce=7))
        with pytest.raises(DataDamaged):
            await damaged.next()
        await a.set("k", agent_id="b")
        assert await other.keys(1) == ["k"]
        with pytest.raises(DataDamaged):
            await b.value("k", max_staleness_ns=FOREVER_NS)


async def test_the_whole_agent_is_loaded_if_a_commit_cannot_be_applied(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = SharedStore()

    def defect(*_: object) -> AgentState:
        raise KeyError("a defect")

    async with sharing(store) as (a, b):
        await a.set("k")
        assert await b.value("k") == "1"
        monkeypatch.setattr(writer, "replay", defect)
        await a.set("k", "2")
        assert await b.value("k") == "2"
        assert (await b.set("k", "3")).revision == 3
        assert [record.message for record in caplog.records] == ["commit of another daemon cannot be applied"]


async def test_a_wait_for_the_journal_ends_when_the_engine_closes() -> None:
    store = SharedStore()
    asked = asyncio.Event()

    async def never(_: object) -> dict[int, object]:
        asked.set()
        await asyncio.get_running_loop().create_future()
        return {}

    async with sharing(store) as (_, b):
        store.journal_points = never  # type: ignore[method-assign, assignment]
        watch: Watcher = b.watch("a")
        opening = asyncio.create_task(watch.next())
        await asked.wait()
    with pytest.raises(StoreUnavailable):
        await opening
