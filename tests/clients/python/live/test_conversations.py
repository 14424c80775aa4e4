import pytest

import memoryd
from memoryd import DraftMessage, errors


@pytest.fixture
def conversations(agent: memoryd.Agent) -> memoryd.Conversations:
    return agent.conversations


def test_messages_are_returned_as_they_were_appended(conversations: memoryd.Conversations, agent_id: str) -> None:
    after = conversations.append(
        "talk",
        [
            DraftMessage("user", "Where is the fox?", name="ada", importance=0.75),
            DraftMessage("assistant", "", metadata={"tool_calls": [{"id": "call-1"}]}),
            DraftMessage("tool", "in the barn", tool_call_id="call-1"),
        ],
        must_not_exist=True,
    )
    assert (after.agent_id, after.message_count, after.next_number, after.revision) == (agent_id, 3, 4, 1)
    question, call, answer = conversations.messages("talk")
    assert (question.number, question.role, question.content, question.name) == (1, "user", "Where is the fox?", "ada")
    assert (question.importance, question.token_count, question.metadata) == (0.75, 5, {})
    assert (call.role, call.metadata) == ("assistant", {"tool_calls": [{"id": "call-1"}]})
    assert (answer.role, answer.content, answer.tool_call_id) == ("tool", "in the barn", "call-1")
    with pytest.raises(errors.RecordExists):
        conversations.append("talk", [DraftMessage("user", "x")], must_not_exist=True)


def test_messages_are_listed_from_either_end(conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [DraftMessage("user", str(number)) for number in range(250)])
    assert [each.content for each in conversations.messages("talk", after_number=248)] == ["248", "249"]
    newest = conversations.messages("talk", newest_first=True)
    assert [next(newest).number for _ in range(3)] == [250, 249, 248]


def test_conversations_are_listed_and_deleted(conversations: memoryd.Conversations) -> None:
    for name in ("a", "b/c"):
        conversations.append(name, [DraftMessage("user", "x")])
    assert [each.conversation_id for each in conversations.list()] == ["a", "b/c"]
    assert conversations.delete("b/c") == 1
    assert conversations.delete("b/c") == 0


def test_a_conversation_is_compacted(agent: memoryd.Agent, conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [DraftMessage("user", each, importance=0.8) for each in ("one", "two", "three")])
    done = conversations.compact("talk", 2, keep_last=0)
    assert (done.messages_removed, done.tokens_removed, done.note_ids, done.revision) == (1, 1, (), 2)
    assert (done.conversation.message_count, done.conversation.summary) == (2, "")
    assert conversations.compact("talk", 1).messages_removed == 0
    noted = conversations.compact(
        "talk", 1, keep_last=1, strategy="extract_to_notes", note_storage_key="k", min_importance=0.75
    )
    assert [each.content for each in agent.notes.list(storage_key="k")] == ["user: two"]
    assert noted.note_ids == tuple(each.note_id for each in agent.notes.list())
    assert [each.content for each in conversations.messages("talk")] == ["three"]
    compacted = [each for each in agent.events() if each.type == "conversation_compacted"]
    assert [(each.cause, each.conversation) for each in compacted][-1] == ("compaction", noted.conversation)


def test_a_compaction_that_cannot_be_is_refused(conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [DraftMessage("user", "x"), DraftMessage("user", "y")])
    with pytest.raises(errors.SummarizerMissing):
        conversations.compact("talk", 1, keep_last=0, strategy=memoryd.CompactionStrategy.SUMMARIZE)
    with pytest.raises(errors.RevisionMismatch):
        conversations.compact("talk", 1, expected_revision=7)
    with pytest.raises(errors.RecordNotFound):
        conversations.compact("other", 1)
    with pytest.raises(ValueError, match="FORGET"):
        conversations.compact("talk", 1, strategy="forget")


async def test_the_async_client_compacts_as_well(aio_agent: memoryd.aio.Agent) -> None:
    conversations = aio_agent.conversations
    await conversations.append("talk", [DraftMessage("user", "x"), DraftMessage("user", "y", importance=0.1)])
    done = await conversations.compact("talk", 1, keep_last=0, strategy="keep_important")
    assert (done.messages_removed, [each.content async for each in conversations.messages("talk")]) == (1, ["x"])


def test_tokens_are_counted(conversations: memoryd.Conversations) -> None:
    count = conversations.count_tokens(["The fox lives in Lisbon.", "北京很大"], model="gpt-5")
    assert (count.counts, count.total, count.tokenizer) == ((6, 3), 9, "o200k_base")
    assert conversations.count_tokens(["fox"]).tokenizer == "estimate"


def test_messages_cause_events(agent: memoryd.Agent) -> None:
    agent.conversations.append("talk", [DraftMessage("user", "x")])
    agent.conversations.delete("talk")
    appended, deleted = agent.events()
    assert appended.message is not None
    assert (appended.type, appended.message.content) == ("message_appended", "x")
    assert deleted.conversation is not None
    assert (deleted.type, deleted.conversation.message_count) == ("conversation_deleted", 1)


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    conversations = aio_agent.conversations
    after = await conversations.append("talk", [DraftMessage("user", "x")])
    await conversations.append("talk", [DraftMessage("assistant", "y")], expected_revision=after.revision)
    assert [each.content async for each in conversations.messages("talk")] == ["x", "y"]
    assert [each.message_count async for each in conversations.list()] == [2]
    assert (await conversations.count_tokens(["x"])).total == 1
    assert await conversations.delete("talk") == 2
