from functools import partial
from typing import Any

import pytest
from tests.unit.domain.sample import message_draft
from tests.unit.engine.summarizer import FakeSummarizer
from tests.unit.engine.world import World, request

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.conversations.compaction import CompactionStrategy, DropOldest, ExtractToNotes, Summarize
from memoryd_server.domain.conversations.compaction_change import MessagesCompacted
from memoryd_server.domain.conversations.conversation import MESSAGE, MessageDraft
from memoryd_server.domain.conversations.conversation_change import DeleteConversation
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.error import (
    QuotaExceeded,
    RecordNotFound,
    RequestIdReused,
    RevisionMismatch,
    SummarizerMissing,
    SummarizerUnavailable,
    TooLarge,
)
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note import NOTE
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.conversations.compactor import CompactionRequest

DROP_OLDEST, SUMMARIZE = DropOldest(), Summarize()


def draft(content: str, role: MessageRole = MessageRole.USER, importance: float = 0.5) -> MessageDraft:
    return message_draft(content, role, importance, 1)


async def append(world: World, *contents: str, role: MessageRole = MessageRole.USER) -> None:
    await world.do(AppendMessages("c", tuple(draft(each, role) for each in contents)))


async def compact(
    world: World,
    tokens_max: int = 1,
    keep_last: int = 1,
    strategy: CompactionStrategy = DROP_OLDEST,
    write: Write = UNCONDITIONAL,
    **fields: Any,
) -> MessagesCompacted:
    asked = CompactionRequest("c", tokens_max, keep_last, strategy, **fields)
    return await world.engine.compaction.compact("a", asked, write)


def contents(world: World) -> list[str]:
    found = world.cache.peek("a").state.part(MESSAGE).group("c").values()
    return [each.content for each in sorted(found, key=lambda each: each.number)]


async def test_the_oldest_messages_are_removed_until_the_rest_fits() -> None:
    async with World() as world:
        await append(world, "a", "b", "c")
        done = await compact(world, tokens_max=2)
        assert (done.messages_removed, done.tokens_removed, contents(world)) == (1, 1, ["b", "c"])
        again = await compact(world, tokens_max=2)
        assert (again.messages_removed, again.revision, again.conversation) == (0, done.revision, done.conversation)
        kept = await compact(world, keep_last=9)
        assert (kept.messages_removed, kept.revision) == (0, done.revision)


async def test_important_messages_are_written_into_notes() -> None:
    async with World(limits=Limits(note_bytes=8)) as world:
        await world.do(AppendMessages("c", (draft("a"), draft("b", importance=0.9), draft("c", importance=0.6))))
        done = await compact(world, strategy=ExtractToNotes("k", 0.6), keep_last=0)
        notes = {each.note_id: each for each in world.cache.peek("a").state.part(NOTE)}
        assert [(notes[each].title, notes[each].content, notes[each].notebook) for each in done.note_ids] == [
            ("Conversation c, message 2", "user: b", "k")
        ]
        assert contents(world) == ["c"]


async def test_a_compaction_with_too_many_notes_changes_nothing() -> None:
    async with World(limits=Limits(note_bytes=8, notes_per_agent=1)) as world:
        await append(world, "a", "b", "c")
        with pytest.raises(QuotaExceeded):
            await compact(world, strategy=ExtractToNotes())
        assert contents(world) == ["a", "b", "c"]


async def test_a_summary_continues_the_previous_one() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "a", "b", "c")
        first = (await compact(world, strategy=SUMMARIZE)).conversation
        assert model.asked == [("", "user: a\nuser: b")]
        assert first.summary == "sum of user: a to user: b"
        assert (first.message_token_count, first.summary_token_count) == (1, 9)
        await append(world, "d")
        second = (await compact(world, strategy=SUMMARIZE)).conversation
        assert model.asked[1:] == [(first.summary, "user: c")]
        assert second.summary == "sum of user: c to user: c"
    assert model.closed


async def test_many_messages_are_summarized_in_rounds_and_too_many_refused() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, *("x" * 20_000 for _ in range(3)), "end")
        done = await compact(world, strategy=SUMMARIZE)
        assert [text for _, text in model.asked] == [f"user: {'x' * 20_000}"] * 3
        assert [earlier[:12] for earlier, _ in model.asked] == ["", "sum of user:", "sum of user:"]
        assert (done.messages_removed, contents(world)) == (3, ["end"])
        await append(world, *("x" * 250_000 for _ in range(10)))
        with pytest.raises(TooLarge) as refused:
            await compact(world, strategy=SUMMARIZE)
        assert refused.value.metadata["limit"] == "summarized_bytes"
        assert len(model.asked) == 3


async def test_the_model_is_not_called_for_empty_messages() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "", "b")
        done = await compact(world, strategy=SUMMARIZE)
        assert (done.messages_removed, done.conversation.summary, model.asked) == (1, "", [])


async def test_the_model_is_not_called_without_messages_to_remove_or_for_a_refused_call() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        with pytest.raises(RecordNotFound):
            await compact(world, strategy=SUMMARIZE)
        await append(world, "a", "b")
        assert (await compact(world, tokens_max=2, strategy=SUMMARIZE)).messages_removed == 0
        assert (await compact(world, keep_last=2, strategy=SUMMARIZE)).messages_removed == 0
        with pytest.raises(RevisionMismatch):
            await compact(world, strategy=SUMMARIZE, precondition=Precondition(expected_revision=7))
        assert model.asked == []


async def test_all_messages_are_kept_without_a_model_or_when_it_fails() -> None:
    model = FakeSummarizer()
    model.failure = SummarizerUnavailable()
    for summarizer, refusal in ((None, SummarizerMissing), (model, SummarizerUnavailable)):
        async with World(summarizer=summarizer) as world:
            await append(world, "a", "b")
            with pytest.raises(refusal):
                await compact(world, strategy=SUMMARIZE)
            assert contents(world) == ["a", "b"]


async def test_a_repeated_request_returns_its_first_result_without_the_model() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "a", "b")
        first = await compact(world, strategy=SUMMARIZE, write=request("r"))
        await append(world, "c", "d")
        assert await compact(world, strategy=SUMMARIZE, write=request("r")) == first
        assert len(model.asked) == 1
        with pytest.raises(RequestIdReused):
            await compact(world, strategy=SUMMARIZE, write=request("r", b"other"))
        assert contents(world) == ["b", "c", "d"]


async def test_messages_that_are_appended_meanwhile_are_kept() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "a", "b")
        model.meanwhile = [lambda: append(world, "later")]
        done = await compact(world, strategy=SUMMARIZE)
        assert (done.conversation.summary, contents(world)) == ("sum of user: a to user: a", ["b", "later"])
        assert len(model.asked) == 1


async def test_a_summary_is_repeated_if_messages_are_removed_meanwhile() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "a", "b", "c", "d")
        model.meanwhile = [lambda: compact(world, tokens_max=3)]
        done = await compact(world, strategy=SUMMARIZE, write=request("r"))
        assert [text for _, text in model.asked] == ["user: a\nuser: b\nuser: c", "user: b\nuser: c"]
        assert (done.messages_removed, contents(world)) == (2, ["d"])
        assert await compact(world, strategy=SUMMARIZE, write=request("r")) == done


async def test_the_reply_of_a_tool_to_a_summarized_message_is_summarized_with_it() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "a", "b")
        model.meanwhile = [lambda: append(world, "answer", role=MessageRole.TOOL)]
        done = await compact(world, keep_last=0, strategy=SUMMARIZE, tokens_max=0)
        assert [text for _, text in model.asked] == ["user: a\nuser: b", "user: a\nuser: b\ntool: answer"]
        assert (done.messages_removed, contents(world)) == (3, [])


async def test_a_compaction_fails_after_too_many_conflicts() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, *"abcdef")
        model.meanwhile = [partial(compact, world, tokens_max) for tokens_max in (5, 4, 3)]
        with pytest.raises(RevisionMismatch):
            await compact(world, strategy=SUMMARIZE)
        assert contents(world) == ["d", "e", "f"]


async def test_a_compaction_of_a_conversation_that_is_deleted_meanwhile_is_not_found() -> None:
    model = FakeSummarizer()
    async with World(summarizer=model) as world:
        await append(world, "a", "b")
        model.meanwhile = [lambda: world.do(DeleteConversation("c"))]
        with pytest.raises(RecordNotFound):
            await compact(world, strategy=SUMMARIZE)
