from datetime import UTC, datetime

import pytest

import memoryd
from memoryd import (
    DropOldest,
    ExtractToNotes,
    FilePart,
    KeepImportant,
    MessageDraft,
    Summarize,
    TextPart,
    ToolCall,
    ToolResult,
    errors,
)


@pytest.fixture
def conversations(agent: memoryd.Agent) -> memoryd.Conversations:
    return agent.conversations


def test_messages_are_returned_as_they_were_appended(conversations: memoryd.Conversations, agent_id: str) -> None:
    written = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    done = conversations.append(
        "talk",
        [
            MessageDraft("user", "Where is the fox?", name="ada", importance=0.75, metadata={"mood": "calm"}),
            MessageDraft("assistant", parts=[TextPart("Let me look"), ToolCall("call-1", "find", "{}")]),
            MessageDraft("tool", parts=[ToolResult("call-1", "in the barn", "find")], message_id="answer"),
            MessageDraft("user", parts=[FilePart("https://x/fox.png", name="fox.png")], create_time=written),
        ],
        must_not_exist=True,
    )
    after = done.conversation
    assert (after.agent_id, after.message_count, after.next_number, after.revision) == (agent_id, 4, 5, 1)
    assert (done.first_number, len(set(done.message_ids)), done.message_ids[2]) == (1, 4, "answer")
    question, call, answer, image = conversations.messages("talk")
    assert (question.number, question.role, question.content, question.name) == (1, "user", "Where is the fox?", "ada")
    assert (question.importance, question.token_count, question.metadata) == (0.75, 5, {"mood": "calm"})
    assert (question.message_id, question.parts, question.text) == (done.message_ids[0], (), "Where is the fox?")
    assert (call.content, call.parts) == ("", (TextPart("Let me look"), ToolCall("call-1", "find", "{}")))
    assert (answer.parts, answer.text) == ((ToolResult("call-1", "in the barn", "find"),), "in the barn")
    assert (image.parts, image.create_time) == ((FilePart("https://x/fox.png", name="fox.png"),), written)
    assert conversations.message("talk", 3) == conversations.message("talk", "answer") == answer
    with pytest.raises(errors.RecordNotFound):
        conversations.message("talk", 9)
    with pytest.raises(errors.RecordExists):
        conversations.append("talk", [MessageDraft("user", "x")], must_not_exist=True)
    with pytest.raises(errors.RecordExists):
        conversations.append("talk", [MessageDraft("user", "x", message_id="answer")])
    with pytest.raises(TypeError, match="not a part"):
        conversations.append("talk", [MessageDraft("user", parts=["x"])])  # type: ignore[list-item]


def test_messages_are_listed_from_either_end(conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [MessageDraft("user", str(number)) for number in range(250)])
    assert [each.content for each in conversations.messages("talk", after_number=248)] == ["248", "249"]
    newest = conversations.messages("talk", order="id_descending")
    assert [next(newest).number for _ in range(3)] == [250, 249, 248]
    assert list(conversations.messages("talk", roles=["assistant"])) == []
    first = next(conversations.messages("talk", view="without_content"))
    assert (first.number, first.content) == (1, "")
    with pytest.raises(errors.RecordNotFound):
        list(conversations.messages("other"))


def test_a_conversation_is_created_updated_and_found(conversations: memoryd.Conversations) -> None:
    created = conversations.create("talk", title="Foxes", user_id="ada", tags=["wild"], metadata={"channel": "web"})
    assert (created.title, created.user_id, created.tags, created.metadata) == (
        "Foxes",
        "ada",
        ("wild",),
        {"channel": "web"},
    )
    assert conversations.get("talk") == created
    updated = conversations.update("talk", title="Hens", expected_revision=created.revision)
    assert (updated.title, updated.tags, updated.revision) == ("Hens", ("wild",), 2)
    other = conversations.create().conversation_id
    assert other
    assert [each.conversation_id for each in conversations.list(user_id="ada")] == ["talk"]
    assert [each.conversation_id for each in conversations.list(user_id="")] == [other]
    assert [each.conversation_id for each in conversations.list(all_users=True, all_tags=["wild"])] == ["talk"]
    assert [each.conversation_id for each in conversations.list(all_users=True, any_tags=["tame"])] == []
    assert [each.conversation_id for each in conversations.list(all_users=True, order="id_descending")] == sorted(
        ["talk", other], reverse=True
    )
    assert [each.title for each in conversations.list(all_users=True, view="without_content")] == ["", ""]
    with pytest.raises(errors.RecordExists):
        conversations.create("talk")
    with pytest.raises(errors.RevisionMismatch):
        conversations.update("talk", title="late", expected_revision=1)
    with pytest.raises(errors.RecordNotFound):
        conversations.get("new")


def test_the_last_messages_are_truncated(conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [MessageDraft("user", each, message_id=each) for each in "abcd"])
    done = conversations.truncate("talk", "c")
    assert (done.deleted_message_count, done.conversation.message_count, done.revision) == (2, 2, 2)
    assert conversations.truncate("talk", 2, expected_revision=2).deleted_message_count == 1
    assert [each.content for each in conversations.messages("talk")] == ["a"]
    with pytest.raises(errors.RecordNotFound):
        conversations.truncate("talk", "c")


def test_conversations_are_listed_and_deleted(conversations: memoryd.Conversations) -> None:
    for name in ("a", "b/c"):
        conversations.append(name, [MessageDraft("user", "x")])
    assert [each.conversation_id for each in conversations.list()] == ["a", "b/c"]
    deleted = conversations.delete("b/c")
    assert (deleted.deleted, deleted.deleted_message_count, deleted.revision) == (True, 1, 3)
    assert not conversations.delete("b/c").deleted


def test_a_conversation_is_deleted_with_its_plans_and_entities(agent: memoryd.Agent) -> None:
    agent.conversations.append("talk", [MessageDraft("user", "x")])
    agent.plans.create("Paint", conversation_id="talk")
    agent.entities("talk").add(memoryd.Entity("page", "1", "Home"))
    done = agent.conversations.delete("talk", include_plans=True, include_entities=True)
    assert (done.deleted_message_count, done.deleted_plan_count, done.deleted_entity_count) == (1, 1, 1)
    assert list(agent.plans.list()) == []


def test_a_conversation_is_compacted(agent: memoryd.Agent, conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [MessageDraft("user", each, importance=0.8) for each in ("one", "two", "three")])
    done = conversations.compact("talk", 2, keep_last=0)
    assert (done.deleted_message_count, done.deleted_token_count, done.note_ids, done.revision) == (1, 1, (), 2)
    assert (done.conversation.message_count, done.conversation.summary) == (2, "")
    assert conversations.compact("talk", 1, DropOldest()).deleted_message_count == 0
    assert conversations.compact("talk", 1, KeepImportant(0.8), keep_last=0).deleted_message_count == 0
    noted = conversations.compact("talk", 1, ExtractToNotes("k", 0.75), keep_last=1)
    assert [each.content for each in agent.notes.list(notebook="k")] == ["user: two"]
    assert noted.note_ids == tuple(each.note_id for each in agent.notes.list())
    assert [each.content for each in conversations.messages("talk")] == ["three"]
    compacted = [each for each in agent.events() if each.type == "conversation_compacted"]
    assert (compacted[-1].cause, compacted[-1].subject) == (
        "compaction",
        memoryd.ConversationEvent("talk", noted.conversation),
    )


def test_a_compaction_that_cannot_be_is_refused(conversations: memoryd.Conversations) -> None:
    conversations.append("talk", [MessageDraft("user", "x"), MessageDraft("user", "y")])
    with pytest.raises(errors.SummarizerMissing):
        conversations.compact("talk", 1, Summarize(), keep_last=0)
    with pytest.raises(errors.RevisionMismatch):
        conversations.compact("talk", 1, expected_revision=7)
    with pytest.raises(errors.RecordNotFound):
        conversations.compact("other", 1)
    with pytest.raises(TypeError, match="not a strategy"):
        conversations.compact("talk", 1, "forget")  # type: ignore[arg-type]


async def test_the_async_client_compacts_as_well(aio_agent: memoryd.aio.Agent) -> None:
    conversations = aio_agent.conversations
    await conversations.append("talk", [MessageDraft("user", "x"), MessageDraft("user", "y", importance=0.1)])
    done = await conversations.compact("talk", 1, KeepImportant(), keep_last=0)
    assert (done.deleted_message_count, [each.content async for each in conversations.messages("talk")]) == (1, ["x"])


def test_tokens_are_counted(client: memoryd.Client) -> None:
    count = client.count_tokens(["The fox lives in Lisbon.", "北京很大"], model="gpt-5")
    assert (count.token_counts, count.total_token_count, count.tokenizer) == ((6, 3), 9, "o200k_base")
    assert client.count_tokens(["fox"]).tokenizer == "estimate"


def test_messages_cause_events(agent: memoryd.Agent) -> None:
    agent.conversations.append("talk", [MessageDraft("user", "x")])
    agent.conversations.delete("talk")
    created, appended, deleted = agent.events()
    assert isinstance(created.subject, memoryd.ConversationEvent)
    assert created.subject.conversation is not None
    assert (created.type, created.subject.conversation.message_count) == ("conversation_created", 1)
    assert isinstance(appended.subject, memoryd.MessageEvent)
    assert appended.subject.message is not None
    assert (appended.type, appended.subject.message.content) == ("message_appended", "x")
    assert (deleted.type, deleted.subject) == ("conversation_deleted", memoryd.ConversationEvent("talk", None))


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    conversations = aio_agent.conversations
    after = await conversations.append("talk", [MessageDraft("user", "x")])
    await conversations.append("talk", [MessageDraft("assistant", "y")], expected_revision=after.revision)
    assert [each.content async for each in conversations.messages("talk")] == ["x", "y"]
    assert [each.message_count async for each in conversations.list()] == [2]
    assert (await conversations.message("talk", 2)).content == "y"
    assert (await conversations.truncate("talk", 2)).deleted_message_count == 1
    assert (await conversations.delete("talk")).deleted_message_count == 1
