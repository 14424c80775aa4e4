import asyncio
import itertools
import random
from typing import Any

import pytest
from tests.unit.domain.sample import fragment_draft
from tests.unit.engine.world import World
from tests.unit.record_filters import of_fragments
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.error import InvalidPageToken, LeaseLost, PageTokenExpired, RecordNotFound
from memoryd_server.domain.fragments.fragment import Fragment, fragment_id_of, fragment_of
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_change import ClearFragments, CreateFragment, FlushFragments
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    LeaseFragments,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords
from memoryd_server.domain.lifecycle.record import state_of
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS, Limits
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import EVERY_RECORD
from memoryd_server.engine.agents.listing import Page, PageRequest
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.fragments.fragments import Fragments, Handover
from memoryd_server.engine.limit import LISTING_PINNED_NS_MAX

LONG_NS = 1_000 * SECOND_NS


def fragments(world: World) -> Fragments:
    return world.engine.fragments


async def store(
    world: World, content: str = "text", ttl_ns: int = LONG_NS, threshold: int = 0, agent: str = "a"
) -> str:
    drafted = fragment_draft(content, world.clock.now + ttl_ns)
    number = random.getrandbits(32)
    stored: Any = await fragments(world).change("a", CreateFragment(drafted, number, threshold), UNCONDITIONAL)
    return str(stored.fragment_id)


async def flush(world: World) -> None:
    await fragments(world).change("a", FlushFragments(), UNCONDITIONAL)


async def lease(world: World, token: str, wait_ns: int = 0, lease_ns: int = SECOND_NS, request: str = "") -> Handover:
    write = Write(request=RequestKey(request, b"")) if request else UNCONDITIONAL
    return await fragments(world).lease("a", LeaseFragments(token, 100, lease_ns), wait_ns, write)


async def renew(world: World, command: RenewLease) -> Handover:
    return await fragments(world).handover("a", await fragments(world).change("a", command, UNCONDITIONAL))


async def test_reading_from_an_unknown_agent_finds_nothing() -> None:
    async with World() as world:
        with pytest.raises(RecordNotFound) as missing:
            await fragments(world).get("a", "mem_00000000")
        assert missing.value.metadata == {"agent_id": "a", "kind": "fragment", "record_id": "mem_00000000"}
        assert await fragments(world).search("a", "x", 10) == ([], 0)
        counts, revision = await fragments(world).count("a")
        assert (counts.all, counts.flushed, counts.leased, revision) == (0, 0, 0, 0)
        page = await fragments(world).list("a", PageRequest(digest("q"), 10, ""))
        assert (page.items, page.total_count) == ([], 0)


async def test_a_search_returns_no_more_than_its_limit_and_a_message_allow() -> None:
    async with World() as world:
        for _ in range(3):
            await store(world, "word " + "x" * (PAGE_BYTES_MAX // 2))
        assert [len((await fragments(world).search("a", "word", most))[0]) for most in (1, 9)] == [1, 2]


async def test_an_expired_lease_wakes_waiting_consumers() -> None:
    async with World() as world:
        await store(world)
        await flush(world)
        await lease(world, "dies")
        waits = asyncio.create_task(lease(world, "lives", LONG_NS))
        await asyncio.sleep(0)
        world.clock.now += SECOND_NS
        await world.engine.maintenance.expire()
        async with asyncio.timeout(WAIT_S_MAX):
            handover = await waits
        assert [fragment.delivery_count for fragment in handover.fragments] == [2]
        with pytest.raises(LeaseLost):
            await renew(world, RenewLease("dies", SECOND_NS))


async def test_a_wait_continues_until_fragments_are_flushed() -> None:
    async with World() as world:
        waits = asyncio.create_task(lease(world, "t", LONG_NS))
        await store(world)
        await store(world)
        assert not waits.done()
        await flush(world)
        async with asyncio.timeout(WAIT_S_MAX):
            assert len((await waits).fragments) == 2


async def test_an_expired_fragment_does_not_wake_a_wait_repeatedly() -> None:
    async with World() as world:
        await store(world, ttl_ns=2)
        world.clock.now += 2
        revision = (await fragments(world).count("a"))[1]
        waits = asyncio.create_task(lease(world, "t", LONG_NS))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not waits.done()
        assert (await fragments(world).count("a"))[1] == revision
        world.engine.end_waits()
        assert (await waits).lease is None


async def test_waits_end_at_once_after_waits_were_ended() -> None:
    async with World() as world:
        waits = asyncio.create_task(lease(world, "t", LONG_NS))
        await store(world)
        world.engine.end_waits()
        assert (await waits).lease is None
        assert (await lease(world, "u", LONG_NS)).lease is None


async def test_a_wait_ends_with_its_timeout() -> None:
    async with World() as world:
        await store(world)
        waits = asyncio.create_task(lease(world, "t", LONG_NS))
        await asyncio.sleep(0)
        world.clock.now += LONG_NS
        await store(world)
        async with asyncio.timeout(WAIT_S_MAX):
            assert (await waits).lease is None


async def test_only_a_granted_lease_is_kept_for_its_request_id() -> None:
    async with World() as world:
        await store(world)
        assert (await lease(world, "t", request="r")).lease is None
        await flush(world)
        first = await lease(world, "u", request="r")
        again = await lease(world, "v", request="r")
        assert first.lease is not None
        assert first.lease == again.lease
        assert first.fragments == again.fragments
        world.clock.now += SECOND_NS
        assert (await lease(world, "w", request="r")).lease is None


async def test_renewing_a_lease_returns_its_remaining_fragments() -> None:
    async with World() as world:
        gone, stays = await store(world), await store(world)
        await flush(world)
        await lease(world, "t")
        await fragments(world).change("a", AcknowledgeFragments("t", frozenset({gone})), UNCONDITIONAL)
        renewed = await renew(world, RenewLease("t", LONG_NS))
        assert renewed.lease is not None
        assert renewed.lease.expire_time == world.clock.now + LONG_NS
        assert [fragment.fragment_id for fragment in renewed.fragments] == [stays]


async def test_a_listing_stays_at_its_revision_and_omits_expired_fragments() -> None:
    async with World() as world:
        for number in range(6):
            await store(world, str(number), ttl_ns=SECOND_NS if number == 2 else LONG_NS)
        first = await fragments(world).list("a", PageRequest(digest("q"), 2, ""))
        await store(world, "later")
        world.clock.now += SECOND_NS
        second = await fragments(world).list("a", PageRequest(digest("q"), 2, first.next_page_token))
        third = await fragments(world).list("a", PageRequest(digest("q"), 9, second.next_page_token))
        assert [[each.content for each in page.items] for page in (first, second, third)] == [
            ["5", "4"],
            ["3"],
            ["1", "0"],
        ]
        assert [page.total_count for page in (first, second, third)] == [6, 6, 6]
        world.clock.now += LISTING_PINNED_NS_MAX + 1
        with pytest.raises(PageTokenExpired):
            await fragments(world).list("a", PageRequest(digest("q"), 2, first.next_page_token))
        with pytest.raises(InvalidPageToken):
            await fragments(world).list("a", PageRequest(digest("p"), 2, first.next_page_token))


async def test_a_listing_of_selected_fragments_stays_at_its_revision() -> None:
    async with World() as world:
        for number in range(5):
            await store(world, str(number), ttl_ns=SECOND_NS if number == 1 else LONG_NS)
        await store(world, "waiting")
        chosen, order = of_fragments(flushed=False), ListOrder.CREATE_TIME

        async def page(size: int, token: str = "") -> Page[Fragment]:
            return await fragments(world).list("a", PageRequest(digest("q"), size, token), chosen, order)

        first = await page(1)
        world.clock.now += SECOND_NS
        await flush(world)
        second = await page(9, first.next_page_token)
        assert [[each.content for each in found.items] for found in (first, second)] == [
            ["0"],
            ["2", "3", "4", "waiting"],
        ]
        assert (second.total_count, second.revision) == (6, first.revision)
        assert [each.content for each in (await page(9)).items] == []


async def test_fragments_and_leases_are_kept_when_the_agent_is_loaded_again() -> None:
    async with World() as world:
        await store(world, "flushed one")
        await flush(world)
        await lease(world, "t")
        await store(world, "waiting one")
        writer = await world.cache.writer("a")
        before = writer.state
        world.cache._discard(writer)
        loaded = await world.cache.writer("a")
        assert loaded is not writer
        assert loaded.state.part(FRAGMENTS) == before.part(FRAGMENTS)
        found, _ = await fragments(world).search("a", "ONE", 10)
        assert [fragment.content for fragment in found] == ["waiting one", "flushed one"]


async def test_changes_of_fragments_are_measured() -> None:
    async with World(limits=Limits(fragments_per_agent=2)) as world:
        for _ in range(3):
            await store(world)
        await flush(world)
        await lease(world, "t")
        await renew(world, RenewLease("t", SECOND_NS))
        await fragments(world).change("a", ReleaseFragments("t"), UNCONDITIONAL)
        await lease(world, "u")
        telemetry = world.telemetry
        await world.engine.measure()
        assert telemetry.fragments.value == 2
        await fragments(world).change("a", AcknowledgeFragments("u"), UNCONDITIONAL)
        await world.engine.measure()
        assert telemetry.fragments.value == 0
        assert telemetry.fragments_stored_total.value == 3
        assert {cause: each.value for cause, each in telemetry.fragments_lost_total.items()} == {
            "eviction": 1,
            "expiry": 0,
        }
        assert telemetry.fragments_flushed_total.value == 2
        assert telemetry.fragments_leased_total.value == 4
        assert telemetry.fragments_acknowledged_total.value == 2


async def test_fragments_that_expire_before_a_flush_are_counted_as_lost() -> None:
    async with World() as world:
        lost = world.telemetry.fragments_lost_total["expiry"]
        await store(world, ttl_ns=1)
        world.clock.now += 1
        await world.engine.maintenance.expire()
        assert lost.value == 1
        await store(world, ttl_ns=1)
        world.clock.now += 1
        await flush(world)
        assert lost.value == 2
        await store(world, ttl_ns=1)
        world.clock.now += 1
        await store(world)
        assert lost.value == 3


async def test_loaded_fragments_count_as_memory_until_they_are_deleted() -> None:
    async with World() as world:
        await world.set("k")
        empty = world.cache._writers.weight
        await store(world, "some words")
        assert world.cache._writers.weight > empty + 1_000
        await fragments(world).change("a", ClearFragments(), UNCONDITIONAL)
        assert world.cache._writers.weight == empty
        await store(world)
        world.cache._discard(await world.cache.writer("a"))
        assert world.cache._writers.weight == 0


SPREAD = 20


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.faults)])
def test_no_fragment_is_served_after_its_deadline_and_none_is_left(count: int) -> None:
    """FB-05: with lives from 1 s up, while the sweep stays behind."""
    limits, now = Limits(fragments_per_agent=count), LONG_NS
    drafts = [
        fragment_draft(f"all {number % 100}", now + (1 + number % SPREAD) * SECOND_NS) for number in range(SPREAD)
    ]
    stored = [
        fragment_of(each, fragment_id_of(number), number, 1, now, each.expire_time or 0)
        for number, each in zip(range(count), itertools.cycle(drafts), strict=False)
    ]
    state = state_of("a", 1, now, now, stored)
    for second in range(1, SPREAD + 1):
        now += SECOND_NS
        buffer = state.part(FRAGMENTS)
        assert buffer.live_count(now) == count - second * (count // SPREAD)
        if second % 5 == 0:
            assert sum(1 for _ in buffer.newest_first(now)) == buffer.live_count(now)
        assert all(now < fragment.expire_time for fragment in buffer.search("7 all", EVERY_RECORD, now))
        assert all(buffer.find(fragment_id_of(number), now) is None for number in range(second))
        assert state.next_deadline is not None
        assert state.next_deadline <= now
        state = decide(state, ExpireRecords(), now, limits).state
    while state.part(FRAGMENTS).fragments:
        state = decide(state, ExpireRecords(), now, limits).state
    assert state.part(FRAGMENTS) == FragmentBuffer(next_sequence=count)
    assert (state.size_bytes, state.record_count, state.next_deadline) == (0, 0, None)
