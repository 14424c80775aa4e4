from tests.unit.domain.sample import Agent

from memoryd_server.domain.notes.note import NOTE, Note
from memoryd_server.domain.notes.note_change import CreateNote
from memoryd_server.domain.notes.note_prompt import note_line


def test_a_note_is_a_line_with_its_title_and_keeps_the_line_breaks_of_its_content() -> None:
    agent = Agent()
    agent.do(CreateNote("n", "Tone", "- brief\n- kind", "", 0.5))
    (note,) = agent.state.part(NOTE)
    assert isinstance(note, Note)
    assert note_line(note) == "- Tone: - brief\n- kind\n"
