import pytest
from tests.unit.domain.sample import Agent, at, memory_draft, message_draft

from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY
from memoryd_server.domain.conversations.conversation_change import DeleteConversation
from memoryd_server.domain.conversations.ingestion_change import IngestMessages, MessagesIngested
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.error import RecordNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome
from memoryd_server.domain.memories.changes.proposal_change import ProposeMemories
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL


@pytest.fixture
def agent() -> Agent:
    agent = Agent()
    agent.do(AppendMessages("c", tuple(message_draft(each) for each in ("a", "b", "c"))))
    agent.events.clear()
    return agent


def creating(*contents: str) -> CreateMemories:
    return CreateMemories(tuple(memory_draft(each) for each in contents), "new", MemoryPolicy())


def ingest(agent: Agent, command: IngestMessages) -> MessagesIngested:
    done = agent.do(command)
    assert isinstance(done, MessagesIngested)
    return done


def number_of(agent: Agent) -> int:
    conversation = agent.state.part(CONVERSATION).find("c", CONVERSATION_KEY)
    assert conversation is not None
    return conversation.ingested_number


def test_memories_and_position_are_one_change(agent: Agent) -> None:
    done = ingest(agent, IngestMessages("c", 0, (1, 2), 1, 1, creating("x", "x")))
    assert [each.outcome for each in done.created] == [CreateMemoryOutcome.CREATED, CreateMemoryOutcome.REINFORCED]
    assert (done.message_count, done.remaining_count, done.revision, done.overtaken) == (2, 1, 2, False)
    assert done.conversation == agent.state.part(CONVERSATION).find("c", CONVERSATION_KEY)
    assert (done.conversation.ingested_number, done.conversation.revision) == (2, 2)
    assert [event.type for event in agent.events] == [
        EventType.MEMORY_CREATED,
        EventType.MEMORY_REINFORCED,
        EventType.CONVERSATION_UPDATED,
    ]
    assert all(each.memory is None or not each.memory.content for each in done.created)
    assert done.memory_bytes > ingest(agent, IngestMessages("c")).memory_bytes


def test_messages_without_a_statement_advance_the_position(agent: Agent) -> None:
    assert ingest(agent, IngestMessages("c", 0, (1, 2, 3), 1)).created == ()
    assert (number_of(agent), len(agent.state.part(MEMORIES))) == (3, 0)


def test_proposals_and_position_are_one_change(agent: Agent) -> None:
    proposes = ProposeMemories((memory_draft("x"), memory_draft("x"), memory_draft("y")), "new")
    done = ingest(agent, IngestMessages("c", 0, (1, 2), 1, 1, proposes=proposes))
    assert (done.created, done.proposal_ids) == ((), ("new000", "new002"))
    assert (number_of(agent), len(agent.state.part(MEMORIES)), len(agent.state.part(MEMORY_PROPOSAL))) == (2, 0, 2)
    assert done.memory_bytes > ingest(agent, IngestMessages("c")).memory_bytes


def test_nothing_to_read_changes_nothing(agent: Agent) -> None:
    before = agent.state
    done = ingest(agent, IngestMessages("c"))
    assert (done.message_count, done.revision, done.overtaken, agent.state) == (0, before.revision, False, before)


def test_messages_are_ingested_once(agent: Agent) -> None:
    ingest(agent, IngestMessages("c", 0, (1, 2), 1, creates=creating("x")))
    before = agent.state
    done = ingest(agent, IngestMessages("c", 0, (1, 2), 1, creates=creating("y")))
    assert done.overtaken
    assert done.is_provisional
    assert agent.state == before
    assert not ingest(agent, IngestMessages("c", 2, (3,), 1, creates=creating("z"))).overtaken


def test_no_memory_is_made_of_a_message_that_was_deleted_meanwhile(agent: Agent) -> None:
    agent.do(TruncateMessages("c", 2))
    assert ingest(agent, IngestMessages("c", 0, (1, 2, 3), 1, creates=creating("x"))).overtaken
    assert len(agent.state.part(MEMORIES)) == 0


def test_a_new_conversation_of_the_same_id_is_read_from_its_beginning(agent: Agent) -> None:
    ingest(agent, IngestMessages("c", 0, (1, 2, 3), 1))
    agent.do(DeleteConversation("c"))
    agent.do(AppendMessages("c", (message_draft("a"),)))
    assert number_of(agent) == 0


def test_a_message_of_the_same_number_in_a_new_conversation_is_another_one(agent: Agent) -> None:
    planned = IngestMessages("c", 0, (1,), agent.state.revision, creates=creating("x"))
    agent.do(DeleteConversation("c"))
    agent.do(AppendMessages("c", (message_draft("other"),)))
    assert ingest(agent, planned).overtaken


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (IngestMessages("d", 0, (1,)), RecordNotFound),
        (IngestMessages("d"), RecordNotFound),
        (IngestMessages("c", 0, (1,), 1, creates=creating("x"), precondition=at(7)), RevisionMismatch),
    ],
    ids=["missing", "nothing to read", "revision"],
)
def test_what_is_refused_changes_nothing(agent: Agent, command: IngestMessages, refusal: type[Exception]) -> None:
    before = agent.state
    with pytest.raises(refusal):
        agent.do(command)
    assert agent.state == before
