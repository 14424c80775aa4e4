"""Items: a text as a sequence of words, numbers and signs, each with its meaning in a language."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memoryd_server.retrieval.time.grammar.lexicon import Kind, Lexicon, Meaning, folded

_TOKEN = re.compile(
    r"[^\W\d_]++(?!\d)|[^\w\s'\u2019]"
    r"|(?<![\d.,:/-])(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{4}\.\d{2}\.\d{2}|"
    r"\d{1,2}/\d{1,2}/\d{4}|\d{1,2}-\d{1,2}-\d{4}|\d{1,2}\.\d{1,2}\.\d{4})(?!\d|[-/.,:]\d|-\w)(?:[tT]\d[\d:.]*[zZ]?)?"
    r"|[qQhH][1-4](?![^\W_])|\d+(?:[.,:]\d+)+|\d+[^\W_]*|[^\W\d_]+"
)
"""A word, a sign, a date in digits, a quarter, or a number with what follows it. Apostrophes separate words."""
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|re|e|o|a|º|ª|°)")
_DECADE = re.compile(r"((?:19|20)?\d0)s")
_DATE_PART = re.compile(r"[-/.]")

DAY_FIRST_WORDS = frozenset("le el il em den dia op du au del".split())  # noqa: SIM905 - a list of words
"""Words of other languages than English before a date: its day comes first."""


class Token(NamedTuple):
    """A word, a number or a sign of a text, folded, and its place there."""

    word: str
    start: int
    end: int


class Item(NamedTuple):
    """Tokens with one meaning. ``kind`` is None if they have none; a sign has itself as its ``word``."""

    kind: Kind | None
    value: Any
    word: str
    start: int
    end: int
    is_ordinal: bool = False


def tokens_of(text: str, first: int = 0) -> list[Token]:
    """Return the tokens of a text that begins at the character ``first`` of a longer one."""
    if text.isascii():
        return [Token(match[0], match.start() + first, match.end() + first) for match in _TOKEN.finditer(text.lower())]
    return [Token(folded(match[0]), match.start() + first, match.end() + first) for match in _TOKEN.finditer(text)]


def items_of(tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Return the items of a text in a language. The longest sequence of words that has a meaning is one item."""
    items: list[Item] = []
    place, count = 0, len(tokens)
    words, phrases = lexicon.words, lexicon.phrases
    while place < count:
        token = tokens[place]
        word = token.word
        if word in phrases:
            stop, meaning = _phrase_at(tokens, place, phrases[word])
            if meaning is not None:
                items.append(Item(meaning.kind, meaning.value, word, token.start, tokens[stop - 1].end))
                place = stop
                continue
        known = words.get(word)
        if known is not None:
            items.append(Item(known.kind, known.value, word, token.start, token.end))
        elif word[0].isdecimal():
            items.append(_number(token, items[-1].word if items else ""))
        else:
            items.append(Item(None, None, word, token.start, token.end))
        place += 1
    return items


def _phrase_at(
    tokens: Sequence[Token], place: int, rests: Sequence[tuple[tuple[str, ...], Meaning]]
) -> tuple[int, Meaning | None]:
    """Return the index behind the phrase that begins at a token, and its meaning; None if there is no such phrase."""
    for rest, meaning in rests:
        at = place + 1
        for word in rest:
            if at < len(tokens) and tokens[at].word == "-":
                at += 1
            if at >= len(tokens) or tokens[at].word != word:
                break
            at += 1
        else:
            return at, meaning
    return place, None


def _number(token: Token, before: str) -> Item:
    """Return the item of a token that has digits. ``before`` is the word before it."""
    word, start, end = token
    if word.isdecimal():
        if word.isascii() and len(word) <= 4:
            return Item(Kind.NUMERAL, int(word), word, start, end)
        return Item(None, None, word, start, end)
    if match := _ORDINAL.fullmatch(word):
        return Item(Kind.NUMERAL, int(match[1]), word, start, end, is_ordinal=True)
    if match := _DECADE.fullmatch(word):
        year = int(match[1])
        return Item(Kind.DECADE, year if year > 99 else 1900 + year, word, start, end)
    day = _date_of(word, is_day_first=before in DAY_FIRST_WORDS)
    return Item(None if day is None else Kind.DATE, day, word, start, end)


def _date_of(word: str, *, is_day_first: bool) -> datetime | None:
    """Return the day of a date in digits; None if it is none.

    With dots the day comes first, otherwise the month, unless that is above 12 or ``is_day_first``.
    """
    parts = _DATE_PART.split(word.partition("t")[0])
    if len(parts) != 3 or not all(part.isdecimal() and part.isascii() for part in parts):
        return None
    if len(parts[0]) == 4:
        year, month, day = map(int, parts)
    elif len(parts[2]) == 4:
        month, day, year = map(int, parts)
        if "." in word or month > 12 or is_day_first:
            month, day = day, month
    else:
        return None
    try:
        return datetime(year, month, day)
    except ValueError:
        return None
