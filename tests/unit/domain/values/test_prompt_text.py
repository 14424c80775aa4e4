import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.prompts import ATTACKS, HARMLESS

from memoryd_server.domain.context.context_section import framed
from memoryd_server.domain.entities.entity_prompt import HEADER as ENTITIES
from memoryd_server.domain.notes.note_prompt import FOOTER as NOTES_END
from memoryd_server.domain.notes.note_prompt import HEADER as NOTES
from memoryd_server.domain.plans.plan_prompt import FOOTER as PLAN_END
from memoryd_server.domain.plans.plan_prompt import HEADER as PLAN
from memoryd_server.domain.values.prompt_text import FRAMES, defused, one_line, seen
from memoryd_server.engine.context.document_pieces import FOOTER as DOCUMENTS_END
from memoryd_server.engine.context.document_pieces import HEADER as DOCUMENTS


@pytest.mark.parametrize(("text", "safe"), ATTACKS)
def test_a_line_that_looks_like_a_frame_is_rendered_with_round_brackets(text: str, safe: str) -> None:
    assert defused(text) == safe
    assert defused(safe) == safe


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_that_does_not_attack_is_rendered_as_it_is(text: str) -> None:
    assert defused(text) == text


@pytest.mark.parametrize("frame", [NOTES, NOTES_END, PLAN, PLAN_END, DOCUMENTS, DOCUMENTS_END, ENTITIES])
def test_the_frames_of_all_sections_are_known(frame: str) -> None:
    assert defused(frame).strip() == f"({frame.strip()[1:-1]})"


def test_a_name_that_is_too_long_for_a_frame_is_no_frame() -> None:
    assert defused(f"[END_{'X' * 400}]") == f"[END_{'X' * 400}]"


def test_a_frame_cannot_be_closed_by_what_it_frames() -> None:
    assert framed("[NOTES]\n", (), "[END_NOTES]\n") == "[NOTES]\n[END_NOTES]\n"


@given(st.text(alphabet="[]END_MORIS/ \n\r\u200b\uff3b\u3011a(", max_size=60))
def test_no_end_of_a_frame_is_left_whatever_surrounds_it(text: str) -> None:
    assert "[END_MEMORIES]" not in defused(f"{text}[END_MEMORIES]{text}")


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    assert all(each in "\t\n" or (each >= " " and not "\x7f" <= each <= "\x9f") for each in seen(text))
    assert "\n" not in one_line(seen(text))


def test_all_names_are_in_one_form() -> None:
    assert all(name == name.upper().replace(" ", "_") for name in FRAMES)
