"""Sections of a text, as Markdown headings divide it."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

TITLE_LETTERS_MAX = 200
"""Maximum characters of a heading. A longer line is text, since each chunk is rendered with its heading."""

SECTIONS_MAX = 1_000
"""Number of sections above which short neighbours are joined: each section becomes a chunk of its own at least."""
_SMALL_LETTERS = 400
"""Characters below which a section is joined with a short neighbour in such a text."""

_FENCE_OR_HEADING = re.compile(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*+)"
    rf"|(?P<signs>#{{1,6}})[ \t]++(?P<title>[^\s][^\n]{{0,{TITLE_LETTERS_MAX - 1}}})$)",
    re.MULTILINE,
)
_LETTER = re.compile(r"\S")


class Heading(msgspec.Struct, frozen=True):
    """A heading of a level from 1 to 6."""

    level: int
    title: str


class Section(msgspec.Struct, frozen=True):
    """A part of a text from one heading to the next: its offsets, and its heading below those above it."""

    start: int
    end: int
    path: tuple[Heading, ...]

    @property
    def heading(self) -> str:
        """The headings that lead to the section, such as "Guide > Install". Empty for none."""
        return " > ".join(heading.title for heading in self.path)


def sections_of(text: str) -> Sequence[Section]:
    """Return the sections in order; concatenated, they are the text.

    A heading without a text of its own begins no section: it belongs to the next one. Of a text with more than
    SECTIONS_MAX headings, short neighbours are joined into one section, whose heading is what their headings share.
    """
    sections = list(_plain_sections(text))
    return sections if len(sections) <= SECTIONS_MAX else list(_joined(sections))


def _joined(sections: Iterable[Section]) -> Iterator[Section]:
    joined: Section | None = None
    for section in sections:
        if joined is None:
            joined = section
        elif _are_small(joined, section):
            joined = Section(joined.start, section.end, _common(joined.path, section.path))
        else:
            yield joined
            joined = section
    if joined is not None:
        yield joined


def _plain_sections(text: str) -> Iterator[Section]:
    start = body = 0
    path: tuple[Heading, ...] = ()
    for place, end, heading in _headings(text):
        is_followed_at_once = bool(path) and not _LETTER.search(text, body, place)
        if place > start and not is_followed_at_once:
            yield Section(start, place, path)
            start = place
        path = (*(above for above in path if above.level < heading.level), heading)
        body = end
    if start < len(text):
        yield Section(start, len(text), path)


def _headings(text: str) -> Iterator[tuple[int, int, Heading]]:
    """Yield each heading outside of fenced code, with the start and the end of its line."""
    fence = ""
    for found in _FENCE_OR_HEADING.finditer(text):
        if signs := found["signs"]:
            if not fence:
                yield found.start(), found.end(), Heading(len(signs), _without_closing_signs(found["title"]))
        elif not fence:
            # Three backticks with another backtick on their line are inline code, not a fence.
            fence = found["fence"] if "`" not in found["info"] else ""
        elif found["fence"].startswith(fence) and not found["info"].strip():
            fence = ""


def _without_closing_signs(title: str) -> str:
    words, _, last = title.strip().rpartition(" ")
    return words.strip() if last and not last.strip("#") else title.strip()


def _are_small(one: Section, other: Section) -> bool:
    is_one_small = one.end - one.start < _SMALL_LETTERS
    return is_one_small and other.end - other.start < 2 * _SMALL_LETTERS


def _common(one: tuple[Heading, ...], other: tuple[Heading, ...]) -> tuple[Heading, ...]:
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    return one[:shared]
