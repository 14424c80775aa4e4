import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.random_agent import RandomAgent
from tests.unit.domain.sample import Agent, message
from tests.unit.record_filters import of_memories

from memoryd_server.domain.agent.collection import Collection
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.context.context_composition import ComposedContext, compose
from memoryd_server.domain.context.context_section import MessageSection, TextSection
from memoryd_server.domain.context.filled_section import message_tokens
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    MESSAGE,
    Conversation,
)
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.notes.note import NoteCondition
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.engine.context.context_source import (
    DocumentsFullText,
    DocumentsSearch,
    EntitiesSource,
    EntriesSource,
    MemoriesSource,
    MessagesSource,
    NotesSource,
    Part,
    PlanSource,
    Source,
    TextSource,
)
from memoryd_server.engine.context.section_pieces import Found, newest_messages, section_of
from memoryd_server.engine.limit import COMPOSED_BYTES_MAX, COMPOSED_RECORDS_MAX


def talk(*numbers: int, content: str = "x", next_number: int = 0) -> AgentState:
    """Return an agent with a conversation of messages of these numbers."""
    messages = [message(number, content) for number in numbers]
    conversation = Conversation("c", next_number or max(numbers) + 1, len(messages), len(messages), 0, 0, 1, 1)
    state = Agent().state
    parts = state.parts.set(MESSAGE.name, Collection.of(messages))
    return msgspec.structs.replace(state, parts=parts.set(CONVERSATION.name, Collection.of([conversation])))


def messages_of(state: AgentState) -> MessageSection:
    section = section_of(Part("m", MessagesSource("c"), 100), state, Found(), 0)
    assert isinstance(section, MessageSection)
    return section


def notes_of(agent: Agent) -> TextSection:
    section = section_of(Part("n", NotesSource(), 100), agent.state, Found(), 0)
    assert isinstance(section, TextSection)
    return section


@pytest.mark.parametrize("numbers", [(1, 2, 3), (2, 3, 7), (1, 5_000), (4_000_000_000,)])
def test_messages_are_returned_newest_first_however_many_were_removed(numbers: tuple[int, ...]) -> None:
    found = [message.number for message in newest_messages(talk(*numbers), "c")]
    assert found == sorted(numbers, reverse=True)


def test_a_missing_conversation_has_no_messages() -> None:
    assert list(newest_messages(Agent().state, "c")) == []
    assert messages_of(Agent().state).messages == ()


def test_messages_above_the_maximum_are_skipped_and_counted() -> None:
    section = messages_of(talk(*range(1, COMPOSED_RECORDS_MAX + 6)))
    assert section.messages[0].piece.ids == ("c", "6")
    assert (len(section.messages), section.skipped_count) == (COMPOSED_RECORDS_MAX, 5)


def test_messages_above_the_maximum_of_bytes_are_skipped_and_counted() -> None:
    content = "x" * (COMPOSED_BYTES_MAX // 2)
    section = messages_of(talk(1, 2, 3, content=content))
    assert [each.piece.ids for each in section.messages] == [("c", "2"), ("c", "3")]
    assert section.skipped_count == 1


def test_the_newest_message_is_considered_even_above_the_maximum_of_bytes() -> None:
    section = messages_of(talk(1, 2, content="x" * (COMPOSED_BYTES_MAX + 1)))
    assert [each.piece.ids for each in section.messages] == [("c", "2")]


def test_notes_are_rendered_in_order_of_creation_and_ranked_by_importance() -> None:
    agent = Agent()
    for note_id, importance in (("a", 0.1), ("b", 0.9), ("c", 0.5)):
        agent.do(CreateNote(note_id, "t", "text", "", importance))
    section = notes_of(agent)
    assert [(piece.ids, piece.rank) for piece in section.pieces] == [(("a",), 2), (("b",), 0), (("c",), 1)]
    assert section.skipped_count == 0


SOURCES: "st.SearchStrategy[Source]" = st.sampled_from(
    [
        TextSource("be kind to the hens"),
        NotesSource(),
        NotesSource(RecordFilter(condition=NoteCondition(frozenset({"ann"})))),
        PlanSource("talk"),
        EntitiesSource("s1"),
        DocumentsSearch(10),
        DocumentsFullText(),
        EntriesSource(ROOT),
        MemoriesSource(of_memories(), 10),
        MessagesSource("talk"),
        MessagesSource("talk/2"),
    ]
)
PARTS = st.builds(Part, st.just("s"), SOURCES, st.integers(0, 60), st.integers(-1, 1))


@pytest.mark.whole
@given(st.data())
def test_any_context_fits_its_budget_and_is_deterministic(
    data: st.DataObject,
) -> None:
    agent = RandomAgent(data)
    for _ in range(data.draw(st.integers(1, 20))):
        agent.step()
    memories = tuple(agent.state.part(MEMORIES).memories.values())
    chunks = [
        (document, chunk)
        for chunk in agent.state.part(DOCUMENT_CHUNK)
        if (document := agent.state.part(DOCUMENT).find("", chunk.document_id)) is not None
    ]
    parts, tokens_max = data.draw(st.lists(PARTS, max_size=6)), data.draw(st.integers(0, 150))
    count = data.draw(st.sampled_from([estimated_tokens, len, lambda text: len(text.split())]))

    def composed() -> ComposedContext:
        found = Found(memories, chunks)
        return compose([section_of(part, agent.state, found, agent.now) for part in parts], tokens_max, count)

    context = composed()
    assert context.tokens == sum(message_tokens(message, count) for message in context.messages) <= tokens_max
    assert all(usage.tokens <= usage.tokens_max for usage in context.usages)
    assert context == composed()
