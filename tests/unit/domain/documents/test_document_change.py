import msgspec
import pytest
from tests.unit.domain.sample import Agent, at, image

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    DOCUMENT_CHUNK,
    ChunkDraft,
    Document,
    DocumentChunk,
    DocumentDraft,
)
from memoryd_server.domain.documents.document_change import AddDocument, DeleteDocument
from memoryd_server.domain.error import LimitExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.record_kind import RecordKind

ANY = Precondition(must_not_exist=True)


def adding(document_id: str, *texts: str, precondition: Precondition | None = None, title: str = "T") -> AddDocument:
    chunks = tuple(ChunkDraft("", text, "", 1) for text in texts)
    size = sum(map(len, texts))
    return AddDocument(document_id, title, "", (), "", "text/plain", size, len(texts), chunks, precondition)


def chunks(agent: Agent, document_id: str = "d") -> list[DocumentChunk]:
    found = agent.state.part(DOCUMENT_CHUNK).group(document_id).values()
    return sorted(found, key=lambda each: each.key)


def test_a_draft_is_given_the_source_that_it_came_from_and_keeps_the_rest() -> None:
    draft = DocumentDraft("d", "T", "description", ("tag",), "", "text/plain")
    assert draft.with_source("https://example.org/a") == DocumentDraft(
        "d", "T", "description", ("tag",), "https://example.org/a", "text/plain"
    )


def test_a_chunk_never_changes() -> None:
    agent = Agent()
    agent.do(adding("d", "text"))
    (chunk,) = chunks(agent)
    assert chunk.update_time == chunk.create_time == agent.now


def test_a_document_is_kept_with_its_chunks() -> None:
    agent = Agent()
    done = agent.do(adding("d", *(f"{number}" for number in range(1, 12))))
    assert isinstance(done, RecordPut)
    assert isinstance(done.record, Document)
    document = done.record
    assert (document.chunk_count, document.text_bytes, document.token_count, document.revision) == (11, 13, 11, 1)
    assert [(each.number, each.text) for each in chunks(agent)] == [(n, f"{n}") for n in range(1, 12)]
    assert [event.type for event in agent.events] == [EventType.DOCUMENT_ADDED]
    assert agent.state.size_bytes == len("dT") + 13


def test_what_a_chunk_takes_is_its_texts_and_its_vector() -> None:
    agent = Agent()
    identity = EmbeddingIdentity("m", "", 1)
    drafts = (ChunkDraft("Gü", "text", "over", 2, identity, b"1234"),)
    agent.do(AddDocument("d", "", "", (), "", "text/plain", 4, 2, drafts))
    (chunk,) = chunks(agent)
    assert (chunk.size_bytes, chunk.rendered, chunk.identity) == (3 + 4 + 4 + 4, "over text", identity)


def test_a_chunk_is_found_by_its_heading_too_and_so_is_its_draft() -> None:
    agent = Agent()
    drafts = (ChunkDraft("Guide", "b", "a", 1), ChunkDraft("", "c", "", 1))
    agent.do(AddDocument("d", "", "", (), "", "text/plain", 2, 2, drafts))
    assert [each.found_by for each in chunks(agent)] == ["Guide\na b", "c"] == [each.found_by for each in drafts]


def test_a_replaced_document_has_nothing_of_the_old_one_but_its_beginning() -> None:
    agent = Agent()
    agent.do(adding("d", "one", "two", "three"))
    created = agent.now
    agent.now += SECOND_NS
    done = agent.do(adding("d", "four", precondition=at(1), title="New"))
    assert isinstance(done, RecordPut)
    assert isinstance(done.record, Document)
    assert (done.record.create_time, done.record.update_time, done.record.revision) == (created, agent.now, 2)
    assert [each.text for each in chunks(agent)] == ["four"]
    assert [event.type for event in agent.events] == [EventType.DOCUMENT_ADDED, EventType.DOCUMENT_REPLACED]
    assert agent.state.size_bytes == len("d") + len("New") + len("four")


def test_a_deleted_document_leaves_no_chunk() -> None:
    agent = Agent()
    agent.do(adding("d", "one", "two"))
    agent.do(adding("e", "other"))
    assert agent.do(DeleteDocument("d")) == RecordRemoved(1, 3)
    assert agent.do(DeleteDocument("d")) == RecordRemoved(0, 3)
    assert [each.text for each in agent.state.part(DOCUMENT_CHUNK)] == ["other"]
    deleted = agent.events[-1]
    assert deleted.type is EventType.DOCUMENT_DELETED
    assert isinstance(deleted.subject, Document)
    assert (deleted.subject.document_id, deleted.subject.title) == ("d", "")


@pytest.mark.parametrize(
    ("late", "refusal"),
    [
        (adding("d", "late"), RecordExists),
        (adding("d", "late", precondition=ANY), RecordExists),
        (adding("d", "late", precondition=at(7)), RevisionMismatch),
        (adding("new", "late", precondition=at(1)), RecordNotFound),
        (DeleteDocument("d", at(7)), RevisionMismatch),
    ],
)
def test_a_change_whose_condition_does_not_hold_changes_nothing(late: object, refusal: type[Exception]) -> None:
    agent = Agent()
    agent.do(adding("d", "first"))
    with pytest.raises(refusal):
        agent.do(late)  # type: ignore[arg-type]
    assert [each.text for each in chunks(agent)] == ["first"]


def test_an_agent_has_at_most_so_many_documents_but_may_replace_them() -> None:
    agent = Agent(Limits(documents_per_agent=1))
    agent.do(adding("d", "a"))
    with pytest.raises(LimitExceeded) as refused:
        agent.do(adding("e", "b"))
    assert refused.value.metadata == {"limit": "documents_per_agent", "value": "1"}
    agent.do(adding("d", "b", precondition=at(1)))


@pytest.mark.parametrize("texts", [("aaa", "bbb"), ("a", "b", "ccc")])
def test_a_full_agent_takes_no_part_of_a_document(texts: tuple[str, ...]) -> None:
    agent = Agent(Limits(storage_bytes_per_agent=6))
    with pytest.raises(LimitExceeded) as refused:
        agent.do(adding("d", *texts))
    assert refused.value.metadata["limit"] == "storage_bytes_per_agent"
    assert agent.state.record_count == 0


def test_a_full_agent_takes_a_shorter_document_in_place_of_a_longer_one() -> None:
    agent = Agent()
    agent.do(adding("d", "long", "longer"))
    agent.limits = Limits(storage_bytes_per_agent=3)
    agent.do(adding("d", "short", precondition=at(1)))
    assert [each.text for each in chunks(agent)] == ["short"]


def test_a_restore_brings_the_chunks_back_and_leaves_none_of_others() -> None:
    agent = Agent()
    agent.do(adding("d", "one", "two"))
    kept = agent.image()
    agent.do(adding("d", "new", "newer", "newest", precondition=at(1)))
    agent.do(adding("e", "other"))
    agent.do(RestoreAgent(kept, "snapshot"))
    assert [each.text for each in chunks(agent)] == ["one", "two"]
    assert not chunks(agent, "e")
    assert [each.document_id for each in agent.state.part(DOCUMENT)] == ["d"]
    agent.do(RestoreAgent(image(), "snapshot"))
    assert agent.state.record_count == 0


def test_clearing_documents_leaves_no_chunk() -> None:
    agent = Agent()
    agent.do(adding("d", "one", "two"))
    agent.do(ClearAgent(kinds=frozenset({RecordKind.DOCUMENT})))
    assert agent.state.record_count == 0
    assert agent.state.size_bytes == 0
    cleared = agent.events[-1]
    assert (cleared.type, cleared.subject.count) == (EventType.RECORDS_CLEARED, 3)


def test_a_document_without_content_reveals_nothing_of_it() -> None:
    agent = Agent()
    agent.do(AddDocument("d", "t", "secret", ("tag",), "file.md", "text/plain", 1, 1, (ChunkDraft("h", "t", "o", 1),)))
    (document,) = agent.state.part(DOCUMENT)
    redacted = document.without_content()
    assert (redacted.title, redacted.description, redacted.source) == ("", "", "")
    assert msgspec.structs.replace(redacted, title="t", description="secret", source="file.md") == document
    assert (chunks(agent)[0].without_content().rendered, chunks(agent)[0].without_content().heading) == ("", "")
