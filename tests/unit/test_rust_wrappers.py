"""The wrappers that are generated for the Rust client: what they cover, and how a field is set."""

import re
from pathlib import Path

import pytest
from scripts.wrappers import rust, rust_tests
from scripts.wrappers.rust import inputs_of
from scripts.wrappers.rust_fields import Setter, others_of
from scripts.wrappers.wrapped import Wrapped, is_required
from tests.contract.contract import contract

from memoryd.protocol.status import ERROR_BY_CODE, ERROR_BY_REASON

ROOT = Path(__file__).parents[2]
LINES_MAX = 500


@pytest.fixture(scope="module")
def wrapped() -> Wrapped:
    return Wrapped(contract())


@pytest.fixture(scope="module")
def files(wrapped: Wrapped, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("wrappers")
    rust.write(wrapped, root)
    rust_tests.write(wrapped, root)
    return {path.name: path.read_text("utf-8") for path in (root / rust.FOLDER).rglob("*.rs")}


def test_every_wrapped_method_is_a_function_of_its_kind(wrapped: Wrapped, files: dict[str, str]) -> None:
    for kind in wrapped.kinds:
        functions = re.findall(r"pub fn (\w+)\(\s*&self", files[f"{kind.noun}.rs"])
        assert {method.words.replace(" ", "_") for method in kind.methods} <= set(functions)
        assert len(set(functions)) == len(functions)


def test_every_option_is_tested(files: dict[str, str]) -> None:
    for name, text in files.items():
        if found := re.fullmatch(r"(\w+)_(?:changes|reads)\.rs", name):
            options = set(re.findall(r"pub fn (\w+)\(\s*mut self", text))
            assert options
            assert options <= set(re.findall(r"call\(\)\.(\w+)\(", files[f"{found[1]}_tests.rs"]))


def test_every_part_of_a_request_is_tested(wrapped: Wrapped, files: dict[str, str]) -> None:
    for message in inputs_of(wrapped):
        made = re.findall(rf"is\(\s*kinds::{message.name}::new\(", files["inputs_tests.rs"])
        required = sum(1 for each in message.fields if is_required(each))
        assert len(made) == 1 + len(message.fields) - required


def test_the_text_is_as_rustfmt_and_the_reader_want_it(files: dict[str, str]) -> None:
    for name, text in files.items():
        lines = text.splitlines()
        assert len(lines) <= LINES_MAX, name
        # The first line names a proto, and a line of a test may be the bytes of a long request.
        assert [line for line in lines[1:] if len(line) > 120 and not re.fullmatch(r' *"[0-9a-f]+",', line)] == []
        assert "\n\n\n" not in text


def test_a_comment_names_errors_as_the_client_does(files: dict[str, str]) -> None:
    kinds = set(re.findall(r"^    ([A-Z]\w+),$", (ROOT / "clients/rust/src/error.rs").read_text("utf-8"), re.MULTILINE))
    assert {kind.__name__ for kind in (*ERROR_BY_REASON.values(), *ERROR_BY_CODE.values())} <= kinds
    assert "`RecordNotFound`" in files["notes.rs"]
    assert not [name for name, text in files.items() if "ERROR_REASON" in text]


@pytest.mark.parametrize(
    ("message", "field", "parameter", "statement"),
    [
        ("NoteDraft", "title", "title: impl Into<String>", "m.title = title.into();"),
        ("NoteDraft", "importance", "importance: f64", "m.importance = Some(importance);"),
        ("NoteDraft", "tags", "tags: impl IntoIterator<Item = impl Into<String>>", "m.tags = texts(tags);"),
        ("MemoryDraft", "type", "memory_type: v1::MemoryType", "m.r#type = memory_type.into();"),
        ("MemoryDraft", "allow_duplicates", "", "m.allow_duplicates = true;"),
        (
            "MemoryDraft",
            "ttl",
            "ttl: Duration",
            (
                "let chosen = Some(v1::memory_draft::Expiry::Ttl(duration_of(ttl)));\n"
                'f.keep(choose(&mut m.expiry, chosen, "expire_time, ttl"));'
            ),
        ),
        (
            "NoteDraft",
            "metadata",
            "metadata: &(impl Serialize + ?Sized)",
            'm.metadata = f.keep(struct_of("metadata", metadata));',
        ),
        (
            "NoteCondition",
            "notebooks",
            "notebooks: impl IntoIterator<Item = impl Into<String>>",
            'f.keep(select(&mut m.notebooks, "notebooks", notebooks));',
        ),
        (
            "RecordFilter",
            "all_tags",
            "all_tags: impl IntoIterator<Item = impl Into<String>>",
            "m.all_tags.extend(texts(all_tags));",
        ),
    ],
)
def test_a_field_is_set_by_its_type(message: str, field: str, parameter: str, statement: str) -> None:
    described = next(each for each in contract().messages() if each.name == message).fields_by_name[field]
    setter = Setter(described, "m", "f")
    assert setter.parameter == parameter
    assert "\n".join(setter.statements(8)) == statement


def test_none_clears_a_field_that_is_a_message_and_changes() -> None:
    fields = next(each for each in contract().messages() if each.name == "MemoryDraft").fields_by_name
    assert Setter(fields["occur_time"], "m", "f", clears=True).parameter == "occur_time: impl Into<Option<SystemTime>>"
    # No metadata is an empty object, and no text an empty one.
    assert not Setter(fields["metadata"], "m", "f", clears=True).clears
    assert not Setter(fields["content"], "m", "f", clears=True).clears


def test_what_an_alternative_replaces_is_said() -> None:
    messages = {each.name: each.fields_by_name for each in contract().messages()}
    assert others_of(messages["MemoryDraft"]["ttl"]) == "`expire_time`"
    assert others_of(messages["ContextSection"]["notes"]) == "any other source"
    assert others_of(messages["NoteDraft"]["importance"]) == ""
