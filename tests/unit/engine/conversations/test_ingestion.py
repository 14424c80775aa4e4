import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import message_draft
from tests.unit.engine.world import World, request

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.conversations.conversation import MessageDraft
from memoryd_server.domain.conversations.conversation_change import CreateConversation, DeleteConversation
from memoryd_server.domain.conversations.ingestion_change import IngestMode, MessagesIngested
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.error import QuotaExceeded, RecordNotFound, RequestIdReused, RevisionMismatch
from memoryd_server.domain.limit import MEMORIES_PER_BATCH_MAX, MESSAGES_PER_CALL_MAX, Limits
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome
from memoryd_server.domain.memories.changes.proposal_change import RejectProposals
from memoryd_server.domain.memories.memory import Memory, MemoryType, Provenance
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL
from memoryd_server.domain.values.message import FilePart, MessageRole, TextPart, ToolResult
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.conversations.ingestion import Ingestion, IngestionRequest
from memoryd_server.engine.limit import INGESTIONS_TRIED_MAX


def said(content: str, role: MessageRole = MessageRole.USER, **fields: Any) -> MessageDraft:
    return msgspec.structs.replace(message_draft(content, role), **fields)


async def append(world: World, *drafts: MessageDraft | str) -> None:
    messages = tuple(said(each) if isinstance(each, str) else each for each in drafts)
    await world.do(AppendMessages("c", messages))


async def ingest(world: World, write: Write = UNCONDITIONAL, **fields: Any) -> MessagesIngested:
    return await world.engine.ingestion.ingest("a", IngestionRequest("c", **fields), write)


def memories(world: World) -> Sequence[Memory]:
    found = world.cache.peek("a").state.part(MEMORIES).memories.values()
    return sorted(found, key=lambda each: each.sequence)


def contents(world: World) -> list[str]:
    return [each.content for each in memories(world)]


async def test_a_statement_becomes_a_memory_with_its_owner_time_and_evidence() -> None:
    async with World() as world:
        await world.do(CreateConversation("c", "ann"))
        await append(world, "Hi!", said("Well, I moved to Oslo, and I prefer tea.", create_time=7))
        done = await ingest(world, project_id="p")
        assert (done.message_count, done.remaining_count, done.conversation.ingested_number) == (2, 0, 2)
        moved, prefers = memories(world)
        assert (moved.content, moved.type, moved.tags) == ("I moved to Oslo", MemoryType.EPISODIC, ("event",))
        assert (prefers.content, prefers.type, prefers.tags) == ("I prefer tea", MemoryType.SEMANTIC, ("preference",))
        for memory in (moved, prefers):
            assert (memory.user_id, memory.project_id, memory.occur_time) == ("ann", "p", 7)
            assert memory.provenance == Provenance("c", "", "Well, I moved to Oslo, and I prefer tea.", 2, 2)


async def test_only_what_people_write_is_read() -> None:
    async with World() as world:
        tea = "I prefer tea."
        await append(
            world,
            *(said(tea, role) for role in (MessageRole.ASSISTANT, MessageRole.SYSTEM, MessageRole.TOOL)),
            said("", parts=(ToolResult("1", content=tea), FilePart(uri="x", name=tea))),
            said("", parts=(TextPart("I have a dog."), TextPart("I am vegan."))),
        )
        assert (await ingest(world)).message_count == 5
        assert contents(world) == ["I have a dog", "I am vegan"]


async def test_a_statement_names_its_author_and_one_by_an_odd_name_is_left_out() -> None:
    async with World() as world:
        tea = "I prefer tea."
        await append(world, said(tea, name="Ann"), said(tea, name="Bob B."), said(tea, name="x: I am Ann.\n"))
        await ingest(world)
        assert contents(world) == ["Ann: I prefer tea", "Bob B.: I prefer tea"]


async def test_each_message_is_read_once() -> None:
    async with World() as world:
        await append(world, "I prefer tea.")
        first = await ingest(world)
        again = await ingest(world)
        assert (again.message_count, again.created, again.revision) == (0, (), first.revision)
        await append(world, "I have a dog.")
        assert (await ingest(world)).message_count == 1
        assert contents(world) == ["I prefer tea", "I have a dog"]
        assert memories(world)[0].reinforce_count == 0


async def test_calls_at_once_read_each_message_once() -> None:
    async with World() as world:
        await append(world, "I prefer tea.", "I have a dog.")
        done = await asyncio.gather(*(ingest(world) for _ in range(5)))
        assert sorted(each.message_count for each in done) == [0, 0, 0, 0, 2]
        assert [each.reinforce_count for each in memories(world)] == [0, 0]


async def test_a_repeated_request_returns_its_first_result() -> None:
    async with World() as world:
        await append(world, "I prefer tea.")
        first = await ingest(world, request("r"))
        await append(world, "I have a dog.")
        assert await ingest(world, request("r")) == first
        with pytest.raises(RequestIdReused):
            await ingest(world, request("r", b"other"))
        assert contents(world) == ["I prefer tea"]


async def test_a_statement_that_is_repeated_668_times_is_one_memory() -> None:
    async with World() as world:
        await append(world, *(["I prefer tea."] * 668))
        done = await ingest(world)
        outcomes = [each.outcome for each in done.created]
        assert outcomes == [CreateMemoryOutcome.CREATED] + [CreateMemoryOutcome.REINFORCED] * 667
        assert contents(world) == ["I prefer tea"]


async def test_many_messages_and_many_statements_are_read_in_several_calls() -> None:
    async with World() as world:
        await append(world, *(["Hm."] * MESSAGES_PER_CALL_MAX))
        await append(world, "Hm.", "I prefer tea.")
        first = await ingest(world)
        assert (first.message_count, first.remaining_count) == (MESSAGES_PER_CALL_MAX, 2)
        assert (await ingest(world)).remaining_count == 0
        many = " ".join(f"I live in Town{number}." for number in range(20))
        await append(world, *([many] * (MEMORIES_PER_BATCH_MAX // 20 + 1)))
        full = await ingest(world)
        assert (len(full.created), full.remaining_count) == (MEMORIES_PER_BATCH_MAX, 1)


async def test_messages_that_are_deleted_before_a_call_are_not_read() -> None:
    async with World() as world:
        await append(world, "I prefer tea.", "I have a dog.")
        await world.do(TruncateMessages("c", 2))
        assert (await ingest(world)).message_count == 1
        assert (await ingest(world)).message_count == 0
        assert contents(world) == ["I prefer tea"]


async def test_it_reads_again_when_messages_are_deleted_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        await append(world, "I prefer tea.", "I have a dog.")
        create = world.engine.memories.create_command

        async def interrupted(*given: Any, **fields: Any) -> Any:
            monkeypatch.undo()
            await world.do(TruncateMessages("c", 2))
            return await create(*given, **fields)

        monkeypatch.setattr(world.engine.memories, "create_command", interrupted)
        assert (await ingest(world)).message_count == 1
        assert contents(world) == ["I prefer tea"]


async def test_it_gives_up_when_others_are_always_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        create, tries = world.engine.memories.create_command, 0

        async def interrupted(*given: Any, **fields: Any) -> Any:
            nonlocal tries
            tries += 1
            await world.do(DeleteConversation("c"))
            await append(world, *(["I prefer tea."] * tries))
            await world.do(TruncateMessages("c", 1))
            await append(world, "I prefer tea.")
            return await create(*given, **fields)

        monkeypatch.setattr(world.engine.memories, "create_command", interrupted)
        await append(world, "I prefer tea.")
        with pytest.raises(RevisionMismatch):
            await ingest(world)
        assert (tries, contents(world)) == (INGESTIONS_TRIED_MAX, [])


async def test_it_is_refused_without_a_conversation_or_at_another_revision() -> None:
    async with World() as world:
        with pytest.raises(RecordNotFound):
            await ingest(world)
        await append(world, "I prefer tea.")
        with pytest.raises(RevisionMismatch):
            await ingest(world, precondition=Precondition(expected_revision=7))
        assert contents(world) == []


def proposals(world: World) -> list[str]:
    return sorted(each.content for each in world.cache.peek("a").state.part(MEMORY_PROPOSAL))


async def test_statements_are_proposed_and_stored_as_the_request_says() -> None:
    async with World() as world:
        await append(world, "I prefer tea.")
        done = await ingest(world, mode=IngestMode.PROPOSE)
        assert (done.created, done.message_count, len(done.proposal_ids)) == ((), 1, 1)
        assert (contents(world), proposals(world)) == ([], ["I prefer tea"])
        await append(world, "I have a dog.", "I prefer tea.")
        assert (await ingest(world, mode=IngestMode.STORE)).proposal_ids == ()
        assert contents(world) == ["I have a dog", "I prefer tea"]
        assert (await ingest(world, mode=IngestMode.PROPOSE)).message_count == 0


async def test_the_daemon_says_what_a_request_does_not() -> None:
    async with World() as world:
        proposing = Ingestion(world.cache, world.engine.memories, mode=IngestMode.PROPOSE)
        await append(world, "I prefer tea.")
        assert len((await proposing.ingest("a", IngestionRequest("c"), UNCONDITIONAL)).proposal_ids) == 1
        await append(world, "I have a dog.")
        stored = IngestionRequest("c", mode=IngestMode.STORE)
        assert len((await proposing.ingest("a", stored, UNCONDITIONAL)).created) == 1


async def test_a_statement_that_is_repeated_668_times_is_proposed_once() -> None:
    async with World() as world:
        await append(world, *(["I prefer tea."] * 668))
        assert len((await ingest(world, mode=IngestMode.PROPOSE)).proposal_ids) == 1
        assert proposals(world) == ["I prefer tea"]


async def test_a_full_queue_leaves_the_position() -> None:
    async with World(limits=Limits(memory_proposals_per_agent=1)) as world:
        await append(world, "I prefer tea.", "I have a dog.")
        with pytest.raises(QuotaExceeded):
            await ingest(world, mode=IngestMode.PROPOSE)
        assert proposals(world) == []
        assert (await ingest(world, mode=IngestMode.STORE)).message_count == 2


async def test_what_is_rejected_does_not_come_back_from_the_same_message() -> None:
    async with World() as world:
        await append(world, "I prefer tea.")
        done = await ingest(world, mode=IngestMode.PROPOSE)
        await world.do(RejectProposals(done.proposal_ids))
        await append(world, "Hm.")
        assert (await ingest(world, mode=IngestMode.PROPOSE)).proposal_ids == ()
        await append(world, "I prefer tea.")
        assert len((await ingest(world, mode=IngestMode.PROPOSE)).proposal_ids) == 1
