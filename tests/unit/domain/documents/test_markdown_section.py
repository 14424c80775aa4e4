import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.documents.markdown_section import SECTIONS_MAX, TITLE_LETTERS_MAX, sections_of

LONG = "It goes on for as long as a section must be to stand alone. " * 10


def parts(text: str) -> list[tuple[str, str]]:
    """Return the heading and the text of each section."""
    return [(section.heading, text[section.start : section.end]) for section in sections_of(text)]


def headings(*lines: str) -> list[str]:
    """Return the headings of the sections that begin with these lines."""
    return [heading for heading, _ in parts("".join(f"{line}\n{LONG}\n" for line in lines))]


def test_a_heading_is_rendered_with_those_above_it() -> None:
    lines = ("# Guide", "## Install", "### Linux", "## Run", "# Reference", "### Names")
    assert headings(*lines) == [
        "Guide",
        "Guide > Install",
        "Guide > Install > Linux",
        "Guide > Run",
        "Reference",
        "Reference > Names",
    ]


def test_what_comes_before_the_first_heading_has_none() -> None:
    assert parts(f"{LONG}\n# Guide\n{LONG}") == [("", f"{LONG}\n"), ("Guide", f"# Guide\n{LONG}")]


def test_a_text_without_headings_is_one_section_and_an_empty_one_has_none() -> None:
    assert parts(LONG) == [("", LONG)]
    assert parts("") == []


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# Guide", "Guide"),
        ("   # Guide  ", "Guide"),
        ("# Guide ##", "Guide"),
        ("# C#", "C#"),
        ("# Guide # 1", "Guide # 1"),
        ("#\tGuide\r", "Guide"),
        ("###### Guide", "Guide"),
        ("####### Guide", ""),
        ("    # Guide", ""),
        ("#Guide", ""),
        ("#", ""),
        ("#  ", ""),
        ("Guide # 1", ""),
        ("# " + "G" * TITLE_LETTERS_MAX, "G" * TITLE_LETTERS_MAX),
        ("# " + "G" * (TITLE_LETTERS_MAX + 1), ""),
    ],
)
def test_a_line_is_a_heading_as_in_markdown(line: str, heading: str) -> None:
    assert headings(line) == [heading]


@pytest.mark.parametrize(
    "fenced",
    [
        "```\n# comment\n```\n",
        "```sh\n# comment\n```\n",
        "~~~\n# comment\n```\n# comment\n~~~\n",
        "````\n# comment\n```\n# comment\n`````\n",
        "```\n# comment\n``` sh\n# comment\n```\n",
    ],
)
def test_what_is_fenced_has_no_headings_and_what_follows_has(fenced: str) -> None:
    text = f"# Guide\n{LONG}\n{fenced}{LONG}\n# Reference\n{LONG}"
    assert [heading for heading, _ in parts(text)] == ["Guide", "Reference"]


def test_code_within_a_line_begins_no_fence() -> None:
    assert headings("# Guide\n``` code ``` in a line", "# Reference") == ["Guide", "Reference"]


def test_a_heading_that_a_deeper_one_follows_at_once_begins_no_section_of_its_own() -> None:
    text = f"# Guide\n\n## Install\n\n{LONG}\n"
    assert parts(text) == [("Guide > Install", text)]


def test_each_headed_section_stands_alone_however_short_it_is() -> None:
    text = "# Guide\n## Install\nOne line.\n## Run\nAnother one.\n### Fast\nA third.\n"
    assert parts(text) == [
        ("Guide > Install", "# Guide\n## Install\nOne line.\n"),
        ("Guide > Run", "## Run\nAnother one.\n"),
        ("Guide > Run > Fast", "### Fast\nA third.\n"),
    ]


def test_a_heading_without_a_text_belongs_to_the_next_section() -> None:
    text = "# One\n\n# Other\nA line.\n"
    assert parts(text) == [("Other", text)]
    assert parts("A line.\n# Last\n")[-1] == ("Last", "# Last\n")


def test_short_neighbours_among_too_many_are_one_section_of_what_they_have_in_common() -> None:
    text = "# Guide\n" + "## Word\nOne line.\n" * (SECTIONS_MAX + 1)
    found = parts(text)
    assert "".join(part for _, part in found) == text
    assert len(found) < SECTIONS_MAX // 10
    assert {heading for heading, _ in found} == {"Guide"} or found[0][0].startswith("Guide")


def test_a_short_section_beside_a_long_one_stays_alone() -> None:
    assert [heading for heading, _ in parts(f"# Guide\nA line.\n## Install\n{LONG * 4}")] == [
        "Guide",
        "Guide > Install",
    ]


@given(st.lists(st.sampled_from(["# a", "## b", "### c ##", "```", "~~~", "", "text", LONG, "\f", "\r"])))
def test_the_sections_are_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "".join(part for _, part in parts(text)) == text
    assert all(part for _, part in parts(text))
