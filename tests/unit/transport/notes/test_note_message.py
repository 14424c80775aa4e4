import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.v1 import note_service_pb2 as pb
from memoryd.v1.note_pb2 import Note
from memoryd_server.domain.error import LimitExceeded
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note_change import CreateNote, NoteText
from memoryd_server.transport.notes.note_message import creation_of, text_of

LIMITS = Limits(note_bytes=4)


def test_a_note_without_an_id_gets_the_new_one() -> None:
    request = pb.CreateNoteRequest(title="T", content="fóx")
    assert creation_of(request, "new", LIMITS) == CreateNote("new", "T", "fóx", "", 0.5)
    request.note_id, request.importance = "n", 0
    assert creation_of(request, "new", LIMITS) == CreateNote("n", "T", "fóx", "", 0.0)


def test_a_note_that_is_too_large_is_refused() -> None:
    with pytest.raises(LimitExceeded) as refused:
        creation_of(pb.CreateNoteRequest(title="T", content="fóxx"), "new", LIMITS)
    assert refused.value.metadata == {"limit": "note_bytes", "value": "4"}
    with pytest.raises(LimitExceeded):
        text_of(Note(content="fóxx"), FieldMask(paths=["content"]), LIMITS)


def test_a_change_has_the_fields_of_its_mask_once() -> None:
    mask = FieldMask(paths=["title", "importance", "title"])
    said = Note(title="T", content="C", storage_key="k")
    assert text_of(said, mask, LIMITS) == NoteText(title="T", importance=0.0)
    assert text_of(said, FieldMask(paths=["storage_key"]), LIMITS) == NoteText(storage_key="k")
