import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import message_draft
from tests.unit.engine.proposer import FakeProposer
from tests.unit.engine.world import World, request, until

from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY, MessageDraft
from memoryd_server.domain.conversations.ingestion_change import MessagesIngested
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.error import Overloaded, ProposerUnavailable, Refusal
from memoryd_server.domain.memories.memory import Memory, Provenance
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.conversations.ingestion import IngestionRequest


def said(content: str, role: MessageRole = MessageRole.USER, **fields: Any) -> MessageDraft:
    return msgspec.structs.replace(message_draft(content, role), **fields)


async def append(world: World, *drafts: MessageDraft | str) -> None:
    messages = tuple(said(each) if isinstance(each, str) else each for each in drafts)
    await world.do(AppendMessages("c", messages))


async def ingest(world: World, write: Write = UNCONDITIONAL) -> MessagesIngested:
    return await world.engine.ingestion.ingest("a", IngestionRequest("c"), write)


def memories(world: World) -> Sequence[Memory]:
    found = world.cache.peek("a").state.part(MEMORIES).memories.values()
    return sorted(found, key=lambda each: each.sequence)


def contents(world: World) -> list[str]:
    return [each.content for each in memories(world)]


def position(world: World) -> int:
    found = world.cache.peek("a").state.part(CONVERSATION).find("c", CONVERSATION_KEY)
    assert found is not None
    return found.ingested_number


async def test_a_memory_names_its_proposer_and_its_evidence() -> None:
    model = FakeProposer()
    async with World(proposer=model) as world:
        await append(
            world, said("Oslo it is", create_time=7), said("Tea", MessageRole.ASSISTANT), said("Rice", name="Ann")
        )
        done = await ingest(world)
        assert (done.message_count, done.remaining_count) == (3, 0)
        first, second = memories(world)
        assert (first.content, first.tags, first.occur_time) == ("Oslo it is", ("fact",), 7)
        assert first.provenance == Provenance("c", "", "Oslo it is.", 1, 1)
        assert first.metadata_json == model.metadata_json
        assert second.content == "Ann: Rice"
        assert model.asked == [["Oslo it is", "Rice"]]
    assert model.closed


async def test_a_memory_of_the_rules_names_no_proposer() -> None:
    async with World() as world:
        await append(world, "I moved to Oslo.")
        await ingest(world)
        assert memories(world)[0].metadata_json == ""


async def test_a_call_reads_what_the_model_reads_at_a_time_and_what_stands_before_the_rest() -> None:
    async with World(proposer=FakeProposer(2)) as world:
        await append(world, "a", said("b", MessageRole.ASSISTANT), "c", said("d", MessageRole.TOOL), "e", "f", "g")
        done = await ingest(world)
        assert (done.message_count, done.remaining_count, position(world)) == (4, 3, 4)
        done = await ingest(world)
        assert (done.message_count, done.remaining_count) == (2, 1)
        assert (await ingest(world)).remaining_count == 0
        assert contents(world) == ["a", "c", "e", "f", "g"]


@pytest.mark.parametrize("failure", [ProposerUnavailable(), Overloaded("ingest_tokens_per_day", 9, 1)], ids=str)
async def test_a_failure_leaves_everything_as_it_was_and_the_next_call_continues(failure: Refusal) -> None:
    model = FakeProposer(1)
    async with World(proposer=model) as world:
        await append(world, "a", "b")
        await ingest(world)
        model.failure = failure
        with pytest.raises(type(failure)):
            await ingest(world, request("r"))
        assert (contents(world), position(world)) == (["a"], 1)
        model.failure = None
        done = await ingest(world, request("r"))
        assert (done.message_count, contents(world)) == (1, ["a", "b"])


async def test_calls_at_once_ask_the_model_once() -> None:
    model = FakeProposer()
    async with World(proposer=model) as world:
        await append(world, "a", "b")
        done = await asyncio.gather(*(ingest(world) for _ in range(5)))
        assert sorted(each.message_count for each in done) == [0, 0, 0, 0, 2]
        assert model.asked == [["a", "b"]]
        assert [each.reinforce_count for each in memories(world)] == [0, 0]


async def test_a_cancelled_call_lets_the_next_one_in() -> None:
    model = FakeProposer()
    async with World(proposer=model) as world:
        await append(world, "a")
        model.meanwhile = [asyncio.Event().wait]
        waiting = asyncio.create_task(ingest(world))
        await until(lambda: model.asked)
        following = asyncio.create_task(ingest(world))
        waiting.cancel()
        assert (await following).message_count == 1
        assert contents(world) == ["a"]


async def test_a_repeated_request_does_not_ask_the_model_again() -> None:
    model = FakeProposer()
    async with World(proposer=model) as world:
        await append(world, "a")
        first, second = await asyncio.gather(ingest(world, request("r")), ingest(world, request("r")))
        await append(world, "b")
        assert first == second == await ingest(world, request("r"))
        assert model.asked == [["a"]]


async def test_the_model_is_asked_again_after_a_conflict() -> None:
    model = FakeProposer()
    async with World(proposer=model) as world:
        await append(world, "a", "b")
        model.meanwhile = [lambda: world.do(TruncateMessages("c", 2))]
        done = await ingest(world)
        assert (done.message_count, contents(world)) == (1, [*contents(world)])
        assert len(model.asked) == 2
        assert [text for texts in model.asked for text in texts][:2] == ["a", "b"]


async def test_the_model_is_not_asked_without_messages_of_people() -> None:
    model = FakeProposer()
    async with World(proposer=model) as world:
        await append(world, said("a", MessageRole.ASSISTANT))
        assert (await ingest(world)).message_count == 1
        assert [text for texts in model.asked for text in texts] == []
