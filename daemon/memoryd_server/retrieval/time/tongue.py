"""The languages in which a text may name a time, found by its words."""

import re
from collections.abc import Iterable, Set
from typing import NamedTuple

from memoryd_server.retrieval.time.grammar.lexicon import Kind, Lexicon, folded
from memoryd_server.retrieval.time.language.dutch import DUTCH
from memoryd_server.retrieval.time.language.english import ENGLISH
from memoryd_server.retrieval.time.language.french import FRENCH
from memoryd_server.retrieval.time.language.german import GERMAN
from memoryd_server.retrieval.time.language.italian import ITALIAN
from memoryd_server.retrieval.time.language.portuguese import PORTUGUESE
from memoryd_server.retrieval.time.language.spanish import SPANISH

_LEXICONS = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)

_ANCHORS = {
    Kind.MONTH,
    Kind.WEEKDAY,
    Kind.SEASON,
    Kind.HOLIDAY,
    Kind.DAY,
    Kind.DECADE,
    Kind.QUARTER,
    Kind.RECENT,
    Kind.FEW_DAYS_AGO,
}
_UNITS = {Kind.UNIT, Kind.PART_OF_DAY}
_PARTNERS = {
    Kind.WHICH,
    Kind.AGO,
    Kind.AGO_BEFORE,
    Kind.AHEAD,
    Kind.SINCE,
    Kind.BEFORE,
    Kind.AFTER,
    Kind.FROM,
    Kind.PART,
    Kind.PART_OF,
}
_HINTS = {*_PARTNERS, Kind.AT, Kind.THE, Kind.UNTIL, Kind.BETWEEN} - {Kind.AHEAD, Kind.PART_OF}
_ENGLISH_WORDS = frozenset("a an in on at of by am as do die over to no met half begin early mid since".split())  # noqa: SIM905 - a list of words

_DIGIT = re.compile(r"\d")
_NUMBERED = re.compile(r"\d{4}|\d[-/.]\d|\d0s|\d(?:st|nd|rd|th)\b")
"""A part of every time in digits."""

_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}
_WORD = re.compile(r"[^\W_]+")


class _Tongue(NamedTuple):
    """A language, with the words by which a text is seen to be in it.

    A text that names a time has an anchor, or a unit with one of its ``partners``, or an ambiguous word with a hint.
    """

    lexicon: Lexicon
    anchors: frozenset[str]
    units: frozenset[str]
    partners: frozenset[str]
    hints: frozenset[str]


def _tongue(lexicon: Lexicon) -> _Tongue:
    foreign = frozenset() if lexicon is ENGLISH else _ENGLISH_WORDS
    weekend = frozenset(word for word in lexicon.marks({Kind.UNIT}) if "week" in word and "end" in word)
    anchors = (lexicon.marks(_ANCHORS) | weekend) - lexicon.ambiguous
    units = lexicon.marks(_UNITS) - lexicon.ambiguous - anchors
    return _Tongue(lexicon, anchors, units, lexicon.marks(_PARTNERS) - foreign, lexicon.marks(_HINTS) - foreign)


_TONGUES = tuple(map(_tongue, _LEXICONS))
_ANY = frozenset[str]().union(*(each.anchors | each.units | each.lexicon.ambiguous for each in _TONGUES))


def lexicons_of(text: str) -> list[Lexicon]:
    """Return the languages in which a text may name a time, English first. Most texts name none, and cost little."""
    has_number = _DIGIT.search(text) is not None and _NUMBERED.search(text) is not None
    if text.isascii():
        words: Set[str] = set(text.lower().translate(_SPACES).split())
    else:
        words = _folded(_WORD.findall(text))
    if _ANY.isdisjoint(words):
        return _lexicons_of_number(words) if has_number else []
    anchored = [each for each in _TONGUES if _is_anchored(each, words)]
    if not anchored and has_number:
        return _lexicons_of_number(words)
    return [each.lexicon for each in anchored]


def _folded(words: Iterable[str]) -> set[str]:
    return {word.lower() if word.isascii() else folded(word) for word in words}


def _is_anchored(tongue: _Tongue, words: Set[str]) -> bool:
    return (
        not tongue.anchors.isdisjoint(words)
        or (not tongue.units.isdisjoint(words) and not tongue.partners.isdisjoint(words))
        or (not tongue.lexicon.ambiguous.isdisjoint(words) and not tongue.hints.isdisjoint(words))
    )


def _lexicons_of_number(words: Set[str]) -> list[Lexicon]:
    """Return English, and the languages that have a word of a text before a time."""
    return [each.lexicon for each in _TONGUES if each.lexicon is ENGLISH or not each.hints.isdisjoint(words)]
