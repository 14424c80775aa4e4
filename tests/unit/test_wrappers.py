"""The wrappers that are generated for the clients: what they cover, and how they say the comments of the protos."""

import re
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor
from scripts.wrappers import cpp
from scripts.wrappers.names import BY_HAND, KINDS, LEADING, METHODS, OTHERS, PARTS
from scripts.wrappers.prose import Prose
from scripts.wrappers.wrapped import Kind, Wrapped, parts_of
from tests.contract.contract import contract

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wrapped() -> Wrapped:
    return Wrapped(contract())


def test_every_service_is_wrapped_or_left_out_on_purpose() -> None:
    services = {name for file in contract().files for name in file.services_by_name if file.package == "memoryd.v1"}
    assert services == {*KINDS, *OTHERS}


def test_every_listed_method_exists(wrapped: Wrapped) -> None:
    methods = {method.name for kind in wrapped.kinds for method in kind.service.methods}
    assert {*METHODS, *LEADING, *PARTS, *BY_HAND} <= methods


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


@pytest.fixture(scope="module")
def of_cpp(wrapped: Wrapped, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("wrappers")
    cpp.write(wrapped, root)
    return root


def source_of(kind: Kind, root: Path) -> str:
    return "\n".join((root / cpp.SOURCES / f"{part}.cpp").read_text("utf-8") for part in parts_of(kind))


def test_cpp_has_every_method(wrapped: Wrapped, of_cpp: Path) -> None:
    for kind in wrapped.kinds:
        source = source_of(kind, of_cpp)
        called = set(re.findall(r"v1::\w+::Stub::(\w+)", source))
        assert called == {each.rpc.name for each in kind.methods}


def test_cpp_sets_every_field_of_its_structs(of_cpp: Path) -> None:
    """Each member of the options reaches a field, and nothing else is read."""
    headers = "\n".join(path.read_text("utf-8") for path in (of_cpp / cpp.HEADERS).glob("*.hpp"))
    sources = "\n".join(path.read_text("utf-8") for path in (of_cpp / cpp.SOURCES).glob("*.cpp"))
    structs = dict(re.findall(r"(?ms)^struct (\w+) \{\n(.*?)^\};", headers))
    putters = dict(re.findall(r"(?ms)^void put_\w+\((?:[^()]* )?const (\w+)& from\) \{(.*?)\}$", sources))
    assert len(putters) > 80
    for name, body in structs.items():
        members = set(re.findall(r"(?m)^  \S.* (\w+)(?:\{\}| = \w+);$", body)) - {"call"}
        assert set(re.findall(r"\bfrom\.(\w+)", putters.get(name, ""))) == members, name


def test_cpp_names_fields_that_exist(wrapped: Wrapped, of_cpp: Path) -> None:
    """Its client finds the fields by their paths at run time."""
    for kind in wrapped.kinds:
        source = source_of(kind, of_cpp)
        for each in kind.methods:
            name = each.rpc.name
            putters = re.findall(rf"(?ms)const {name}Options& from\) {{(.*?)}}$", source)
            definitions = re.findall(rf"(?ms)^  v1::{name}Request request;\n(.*?)^}}", source)
            assert definitions
            for path in re.findall(r'\.put\("([\w.]+)"', "".join([*putters, *definitions])):
                message: Descriptor | None = each.rpc.input_type
                for part in path.split("."):
                    field = message.fields_by_name.get(part) if message is not None else None
                    assert field is not None, f"{name}: {path}"
                    message = field.message_type


def test_cpp_names_errors_that_its_client_has(of_cpp: Path) -> None:
    errors = set(re.findall(r"(?m)^struct (\w+) : \w+ \{", (ROOT / cpp.HEADERS / "error.hpp").read_text("utf-8")))
    said = "\n".join(path.read_text("utf-8") for path in (of_cpp / cpp.HEADERS).glob("*.hpp"))
    named = set(re.findall(r"(?:refused with|[Ff]ails with|gets) ([A-Z][a-z]\w+)", said))
    assert "RecordNotFound" in named
    assert named <= errors


def test_cpp_files_are_small_enough_to_read(of_cpp: Path) -> None:
    for path in (each for folder in (cpp.HEADERS, cpp.SOURCES) for each in (of_cpp / folder).iterdir()):
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) <= 500, path.name
        assert max(map(len, lines)) <= 120, path.name
