"""Two engines that lose the server's replies to commits that it has executed: each change happens once."""

import asyncio
import random
from collections import Counter

import pytest
from tests.integration.seed import seeded
from tests.unit.engine.world import World
from tests.unit.stores.redis.relay import LosingRelay
from tests.unit.stores.redis.writing import fresh_store, prefix_of
from tests.valkey.server import ValkeyServer

from memoryd_server.domain.entries.entry_change import EntrySet
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY

WRITERS = 6
CHANGES = 15
AGENTS = ("a", "b")


@pytest.fixture
def chance() -> random.Random:
    return seeded()


async def write(world: World, name: str, chance: random.Random) -> Counter[str]:
    """Set keys that no other writer has, and return the number of changes by agent."""
    made: Counter[str] = Counter()
    for number in range(CHANGES):
        agent_id = chance.choice(AGENTS)
        result = await world.set(f"{name}-{number}", agent_id=agent_id)
        assert isinstance(result, EntrySet)
        assert result.created
        made[agent_id] += 1
    return made


async def test_each_change_happens_once_however_many_replies_are_lost(
    valkey: ValkeyServer, chance: random.Random
) -> None:
    async with LosingRelay(valkey.port) as relay:
        first = fresh_store(relay.url)
        second = fresh_store(relay.url, prefix_of(first))
        async with World(first, name="A-") as a, World(second, name="B-") as b:
            # Never the first one of a connection: a change is repeated over a new one, and then succeeds.
            relay.loses_nth = 3
            tasks = [write((a, b)[number % 2], f"writer-{number}", chance) for number in range(WRITERS)]
            made = sum(await asyncio.gather(*tasks), Counter[str]())
            relay.loses_nth = 0
            assert relay.lost
            for agent_id in AGENTS:
                for world in (a, b):
                    state = (await world.cache.current(agent_id)).state
                    assert (state.revision, state.part(WORKING_MEMORY).entry_count) == (made[agent_id], made[agent_id])
