import msgspec
import pytest
from tests.unit.domain.sample import Agent, at, message_draft

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.conversations.compaction_change import CompactMessages
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    MESSAGE,
    Conversation,
    ConversationMessage,
    MessageDraft,
)
from memoryd_server.domain.conversations.message_change import (
    AppendMessages,
    MessagesAppended,
    MessagesTruncated,
    TruncateMessages,
)
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import RestoreAgent
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.values.message import MessageRole, TextPart


def said(*contents: str) -> tuple[MessageDraft, ...]:
    return tuple(message_draft(each) for each in contents)


def messages(agent: Agent, conversation_id: str = "c") -> list[ConversationMessage]:
    found = agent.state.part(MESSAGE).group(conversation_id).values()
    return sorted(found, key=lambda each: each.key)


def conversation(agent: Agent) -> Conversation:
    found = agent.state.part(CONVERSATION).find("c", CONVERSATION_KEY)
    assert found is not None
    return found


def truncate(agent: Agent, command: TruncateMessages) -> MessagesTruncated:
    done = agent.do(command)
    assert isinstance(done, MessagesTruncated)
    return done


def test_a_message_never_changes_and_is_shown_without_its_content() -> None:
    agent = Agent()
    draft = msgspec.structs.replace(
        message_draft("", parts=(TextPart("secret"),)), name="ann", metadata_json='{"a": 1}', content="also"
    )
    agent.do(AppendMessages("c", (draft,)))
    (message,) = messages(agent)
    assert message.update_time == message.create_time == agent.now
    shown = message.without_content()
    assert (shown.content, shown.parts, shown.name, shown.metadata_json) == ("", (), "", "")
    assert (shown.conversation_id, shown.number, shown.role, shown.token_count) == ("c", 1, MessageRole.USER, 2)


def test_messages_have_consecutive_numbers() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a", "b")))
    done = agent.do(AppendMessages("c", (message_draft("c", message_id="own"),)))
    assert isinstance(done, MessagesAppended)
    assert (done.message_ids, done.revision) == (("own",), 2)
    assert [(each.number, each.content, each.revision) for each in messages(agent)] == [
        (1, "a", 1),
        (2, "b", 1),
        (3, "c", 2),
    ]
    after = done.conversation
    assert (after.message_count, after.token_count, after.next_number) == (3, 6, 4)
    assert agent.state.size_bytes == len("c") + len("abc")
    assert done.memory_bytes > after.size_bytes + len("own")


def test_the_event_of_a_new_conversation_precedes_its_messages_and_counts_them() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a", "b")))
    agent.do(AppendMessages("c", said("c")))
    assert [(event.type.name, event.revision) for event in agent.events] == [
        ("CONVERSATION_CREATED", 1),
        ("MESSAGE_APPENDED", 1),
        ("MESSAGE_APPENDED", 1),
        ("MESSAGE_APPENDED", 2),
    ]
    created = agent.events[0].subject
    assert isinstance(created, Conversation)
    assert (created.message_count, created.next_number) == (2, 3)


def test_keys_are_in_the_order_of_the_numbers() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said(*("x" * 12))))
    assert [each.number for each in messages(agent)] == list(range(1, 13))


def test_history_keeps_its_times_and_its_order_whatever_they_are() -> None:
    agent = Agent()
    drafts = [msgspec.structs.replace(message_draft("x"), create_time=time) for time in (9, 3, None)]
    agent.do(AppendMessages("c", tuple(drafts)))
    assert [each.create_time for each in messages(agent)] == [9, 3, agent.now]
    initial = MESSAGE.initial_events(agent.state.part(MESSAGE), agent.now)
    assert [each.subject.number for each in initial] == [1, 2, 3]  # type: ignore[attr-defined]


def test_an_id_is_unique_within_its_conversation() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", (message_draft("a", message_id="m"),)))
    agent.do(AppendMessages("d", (message_draft("a", message_id="m"),)))
    for late in (("m",), ("new", "new")):
        with pytest.raises(RecordExists) as refused:
            agent.do(AppendMessages("c", tuple(message_draft("x", message_id=each) for each in late)))
        metadata = refused.value.metadata
        assert {**metadata, "revision": ""} == {
            "kind": "message",
            "record_id": late[-1],
            "revision": "",
            "conversation_id": "c",
        }
    assert [each.message_id for each in messages(agent)] == ["m"]
    truncate(agent, TruncateMessages("c", 1))
    agent.do(AppendMessages("c", (message_draft("again", message_id="m"),)))
    assert [(each.message_id, each.number) for each in messages(agent)] == [("m", 2)]


@pytest.mark.parametrize("command", [TruncateMessages("c", 2), TruncateMessages("c", from_message_id="second")])
def test_a_message_and_all_after_it_are_deleted(command: TruncateMessages) -> None:
    agent = Agent()
    agent.do(AppendMessages("c", (*said("a"), message_draft("b", message_id="second"), *said("c"))))
    agent.events.clear()
    done = truncate(agent, command)
    assert (done.deleted_count, done.revision, done.conversation) == (2, 2, conversation(agent))
    assert (done.conversation.message_count, done.conversation.token_count, done.conversation.next_number) == (1, 2, 4)
    assert done.memory_bytes > done.conversation.size_bytes
    assert [each.content for each in messages(agent)] == ["a"]
    assert [(event.type.name, event.cause.name) for event in agent.events] == [
        ("MESSAGE_REMOVED", "REQUEST"),
        ("MESSAGE_REMOVED", "REQUEST"),
        ("CONVERSATION_UPDATED", "REQUEST"),
    ]
    agent.do(AppendMessages("c", said("d")))
    assert [each.number for each in messages(agent)] == [1, 4]


def test_nothing_changes_without_a_message_to_delete() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a")))
    done = truncate(agent, TruncateMessages("c", 2))
    assert (done.deleted_count, done.revision, done.conversation) == (0, 1, conversation(agent))


def test_the_last_messages_are_found_however_many_numbers_are_without_one() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said(*"abcdefgh")))
    agent.do(CompactMessages("c", (2, 3, 4, 5, 6), 1))
    assert truncate(agent, TruncateMessages("c", 7)).deleted_count == 2
    agent.do(AppendMessages("c", said("i")))
    assert truncate(agent, TruncateMessages("c", 2)).deleted_count == 1
    assert [each.content for each in messages(agent)] == ["a"]


def test_a_restore_deletes_conversations_with_their_messages_and_truncates_the_others() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a")))
    image = agent.image()
    agent.do(AppendMessages("c", said("b")))
    agent.do(AppendMessages("new", said("x", "y")))
    agent.events.clear()
    agent.do(RestoreAgent(image, "snapshot"))
    assert [event.type.name for event in agent.events] == [
        "CONVERSATION_DELETED",
        "CONVERSATION_UPDATED",
        "MESSAGE_REMOVED",
        "AGENT_RESTORED",
    ]
    assert [each.content for each in agent.state.part(MESSAGE)] == ["a"]


@pytest.mark.parametrize(
    ("late", "refusal", "metadata"),
    [
        (AppendMessages("c", said("b"), Precondition(must_not_exist=True)), RecordExists, {"record_id": "c"}),
        (AppendMessages("c", said("b"), at(7)), RevisionMismatch, {}),
        (AppendMessages("new", said("b"), Precondition(must_exist=True)), RecordNotFound, {"record_id": "new"}),
        (AppendMessages("new", said("b"), at(7)), RevisionMismatch, {}),
        (TruncateMessages("new", 1), RecordNotFound, {"kind": "conversation", "record_id": "new"}),
        (TruncateMessages("c", from_message_id="x"), RecordNotFound, {"kind": "message", "record_id": "x"}),
        (TruncateMessages("c", 1, precondition=at(7)), RevisionMismatch, {}),
        (CompactMessages("new"), RecordNotFound, {"kind": "conversation", "record_id": "new"}),
    ],
)
def test_a_change_whose_condition_does_not_hold_changes_nothing(
    late: object, refusal: type[Exception], metadata: dict[str, str]
) -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a")))
    with pytest.raises(refusal) as refused:
        agent.do(late)  # type: ignore[arg-type]
    assert metadata.items() <= refused.value.metadata.items()  # type: ignore[attr-defined]
    assert [each.content for each in messages(agent)] == ["a"]


def test_an_agent_has_at_most_so_many_messages_in_all_conversations() -> None:
    agent = Agent(Limits(messages_per_agent=2))
    agent.do(AppendMessages("c", said("a")))
    with pytest.raises(QuotaExceeded) as refused:
        agent.do(AppendMessages("d", said("b", "c")))
    assert refused.value.metadata == {"limit": "messages_per_agent", "value": "2"}
    assert len(agent.state.part(CONVERSATION)) == 1


def test_a_full_agent_takes_no_message_of_those_that_come_together() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=4))
    with pytest.raises(QuotaExceeded):
        agent.do(AppendMessages("c", said("aa", "bb")))
    assert agent.state.record_count == 0
