"""Changes through several engines over one store: none is lost, and every result is of the current state."""

import asyncio
import random

import pytest
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, draft, request, settle, until
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import (
    EntryFoundOrSet,
    EntryRemoved,
    GetOrSetEntry,
    RemoveEntry,
    SetEntry,
)
from memoryd_server.domain.entries.reservation_change import EntryReserved, ReleaseReservation, ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.error import (
    AgentNotFound,
    RecordExists,
    RequestIdReused,
    RevisionMismatch,
    ScopeDisposed,
    StoreUnavailable,
)
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents import writer as writer_module
from memoryd_server.engine.agents.write import UNCONDITIONAL
from memoryd_server.ports.store import NEVER, Commit

MUST_NOT_EXIST = Precondition(must_not_exist=True)
LONG_NS = 1_000_000 * SECOND_NS


async def increment(world: World, key: str) -> None:
    """Add one to a number, by compare-and-set, which is repeated after each conflict."""
    while True:
        found, _ = await world.memory.get_entry("a", ROOT, key, local_only=False)
        number, revision = (0, 0) if found is None else (int(found.entry.value_json), found.entry.revision)
        setting = SetEntry(ROOT, draft(key, str(number + 1)), "id", "", Precondition(False, revision))
        try:
            await world.do(setting)
        except RevisionMismatch:
            continue
        return


async def test_compare_and_set_from_both_engines_loses_no_update() -> None:
    async with sharing(SharedStore()) as (a, b):

        async def count(world: World) -> None:
            for _ in range(10):
                await increment(world, "number")

        await asyncio.gather(*(count(world) for world in (a, b) for _ in range(3)))
        assert await a.value("number") == await b.value("number") == "60"


async def test_unconditional_changes_from_both_engines_are_all_kept() -> None:
    async with sharing(SharedStore(), 3) as worlds:
        keys = [f"k{number}" for number in range(40)]
        results = await asyncio.gather(*(worlds[number % 3].set(key) for number, key in enumerate(keys)))
        assert sorted(result.revision for result in results) == list(range(1, 41))
        for world in worlds:
            assert [await world.value(key) for key in keys] == ["1"] * 40


class LateStore(SharedStore):
    """A shared store that returns from a commit only some turns of the event loop after it is visible."""

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        return asyncio.ensure_future(self._late(super().commit(commit)))

    async def _late(self, committed: asyncio.Future[int]) -> int:
        for _ in range(20):
            await asyncio.sleep(0)
        return await committed


@pytest.mark.parametrize("store", [SharedStore, LateStore], ids=["after its answer", "before its answer"])
async def test_receiving_its_own_commit_does_not_make_an_engine_read_rows(store: type[SharedStore]) -> None:
    async with sharing(store(), 1) as (a,), a.watch("a") as watch:
        for number in range(3):
            await a.set(f"k{number}")
            await watch.keys(1)
            assert not a.cache.peek("a").is_behind


async def test_a_read_returns_while_its_agent_is_written_continuously() -> None:
    chance = random.Random(1)
    store = LateStore()
    async with sharing(store) as (a, b):

        async def write(number: int) -> None:
            while True:
                # Each task at its own pace, so that one is always waiting.
                for _ in range(chance.randrange(8)):
                    await asyncio.sleep(0)
                await a.set(f"k{number}")

        writing = [asyncio.create_task(write(number)) for number in range(8)]
        await b.set("of another daemon")
        for _ in range(50):
            before = store.asked["commit"]
            assert await a.value("of another daemon") == "1"
            assert store.asked["commit"] - before <= 2
        for task in writing:
            task.cancel()
        await asyncio.gather(*writing, return_exceptions=True)


async def test_a_repeated_result_is_confirmed_as_durable() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        setting, key = SetEntry(ROOT, draft("k"), "id"), request("r1")
        first = await a.do(setting, write=key)
        assert store.settled == 0
        assert await b.do(setting, write=key) == first.remembered
        assert store.settled == 1
        await b.do(RemoveEntry(ROOT, "not there"))
        assert store.settled == 1


async def test_get_or_set_from_both_engines_sets_once_and_all_get_that_value() -> None:
    async with sharing(SharedStore()) as worlds:
        getting = [
            world.do(GetOrSetEntry(ROOT, draft("k", f'"{number} of {world._name}"'), world.new_id()))
            for number in range(5)
            for world in worlds
        ]
        results = await asyncio.gather(*getting)
        assert sum(isinstance(result, EntryFoundOrSet) and result.created for result in results) == 1
        assert len({result.entry.value_json for result in results if isinstance(result, EntryFoundOrSet)}) == 1


async def reserve(world: World, token: str, wait_ns: int = LONG_NS) -> EntryReserved:
    reserving = ReserveEntry(ROOT, "k", token, LONG_NS)
    async with asyncio.timeout(WAIT_S_MAX):
        return await world.memory.reserve_entry("a", reserving, wait_ns, UNCONDITIONAL)


async def test_a_wait_at_one_engine_gets_the_entry_that_another_sets() -> None:
    async with sharing(SharedStore()) as (a, b):
        assert (await reserve(a, "of A")).held_by_caller
        waiting = [asyncio.create_task(reserve(world, f"{number}")) for number, world in enumerate((b, b, a))]
        await settle()
        assert not any(each.done() for each in waiting)
        await a.do(SetEntry(ROOT, draft("k", "7"), "id", "of A"))
        for found in await asyncio.gather(*waiting):
            assert found.entry is not None
            assert found.entry.value_json == "7"


async def test_a_released_reservation_goes_to_one_waiter_at_the_other_engine() -> None:
    async with sharing(SharedStore()) as (a, b):
        await reserve(a, "of A")
        waiting = [asyncio.create_task(reserve(b, token)) for token in ("first", "second")]
        await settle()
        await a.do(ReleaseReservation(ROOT, "k", "of A"))
        await until(lambda: any(each.done() for each in waiting))
        (winner,) = [each for each in waiting if each.done()]
        assert winner.result().held_by_caller
        assert winner.result().reservation is not None
        await b.do(SetEntry(ROOT, draft("k"), "id", winner.result().reservation.token))
        assert [each.held_by_caller for each in await asyncio.gather(*waiting)] == [each is winner for each in waiting]


async def test_a_wait_does_not_miss_a_commit_that_is_received_while_the_store_is_asked() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await reserve(a, "of A")
        assert (await reserve(b, "of B", 0)).held_by_other
        store.gates["changed"].clear()
        waiting = asyncio.create_task(reserve(b, "of B"))
        before = store.asked["changed"]
        await until(lambda: store.asked["changed"] > before)
        store.gates["changed"].set()
        await until(lambda: b.engine.hub.points != [NEVER] * store.shard_count)
        store.gates["changed"].clear()
        before = store.asked["changed"]
        await until(lambda: store.asked["changed"] > before or waiting.done())
        await a.do(SetEntry(ROOT, draft("k"), "id", "of A"))
        await until(lambda: b.cache.peek("a").is_behind)
        store.gates["changed"].set()
        assert (await waiting).entry is not None


async def test_a_request_that_is_repeated_at_another_engine_returns_the_first_result() -> None:
    async with sharing(SharedStore(), 3) as (a, b, c):
        await b.value("k")
        setting = SetEntry(ROOT, draft("k"), "id")
        first = await a.do(setting, "a", request("r"))
        await a.set("l")
        for world in (b, c):
            assert await world.do(setting, "a", request("r")) == first.remembered
            with pytest.raises(RequestIdReused):
                await world.do(setting, "a", request("r", b"another body"))
        assert (await a.set("m")).revision == 3


async def test_a_repeated_request_returns_the_first_result_after_the_agent_is_loaded_again() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        assert await b.value("k") is None
        await a.set("l")
        setting = SetEntry(ROOT, draft("k"), "id")
        first = await a.do(setting, "a", request("r"))
        await store.prune_journal(store.shard_count, 0)
        assert await b.do(setting, "a", request("r")) == first.remembered
        assert (await a.set("m")).revision == 3


async def test_a_request_that_is_sent_to_both_engines_at_once_is_applied_once() -> None:
    async with sharing(SharedStore()) as worlds:
        setting = SetEntry(ROOT, draft("k"), "id")
        first, second = await asyncio.gather(*(world.do(setting, "a", request("r")) for world in worlds))
        assert first.remembered == second.remembered
        assert (first.created, first.entry.entry_id, first.revision) == (True, "id", 1)


async def test_refusals_and_commands_without_effect_are_decided_on_the_current_state() -> None:
    async with sharing(SharedStore()) as (a, b):
        assert await b.do(RemoveEntry(ROOT, "k")) == EntryRemoved(False, 0)
        await a.set("k")
        with pytest.raises(RecordExists):
            await b.do(SetEntry(ROOT, draft("k"), "id", "", MUST_NOT_EXIST))
        await a.do(RemoveEntry(ROOT, "k"))
        assert (await b.do(SetEntry(ROOT, draft("k"), "id", "", MUST_NOT_EXIST))).revision == 3
        assert await a.do(RemoveEntry(ROOT, "k")) == EntryRemoved(True, 4)
        assert await b.do(RemoveEntry(ROOT, "k")) == EntryRemoved(False, 4)
        await a.do(CreateScope("scope", ROOT, "s"))
        await b.set("k", scope_id="s")
        await a.do(DisposeScope("s"))
        with pytest.raises(ScopeDisposed):
            await b.set("k", scope_id="s")


async def test_a_command_is_not_refused_that_a_commit_of_the_other_engine_allows() -> None:
    """It would be refused by the state in memory: the engine asks the store before it refuses."""
    async with sharing(SharedStore()) as (a, b):
        await b.set("k")
        updating = SetEntry(ROOT, draft("k", "3"), "id", "", Precondition(False, 2))
        with pytest.raises(RevisionMismatch):
            await b.do(updating)
        await a.set("k", "2")
        assert (await b.do(updating)).revision == 3


async def test_commands_keep_their_order_after_a_conflict() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await b.value("k")
        await a.set("k", '"of A"')
        writer = await b.cache.writer("a")
        store.gates["rows_since"].clear()
        early = [writer.submit(SetEntry(ROOT, draft("k", f"{number}"), "id")) for number in range(3)]
        await until(lambda: store.asked["rows_since"])
        late = [writer.submit(SetEntry(ROOT, draft("k", f"{number}"), "id")) for number in range(3, 6)]
        refused = writer.submit(SetEntry(ROOT, draft("k"), "id", "", MUST_NOT_EXIST))
        await settle()
        assert not any(answer.done() for answer in (*early, *late, refused))
        store.gates["rows_since"].set()
        assert [(await answer).revision for answer in (*early, *late)] == [2, 3, 4, 5, 6, 7]
        with pytest.raises(RecordExists):
            await refused
        assert await a.value("k") == await b.value("k") == "5"


async def test_a_change_fails_after_too_many_conflicts_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "CONFLICTS_IN_A_ROW_MAX", 3)
    store = SharedStore()
    async with sharing(store) as (a, b):
        store.conflicts = 3
        assert (await b.set("k")).revision == 1
        store.conflicts = 4
        with pytest.raises(StoreUnavailable):
            await b.set("l")
        assert store.conflicts == 0
        assert (await a.set("m")).revision == (await b.set("n")).revision - 1 == 2


async def test_a_change_that_is_cancelled_in_the_queue_is_not_applied() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await b.value("k")
        await a.set("k")
        store.gates["rows_since"].clear()
        given_up = (await b.cache.writer("a")).submit(RemoveEntry(ROOT, "k"))
        await until(lambda: store.asked["rows_since"])
        given_up.cancel()
        store.gates["rows_since"].set()
        assert (await b.set("l")).revision == 2
        assert await a.value("k") == "1"


async def test_reads_at_both_engines_are_added() -> None:
    async with sharing(SharedStore()) as (a, b):
        await a.set("k")
        for world in (a, b, a, b, b):
            await world.value("k")
        await asyncio.gather(*(world.cache.record_accesses() for world in (a, b)))
        for world in (a, b):
            found, revision = await world.memory.get_entry("a", ROOT, "k", local_only=False)
            assert found is not None
            assert (found.access_count, revision) == (5, 1)


async def test_reads_of_a_replaced_entry_do_not_count_for_its_replacement() -> None:
    async with sharing(SharedStore()) as (a, b):
        await a.set("k")
        await b.value("k")
        await a.do(RemoveEntry(ROOT, "k"))
        await a.set("k")
        await b.cache.record_accesses()
        found, _ = await a.memory.get_entry("a", ROOT, "k", local_only=False)
        assert found is not None
        assert found.access_count == 0


async def test_an_agent_that_ended_at_one_engine_can_be_created_again_at_the_other() -> None:
    async with sharing(SharedStore()) as (a, b):
        await a.do(CreateScope("scope", ROOT, "s"))
        await a.set("k", scope_id="s")
        assert await b.value("k", scope_id="s") == "1"
        await a.do(EndAgent())
        assert (await b.set("l", "2")).revision == 4
        assert (await a.value("k"), await a.value("l")) == (None, "2")
        await b.do(EndAgent())
        with pytest.raises(AgentNotFound):
            await a.engine.agents.get("a")
        assert not (await a.do(EndAgent())).deleted


async def test_an_agent_whose_head_was_pruned_starts_at_the_first_revision_at_every_engine() -> None:
    async with sharing(SharedStore()) as (a, b):
        await a.set("k")
        assert await b.value("k") == "1"
        await a.do(EndAgent())
        assert await b.value("k") is None
        await a.store.prune_journal(0, 0)
        assert (await b.set("l")).revision == 1
        assert (await a.set("m")).revision == 2
        assert (await a.value("l"), await b.value("m")) == ("1", "1")
