"""Requests of an agent that is bound to a user."""

from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor

from memoryd.protocol.method import METHODS
from memoryd.protocol.user import of_user
from memoryd.v1 import (
    conversation_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    event_service_pb2,
    long_term_memory_service_pb2,
    note_service_pb2,
    transaction_service_pb2,
    working_memory_service_pb2,
)
from memoryd.v1.document_pb2 import DocumentDraft
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.long_term_memory_service_pb2 import MemoryDraft
from memoryd.v1.note_pb2 import NoteDraft
from memoryd.v1.record_filter_pb2 import RecordFilter

ADA = ["ada"]
NAMED = {"ListMessagesRequest", "BatchForgetMemoriesRequest"}
"""Requests without a selection of users, since they name their records or select nothing."""


@pytest.mark.parametrize("method", METHODS, ids=lambda each: each.name)
def test_every_request_that_writes_or_selects_is_bound(method: Any) -> None:
    request = method.request_type()
    descriptor: Descriptor = request.DESCRIPTOR
    if "draft" in descriptor.fields_by_name:
        request.draft.SetInParent()
    before = request.SerializeToString()
    bound = of_user(request, "ada")
    if "filter" in descriptor.fields_by_name and descriptor.name not in NAMED:
        assert list(bound.filter.user_ids) == ADA
    if "user_id" in descriptor.fields_by_name:
        assert bound.user_id == "ada"
    draft = descriptor.fields_by_name.get("draft")
    if draft is not None and draft.message_type is not None and "user_id" in draft.message_type.fields_by_name:
        assert bound.draft.user_id == ("" if "update_mask" in descriptor.fields_by_name else "ada")
    assert request.SerializeToString() == before


def test_what_names_a_user_is_not_bound() -> None:
    note = note_service_pb2.CreateNoteRequest(draft=NoteDraft(user_id="bob"))
    assert of_user(note, "ada") == note
    listed = note_service_pb2.ListNotesRequest(filter=RecordFilter(user_ids=["bob"]))
    assert of_user(listed, "ada") == listed
    everybody = note_service_pb2.ListNotesRequest(filter=RecordFilter(all_users=True))
    assert of_user(everybody, "ada") == everybody
    nobody = entity_service_pb2.AddEntitiesRequest(user_id="")
    assert of_user(nobody, "ada") == nobody


def test_each_of_several_drafts_is_bound() -> None:
    drafts = [MemoryDraft(content="x"), MemoryDraft(content="y", user_id="bob")]
    created = of_user(long_term_memory_service_pb2.BatchCreateMemoriesRequest(drafts=drafts), "ada")
    assert [each.user_id for each in created.drafts] == ["ada", "bob"]
    messages = conversation_service_pb2.AppendMessagesRequest(drafts=[{"content": "x"}])
    assert of_user(messages, "ada") == messages
    operation = working_memory_service_pb2.EntryOperation
    batch = working_memory_service_pb2.BatchWriteEntriesRequest(
        operations=[operation(set={"key": "k"}), operation(remove={"key": "k"})]
    )
    bound = of_user(batch, "ada")
    assert (bound.operations[0].set.user_id, bound.operations[1]) == ("ada", batch.operations[1])
    write = transaction_service_pb2.Write(create_note=note_service_pb2.CreateNoteRequest(draft=NoteDraft(title="t")))
    committed = of_user(transaction_service_pb2.CommitRequest(writes=[write]), "ada")
    assert committed.writes[0].create_note.draft.user_id == "ada"


def test_an_upload_is_bound_by_its_header() -> None:
    header = document_service_pb2.UploadDocumentHeader(create=DocumentDraft(title="t"))
    bound = of_user(document_service_pb2.UploadDocumentRequest(header=header), "ada")
    assert bound.header.create.user_id == "ada"
    part = document_service_pb2.UploadDocumentRequest(data=b"x")
    assert of_user(part, "ada") == part


def test_each_filter_of_a_watch_is_bound() -> None:
    filters = [EventFilter(agent_ids=["a"]), EventFilter(record=RecordFilter(user_ids=["bob"]))]
    bound = of_user(event_service_pb2.WatchEventsRequest(filters=filters), "ada")
    assert [list(each.record.user_ids) for each in bound.filters] == [ADA, ["bob"]]


def test_a_user_is_not_selected_where_records_are_named_or_nothing_is() -> None:
    forget = long_term_memory_service_pb2.BatchForgetMemoriesRequest
    for request in (forget(), forget(memory_ids=["m"])):
        assert of_user(request, "ada") == request
    assert list(of_user(forget(filter=RecordFilter(all_tags=["x"])), "ada").filter.user_ids) == ADA
    links = long_term_memory_service_pb2.ListMemoryLinksRequest(memory_id="m")
    assert of_user(links, "ada") == links
