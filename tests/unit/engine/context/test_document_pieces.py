import msgspec
import pytest
from tests.unit.domain.sample import Agent
from tests.unit.record_filters import of_documents

from memoryd_server.domain.context.context_composition import compose
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    DOCUMENT_CHUNK,
    ChunkDraft,
    Document,
    DocumentChunk,
    DocumentContent,
    DocumentDraft,
)
from memoryd_server.domain.documents.document_change import CreateDocument
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.engine.context.context_source import DocumentsFullText, Part
from memoryd_server.engine.context.document_pieces import found_chunks, whole_documents
from memoryd_server.engine.limit import COMPOSED_RECORDS_MAX

ALL = of_documents()
PART = Part("d", DocumentsFullText(), 1_000)


def words(text: str) -> int:
    return len(text.split())


def add(agent: Agent, document_id: str, *texts: str, title: str = "", tags: tuple[str, ...] = ()) -> None:
    chunks = tuple(ChunkDraft("", text, "over." if number else "", 1) for number, text in enumerate(texts))
    draft = DocumentDraft(document_id, title or document_id.upper(), tags=tags)
    agent.do(CreateDocument(draft, DocumentContent("text/plain", 1, 1, chunks)))


def chunk(agent: Agent, document_id: str, number: int) -> tuple[Document, DocumentChunk]:
    document = agent.state.part(DOCUMENT).find("", document_id)
    found = agent.state.part(DOCUMENT_CHUNK).find(document_id, f"{number:012}")
    assert document is not None
    assert found is not None
    return document, found


@pytest.fixture
def agent() -> Agent:
    agent = Agent()
    add(agent, "a", "One two. ", "Three four.\n", tags=("x",))
    add(agent, "b", "Five.\n", "\nSix.\n", "Seven.")
    return agent


def rendered(agent: Agent, chosen: RecordFilter = ALL, tokens_max: int = 1_000) -> str:
    section = whole_documents(msgspec.structs.replace(PART, tokens_max=tokens_max), chosen, agent.state)
    return "".join(message.content for message in compose([section], 1_000, words).messages)


def test_whole_documents_are_rendered_unchanged_one_after_the_other(agent: Agent) -> None:
    assert rendered(agent) == ("[DOCUMENTS]\n# A\nOne two. Three four.\n# B\nFive.\n\nSix.\nSeven.\n[END_DOCUMENTS]\n")


def test_whole_documents_end_at_the_budget(agent: Agent) -> None:
    assert rendered(agent, tokens_max=4 + 2 + 2 + 2 + 1) == "[DOCUMENTS]\n# A\nOne two. \n[END_DOCUMENTS]\n"


def test_only_named_documents_and_those_with_all_tags_are_rendered(agent: Agent) -> None:
    named = of_documents(frozenset({"b", "z"}))
    assert rendered(agent, named).startswith("[DOCUMENTS]\n# B\n")
    tagged = of_documents(all_tags=frozenset({"x"}))
    assert rendered(agent, tagged) == "[DOCUMENTS]\n# A\nOne two. Three four.\n[END_DOCUMENTS]\n"
    assert rendered(agent, of_documents(all_tags=frozenset({"x", "y"}))) == ""


def test_documents_of_the_same_title_are_rendered_with_their_ids() -> None:
    agent = Agent()
    add(agent, "a", "One.", title="Guide\nof all")
    add(agent, "b", "Two.", title="Guide of all")
    assert rendered(agent) == "[DOCUMENTS]\n# Guide of all (a)\nOne.\n# Guide of all (b)\nTwo.\n[END_DOCUMENTS]\n"


def test_found_chunks_are_rendered_by_document_in_the_order_of_the_text(agent: Agent) -> None:
    found = [chunk(agent, "b", 3), chunk(agent, "a", 2), chunk(agent, "b", 1)]
    section = found_chunks(PART, found)
    content = compose([section], 1_000, words).messages[0].content
    assert content == "[DOCUMENTS]\n# B\nFive.\nover. Seven.\n# A\nover. Three four.\n[END_DOCUMENTS]\n"
    assert [(*piece.ids, piece.rank) for piece in section.pieces] == [("b", "1", 2), ("b", "3", 0), ("a", "2", 1)]


def test_the_overlap_of_adjacent_found_chunks_is_rendered_once(agent: Agent) -> None:
    section = found_chunks(PART, [chunk(agent, "b", 2), chunk(agent, "b", 1)])
    assert "".join(piece.text for piece in section.pieces) == "\nFive.\nSix."


def test_chunks_above_the_maximum_are_skipped_and_counted() -> None:
    agent = Agent()
    add(agent, "a", *["x"] * (COMPOSED_RECORDS_MAX + 7))
    section = whole_documents(PART, ALL, agent.state)
    assert (len(section.pieces), section.skipped_count) == (COMPOSED_RECORDS_MAX, 7)


def test_nothing_is_rendered_without_documents() -> None:
    assert rendered(Agent()) == ""
    assert found_chunks(PART, []).pieces == ()
