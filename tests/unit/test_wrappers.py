"""The wrappers that are generated for the clients: what they cover, and how they say the comments of the protos."""

import pytest
from scripts.wrappers.names import BY_HAND, KINDS, LEADING, METHODS, OTHERS
from scripts.wrappers.prose import Prose
from scripts.wrappers.wrapped import Wrapped
from tests.contract.contract import contract


@pytest.fixture(scope="module")
def wrapped() -> Wrapped:
    return Wrapped(contract())


def test_every_service_is_wrapped_or_left_out_on_purpose() -> None:
    services = {name for file in contract().files for name in file.services_by_name if file.package == "memoryd.v1"}
    assert services == {*KINDS, *OTHERS}


def test_every_listed_method_exists(wrapped: Wrapped) -> None:
    methods = {method.name for kind in wrapped.kinds for method in kind.service.methods}
    assert {*METHODS, *LEADING, *BY_HAND} <= methods


def test_every_wrapper_has_a_name_of_its_own(wrapped: Wrapped) -> None:
    for kind in wrapped.kinds:
        names = [method.words for method in kind.methods]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("CreateNote creates a note.", "Creates a note."),
        (
            'GetNote fails with NOT_FOUND (ERROR_REASON_RECORD_NOT_FOUND, kind "note") if it is missing.',
            'Fails with RecordNotFound (kind "note") if it is missing.',
        ),
        (
            "AddX fails with ALREADY_EXISTS (ERROR_REASON_RECORD_EXISTS) if the note_id is taken.",
            "Fails with RecordExists if the <note_id> is taken.",
        ),
        (
            "X is refused with INVALID_ARGUMENT. MEMORY_TYPE_EPISODIC.",
            "Is refused with InvalidArgument. MemoryType:EPISODIC.",
        ),
        (
            "X exceeds the limit notes_per_agent, see CreateNote.",
            "Exceeds the limit notes_per_agent, see notes.create.",
        ),
    ],
)
def test_a_comment_is_said_in_the_words_of_the_language(comment: str, said: str, wrapped: Wrapped) -> None:
    prose = Prose(
        lambda field: f"<{field}>",
        lambda enum, value: f"{enum}:{value}",
        {"CreateNote": "notes.create"},
        wrapped.enums,
        wrapped.fields,
    )
    assert prose.method(comment.split()[0], comment) == said
