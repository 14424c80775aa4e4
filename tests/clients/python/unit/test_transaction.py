"""The collection of a transaction, without a daemon."""

import pytest

from memoryd.model.note import Note
from memoryd.protocol.method import METHODS
from memoryd.transaction.transaction import Transaction
from memoryd.v1 import note_service_pb2, transaction_service_pb2


def test_the_writes_have_the_order_of_the_calls_and_no_ids_of_their_own() -> None:
    tx = Transaction("a")
    tx.set("k", 1)
    tx.notes.delete("n")
    pending = tx.pending("r", {"expected_revision": 7})
    assert pending is not None
    request = pending.request
    assert [each.WhichOneof("write") for each in request.writes] == ["set_entry", "delete_note"]
    assert (request.agent_id, request.request_id, request.agent_precondition.expected_revision) == ("a", "r", 7)
    assert (request.writes[0].set_entry.agent_id, request.writes[1].delete_note.request_id) == ("", "")


def test_a_transaction_has_a_new_request_id_by_default() -> None:
    ids = set()
    for _ in range(2):
        tx = Transaction("a")
        tx.remove("k")
        pending = tx.pending("", {})
        assert pending is not None
        ids.add(pending.request.request_id)
    assert len(ids - {""}) == 2


def test_a_result_is_there_after_the_commit() -> None:
    tx = Transaction("a")
    written = tx.notes.create("t", "c")
    with pytest.raises(RuntimeError):
        _ = written.result
    pending = tx.pending("", {})
    assert pending is not None
    response = transaction_service_pb2.CommitResponse(revision=3)
    created = note_service_pb2.CreateNoteResponse(note={"note_id": "n"}, revision=3)
    response.results.add(create_note=created)
    pending.convert(response)
    assert isinstance(written.result, Note)
    assert (written.result.note_id, written.is_committed, tx.revision) == ("n", True, 3)


def test_every_write_has_a_method() -> None:
    names = {each.request_type.DESCRIPTOR.full_name for each in METHODS}
    assert {each.message_type.full_name for each in transaction_service_pb2.Write.DESCRIPTOR.fields} <= names
