"""The words of docs/style.md, as an ordinary test. ``python -m tests.words PATH...`` prints the findings in files."""

from pathlib import Path

import click
import pytest
from tests.words.help import HelpLine, commands, faults_of, help_lines
from tests.words.rule import findings_of
from tests.words.source import findings, findings_in, sources
from tests.words.text import Text


def test_all_text_follows_the_style() -> None:
    found = findings()
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tell the hub of a change.",
        "The caller is told.",
        "Begin anew.",
        "At most so many.",
        "Wait for so\nmany events.",
        "Whoever holds it may read it.",
        "Leave it aside.",
        "Lets go of the port.",
        "It counts how much of what was asked is there.",
        "The least that is logged.",
        "What became of the batch is logged.",
        "``overwrites`` is whether they are replaced.",
        "Ends with 1 when there is none.",
    ],
)
def test_the_private_idiom_is_found(sentence: str) -> None:
    for kind in ("docstring", "comment", "message", "prose"):
        assert list(findings_of(Text(kind, 1, sentence)))


@pytest.mark.parametrize(
    "sentence",
    [
        "Two records of one name are told apart by their ids.",
        "No caller can tell a missing agent from a forbidden one.",
        "A reader cannot tell whether it was there.",
        "There are so many rows that the table is not shown.",
        "Nothing aside from the lock is kept.",
        "Return the newest entities, at most ``limit``.",
        "The daemon answers within a millisecond; answers are cached.",
    ],
)
def test_regular_english_is_not_found(sentence: str) -> None:
    assert list(findings_of(Text("docstring", 1, sentence))) == []


@pytest.mark.parametrize(
    "docstring",
    [
        "What a client needs.",
        "Whether it is there.",
        "How long it took.",
        "Answer the revision.",
        "Reserve; answers a token.",
    ],
)
def test_a_docstring_is_no_clause_and_a_function_returns(docstring: str) -> None:
    assert list(findings_of(Text("docstring", 1, docstring)))
    assert list(findings_of(Text("comment", 1, docstring))) == []


def test_a_finding_names_its_line_and_word(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    source = [
        '"""A module."""',
        "# Nothing here.",
        "# The caller",
        "# is told.",
        "def tell_all(told: int) -> None:",
        '    raise E(f"{told} was told to go")',
    ]
    file.write_text("\n".join(source))
    assert sorted((finding.line, finding.found) for finding in findings_in(file)) == [
        (4, "told"),
        (5, "tell all"),
        (5, "told"),
        (6, "told"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "# At most so\n# many.\n",
        "is_toldAll = 1\n",
        'def f():\n    """\n    What it does.\n    """\n',
        '"""Whether it is."""\n',
        '"""Reserve;\nanswers a token."""\n',
    ],
)
def test_a_file_is_read_if_it_may_break_a_rule(tmp_path: Path, source: str) -> None:
    file = tmp_path / "module.py"
    file.write_text(source)
    assert len(findings_in(file)) == 1


def test_what_a_page_quotes_is_not_its_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("A `told`\n```\ntold\n```\n<!-- told -->\n[x](told.md)\ntold\n")
    assert [finding.line for finding in findings_in(page)] == [7]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.proto", '// told\nx = "told";\n'),
        ("a.rs", "/// told\nfn f<'a>(x: &'a str) {} // a\n"),
        ("a.lua", "-- told\n"),
    ],
)
def test_comments_of_other_languages_are_read(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    assert [finding.line for finding in findings_in(file)] == [1]


def test_every_kind_of_source_is_read() -> None:
    suffixes = {path.suffix for path in sources()}
    assert {".py", ".md", ".proto", ".go", ".ts", ".java", ".rs", ".cpp", ".hpp", ".lua", ".toml", ""} <= suffixes


def test_every_line_of_help_is_understood_alone() -> None:
    faults = [fault for line in help_lines() for fault in faults_of(line)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", ["fragment list", "memory list", "conversation messages"])
def test_help_shows_no_maximum_that_only_the_machine_has(path: str) -> None:
    text = dict(commands())[path].get_help(click.Context(dict(commands())[path]))
    assert "Maximum number of results.  [default: all]\n" in text


def test_no_two_options_of_a_command_have_the_same_help() -> None:
    lines = [(line.place.rpartition(" --")[0], line.help) for line in help_lines() if " --" in line.place]
    assert {line for line in lines if lines.count(line) > 1} == set()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "At most so many.",
        "Or how near their vectors are.",
        "Of this score or more.",
        "From 0 to 1.",
        "More of that.",
    ],
)
def test_help_that_cannot_be_understood_alone_is_found(line: str) -> None:
    assert list(faults_of(HelpLine("recall --limit", line)))


@pytest.mark.parametrize("line", ["Print JSON.", "Maximum number of results.", "Do not follow links."])
def test_help_that_names_its_object_is_not_found(line: str) -> None:
    assert list(faults_of(HelpLine("recall --limit", line))) == []


def test_command_groups_are_singular_nouns_and_share_their_verbs() -> None:
    verbs: dict[str, set[str]] = {}
    for path, command in commands():
        noun, _, verb = path.partition(" ")
        assert not (isinstance(command, click.Group) and noun.endswith("s")), path
        if verb:
            verbs.setdefault(verb, set()).add(noun)
    synonyms = {"add", "show", "remove", "rm", "store", "ls", "edit", "find", "recent", "put"}
    assert {verb: nouns for verb, nouns in verbs.items() if verb in synonyms} == {"add": {"entity"}}
