import asyncio
from typing import Any

import pytest
from tests.unit.domain.sample import message_draft
from tests.unit.engine.shared_store import SharedStore
from tests.unit.engine.world import World, settle, until

from memoryd_server.domain.agents.agent_change import AgentPatch, UpdateAgent
from memoryd_server.domain.agents.tier import ALL_FEATURES, Feature, Tier
from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.limit import INGESTION_LEASE_NS_MIN, SECOND_NS, Limits
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.conversations import background_ingestion
from memoryd_server.engine.conversations.ingestion import Ingestion

REST_NS = 30 * SECOND_NS


async def append(world: World, *contents: str, conversation_id: str = "c", agent: str = "a") -> None:
    messages = tuple(map(message_draft, contents))
    await world.do(AppendMessages(conversation_id, messages, ingest_ns=REST_NS), agent)


def contents(world: World, agent: str = "a") -> list[str]:
    found = world.cache.peek(agent).state.part(MEMORIES).memories.values()
    return [each.content for each in sorted(found, key=lambda each: each.sequence)]


def ingested_number(world: World) -> int:
    conversation = world.cache.peek("a").state.part(CONVERSATION).find("c", CONVERSATION_KEY)
    assert conversation is not None
    return conversation.ingested_number


def due_count(world: World) -> int:
    return len(world.cache.peek("a").state.part(DUE_INGESTIONS))


async def rest(world: World, duration_ns: int = REST_NS) -> None:
    """Let time pass, and maintenance find what is due."""
    world.clock.now += duration_ns
    await world.engine.maintenance.expire()


async def test_messages_are_ingested_when_the_conversation_is_at_rest() -> None:
    async with World(ingest_ns=REST_NS) as world:
        await append(world, "I prefer tea.")
        await rest(world, REST_NS - 1)
        await append(world, "I have a dog.")
        await rest(world, 1)
        await settle()
        assert contents(world) == []
        await rest(world)
        await until(lambda: world.telemetry.ingestions_total["done"].value == 1)
        assert contents(world) == ["I prefer tea", "I have a dog"]
        assert (ingested_number(world), due_count(world)) == (2, 0)


async def test_what_was_due_before_a_restart_is_ingested_after_it() -> None:
    async with World(ingest_ns=REST_NS) as world:
        await append(world, "I prefer tea.")
        clock, store = world.clock, world.store
        async with World(store, clock=clock, ingest_ns=REST_NS) as next_world:
            await rest(next_world)
            await until(lambda: next_world.telemetry.ingestions_total["done"].value == 1)
            assert contents(next_world) == ["I prefer tea"]


async def test_two_daemons_make_one_memory() -> None:
    store = SharedStore()
    async with World(store, name="x") as one, World(store, clock=one.clock) as two:
        await append(one, "I prefer tea.")
        one.clock.now += REST_NS
        first = background_ingestion.BackgroundIngestion(one.cache, one.engine.ingestion, one.telemetry)
        second = background_ingestion.BackgroundIngestion(two.cache, two.engine.ingestion, two.telemetry)
        assert await first.ingest_due("a") == 1
        assert await second.ingest_due("a") == 0
        assert contents(one) == ["I prefer tea"]
        (memory,) = two.cache.peek("a").state.part(MEMORIES).memories.values()
        assert memory.reinforce_count == 0


async def test_a_daemon_whose_lease_ended_makes_no_second_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        await append(world, "I prefer tea.")
        world.clock.now += REST_NS
        working = background_ingestion.BackgroundIngestion(world.cache, world.engine.ingestion, world.telemetry)
        # As another daemon: within one, the calls about a conversation follow one another.
        ingestion = Ingestion(world.cache, world.engine.memories)
        other = background_ingestion.BackgroundIngestion(world.cache, ingestion, world.telemetry)
        create = world.engine.memories.create_command

        async def delayed(*given: Any, **fields: Any) -> Any:
            monkeypatch.undo()
            world.clock.now += INGESTION_LEASE_NS_MIN
            assert await other.ingest_due("a") == 1
            return await create(*given, **fields)

        monkeypatch.setattr(world.engine.memories, "create_command", delayed)
        await working.ingest_due("a")
        (memory,) = world.cache.peek("a").state.part(MEMORIES).memories.values()
        assert (memory.content, memory.reinforce_count, due_count(world)) == ("I prefer tea", 0, 0)


async def test_what_fails_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World(ingest_ns=REST_NS) as world:
        await append(world, "I prefer tea.")

        async def refused(*given: Any, **fields: Any) -> Any:
            raise QuotaExceeded("memories_per_agent", 1)

        monkeypatch.setattr(world.engine.memories, "create_command", refused)
        await rest(world)
        await until(lambda: world.telemetry.ingestions_total["postponed"].value == 1)
        await rest(world, INGESTION_LEASE_NS_MIN - 1)
        await settle()
        assert world.telemetry.ingestions_total["postponed"].value == 1
        await rest(world, 1)
        await until(lambda: world.telemetry.ingestions_total["postponed"].value == 2)
        monkeypatch.undo()
        await rest(world, 2 * INGESTION_LEASE_NS_MIN)
        await until(lambda: world.telemetry.ingestions_total["done"].value == 1)
        assert (contents(world), due_count(world)) == (["I prefer tea"], 0)


async def test_what_a_stop_interrupts_is_ingested_at_once_by_the_next_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World(ingest_ns=REST_NS) as world:
        await append(world, "I prefer tea.")
        await append(world, "I have a dog.", conversation_id="d")
        began = asyncio.Event()

        async def endless(*given: Any, **fields: Any) -> Any:
            began.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(world.engine.memories, "create_command", endless)
        await rest(world)
        await began.wait()
        clock, store = world.clock, world.store
        await world.engine.close(take_snapshot=False)
        async with World(store, clock=clock, ingest_ns=REST_NS) as next_world:
            await rest(next_world, 0)
            await until(lambda: next_world.telemetry.ingestions_total["done"].value == 2)
            assert contents(next_world) == ["I prefer tea", "I have a dog"]


async def test_a_conversation_without_new_messages_is_settled() -> None:
    async with World(ingest_ns=REST_NS) as world:
        await append(world, "I prefer tea.")
        await world.do(TruncateMessages("c", 1))
        await rest(world)
        await until(lambda: world.telemetry.ingestions_total["done"].value == 1)
        assert (contents(world), due_count(world)) == ([], 0)


async def test_many_conversations_and_agents_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_ingestion, "INGESTIONS_LEASED_MAX", 2)
    async with World(ingest_ns=REST_NS) as world:
        for number in range(5):
            await append(world, "I prefer tea.", conversation_id=f"c{number}")
        await append(world, "I have a dog.", agent="b")
        await rest(world)
        await until(lambda: world.telemetry.ingestions_total["done"].value == 6)
        assert (contents(world), contents(world, "b")) == (["I prefer tea"], ["I have a dog"])


async def test_only_a_tier_with_memories_has_conversations_ingested() -> None:
    async with World(ingest_ns=REST_NS) as world:
        free = Tier.of("free", ALL_FEATURES - {Feature.LONG_TERM}, {}, Limits())
        world.engine.tiers.enforce([free, Tier.of("pro", ALL_FEATURES, {}, Limits())])
        await world.do(UpdateAgent(AgentPatch(tier="free")))
        await append(world, "I prefer tea.")
        await rest(world)
        await settle()
        assert (contents(world), due_count(world)) == ([], 1)
        await world.do(UpdateAgent(AgentPatch(tier="pro")))
        await rest(world, INGESTION_LEASE_NS_MIN)
        await until(lambda: contents(world) == ["I prefer tea"])


async def test_a_daemon_that_does_not_ingest_forgets_what_is_due() -> None:
    async with World() as world:
        await append(world, "I prefer tea.")
        await rest(world)
        assert (contents(world), due_count(world)) == ([], 0)
        assert world.cache.peek("a").state.next_deadline is None
