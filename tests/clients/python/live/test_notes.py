import pytest

import memoryd
from memoryd import errors


@pytest.fixture
def notes(agent: memoryd.Agent) -> memoryd.Notes:
    return agent.notes


def test_a_note_is_returned_as_it_was_written(notes: memoryd.Notes, agent_id: str) -> None:
    note = notes.create("Tea", "Ada likes tea", note_id="tea", notebook="ada", importance=0.75)
    assert (note.note_id, note.agent_id, note.notebook, note.importance) == ("tea", agent_id, "ada", 0.75)
    assert (note.title, note.content, note.revision) == ("Tea", "Ada likes tea", 1)
    assert notes.get("tea") == note
    with pytest.raises(errors.RecordExists):
        notes.create("Tea", "again", note_id="tea")


def test_an_update_changes_what_it_names(notes: memoryd.Notes) -> None:
    before = notes.create("Tea", "Ada likes tea")
    after = notes.update(before.note_id, content="Ada likes green tea", expected_revision=before.revision)
    assert (after.title, after.content, after.importance) == ("Tea", "Ada likes green tea", 0.5)
    assert after.update_time > after.create_time
    with pytest.raises(errors.RevisionMismatch):
        notes.update(before.note_id, title="Late", expected_revision=before.revision)
    with pytest.raises(ValueError, match="has no changes"):
        notes.update(before.note_id)


def test_notes_are_listed_by_notebook_and_removed(notes: memoryd.Notes) -> None:
    for number in range(3):
        notes.create(f"T{number}", "C", note_id=f"n{number}", notebook="ada" if number else "")
    assert [note.note_id for note in notes.list()] == ["n0", "n1", "n2"]
    assert [note.note_id for note in notes.list(notebook="ada")] == ["n1", "n2"]
    assert [note.note_id for note in notes.list(notebook="")] == ["n0"]
    assert notes.delete("n1")
    assert not notes.delete("n1")
    with pytest.raises(errors.RecordNotFound) as missing:
        notes.get("n1")
    assert (missing.value.kind, missing.value.record_id) == ("note", "n1")


def test_a_note_has_a_user_tags_and_metadata(notes: memoryd.Notes) -> None:
    note = notes.create("Tea", "Ada likes tea", user_id="ada", tags=["drink", "hot"], metadata={"cups": 2})
    assert (note.user_id, note.tags, note.metadata) == ("ada", ("drink", "hot"), {"cups": 2})
    assert notes.get(note.note_id) == note
    plain = notes.create("Work", "paints")
    assert (plain.user_id, plain.tags, plain.metadata) == ("", (), {})
    assert list(notes.list(user_id="ada")) == list(notes.list(all_users=True, all_tags=["hot", "drink"])) == [note]
    assert list(notes.list(user_id="")) == list(notes.list()) == [plain]
    assert list(notes.list(user_id="ada", any_tags=["cold", "hot"])) == [note]
    (last, first) = notes.list(all_users=True, order=memoryd.ListOrder.CREATE_TIME_DESCENDING, view="without_content")
    assert (last.note_id, first.note_id) == (plain.note_id, note.note_id)
    assert (first.title, first.content, first.tags, first.metadata, first.user_id) == ("", "", (), {}, "ada")
    with pytest.raises(TypeError, match="all_tags"):
        notes.list(all_tags="hot")
    changed = notes.update(note.note_id, tags=[], metadata={}, user_id="bob")
    assert (changed.user_id, changed.tags, changed.metadata, changed.title) == ("bob", (), {}, "Tea")


def test_notes_are_counted_cleared_and_cause_events(agent: memoryd.Agent) -> None:
    agent.notes.create("Tea", "Ada likes tea", note_id="tea")
    assert agent.stats().record_counts == {"note": 1}
    assert agent.clear_all(["note"]).cleared == {"note": 1}
    created, cleared = (event for event in agent.events() if event.kind != "agent")
    assert isinstance(created.subject, memoryd.NoteEvent)
    assert created.subject.note is not None
    assert (created.type, created.subject.note.content) == ("note_created", "Ada likes tea")
    assert isinstance(cleared.subject, memoryd.ClearedEvent)
    assert (cleared.type, cleared.subject.cleared) == ("notes_cleared", {"note": 1})


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    notes = aio_agent.notes
    note = await notes.create("Tea", "Ada likes tea", note_id="tea")
    assert await notes.get("tea") == note
    assert (await notes.update("tea", importance=1)).importance == 1
    assert [each.note_id async for each in notes.list()] == ["tea"]
    assert await notes.delete("tea", expected_revision=2)
