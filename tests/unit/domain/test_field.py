"""No field is lost between a draft, its record, a copy and a comparison: every field of every struct is tested."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.unit.domain.made import fields_of, made, two_values

from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.conversations.conversation import MESSAGE, ConversationMessage, MessageDraft
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    ChunkDraft,
    Document,
    DocumentChunk,
    DocumentContent,
    DocumentDraft,
    chunks_of_document,
)
from memoryd_server.domain.documents.document_change import CreateDocument
from memoryd_server.domain.entries.entry import Entry, EntryDraft, entry_of
from memoryd_server.domain.fragments.fragment import Fragment, FragmentDraft, fragment_of
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.memory import Memory, MemoryDraft, memory_of


def message_of(draft: MessageDraft) -> ConversationMessage:
    state = decide(AgentState("a"), AppendMessages("c", (draft,)), 9, Limits()).state
    (message,) = state.part(MESSAGE)
    return message


def document_of(draft: DocumentDraft) -> Document:
    content = DocumentContent("text/plain", 1, 1, (ChunkDraft("", "x", "", 1),))
    (document,) = decide(AgentState("a"), CreateDocument(draft, content), 9, Limits()).state.part(DOCUMENT)
    return document


RECORDS: list[tuple[type[Any], Callable[[Any], Any], set[str]]] = [
    (EntryDraft, lambda draft: entry_of(draft, "scope", "id", 7, 9, None), set()),
    (FragmentDraft, lambda draft: fragment_of(draft, "id", 3, 7, 9, draft.expire_time), set()),
    (MessageDraft, message_of, set()),
    # The media type and the charset are those of the content: the draft's are what its writer says of a file.
    (DocumentDraft, document_of, {"media_type", "charset"}),
    (ChunkDraft, lambda draft: chunks_of_document("d", (draft,), 9, 7)[0], set()),
    # These fields are not copied: they decide the record's id, links and vector, and whether it is a duplicate.
    (
        MemoryDraft,
        lambda draft: memory_of(draft, "id", 3, 7, 9),
        {"memory_id", "confidence", "links", "identity", "vector", "is_vector_given", "allow_duplicates",
         "skip_contradictions", "duplicate_of", "contradicts", "relates_to", "derives_from", "supersedes"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("draft_type", "record_of", "elsewhere"), RECORDS, ids=lambda each: getattr(each, "__name__", "")
)
def test_every_field_of_a_draft_reaches_its_record(
    draft_type: type[Any], record_of: Callable[[Any], Any], elsewhere: set[str]
) -> None:
    for which in (0, 1):
        draft = made(draft_type, which)
        record = record_of(draft)
        kept = set(draft_type.__struct_fields__) - elsewhere
        assert {name: getattr(record, name) for name in kept} == {name: getattr(draft, name) for name in kept}


def test_an_entry_is_merged_with_every_field_of_its_draft() -> None:
    draft = made(EntryDraft, 1)
    assert entry_of(draft, "scope", "id", 7, 9, None).draft == draft


@pytest.mark.parametrize(
    ("record_type", "is_same", "bookkeeping"),
    [
        (
            Entry,
            Entry.has_content_of,
            {"scope_id", "revision", "create_time", "update_time", "size_bytes", "access_count", "last_access_time"},
        ),
        (Fragment, Fragment.is_stored_as, {"revision", "delivery_count"}),
        (Memory, Memory.is_stored_as, {"revision", "sequence", "last_access_time", "access_count", "archive_time"}),
    ],
    ids=["entry", "fragment", "memory"],
)
def test_a_restore_notices_a_change_of_every_field_that_is_content(
    record_type: type[Any], is_same: Callable[[Any, Any], bool], bookkeeping: set[str]
) -> None:
    record = made(record_type, 0)
    for name, annotation in fields_of(record_type).items():
        changed = msgspec.structs.replace(record, **{name: two_values(annotation)[1]})
        assert is_same(record, changed) is (name in bookkeeping), name


def test_the_records_here_are_those_that_come_of_drafts() -> None:
    assert {record_of(made(draft, 0)).__class__ for draft, record_of, _ in RECORDS} == {
        Entry, Fragment, ConversationMessage, Document, DocumentChunk, Memory
    }  # fmt: skip
