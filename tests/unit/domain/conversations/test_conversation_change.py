import pytest
from tests.unit.domain.sample import Agent, at

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    MESSAGE,
    Conversation,
    ConversationMessage,
    MessageDraft,
    MessageRole,
)
from memoryd_server.domain.conversations.conversation_change import AppendMessages, DeleteConversation
from memoryd_server.domain.error import LimitExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.limit import Limits


def said(*contents: str) -> tuple[MessageDraft, ...]:
    return tuple(MessageDraft(MessageRole.USER, each, "", "", "", 0.5, len(each), 2) for each in contents)


def messages(agent: Agent, conversation_id: str = "c") -> list[ConversationMessage]:
    found = agent.state.part(MESSAGE).group(conversation_id).values()
    return sorted(found, key=lambda each: each.key)


def test_a_message_never_changes_and_is_shown_without_its_content() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", (MessageDraft(MessageRole.USER, "secret", "ann", "", '{"a": 1}', 0.5, 6, 2),)))
    (message,) = messages(agent)
    assert message.update_time == message.create_time == agent.now
    shown = message.without_content()
    assert (shown.content, shown.metadata_json) == ("", "")
    assert (shown.conversation_id, shown.number, shown.role, shown.token_count) == ("c", 1, MessageRole.USER, 2)


def test_messages_have_consecutive_numbers() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a", "b")))
    done = agent.do(AppendMessages("c", said("c")))
    assert isinstance(done, RecordPut)
    assert isinstance(done.record, Conversation)
    assert [(each.number, each.content, each.revision) for each in messages(agent)] == [
        (1, "a", 1),
        (2, "b", 1),
        (3, "c", 2),
    ]
    assert (done.record.message_count, done.record.token_count, done.record.next_number) == (3, 6, 4)
    assert agent.state.size_bytes == len("c") + len("abc")


def test_keys_are_in_the_order_of_the_numbers() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said(*("x" * 12))))
    assert [each.number for each in messages(agent)] == list(range(1, 13))


def test_a_conversation_that_was_deleted_can_be_created_again() -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a", "b")))
    agent.do(AppendMessages("d", said("other")))
    assert agent.do(DeleteConversation("c")) == RecordRemoved(2, 3)
    assert agent.do(DeleteConversation("c")) == RecordRemoved(0, 3)
    assert [each.content for each in agent.state.part(MESSAGE)] == ["other"]
    agent.do(AppendMessages("c", said("again"), Precondition(must_not_exist=True)))
    assert [each.number for each in messages(agent)] == [1]


@pytest.mark.parametrize(
    ("late", "refusal"),
    [
        (AppendMessages("c", said("b"), Precondition(must_not_exist=True)), RecordExists),
        (AppendMessages("c", said("b"), at(7)), RevisionMismatch),
        (AppendMessages("new", said("b"), at(0)), RecordNotFound),
        (DeleteConversation("c", at(7)), RevisionMismatch),
    ],
)
def test_a_change_whose_condition_does_not_hold_changes_nothing(late: object, refusal: type[Exception]) -> None:
    agent = Agent()
    agent.do(AppendMessages("c", said("a")))
    with pytest.raises(refusal):
        agent.do(late)  # type: ignore[arg-type]
    assert [each.content for each in messages(agent)] == ["a"]


def test_an_agent_has_at_most_so_many_messages_in_all_conversations() -> None:
    agent = Agent(Limits(messages_per_agent=2))
    agent.do(AppendMessages("c", said("a")))
    with pytest.raises(LimitExceeded) as refused:
        agent.do(AppendMessages("d", said("b", "c")))
    assert refused.value.metadata == {"limit": "messages_per_agent", "value": "2"}
    assert len(agent.state.part(CONVERSATION)) == 1


def test_a_full_agent_takes_no_message_of_those_that_come_together() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=4))
    with pytest.raises(LimitExceeded):
        agent.do(AppendMessages("c", said("aa", "bb")))
    assert agent.state.record_count == 0
