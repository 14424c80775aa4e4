"""The times that a text names, in whichever of the known languages it is."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from memoryd_server.retrieval.time.grammar.item import Item, Token, items_of, tokens_of
from memoryd_server.retrieval.time.grammar.lexicon import Kind, Lexicon
from memoryd_server.retrieval.time.grammar.reader import Reader
from memoryd_server.retrieval.time.grammar.span import NamedSpan, span_at
from memoryd_server.retrieval.time.han import han_times_in, has_han
from memoryd_server.retrieval.time.named import NamedTime
from memoryd_server.retrieval.time.tongue import lexicons_of

READ_CHARACTERS_MAX = 4_000
"""Maximum length of the beginning of a text that is read."""

STARTS_MAX = 200
"""Maximum number of places in a sentence at which a time is looked for. A sentence of prose has some ten."""

_NAMES = frozenset((Kind.MONTH, Kind.WEEKDAY, Kind.SEASON, Kind.HOLIDAY, Kind.DATE, Kind.DECADE, Kind.QUARTER))


_CORES = _NAMES | {Kind.UNIT, Kind.DAY, Kind.NUMERAL, Kind.ORDINAL, Kind.RECENT, Kind.FEW_DAYS_AGO, Kind.PART_OF_DAY}
"""Kinds of which every time has one."""

_LEADS = frozenset((Kind.AT, Kind.AHEAD))

_BEFORE_CORE_MAX = 7
"""Maximum number of items of a time before the first of ``_CORES``: "in the first half of the last" of a year."""

_SENTENCE_END = re.compile(r"(?<=\w\w[.!?;])(?<!\d[.])\s+(?=[^\d\s])|\n+|(?<=[\u3002\uff01\uff1f])")


def times_in(text: str, now: datetime, count_max: int, *, is_content: bool) -> list[NamedTime]:
    """Return the first times that a text names, in order. See ``Reader`` for ``now`` and ``is_content``."""
    text = text[:READ_CHARACTERS_MAX]
    if not has_han(text) and not lexicons_of(text):
        return []
    found: list[NamedTime] = []
    for first, sentence in _sentences_of(text):
        if len(found) >= count_max:
            break
        if has_han(sentence):
            found += han_times_in(sentence, first, now, is_content=is_content)
        elif lexicons := lexicons_of(sentence):
            found += _in_sentence(sentence, first, lexicons, now, is_content=is_content)
    return found[:count_max]


def _sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with its place there."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield start, text[start : end.start()]
        start = end.end()
    yield start, text[start:]


def _in_sentence(
    sentence: str, first: int, lexicons: Sequence[Lexicon], now: datetime, *, is_content: bool
) -> list[NamedTime]:
    """Return the times that a sentence names, in the language in which they are longest; the first of equal ones."""
    tokens = tokens_of(sentence, first)
    found = [_read(tokens, lexicon, now, is_content=is_content) for lexicon in lexicons]
    return max(found, key=_length)


def _length(times: Iterable[NamedTime]) -> int:
    return sum(named.last - named.first for named in times)


def _read(tokens: Sequence[Token], lexicon: Lexicon, now: datetime, *, is_content: bool) -> list[NamedTime]:
    """Return the times that a sentence names in one language."""
    reader = Reader(items_of(tokens, lexicon), lexicon, now, is_content=is_content)
    found: list[NamedTime] = []
    stop = 0
    for place in islice(_starts(reader.items), STARTS_MAX):
        if place < stop:
            continue
        span = _span_at(reader, place)
        if span is not None:
            found.append(_named(reader, place, span))
            stop = span.stop
    return found


def _starts(items: Sequence[Item]) -> Iterator[int]:
    """Yield the places where a time may begin: at a word that takes part in times, not far before one of a calendar."""
    last = -1
    for place, item in enumerate(items):
        if item.kind in _CORES:
            yield from (
                each for each in range(max(last + 1, place - _BEFORE_CORE_MAX), place + 1) if _begins(items, each)
            )
            last = place


def _begins(items: Sequence[Item], place: int) -> bool:
    """Return True if a time may begin at an item: of several prepositions, at the last one."""
    is_doubled = items[place].kind in _LEADS and place + 1 < len(items) and items[place + 1].kind is Kind.AT
    return items[place].kind is not None and not is_doubled


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
    names: tuple[str, ...] = ()
    if not span.is_beside:
        names = tuple(item.word for each, item in enumerate(items, place) if span.is_vague or _is_name(reader, each))
    return NamedTime(span.start, span.end, items[0].start, items[-1].end, names, span.is_vague)


def _is_name(reader: Reader, index: int) -> bool:
    """Return True if a text of a time may have the word of an item, whenever the text is read."""
    kind = reader.kind(index)
    is_number = kind is Kind.NUMERAL or kind is Kind.ORDINAL
    return kind in _NAMES or (is_number and reader.kind(index + 1) is not Kind.UNIT)
