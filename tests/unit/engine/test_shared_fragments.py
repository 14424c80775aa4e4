"""One buffer through several engines: each finds the fragments of the others, and no lease is granted twice."""

import asyncio
import random
from typing import Any

import pytest
from tests.unit.domain.sample import fragment_draft
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, until
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.error import LeaseLost
from memoryd_server.domain.fragments.fragment_change import CreateFragment, DeleteFragment, FlushFragments
from memoryd_server.domain.fragments.lease_change import AcknowledgeFragments, LeaseFragments
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents.write import UNCONDITIONAL
from memoryd_server.engine.fragments.fragments import Handover

LONG_NS = 1_000 * SECOND_NS


async def change(world: World, requested: Command) -> Any:
    return await world.engine.fragments.change("a", requested, UNCONDITIONAL)


async def store(world: World, content: str, threshold: int = 0) -> str:
    drafted = fragment_draft(content, world.clock.now + LONG_NS)
    stored = await change(world, CreateFragment(drafted, random.getrandbits(32), threshold))
    return str(stored.fragment_id)


async def lease(world: World, token: str, count_max: int = 100, wait_ns: int = 0) -> Handover:
    leasing = LeaseFragments(token, count_max, SECOND_NS)
    return await world.engine.fragments.lease("a", leasing, wait_ns, UNCONDITIONAL)


async def found(world: World, query: str) -> list[str]:
    return [each.content for each in (await world.engine.fragments.search("a", query, 10))[0]]


async def test_a_fragment_of_one_engine_is_found_counted_and_removed_by_another() -> None:
    async with sharing(SharedStore()) as (a, b):
        assert await found(b, "fox") == []
        first = await store(a, "a red fox")
        await store(b, "a grey fox")
        assert await found(a, "fox") == await found(b, "fox") == ["a grey fox", "a red fox"]
        assert (await change(b, DeleteFragment(first))).deleted
        assert await found(a, "red") == []
        assert (await a.engine.fragments.count("a"))[0].all == 1


async def test_the_threshold_counts_the_fragments_of_all_engines() -> None:
    async with sharing(SharedStore()) as (a, b):
        await store(a, "one", 3)
        await store(b, "two", 3)
        assert (await a.engine.fragments.count("a"))[0].flushed == 0
        await store(a, "three", 3)
        assert (await b.engine.fragments.count("a"))[0].flushed == 3


async def test_no_fragment_is_leased_to_two_consumers() -> None:
    async with sharing(SharedStore(), 3) as worlds:
        for number in range(30):
            await store(worlds[0], f"number {number}")
        await change(worlds[1], FlushFragments())
        handed = await asyncio.gather(*(lease(worlds[n % 3], f"token {n}", count_max=4) for n in range(10)))
        contents = [each.content for handover in handed for each in handover.fragments]
        assert len(contents) == len(set(contents)) == 30


async def test_a_lease_of_one_engine_can_be_acknowledged_at_another() -> None:
    async with sharing(SharedStore()) as (a, b):
        await store(a, "one", 1)
        held = await lease(a, "token")
        assert [each.content for each in held.fragments] == ["one"]
        assert (await lease(b, "other")).fragments == ()
        await change(b, AcknowledgeFragments("token"))
        assert (await a.engine.fragments.count("a"))[0].all == 0


async def test_fragments_of_an_expired_lease_are_leased_by_another_engine() -> None:
    async with sharing(SharedStore()) as (a, b):
        await store(a, "one", 1)
        await lease(a, "token")
        for world in (a, b):
            world.clock.now += SECOND_NS
        again = await lease(b, "other")
        assert [(each.content, each.delivery_count) for each in again.fragments] == [("one", 2)]
        with pytest.raises(LeaseLost):
            await change(a, AcknowledgeFragments("token"))


async def test_a_wait_at_one_engine_ends_with_a_flush_at_another() -> None:
    async with sharing(SharedStore()) as (a, b):
        await store(a, "one")
        waiting = asyncio.create_task(lease(b, "token", wait_ns=LONG_NS))
        await until(lambda: (writer := b.cache.peek("a")) is not None and writer._waiters)
        await change(a, FlushFragments())
        held = await asyncio.wait_for(waiting, WAIT_S_MAX)
        assert [each.content for each in held.fragments] == ["one"]
