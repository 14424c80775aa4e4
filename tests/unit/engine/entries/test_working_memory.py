import asyncio
import time

import pytest
from tests.unit.engine.world import World, draft, request, settle, until
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.reservation_change import (
    EntryReserved,
    ReleaseReservation,
    RenewReservation,
    ReserveEntry,
)
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import ReservationLost, StoreUnavailable
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents.agent_cache import CacheSize
from memoryd_server.engine.agents.clock import new_id, new_token
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import UNCONDITIONAL
from memoryd_server.engine.agents.writer import AgentWriter
from memoryd_server.engine.entries.working_memory import EntryQuery
from memoryd_server.ports.store import AgentQuery

LONG_NS = 600 * SECOND_NS
SHORT_NS = 20_000_000


def reserve(
    world: World, token: str, *, scope_id: str = ROOT, lease_ns: int = LONG_NS, wait_ns: int = LONG_NS
) -> "asyncio.Task[EntryReserved]":
    reserving = ReserveEntry(scope_id, "k", token, lease_ns)
    return asyncio.create_task(world.memory.reserve_entry("a", reserving, wait_ns, UNCONDITIONAL))


def outcome(answer: EntryReserved) -> str:
    if answer.entry is not None:
        return "found"
    return "reserved" if answer.held_by_caller else "held"


async def hold(world: World, count: int, **lease: int) -> "list[asyncio.Task[EntryReserved]]":
    """Let one caller hold the reservation and ``count`` others wait. Return the waiting ones."""
    assert outcome(await reserve(world, "holder", **lease)) == "reserved"
    waiters = [reserve(world, f"waiter {number}", **lease) for number in range(count)]
    await settle()
    return waiters


async def test_all_waiters_get_the_entry_that_the_holder_sets() -> None:
    async with World() as world:
        waiters = await hold(world, 50)
        assert not any(waiter.done() for waiter in waiters)
        await world.do(SetEntry(ROOT, draft("k", "7"), "id", "holder"))
        answers = await asyncio.gather(*waiters)
        assert {outcome(answer) for answer in answers} == {"found"}
        assert {answer.entry.value_json for answer in answers if answer.entry} == {"7"}
        assert (await world.cache.writer("a")).state.revision == 2


async def test_exactly_one_waiter_takes_over_a_released_reservation() -> None:
    async with World() as world:
        waiters = await hold(world, 50)
        await world.do(ReleaseReservation(ROOT, "k", "holder"))
        await until(lambda: sum(waiter.done() for waiter in waiters) == 1)
        await settle()
        (taken,) = [waiter.result() for waiter in waiters if waiter.done()]
        assert outcome(taken) == "reserved"
        assert taken.reservation is not None
        await world.do(SetEntry(ROOT, draft("k"), "id", taken.reservation.token))
        assert sorted(map(outcome, await asyncio.gather(*waiters))) == ["found"] * 49 + ["reserved"]


async def test_exactly_one_waiter_takes_over_an_expired_reservation() -> None:
    async with World(clock=time.time_ns) as world:
        assert outcome(await reserve(world, "holder", lease_ns=SHORT_NS)) == "reserved"
        waiters = [reserve(world, f"waiter {number}") for number in range(50)]
        await until(lambda: any(waiter.done() for waiter in waiters))
        await settle()
        (taken,) = [waiter.result() for waiter in waiters if waiter.done()]
        assert outcome(taken) == "reserved"
        with pytest.raises(ReservationLost):
            await world.do(SetEntry(ROOT, draft("k", "late"), "id", "holder"))
        assert taken.reservation is not None
        await world.do(SetEntry(ROOT, draft("k", "2"), "id", taken.reservation.token))
        assert sorted(map(outcome, await asyncio.gather(*waiters))) == ["found"] * 49 + ["reserved"]


async def test_others_wait_while_a_lease_is_renewed() -> None:
    async with World() as world:
        (waiter,) = await hold(world, 1)
        world.clock.now += LONG_NS - 1
        await world.do(RenewReservation(ROOT, "k", "holder", LONG_NS))
        world.clock.now += 1
        await settle()
        assert outcome(await reserve(world, "another", wait_ns=0)) == "held"
        waiter.cancel()


async def test_a_wait_ends_with_its_timeout_and_returns_the_reservation() -> None:
    async with World(clock=time.time_ns) as world:
        await hold(world, 0)
        answer = await reserve(world, "waiter", wait_ns=SHORT_NS)
        assert outcome(answer) == "held"
        assert answer.reservation is not None
        assert answer.reservation.token == "holder"


async def test_all_waits_end_once_waits_are_ended() -> None:
    async with World() as world:
        waiters = await hold(world, 3)
        world.engine.end_waits()
        assert {outcome(answer) for answer in await asyncio.gather(*waiters)} == {"held"}
        assert outcome(await reserve(world, "late")) == "held"
        assert (await world.cache.writer("a")).idle


async def test_an_entry_of_the_parent_ends_the_wait_in_a_scope() -> None:
    async with World() as world:
        await world.do(CreateScope("s", ROOT, "s"))
        assert outcome(await reserve(world, "holder", scope_id="s")) == "reserved"
        waiter = reserve(world, "waiter", scope_id="s")
        await settle()
        await world.set("k")
        assert outcome(await waiter) == "found"


@pytest.mark.parametrize("ending", [DisposeScope("s"), ClearAgent(), EndAgent()])
async def test_waits_end_when_the_scope_or_the_agent_ends(ending: Command) -> None:
    async with World(clock=time.time_ns) as world:
        await world.do(CreateScope("s", ROOT, "s"))
        assert outcome(await reserve(world, "holder", scope_id="s")) == "reserved"
        waiter = reserve(world, "waiter", scope_id="s")
        await settle()
        await world.do(ending)
        done, _ = await asyncio.wait((waiter,), timeout=WAIT_S_MAX)
        assert done, "the waiter was not woken"
        assert waiter.exception() is not None


async def test_a_wait_continues_when_its_agent_was_evicted_just_before(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        await hold(world, 0)
        answers = []
        submit = AgentWriter.submit

        def submit_and_touch_another(writer: AgentWriter, *arguments: object) -> "asyncio.Future[object]":
            answer = submit(writer, *arguments)
            if not answers:
                answers.append(answer)
                answer.add_done_callback(lambda _: world.cache._discard(writer))
            return answer  # type: ignore[return-value]

        monkeypatch.setattr(AgentWriter, "submit", submit_and_touch_another)
        waiter = reserve(world, "waiter")
        await until(lambda: answers and answers[0].done())
        await settle()
        await world.do(SetEntry(ROOT, draft("k"), "id", "holder"))
        assert outcome(await asyncio.wait_for(waiter, WAIT_S_MAX)) == "found"


async def test_a_wait_survives_a_failed_commit_and_a_new_load() -> None:
    async with World() as world:
        (waiter,) = await hold(world, 1)
        world.held.holds = True
        failing = asyncio.create_task(world.set("other"))
        await until(lambda: world.held.waiting)
        world.held.fail(StoreUnavailable())
        with pytest.raises(StoreUnavailable):
            await failing
        world.held.holds = False
        await settle()
        assert not waiter.done()
        await world.do(SetEntry(ROOT, draft("k"), "id", "holder"))
        assert outcome(await waiter) == "found"


async def test_a_repeated_request_returns_the_same_reservation() -> None:
    async with World() as world:
        answers = [
            await world.memory.reserve_entry("a", ReserveEntry(ROOT, "k", token, LONG_NS), 0, request("r"))
            for token in ("t1", "t2")
        ]
        assert answers[0] == answers[1]
        assert outcome(answers[1]) == "reserved"
        held = ReserveEntry(ROOT, "k", "t3", LONG_NS)
        assert outcome(await world.memory.reserve_entry("a", held, 0, request("other"))) == "held"
        await world.do(ReleaseReservation(ROOT, "k", "t1"))
        assert outcome(await world.memory.reserve_entry("a", held, 0, request("other"))) == "reserved"


async def test_only_reads_of_values_are_counted() -> None:
    async with World() as world:
        await world.set("k")
        found, revision = await world.memory.contains_entry("a", ROOT, "k", local_only=False)
        assert (found is not None, revision) == (True, 1)
        for count in range(3):
            read, _ = await world.memory.get_entry("a", ROOT, "k", local_only=False)
            assert read is not None
            assert read.access_count == count
        (first, missing, again), revision = await world.memory.get_entries("a", ROOT, ["k", "x", "k"], local_only=False)
        assert first is not None
        assert again is not None
        assert (first.access_count, missing, again.access_count, revision) == (3, None, 4, 1)
        assert world.memory.counted("a", first.entry).access_count == 5
        assert world.memory.counted("not loaded", first.entry).access_count == 0
        assert world.telemetry.scope_fallback_total.value == 0


async def test_a_lookup_that_falls_back_is_measured() -> None:
    async with World() as world:
        await world.set("k")
        await world.do(CreateScope("s", ROOT, "s"))
        assert await world.value("k", scope_id="s") == "1"
        assert world.telemetry.scope_fallback_total.value == 1


async def test_entries_are_found_together_as_they_are_one_by_one() -> None:
    async with World() as world:
        await world.do(CreateScope("s", ROOT, "s"))
        for key, scope_id, ttl_ns in (
            ("both", ROOT, None),
            ("both", "s", None),
            ("above", ROOT, None),
            ("own", "s", None),
            ("ended", ROOT, SECOND_NS),
            ("ended", "s", 1),
        ):
            await world.set(key, scope_id=scope_id, ttl_ns=ttl_ns)
        world.clock.now += 1
        keys = ["both", "above", "missing", "own", "ended"]
        for scope_id, local_only in ((ROOT, False), ("s", False), ("s", True)):
            for _ in range(2):
                state = (await world.engine.cache.writer("a")).state
                memory = state.part(WORKING_MEMORY)
                singly = [memory.find(scope_id, key, world.clock.now, local_only=local_only) for key in keys]
                assert memory.find_each(scope_id, keys, world.clock.now, local_only=local_only) == singly
                found, _ = await world.memory.get_entries("a", scope_id, keys, local_only=local_only)
                assert [each and each.entry for each in found] == singly
        assert world.telemetry.scope_fallback_total.value == 4


async def test_reading_from_an_unknown_agent_finds_nothing_and_does_not_create_it() -> None:
    async with World() as world:
        assert await world.memory.get_entry("a", ROOT, "k", local_only=False) == (None, 0)
        assert await world.store.list_agents(AgentQuery(9)) == []


def test_ids_and_tokens_do_not_repeat() -> None:
    assert len({new_id() for _ in range(1_000)} | {new_token() for _ in range(1_000)}) == 2_000


async def test_the_latency_of_reads_is_measured() -> None:
    async with World() as world:
        await world.value("k")
        assert sum(world.telemetry.get_latency_ms.bucket_counts) == 1


async def test_the_reservation_of_a_cancelled_call_is_withdrawn() -> None:
    async with World() as world:
        for turns in range(12):
            call = reserve(world, f"cancelled {turns}")
            for _ in range(turns):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.wait([call])
            if not call.cancelled():
                await world.do(ReleaseReservation(ROOT, "k", f"cancelled {turns}"))
            async with asyncio.timeout(WAIT_S_MAX):
                assert outcome(await reserve(world, f"next {turns}")) == "reserved"
            await world.do(ReleaseReservation(ROOT, "k", f"next {turns}"))


async def test_a_repeated_request_whose_reservation_ended_reserves_again() -> None:
    async with World() as world:
        first, again = [ReserveEntry(ROOT, "k", token, LONG_NS) for token in ("first", "again")]
        await world.memory.reserve_entry("a", first, 0, request("r"))
        await world.do(ReleaseReservation(ROOT, "k", "first"))
        repeated = await world.memory.reserve_entry("a", again, 0, request("r"))
        assert (outcome(repeated), repeated.reservation and repeated.reservation.token) == ("reserved", "again")
        await world.do(SetEntry(ROOT, draft("k"), "id", "again"))


IDLE_NS = 100 * SECOND_NS


@pytest.mark.parametrize("read", ["get_entry", "get_entries", "contains_entry", "list_entries", "get_scope"])
async def test_a_read_renews_its_scope_with_one_commit_for_many(read: str) -> None:
    async with World() as world:
        await world.do(CreateScope("s", ROOT, "s", idle_ttl_ns=IDLE_NS))
        state = (await world.cache.writer("a")).state
        before = state.part(WORKING_MEMORY).scope("s").expire_time
        world.clock.now += IDLE_NS
        committed = len(world.held.commits)
        reads = {
            "get_entry": lambda: world.memory.get_entry("a", "s", "k", local_only=False),
            "get_entries": lambda: world.memory.get_entries("a", "s", ["k"], local_only=False),
            "contains_entry": lambda: world.memory.contains_entry("a", "s", "k", local_only=False),
            "list_entries": lambda: world.memory.list_entries("a", EntryQuery("s"), PageRequest(digest("q"), 10, "")),
            "get_scope": lambda: world.memory.get_scope("a", "s"),
        }
        for _ in range(5):
            await reads[read]()
        await until(lambda: not world.memory._renewals)
        writer = await world.cache.writer("a")
        after = writer.state.part(WORKING_MEMORY).scope("s").expire_time
        assert after == world.clock.now + IDLE_NS + IDLE_NS // 4 != before
        assert writer.state.revision == 1
        await reads[read]()
        await settle()
        assert len(world.held.commits) == committed + 1


async def test_a_scope_that_cannot_be_renewed_is_still_read() -> None:
    async with World() as world:
        await world.do(CreateScope("s", ROOT, "s", idle_ttl_ns=IDLE_NS))
        world.clock.now += IDLE_NS
        world.held.holds = True
        await world.memory.get_scope("a", "s")
        await until(lambda: world.held.waiting)
        world.held.fail(StoreUnavailable())
        world.held.holds = False
        await until(lambda: not world.memory._renewals)
        await world.memory.get_scope("a", "s")
        await until(lambda: len(world.held.commits) == 3)
