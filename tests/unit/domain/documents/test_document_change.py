from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import Agent, at, image
from tests.unit.record_filters import of_documents, of_events

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    DOCUMENT_CHUNK,
    DOCUMENT_SHAPE,
    ChunkDraft,
    Document,
    DocumentChunk,
    DocumentContent,
    DocumentDraft,
)
from memoryd_server.domain.documents.document_change import (
    CreateDocument,
    DeleteDocument,
    DocumentPatch,
    UpdateDocument,
)
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter

IDENTITY = EmbeddingIdentity("m", "", 1)


def content(*texts: str, media_type: str = "text/plain") -> DocumentContent:
    chunks = tuple(ChunkDraft("", text, "", 1) for text in texts)
    return DocumentContent(media_type, sum(map(len, texts)), len(texts), chunks)


def creating(document_id: str, *texts: str, **fields: Any) -> CreateDocument:
    return CreateDocument(DocumentDraft(document_id, **{"title": "T", **fields}), content(*texts))


def replacing(*texts: str, precondition: Precondition | None = None, **fields: Any) -> UpdateDocument:
    return UpdateDocument("d", DocumentPatch(**fields), content(*texts) if texts else None, precondition)


def chunks(agent: Agent, document_id: str = "d") -> list[DocumentChunk]:
    found = agent.state.part(DOCUMENT_CHUNK).group(document_id).values()
    return sorted(found, key=lambda each: each.key)


def test_a_draft_is_given_the_source_that_it_came_from_and_keeps_the_rest() -> None:
    draft = DocumentDraft("d", "T", tags=("tag",), media_type="text/plain")
    assert draft.with_source("https://example.org/a") == DocumentDraft(
        "d", "T", tags=("tag",), source="https://example.org/a", media_type="text/plain"
    )


def test_a_chunk_never_changes() -> None:
    agent = Agent()
    agent.do(creating("d", "text"))
    (chunk,) = chunks(agent)
    assert chunk.update_time == chunk.create_time == agent.now


def test_a_document_is_kept_with_its_chunks() -> None:
    agent = Agent()
    done = agent.do(creating("d", *(f"{number}" for number in range(1, 12))))
    assert isinstance(done, RecordPut)
    assert isinstance(done.record, Document)
    document = done.record
    assert (document.chunk_count, document.text_bytes, document.token_count, document.revision) == (11, 13, 11, 1)
    assert [(each.number, each.text) for each in chunks(agent)] == [(n, f"{n}") for n in range(1, 12)]
    assert [event.type for event in agent.events] == [EventType.DOCUMENT_CREATED]
    assert agent.state.size_bytes == len("dT") + 13


def test_what_a_chunk_takes_is_its_texts_and_its_vector() -> None:
    agent = Agent()
    drafts = (ChunkDraft("Gü", "text", "over", 2, IDENTITY, b"1234"),)
    agent.do(CreateDocument(DocumentDraft("d"), DocumentContent("text/plain", 4, 2, drafts)))
    (chunk,) = chunks(agent)
    assert (chunk.size_bytes, chunk.rendered, chunk.identity) == (3 + 4 + 4 + 4, "over text", IDENTITY)


def test_a_chunk_is_found_by_its_heading_too_and_so_is_its_draft() -> None:
    agent = Agent()
    drafts = (ChunkDraft("Guide", "b", "a", 1), ChunkDraft("", "c", "", 1))
    agent.do(CreateDocument(DocumentDraft("d"), DocumentContent("text/plain", 2, 2, drafts)))
    assert [each.found_by for each in chunks(agent)] == ["Guide\na b", "c"] == [each.found_by for each in drafts]


def test_new_content_leaves_nothing_of_the_old_one() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two", "three", description="D", tags=("a",)))
    created = agent.now
    agent.now += SECOND_NS
    done = agent.do(UpdateDocument("d", DocumentPatch(), content("four", media_type="text/markdown")))
    assert isinstance(done.record, Document)
    assert (done.record.create_time, done.record.update_time, done.record.revision) == (created, agent.now, 2)
    assert (done.record.title, done.record.description, done.record.tags) == ("T", "D", ("a",))
    assert (done.record.media_type, done.record.chunk_count, done.record.text_bytes) == ("text/markdown", 1, 4)
    assert [each.text for each in chunks(agent)] == ["four"]
    assert [event.type for event in agent.events] == [EventType.DOCUMENT_CREATED, EventType.DOCUMENT_UPDATED]
    assert agent.state.size_bytes == len("d") + len("T") + len("D") + len("a") + len("four")


def test_the_given_fields_are_changed_and_the_chunks_stay() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two", description="D"))
    before = chunks(agent)
    done = agent.do(replacing(title="New", user_id="ann", tags=("x",), metadata_json='{"a":1}', source="f"))
    document = done.record
    assert isinstance(document, Document)
    assert (document.title, document.description, document.user_id, document.source) == ("New", "D", "ann", "f")
    assert (document.tags, document.metadata_json, document.chunk_count) == (("x",), '{"a":1}', 2)
    assert (done.changed, done.revision, document.revision) == (True, 2, 2)
    assert chunks(agent) == before
    assert document.size_bytes == len('dNewDannf{"a":1}x')
    assert agent.do(replacing(description="")).record.description == ""


def test_an_update_to_what_a_document_is_already_changes_nothing() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two"))
    done = agent.do(replacing("one", "two", title="T", tags=()))
    assert (done.changed, done.revision, done.record.revision) == (False, 1, 1)
    assert len(agent.events) == 1
    for other in (("one",), ("one", "three"), ("onetwo",)):
        agent = Agent()
        agent.do(creating("d", "one", "two"))
        assert agent.do(replacing(*other)).changed


def test_a_changed_field_with_the_same_content_keeps_the_chunks() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two"))
    before = chunks(agent)
    assert agent.do(replacing("one", "two", title="New")).record.title == "New"
    assert chunks(agent) == before


def test_the_same_text_brings_vectors_and_takes_none_away() -> None:
    def embedded(vector: bytes) -> DocumentContent:
        identity = IDENTITY if vector else None
        return DocumentContent("text/plain", 1, 1, (ChunkDraft("", "x", "", 1, identity, vector),))

    agent = Agent()
    agent.do(CreateDocument(DocumentDraft("d"), embedded(b"")))
    for vector, changed, after in ((b"", False, b""), (b"1", True, b"1"), (b"", False, b"1"), (b"2", True, b"2")):
        assert agent.do(UpdateDocument("d", DocumentPatch(), embedded(vector))).changed is changed
        assert chunks(agent)[0].vector == after


def test_a_deleted_document_leaves_no_chunk() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two"))
    agent.do(creating("e", "other"))
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
        (creating("d", "late"), RecordExists),
        (replacing("late", precondition=Precondition(must_not_exist=True)), RecordExists),
        (replacing("late", precondition=at(7)), RevisionMismatch),
        (UpdateDocument("new", DocumentPatch(), content("late")), RecordNotFound),
        (UpdateDocument("new", DocumentPatch(), content("late"), at(1)), RecordNotFound),
        (DeleteDocument("d", at(7)), RevisionMismatch),
        (DeleteDocument("d", Precondition(must_not_exist=True)), RecordExists),
        (DeleteDocument("new", at(7)), RevisionMismatch),
        (DeleteDocument("new", Precondition(must_exist=True)), RecordNotFound),
    ],
)
def test_a_change_whose_condition_does_not_hold_changes_nothing(late: Any, refusal: type[Exception]) -> None:
    agent = Agent()
    agent.do(creating("d", "first"))
    with pytest.raises(refusal):
        agent.do(late)
    assert [each.text for each in chunks(agent)] == ["first"]


def test_an_agent_has_at_most_so_many_documents_but_may_replace_them() -> None:
    agent = Agent(Limits(documents_per_agent=1))
    agent.do(creating("d", "a"))
    with pytest.raises(QuotaExceeded) as refused:
        agent.do(creating("e", "b"))
    assert refused.value.metadata == {"limit": "documents_per_agent", "value": "1"}
    agent.do(replacing("b"))


@pytest.mark.parametrize("texts", [("aaa", "bbb"), ("a", "b", "ccc")])
def test_a_full_agent_takes_no_part_of_a_document(texts: tuple[str, ...]) -> None:
    agent = Agent(Limits(storage_bytes_per_agent=6))
    with pytest.raises(QuotaExceeded) as refused:
        agent.do(creating("d", *texts))
    assert refused.value.metadata["limit"] == "storage_bytes_per_agent"
    assert agent.state.record_count == 0


def test_a_full_agent_takes_a_shorter_document_in_place_of_a_longer_one() -> None:
    agent = Agent()
    agent.do(creating("d", "long", "longer"))
    agent.limits = Limits(storage_bytes_per_agent=3)
    agent.do(replacing("short"))
    assert [each.text for each in chunks(agent)] == ["short"]


def test_a_restore_brings_the_chunks_back_and_leaves_none_of_others() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two"))
    kept = agent.image()
    agent.do(replacing("new", "newer", "newest"))
    agent.do(creating("e", "other"))
    agent.do(RestoreAgent(kept, "snapshot"))
    assert [each.text for each in chunks(agent)] == ["one", "two"]
    assert not chunks(agent, "e")
    assert [each.document_id for each in agent.state.part(DOCUMENT)] == ["d"]
    agent.do(RestoreAgent(image(), "snapshot"))
    assert agent.state.record_count == 0


def test_clearing_documents_leaves_no_chunk() -> None:
    agent = Agent()
    agent.do(creating("d", "one", "two"))
    agent.do(ClearAgent(kinds=frozenset({RecordKind.DOCUMENT})))
    assert agent.state.record_count == 0
    assert agent.state.size_bytes == 0
    cleared = agent.events[-1]
    counts = {RecordKind.DOCUMENT: 1, RecordKind.DOCUMENT_CHUNK: 2}
    assert (cleared.type, cleared.subject.counts) == (EventType.DOCUMENTS_CLEARED, counts)


def test_events_pass_the_user_of_the_document() -> None:
    agent = Agent()
    agent.do(creating("d", "text", user_id="ann"))
    agent.do(DeleteDocument("d"))
    for user_id, passes in (("ann", True), ("bob", False)):
        assert [of_events(RecordFilter(user_ids=frozenset({user_id}))).keeps("a", each) for each in agent.events] == [
            passes
        ] * 2


def test_a_document_without_content_reveals_nothing_of_it() -> None:
    agent = Agent()
    draft = DocumentDraft("d", "t", "secret", "ann", ("tag",), '{"a":1}', "file.md")
    agent.do(CreateDocument(draft, DocumentContent("text/plain", 1, 1, (ChunkDraft("h", "t", "o", 1),))))
    (document,) = agent.state.part(DOCUMENT)
    redacted = document.without_content()
    texts: dict[str, Any] = {"title": "", "description": "", "tags": (), "metadata_json": "", "source": ""}
    assert redacted == msgspec.structs.replace(document, **texts)
    assert (chunks(agent)[0].without_content().rendered, chunks(agent)[0].without_content().heading) == ("", "")


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        (of_documents(), "abc"),
        (of_documents(document_ids=frozenset({"a", "x"})), "a"),
        (of_documents(user_id="ann"), "ab"),
        (of_documents(user_id=""), "c"),
        (of_documents(all_tags=frozenset({"x", "y"})), "b"),
        (of_documents(any_tags=frozenset({"x", "y"})), "ab"),
        (of_documents(any_tags=frozenset({"z"})), ""),
    ],
)
def test_a_filter_selects_documents_by_id_user_and_tags(chosen: RecordFilter, found: str) -> None:
    agent = Agent()
    agent.do(creating("a", "text", user_id="ann", tags=("x",)))
    agent.do(creating("b", "text", user_id="ann", tags=("x", "y")))
    agent.do(creating("c", "text"))
    assert sorted(
        each.document_id for each in agent.state.part(DOCUMENT) if Matcher(chosen, DOCUMENT_SHAPE).keeps(each)
    ) == list(found)
