"""One agent's conversation, compacted through several engines."""

from tests.unit.domain.sample import message_draft
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.summarizer import FakeSummarizer
from tests.unit.engine.world import World, request

from memoryd_server.domain.conversations.compaction import DropOldest, Summarize
from memoryd_server.domain.conversations.compaction_change import MessagesCompacted
from memoryd_server.domain.conversations.conversation import MESSAGE
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.conversations.compactor import Compaction, CompactionRequest


async def append(world: World, *contents: str) -> None:
    drafts = tuple(message_draft(each, token_count=1) for each in contents)
    await world.do(AppendMessages("c", drafts))


async def drop(world: World, tokens_max: int) -> MessagesCompacted:
    asked = CompactionRequest("c", tokens_max, 1, DropOldest())
    return await world.engine.compaction.compact("a", asked, UNCONDITIONAL)


async def summarize(world: World, model: FakeSummarizer, write: Write = UNCONDITIONAL) -> MessagesCompacted:
    asked = CompactionRequest("c", 1, 1, Summarize())
    return await Compaction(world.cache, model).compact("a", asked, write)


async def contents(world: World) -> list[str]:
    found = (await world.cache.current("a")).state.part(MESSAGE).group("c").values()
    return [each.content for each in sorted(found, key=lambda each: each.number)]


async def test_a_compaction_by_one_engine_is_visible_to_others_at_once() -> None:
    async with sharing(SharedStore()) as (a, b):
        await append(a, "1", "2", "3")
        done = await drop(b, 2)
        assert (await contents(a), await contents(b)) == (["2", "3"], ["2", "3"])
        assert await drop(a, 2) == MessagesCompacted(done.conversation, 0, 0, (), done.revision)


async def test_a_summary_is_repeated_if_another_engine_removes_messages_meanwhile() -> None:
    model = FakeSummarizer()
    async with sharing(SharedStore()) as (a, b):
        await append(a, "1", "2", "3")
        model.meanwhile = [lambda: drop(b, 2)]
        done = await summarize(a, model)
        assert [text for _, text in model.asked] == ["user: 1\nuser: 2", "user: 2"]
        assert (done.messages_removed, await contents(b)) == (1, ["3"])


async def test_messages_that_another_engine_appends_meanwhile_are_kept() -> None:
    model = FakeSummarizer()
    async with sharing(SharedStore()) as (a, b):
        await append(a, "1", "2")
        model.meanwhile = [lambda: append(b, "3")]
        assert (await summarize(a, model)).messages_removed == 1
        assert await contents(b) == ["2", "3"]
        assert len(model.asked) == 1


async def test_a_request_that_is_repeated_at_another_engine_does_not_call_the_model() -> None:
    model = FakeSummarizer()
    async with sharing(SharedStore()) as (a, b):
        await append(a, "1", "2")
        first = await summarize(a, model, request("r"))
        await append(a, "3")
        assert await summarize(b, model, request("r")) == first
        assert len(model.asked) == 1
