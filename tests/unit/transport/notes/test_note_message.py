import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.v1.note_pb2 import NoteDraft
from memoryd_server.domain.error import InvalidField, TooLarge
from memoryd_server.domain.limit import METADATA_BYTES_MAX, TAGS_MAX, USER_ID_BYTES_MAX, Limits
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.notes.note_change import CreateNote, NotePatch
from memoryd_server.transport.notes.note_message import creation_of, note_message, patch_of

LIMITS = Limits(note_bytes=4)


def test_a_note_without_an_id_gets_the_new_one() -> None:
    draft = NoteDraft(title="T", content="fóx")
    assert creation_of(draft, "new", LIMITS) == CreateNote("new", "T", "fóx", "", 0.5)
    draft.note_id, draft.importance = "n", 0
    assert creation_of(draft, "new", LIMITS) == CreateNote("n", "T", "fóx", "", 0.0)


def test_a_note_has_its_labels() -> None:
    draft = NoteDraft(title="T", content="C", notebook="work", user_id="ann", tags=["b", "a", "b"], metadata={"k": 1})
    creating = creation_of(draft, "n", LIMITS)
    assert creating == CreateNote("n", "T", "C", "work", 0.5, "ann", ("b", "a"), '{"k":1}')
    note = Note("n", "work", "T", "C", 0.5, "ann", ("b", "a"), '{"k":1}', 1, 2, 3, 4)
    message = note_message("agent", note)
    assert (message.notebook, message.user_id, list(message.tags), dict(message.metadata)) == (
        "work",
        "ann",
        ["b", "a"],
        {"k": 1.0},
    )
    assert not note_message("agent", note.without_content()).HasField("metadata")


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (NoteDraft(title="T", content="C", note_id="a/b"), "draft.note_id"),
        (NoteDraft(title="T", content="C", user_id="u" * (USER_ID_BYTES_MAX + 1)), "draft.user_id"),
        (NoteDraft(title="T", content="C", tags=map(str, range(TAGS_MAX + 1))), "draft.tags"),
        (NoteDraft(title="T", content="C", tags=[""]), "draft.tags"),
        (NoteDraft(title="T", content="C", metadata={"k": "x" * METADATA_BYTES_MAX}), "draft.metadata"),
        (NoteDraft(title="T", content="C", notebook="\n"), "draft.notebook"),
        (NoteDraft(content="C"), "draft.title"),
        (NoteDraft(title="T"), "draft.content"),
        (NoteDraft(title="T", content="C", importance=2), "draft.importance"),
    ],
)
def test_a_malformed_field_is_refused(draft: NoteDraft, field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        creation_of(draft, "new", LIMITS)
    assert refused.value.field == field


def test_a_note_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLarge) as refused:
        creation_of(NoteDraft(title="T", content="fóxx"), "new", LIMITS)
    assert refused.value.metadata == {"limit": "note_bytes", "value": "4"}
    with pytest.raises(TooLarge):
        patch_of(NoteDraft(content="fóxx"), FieldMask(paths=["content"]), "n", LIMITS)


def test_a_change_has_the_fields_of_its_mask_once() -> None:
    mask = FieldMask(paths=["title", "importance", "title"])
    draft = NoteDraft(note_id="n", title="T", content="C", notebook="k", importance=0)
    assert patch_of(draft, mask, "n", LIMITS) == NotePatch(title="T", importance=0.0)
    assert patch_of(draft, FieldMask(paths=["notebook"]), "n", LIMITS) == NotePatch(notebook="k")
    labels = FieldMask(paths=["user_id", "tags", "metadata"])
    assert patch_of(NoteDraft(), labels, "n", LIMITS) == NotePatch(user_id="", tags=(), metadata_json="")


def test_a_change_without_an_importance_sets_the_default() -> None:
    assert patch_of(NoteDraft(), FieldMask(paths=["importance"]), "n", LIMITS) == NotePatch(importance=0.5)


@pytest.mark.parametrize(
    ("draft", "paths", "field"),
    [
        (NoteDraft(title="T"), [], "update_mask"),
        (NoteDraft(title="T"), ["note_id"], "update_mask"),
        (NoteDraft(note_id="other", title="T"), ["title"], "draft.note_id"),
    ],
)
def test_a_change_that_contradicts_itself_is_refused(draft: NoteDraft, paths: list[str], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        patch_of(draft, FieldMask(paths=paths), "n", LIMITS)
    assert refused.value.field == field
