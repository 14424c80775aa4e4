"""The time that a query asks for: the present, the past, or one that it names."""

import enum
import re
from collections.abc import Sequence

import msgspec

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.retrieval.currency.said import has_past_verb, terms_in
from memoryd_server.retrieval.currency.tense.table import Tense
from memoryd_server.retrieval.currency.tense.tongue import tense_of
from memoryd_server.retrieval.time.phrase import TimePhrase

_ACCUSTOMED = re.compile(r"\b(?:is|are|am|get|gets|got|getting)\b(?: \w+){0,3} used to\b")
_BEFORE = re.compile(
    r"\b(?:did|was|were|had)\b.*\b(?:before|earlier|prior to)\b(?P<next>.*)|"
    r"\b(?:hat|hatte|war|wurde|wohnte|lebte|arbeitete)\b.*\b(?:vorher|bevor|vor)\b(?P<then>.*)"
)
"""Words that ask for the past if the question is in the past tense. What follows may name what came next."""
WORD = re.compile(r"\w{2,}")

_READ_CHARACTERS_MAX = 500
"""Maximum length of the beginning of a query that is read: patterns take time with the square of a length."""


class Presence(enum.IntEnum):
    """The way in which a query asks for the present: not at all, by its tense, or by a word such as "now"."""

    NONE = 0
    BY_TENSE = 1
    BY_WORD = 2


class Wish(msgspec.Struct, frozen=True):
    """The time that a query asks for. ``end``, in ns since the Unix epoch, is when that time is over.

    If ``is_past`` is true, the query asks for what is no longer in force; ``named`` are the words for what came next.
    ``tense`` is the table of the query's language. ``text`` is the query without its words for now, which memories of
    what is so now need not have, and ``terms`` name what it is about.
    """

    end: int
    tense: Tense
    text: str
    terms: frozenset[str]
    is_past: bool = False
    presence: Presence = Presence.NONE
    named: frozenset[str] = frozenset()


def wish_of(text: str, now: int, phrases: Sequence[TimePhrase]) -> Wish:
    """Return the time that a query asks for. ``phrases`` are its time phrases, of which the last end counts."""
    whole, text = text, text[:_READ_CHARACTERS_MAX]
    tense, lowered = tense_of(text), text.casefold()
    is_now = tense.current_pattern.search(text) is not None
    kept = tense.present_pattern.sub(" ", whole) if is_now else whole
    # What begins today has begun: clocks differ, and dates have no time zone.
    wish = Wish(now + DAY_NS, tense, kept if WORD.search(kept) else whole, _terms(text, tense))
    ends = [phrase.end for phrase in phrases if phrase.end is not None]
    if ends and len(ends) == len(phrases):
        presence = Presence.BY_WORD if is_now else Presence.NONE
        return msgspec.structs.replace(wish, end=max(ends), presence=presence)
    before = _BEFORE.search(lowered)
    if before is not None:
        named = frozenset(WORD.findall(before["next"] or before["then"] or ""))
        return msgspec.structs.replace(wish, is_past=True, named=named)
    if tense.former_pattern.search(text) is not None and _ACCUSTOMED.search(lowered) is None:
        return msgspec.structs.replace(wish, is_past=True)
    if is_now:
        return msgspec.structs.replace(wish, presence=Presence.BY_WORD)
    if phrases or not _is_question(text, tense) or has_past_verb(text, tense):
        return wish
    return msgspec.structs.replace(wish, presence=Presence.BY_TENSE)


def _is_question(text: str, tense: Tense) -> bool:
    return text.rstrip().endswith(("?", "\uff1f")) or tense.opening_pattern.match(text) is not None


def _terms(text: str, tense: Tense) -> frozenset[str]:
    return terms_in(tense.current_pattern.sub(" ", tense.former_pattern.sub(" ", text)), tense)
