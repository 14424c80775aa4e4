import pytest
from tests.unit.domain.sample import Agent, at

from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note import NOTE, Note
from memoryd_server.domain.notes.note_change import CreateNote, DeleteNote, NotePatch, UpdateNote
from memoryd_server.domain.record_kind import RecordKind


def create(agent: Agent, note_id: str = "n", content: str = "content") -> Note:
    done = agent.do(CreateNote(note_id, "title", content, "", 0.5))
    assert isinstance(done, RecordPut)
    assert isinstance(done.record, Note)
    return done.record


def notes(agent: Agent) -> set[str]:
    return {note.note_id for note in agent.state.part(NOTE)}


def test_a_note_counts_its_texts() -> None:
    agent = Agent()
    note = create(agent, content="tëxt")
    assert note.size_bytes == len("title") + len("tëxt".encode())
    assert agent.state.size_bytes == note.size_bytes
    changed = agent.do(UpdateNote("n", NotePatch(content="t", notebook="ann")))
    assert isinstance(changed, RecordPut)
    assert agent.state.size_bytes == changed.record.size_bytes == len("title" + "t" + "ann")
    labels = NotePatch(user_id="ö", tags=("a", "bc"), metadata_json='{"k":1}')
    labeled = agent.do(UpdateNote("n", labels))
    assert agent.state.size_bytes == labeled.record.size_bytes == len("title" + "t" + "ann" + "oe" + "abc" + '{"k":1}')


def test_an_update_keeps_what_it_does_not_name() -> None:
    agent = Agent()
    before = create(agent)
    agent.now += 1
    done = agent.do(UpdateNote("n", NotePatch(title="other", importance=1.0)))
    expected = Note("n", "", "other", "content", 1.0, "", (), "", before.create_time, agent.now, 2, 12)
    assert done == RecordPut(expected, changed=True, revision=2)


def test_a_note_has_the_labels_that_it_was_created_with() -> None:
    agent = Agent()
    note = agent.do(CreateNote("n", "title", "content", "work", 0.5, "ann", ("a", "b"), '{"k":1}')).record
    assert (note.notebook, note.user_id, note.tags, note.metadata_json) == ("work", "ann", ("a", "b"), '{"k":1}')
    assert note.size_bytes == len("titlecontent" + "work" + "ann" + "ab" + '{"k":1}')


def test_a_note_without_content_keeps_what_identifies_it() -> None:
    note = Agent().do(CreateNote("n", "title", "content", "work", 0.75, "ann", ("a",), '{"k":1}')).record
    shown = note.without_content()
    assert (shown.title, shown.content, shown.tags, shown.metadata_json) == ("", "", (), "")
    assert (shown.note_id, shown.notebook, shown.user_id, shown.importance) == ("n", "work", "ann", 0.75)


def test_an_update_that_says_the_same_changes_nothing() -> None:
    agent = Agent()
    before = create(agent)
    agent.now += 1
    assert agent.do(UpdateNote("n", NotePatch(content="content"))) == RecordPut(before, changed=False, revision=1)


def test_an_id_is_given_once() -> None:
    agent = Agent()
    create(agent)
    with pytest.raises(RecordExists) as refused:
        create(agent)
    assert refused.value.metadata == {"kind": "note", "record_id": "n", "revision": "1"}


def test_a_missing_record_raises_not_found() -> None:
    agent = Agent()
    with pytest.raises(RecordNotFound) as refused:
        agent.do(UpdateNote("n", NotePatch(content="x")))
    assert refused.value.metadata == {"agent_id": agent.state.agent_id, "kind": "note", "record_id": "n"}
    assert agent.do(DeleteNote("n")) == RecordRemoved(0, 0)
    with pytest.raises(RevisionMismatch):
        agent.do(DeleteNote("n", at(7)))


@pytest.mark.parametrize("late", [UpdateNote("n", NotePatch(content="x"), at(2)), DeleteNote("n", at(2))])
def test_a_change_that_lost_the_race_is_refused(late: UpdateNote | DeleteNote) -> None:
    agent = Agent()
    create(agent)
    with pytest.raises(RevisionMismatch):
        agent.do(late)
    assert notes(agent) == {"n"}


def test_there_are_at_most_so_many() -> None:
    agent = Agent(Limits(notes_per_agent=1))
    create(agent)
    with pytest.raises(QuotaExceeded) as refused:
        create(agent, "other")
    assert refused.value.metadata == {"limit": "notes_per_agent", "value": "1"}
    agent.do(DeleteNote("n"))
    create(agent, "other")
    assert notes(agent) == {"other"}


def test_a_full_agent_takes_no_larger_note_but_a_smaller_one() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=12))
    create(agent)
    with pytest.raises(QuotaExceeded) as refused:
        agent.do(UpdateNote("n", NotePatch(content="longer content")))
    assert refused.value.metadata == {"limit": "storage_bytes_per_agent", "value": "12"}
    agent.do(UpdateNote("n", NotePatch(content="c")))
    assert agent.state.size_bytes == len("title" + "c")


def test_clearing_other_kinds_leaves_notes() -> None:
    agent = Agent()
    create(agent)
    agent.do(ClearAgent(kinds=frozenset(RecordKind) - {RecordKind.NOTE}))
    assert notes(agent) == {"n"}
    agent.do(ClearAgent(kinds=frozenset({RecordKind.NOTE})))
    assert notes(agent) == set()
    assert agent.state.size_bytes == 0


def test_a_restore_takes_no_room_that_is_not_there_for_granted() -> None:
    agent = Agent(Limits(storage_bytes_per_agent=30))
    create(agent, "a")
    image = agent.image()
    create(agent, "b")
    agent.do(RestoreAgent(image, "snapshot"))
    assert notes(agent) == {"a"}
