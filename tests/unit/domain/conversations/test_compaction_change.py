import msgspec
import pytest
from tests.unit.domain.sample import Agent, at, message_draft

from memoryd_server.domain.conversations.compaction_change import CompactMessages, MessagesCompacted, Summary
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    MESSAGE,
    Conversation,
    MessageDraft,
)
from memoryd_server.domain.conversations.conversation_change import DeleteConversation
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note import NOTE
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.domain.values.message import MessageRole


def said(*contents: str, role: MessageRole = MessageRole.USER) -> tuple[MessageDraft, ...]:
    return tuple(message_draft(each, role) for each in contents)


@pytest.fixture
def agent() -> Agent:
    agent = Agent()
    agent.do(AppendMessages("c", said("a", "b", "cc")))
    agent.events.clear()
    return agent


def compact(agent: Agent, command: CompactMessages) -> MessagesCompacted:
    done = agent.do(command)
    assert isinstance(done, MessagesCompacted)
    return done


def contents(agent: Agent) -> list[str]:
    found = agent.state.part(MESSAGE).group("c").values()
    return [each.content for each in sorted(found, key=lambda each: each.number)]


def note(note_id: str = "n1", content: str = "user: a") -> CreateNote:
    return CreateNote(note_id, "Conversation c, message 1", content, "", 0.5)


def test_messages_go_each_with_its_event_and_the_conversation_counts_what_is_left(agent: Agent) -> None:
    done = compact(agent, CompactMessages("c", (1, 2), 1))
    assert (done.messages_removed, done.tokens_removed, done.note_ids, done.revision) == (2, 4, (), 2)
    after = done.conversation
    assert after == agent.state.part(CONVERSATION).find("c", "conversation")
    assert (after.message_count, after.token_count, after.next_number, after.revision) == (1, 2, 4, 2)
    assert contents(agent) == ["cc"]
    assert agent.state.size_bytes == len("c") + len("cc")
    assert [(event.type.name, event.cause.name) for event in agent.events] == [
        ("MESSAGE_REMOVED", "COMPACTION"),
        ("MESSAGE_REMOVED", "COMPACTION"),
        ("CONVERSATION_COMPACTED", "COMPACTION"),
    ]
    assert [event.subject for event in agent.events[2:]] == [after]


def test_numbers_go_on_when_no_message_is_left(agent: Agent) -> None:
    done = compact(agent, CompactMessages("c", (1, 2, 3), 1, answer_number=4))
    assert (done.conversation.message_count, done.conversation.token_count, contents(agent)) == (0, 0, [])
    agent.do(AppendMessages("c", said("d")))
    assert agent.state.part(MESSAGE).find("c", "000000000004") is not None


def test_what_is_kept_of_messages_is_written_with_their_removal() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=60))
    agent.do(AppendMessages("c", said("a" * 50, "b")))
    agent.events.clear()
    done = compact(agent, CompactMessages("c", (1,), 1, notes=(note("n1"), note("n2", "x"))))
    assert done.note_ids == ("n1", "n2")
    assert {each.note_id: each.revision for each in agent.state.part(NOTE)} == {"n1": 2, "n2": 2}
    assert [event.type for event in agent.events] == [
        EventType.MESSAGE_REMOVED,
        EventType.NOTE_CREATED,
        EventType.NOTE_CREATED,
        EventType.CONVERSATION_COMPACTED,
    ]
    assert {event.cause.name for event in agent.events} == {"COMPACTION"}


def test_a_summary_is_counted_and_takes_the_place_of_the_one_before(agent: Agent) -> None:
    first = compact(agent, CompactMessages("c", (1,), 1, summary=Summary("", "a spoke", 5))).conversation
    assert (first.summary, first.token_count, first.message_token_count) == ("a spoke", 9, 4)
    assert agent.state.size_bytes == len("c") + len("bcc") + len("a spoke")
    second = compact(agent, CompactMessages("c", (2,), 2, summary=Summary("a spoke", "é", 1))).conversation
    assert (second.summary, second.token_count, second.message_token_count) == ("é", 3, 2)
    assert agent.state.size_bytes == len("c") + len("cc") + 2
    dropped = compact(agent, CompactMessages("c", (3,), 3)).conversation
    assert (dropped.summary, dropped.token_count) == ("é", 1)


def test_an_event_without_content_has_no_summary(agent: Agent) -> None:
    done = compact(agent, CompactMessages("c", (1,), 1, summary=Summary("", "secret", 1)))
    hidden = msgspec.structs.replace(done.conversation, summary="")
    assert done.conversation.without_content() == hidden
    assert hidden.without_content() == hidden
    agent.do(DeleteConversation("c"))
    deleted = agent.events[-1].subject
    assert isinstance(deleted, Conversation)
    assert (deleted.summary, deleted.token_count) == ("", 5)


def test_nothing_changes_when_nothing_goes(agent: Agent) -> None:
    done = compact(agent, CompactMessages("c"))
    assert (done.messages_removed, done.revision, done.overtaken) == (0, 1, False)
    assert agent.state.revision == 1


def test_messages_that_were_appended_since_are_no_obstacle(agent: Agent) -> None:
    agent.do(AppendMessages("c", said("later")))
    agent.do(AppendMessages("c", said("answer", role=MessageRole.TOOL)))
    assert compact(agent, CompactMessages("c", (1, 2), 1)).messages_removed == 2
    assert contents(agent) == ["cc", "later", "answer"]


@pytest.mark.parametrize(
    "command",
    [
        CompactMessages("c", (1, 2), 1),
        CompactMessages("c", (2, 4), 2),
        CompactMessages("c", (2,), 2, summary=Summary("another", "text", 1)),
        CompactMessages("c", (2, 3), 2, answer_number=4),
    ],
    ids=["removed", "not there then", "summed up", "answered"],
)
def test_what_others_were_faster_with_is_to_be_planned_again(agent: Agent, command: CompactMessages) -> None:
    compact(agent, CompactMessages("c", (1,), 1))
    agent.do(AppendMessages("c", said("answer", role=MessageRole.TOOL)))
    done = compact(agent, command)
    assert (done.overtaken, done.messages_removed, done.revision) == (True, 0, 3)
    assert contents(agent) == ["b", "cc", "answer"]


def test_messages_of_a_conversation_that_was_created_again_are_others(agent: Agent) -> None:
    agent.do(DeleteConversation("c"))
    agent.do(AppendMessages("c", said("x", "y")))
    assert compact(agent, CompactMessages("c", (1,), 1)).overtaken
    assert contents(agent) == ["x", "y"]


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (CompactMessages("d"), RecordNotFound),
        (CompactMessages("c", (1,), 1, precondition=at(7)), RevisionMismatch),
        (CompactMessages("c", (1,), 1, notes=(note(), note())), RecordExists),
        (CompactMessages("c", (1,), 1, notes=tuple(note(f"n{number}") for number in range(3))), QuotaExceeded),
        (CompactMessages("c", (1,), 1, summary=Summary("", "x" * 99, 1)), QuotaExceeded),
    ],
)
def test_what_is_refused_changes_nothing(command: CompactMessages, refusal: type[Exception]) -> None:
    agent = Agent(Limits(notes_per_agent=2, storage_bytes_per_agent=50))
    agent.do(AppendMessages("c", said("a", "b", "cc")))
    with pytest.raises(refusal):
        agent.do(command)
    assert (contents(agent), agent.state.revision) == (["a", "b", "cc"], 1)
