"""The times that a text names, in whichever of the known languages it is."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from memoryd_server.retrieval.time.han import han_times_in, has_han
from memoryd_server.retrieval.time.item import Token, items_of, tokens_of
from memoryd_server.retrieval.time.language.dutch import DUTCH
from memoryd_server.retrieval.time.language.english import ENGLISH
from memoryd_server.retrieval.time.language.french import FRENCH
from memoryd_server.retrieval.time.language.german import GERMAN
from memoryd_server.retrieval.time.language.italian import ITALIAN
from memoryd_server.retrieval.time.language.portuguese import PORTUGUESE
from memoryd_server.retrieval.time.language.spanish import SPANISH
from memoryd_server.retrieval.time.lexicon import Kind, Lexicon, folded
from memoryd_server.retrieval.time.named import NamedTime
from memoryd_server.retrieval.time.reader import Reader
from memoryd_server.retrieval.time.span import NamedSpan, span_at

READ_CHARACTERS_MAX = 4_000
"""Maximum length of the beginning of a text that is read."""

_LEXICONS = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)
"""The known languages. The first one wins where two read a text equally well."""

_NAMES = frozenset((Kind.MONTH, Kind.WEEKDAY, Kind.SEASON, Kind.HOLIDAY, Kind.DATE, Kind.DECADE, Kind.QUARTER))


class _Known(NamedTuple):
    """A language, with the words by which a text is seen to be in it: a text has an anchor, or two of the others."""

    lexicon: Lexicon
    anchors: frozenset[str]
    hints: frozenset[str]


_ANCHORS = frozenset(
    (
        Kind.UNIT,
        Kind.MONTH,
        Kind.WEEKDAY,
        Kind.SEASON,
        Kind.HOLIDAY,
        Kind.DAY,
        Kind.DECADE,
        Kind.QUARTER,
        Kind.RECENT,
        Kind.FEW_DAYS_AGO,
        Kind.PART_OF_DAY,
    )
)
_HINTS = frozenset(
    (
        Kind.AT,
        Kind.THE,
        Kind.SINCE,
        Kind.UNTIL,
        Kind.BEFORE,
        Kind.AFTER,
        Kind.FROM,
        Kind.BETWEEN,
        Kind.PART,
        Kind.WHICH,
        Kind.AGO,
        Kind.AGO_BEFORE,
    )
)
_ENGLISH_WORDS = frozenset("a an in on at of by am as do die over to no met half begin early mid since".split())  # noqa: SIM905 - a list of words


def _known(lexicon: Lexicon) -> _Known:
    hints = lexicon.marks(_HINTS)
    if lexicon is not ENGLISH:
        hints -= _ENGLISH_WORDS
    return _Known(lexicon, lexicon.marks(_ANCHORS) - lexicon.ambiguous, hints)


_KNOWN = tuple(map(_known, _LEXICONS))
_ANCHORS_OF_ANY = frozenset().union(*(known.anchors | known.lexicon.ambiguous for known in _KNOWN))
_DIGITS = frozenset("0123456789")
_NUMBERED = re.compile(r"\d{4}|\d[-/.]\d|\d0s|\d(?:st|nd|rd|th)\b")
"""A part of every time in digits."""
_SENTENCE_END = re.compile(r"(?<=\w\w[.!?;])(?<!\d[.])\s+(?=[^\d\s])|\n+|(?<=[\u3002\uff01\uff1f])")
_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}
_WORD = re.compile(r"[^\W\d_]+")


def times_in(text: str, now: datetime, count_max: int, *, is_content: bool) -> list[NamedTime]:
    """Return the first times that a text names, in order. See ``Reader`` for ``now`` and ``is_content``."""
    found: list[NamedTime] = []
    for first, sentence in _sentences_of(text[:READ_CHARACTERS_MAX]):
        if len(found) >= count_max:
            break
        if has_han(sentence):
            found += han_times_in(sentence, first, now, is_content=is_content)
        elif _may_name_time(sentence):
            found += _in_sentence(sentence, first, now, is_content=is_content)
    return found[:count_max]


def _sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with its place there."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield start, text[start : end.start()]
        start = end.end()
    yield start, text[start:]


def _in_sentence(sentence: str, first: int, now: datetime, *, is_content: bool) -> list[NamedTime]:
    """Return the times that a sentence names in the language in which most of it does."""
    tokens = tokens_of(sentence, first)
    best: list[NamedTime] = []
    for lexicon in _lexicons_of(tokens):
        read = _read(tokens, lexicon, now, is_content=is_content)
        if _length(read) > _length(best):
            best = read
    return best


def _may_name_time(text: str) -> bool:
    """Return False if a text surely names no time: quickly, since most texts name none."""
    if _NUMBERED.search(text):
        return True
    if text.isascii():
        return not _ANCHORS_OF_ANY.isdisjoint(text.lower().translate(_SPACES).split())
    return not _ANCHORS_OF_ANY.isdisjoint(map(folded, _WORD.findall(text)))


def _lexicons_of(tokens: Sequence[Token]) -> list[Lexicon]:
    """Return the languages in which a text may name a time."""
    words = {token.word for token in tokens}
    has_digits = any(word[0] in _DIGITS for word in words)
    anchored = [each.lexicon for each in _KNOWN if not words.isdisjoint(each.anchors)]
    hinted = [
        each.lexicon
        for each in _KNOWN
        if not words.isdisjoint(each.hints) and (not words.isdisjoint(each.lexicon.ambiguous) or not anchored)
    ]
    if has_digits and not anchored:
        hinted.append(ENGLISH)
    return [each for each in _LEXICONS if each in anchored or each in hinted]


def _length(times: Iterable[NamedTime]) -> int:
    return sum(named.last - named.first for named in times)


def _read(tokens: Sequence[Token], lexicon: Lexicon, now: datetime, *, is_content: bool) -> list[NamedTime]:
    """Return the times that a sentence names in one language."""
    reader = Reader(items_of(tokens, lexicon), lexicon, now, is_content=is_content)
    found: list[NamedTime] = []
    place = 0
    while place < len(reader.items):
        span = _span_at(reader, place) if reader.kind(place) is not None else None
        if span is None:
            place += 1
            continue
        found.append(_named(reader, place, span))
        place = span.stop
    return found


def _span_at(reader: Reader, place: int) -> NamedSpan | None:
    try:
        span = span_at(reader, place)
    except (ValueError, OverflowError):
        return None  # no such day, or beyond datetime's range
    if span is None or (span.start is not None and span.end is not None and span.start >= span.end):
        return None
    return span


def _named(reader: Reader, place: int, span: NamedSpan) -> NamedTime:
    items = reader.items[place : span.stop]
    names = tuple(
        item.word
        for index, item in enumerate(items, place)
        if item.kind in _NAMES
        or (item.kind in (Kind.NUMERAL, Kind.ORDINAL) and reader.kind(index + 1) is not Kind.UNIT)
    )
    return NamedTime(span.start, span.end, items[0].start, items[-1].end, names, span.is_vague)
