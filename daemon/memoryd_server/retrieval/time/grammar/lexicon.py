"""Lexicons: the words of a language that take part in naming a time, each with its kind and value."""

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

import msgspec


class Kind(Enum):
    """The part that a word has in naming a time. In brackets: the value of its meaning."""

    NUMBER = auto()
    """A number word (least and greatest)."""
    ORDINAL = auto()
    """A place in a row (its number)."""
    UNIT = auto()
    """A unit of the calendar (a ``Unit``)."""
    MONTH = auto()
    """A month's name (1 to 12)."""
    WEEKDAY = auto()
    """A weekday's name (0 to 6, from Monday)."""
    SEASON = auto()
    """A season of the north (its first month)."""
    HOLIDAY = auto()
    """A holiday of a fixed date (month, day, and number of days)."""
    DAY = auto()
    """A word for a day (its distance from today in days)."""
    NOW = auto()
    """Now."""
    PART_OF_DAY = auto()
    """Morning, evening, night."""
    DECADE = auto()
    """A decade's name (its first year)."""
    NUMERAL = auto()
    """A number in digits (the number)."""
    DATE = auto()
    """A date in digits (its span)."""
    QUARTER = auto()
    """A quarter or a half of a year, such as "Q3" (its first month, and its number of months)."""
    WHICH = auto()
    """The last, this or the next one (-1, 0 or 1)."""
    AGO = auto()
    """Follows an amount of time that has passed since."""
    AGO_BEFORE = auto()
    """Precedes an amount of time that has passed since."""
    AHEAD = auto()
    """Precedes an amount of time that must pass until then."""
    AT = auto()
    """A preposition of a time: in, on, during."""
    OF = auto()
    THE = auto()
    SINCE = auto()
    UNTIL = auto()
    BEFORE = auto()
    AFTER = auto()
    BY = auto()
    FROM = auto()
    TO = auto()
    BETWEEN = auto()
    AND = auto()
    OR = auto()
    ONWARD = auto()
    """Follows the beginning of an open span: "from May on"."""
    PART = auto()
    """Precedes a span, and names a third of it (0, 1 or 2)."""
    PART_OF = auto()
    """The same, with "of" in between."""
    HALF = auto()
    MORE = auto()
    """Precedes an amount of time that is a minimum."""
    LESS = auto()
    """Precedes an amount of time that is a maximum."""
    RECENT = auto()
    """Not long ago."""
    FEW_DAYS_AGO = auto()
    """A few days ago."""
    OWN = auto()
    """Names an owner: "my last year" is not last year."""
    EACH = auto()
    """Makes a time a habit: "every Monday" is none in particular."""


class Tense(Enum):
    """The time of an event by the verbs of its sentence."""

    PAST = auto()
    PRESENT = auto()
    FUTURE = auto()
    UNKNOWN = auto()


class Meaning(NamedTuple):
    """The kind of a word, and its value."""

    kind: Kind
    value: Any = None


class Lexicon(msgspec.Struct, frozen=True):
    """The words of a language. All words are folded.

    ``phrases`` maps the first word of a sequence of words to the rest of each, the longest first. ``weak`` words are
    times only where a preposition or a number says so. ``tenses`` are the verbs by which a sentence shows the time of
    its event, and ``past_form`` matches others of the past. A word of ``following`` cannot be the noun that a time
    before it belongs to; an empty set means that this is not examined. If ``which_follows`` is true, "last" may stand
    behind its noun. If ``article_rolls`` is true, "the last week" is not last week, but the last seven days. Words that
    are ``ambiguous`` show the language only together with a hint.
    """

    words: Mapping[str, Meaning]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Meaning], ...]]
    weak: frozenset[str]
    tenses: Mapping[str, Tense]
    past_form: re.Pattern[str]
    following: frozenset[str] = frozenset()
    which_follows: bool = False
    article_rolls: bool = False
    ambiguous: frozenset[str] = frozenset()

    def marks(self, kinds: Container[Kind]) -> frozenset[str]:
        """Return the words whose kind is one of these, and of each such phrase the longest word."""
        words = {word for word, meaning in self.words.items() if meaning.kind in kinds}
        phrases = {
            max((first, *rest), key=len)
            for first, rests in self.phrases.items()
            for rest, meaning in rests
            if meaning.kind in kinds
        }
        return frozenset(words | phrases)


_NEVER = re.compile(r"(?!)")


def lexicon(
    table: Mapping[Kind, str | Mapping[str, object]],
    *,
    weak: str = "",
    past: str = "",
    present: str = "",
    future: str = "",
    past_form: re.Pattern[str] = _NEVER,
    following: str = "",
    which_follows: bool = False,
    article_rolls: bool = False,
    ambiguous: str = "",
) -> Lexicon:
    """Return the lexicon of a table: for each kind its words, separated by commas, or the words with their values.

    What is written as several words is found as such, with or without hyphens.
    """
    words: dict[str, Meaning] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
    for kind, entries in table.items():
        pairs: Iterable[tuple[str, object]] = (
            ((each, None) for each in entries.split(",")) if isinstance(entries, str) else entries.items()
        )
        for names, value in pairs:
            for name in names.split("|"):
                first, *rest = folded(name).split()
                meaning = Meaning(kind, value)
                if rest:
                    phrases.setdefault(first, []).append((tuple(rest), meaning))
                else:
                    words[first] = meaning
    spoken = ((Tense.PRESENT, present), (Tense.FUTURE, future), (Tense.PAST, past))
    longest_first = {first: tuple(sorted(rests, key=lambda each: -len(each[0]))) for first, rests in phrases.items()}
    return Lexicon(
        words,
        longest_first,
        _set_of(weak),
        {word: tense for tense, each in spoken for word in _set_of(each)},
        past_form,
        _set_of(following),
        which_follows,
        article_rolls,
        _set_of(ambiguous),
    )


def _set_of(words: str) -> frozenset[str]:
    return frozenset(folded(words).split())


def numbered(names: str, first: int = 1) -> dict[str, object]:
    """Return names with their numbers. Names are separated by spaces, those of one number by a bar."""
    return {name: number for number, name in enumerate(names.split(), first)}


def counted(names: str) -> dict[str, object]:
    """Return number words with their values, from one."""
    return {name: (number, number) for number, name in enumerate(names.split(), 1)}


def folded(word: str) -> str:
    """Return a word without differences of case, accents and width."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word).casefold()
    return "".join(each for each in decomposed if not unicodedata.combining(each))


FEW = (2, 6)
"""The least and the greatest number that "a few" stands for."""
