"""Tokens: the words of a text, of which identifiers, versions, numbers and dates have other forms beside them.

``getUserById``, ``get_user_by_id`` and ``get-user-by-id`` share their parts and their whole, ``getuserbyid``. A token's
words count as they always did; its other forms are further terms, by which a text in another notation finds it.
"""

import re
from collections.abc import Iterator
from datetime import date

import msgspec

from memoryd_server.retrieval.text.word import INDIC, SYMBOL, UNSPACED

_LETTERS = f"[^\\W_{UNSPACED}](?:[^\\W_{UNSPACED}]+|[{INDIC}]+)*+"
# A possessive repeat within a capturing group fails in Python 3.11.2, by a defect of its module re.
_TOKEN = re.compile(
    f"([{UNSPACED}]+)"  # a run of a script without spaces
    f"|((?<![\\w.])\\.(?=[a-z]{{2,}}\\b))?({_LETTERS})((?:[-_.@/]{_LETTERS}|(?<=\\d),\\d{{3}}(?!\\d))*)(\\+\\+|\\#(?!\\w))?"
    f"|([{SYMBOL}])"
)
_SEPARATOR = re.compile("[-_.@/,]")
_SEGMENTS = re.compile("[/]")

_CAMEL = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]*?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{3})[A-Za-z0-9]*")
_CAMEL_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

_ISO_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_DATE = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")
_THOUSANDS = re.compile(r"(\d{1,3}(?:,\d{3})+)(?:\.0+)?")
_POINTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_DECIMAL = re.compile(r"(\d+)\.(\d+?)0*")
_KILO = re.compile(r"(\d+)(?:\.(\d{1,3}))?k")

_SEARCHED_CHARACTERS = 16_384
"""Number of characters that are searched at a time: no other thread runs while a regular expression is matched."""

WHOLE_CHARACTERS_MAX = 64
"""Maximum length of a whole that is a term of its own. A longer one is a path or a key, found by its parts."""


class Token(msgspec.Struct, frozen=True, gc=False):
    """A token of a text.

    ``words`` are the words that it is made of, in order, ``wholes`` its other notations, of which each stands for all
    words, and ``parts`` the words within its only word, if that is an identifier in camel case. ``text`` is a number's,
    which ``is_date`` if it names a day.
    """

    words: tuple[str, ...]
    wholes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    is_unspaced: bool = False
    text: str = ""
    is_date: bool = False

    @property
    def is_number(self) -> bool:
        """Return True for a number, a version or a date in a notation with signs."""
        return bool(self.text)


def tokens_of(text: str, lowered: str) -> list[str | Token]:
    """Return the tokens of a text, in order. ``lowered`` is the folded text. A plain word is only its string."""
    camel = {found.lower(): found for first, last in _parts_of(text) for found in _CAMEL.findall(text, first, last)}
    tokens: list[str | Token] = []
    for run, dot, word, rest, sign, symbol in _found_in(lowered):
        if not word:
            tokens.append(Token((run,), is_unspaced=True) if run else symbol)
        elif rest or sign:
            tokens.extend(_joined(word, rest, sign, camel))
        elif dot:
            tokens.append(Token((dot + word,), parts=(word,)))
        elif word in camel or word[-1] == "k":
            tokens.append(_simple(word, camel))
        else:
            tokens.append(word)
    return tokens


def _found_in(lowered: str) -> Iterator[tuple[str, ...]]:
    return (found for first, last in _parts_of(lowered) for found in _TOKEN.findall(lowered, first, last))


def _parts_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text, each up to a space if there is one, as places."""
    first = 0
    while first < len(text):
        last = first + _SEARCHED_CHARACTERS
        if last < len(text):
            last = text.rfind(" ", first, last) + 1 or last
        yield first, last
        first = last


def _simple(word: str, camel: dict[str, str]) -> Token:
    if word in camel:
        parts = tuple(part.lower() for part in _CAMEL_PART.findall(camel[word]))
        return Token((word,), parts=parts if len(parts) > 1 else ())
    if kilo := _KILO.fullmatch(word):
        return Token((word,), (_thousandfold(kilo),))
    return Token((word,))


def _joined(first: str, rest: str, sign: str, camel: dict[str, str]) -> Iterator[Token]:
    """Yield the tokens of words that are joined by signs."""
    text = first + rest
    if sign:
        # The sign belongs to the last word: C#, C++.
        *before, last = _SEPARATOR.split(text)
        if before:
            yield Token(tuple(before))
        yield Token((last + sign,))
        return
    number = _number(text)
    if number is not None:
        yield number
        return
    for segment in _SEGMENTS.split(text):
        words = tuple(_SEPARATOR.split(segment))
        if len(words) == 1:
            yield _simple(words[0], camel)
            continue
        if any(word in camel for word in words):
            yield from (_simple(word, camel) for word in words)
            continue
        whole = "".join(words)
        yield _number(segment) or Token(words, (whole,) if len(whole) <= WHOLE_CHARACTERS_MAX else ())


def _number(text: str) -> Token | None:
    """Return the token of a date, a version or a number with signs; None for anything else."""
    if not (text[0].isdigit() or text[0] == "v"):
        return None
    words = tuple(_SEPARATOR.split(text))
    if dated := _ISO_DATE.fullmatch(text):
        days = _days(dated[1], (dated[2], dated[3]))
    elif dated := _DATE.fullmatch(text):
        days = _days(dated[3], (dated[2], dated[1]), (dated[1], dated[2]))
    else:
        forms = _number_forms(text)
        return Token(words, forms, text=text) if forms else None
    return Token(words, days, text=text, is_date=True) if days else None


def _number_forms(text: str) -> tuple[str, ...]:
    """Return the other notations of a version or a number."""
    if thousands := _THOUSANDS.fullmatch(text):
        return (thousands[1].replace(",", ""),)
    if kilo := _KILO.fullmatch(text):
        return (_thousandfold(kilo),)
    forms = []
    if version := _VERSION.fullmatch(text):
        forms.append(version[1])
        if _POINTED_THOUSANDS.fullmatch(text):
            forms.append(text.replace(".", ""))
        elif decimal := _DECIMAL.fullmatch(text):
            forms.append(f"{decimal[1]}.{decimal[2]}" if decimal[2].strip("0") else decimal[1])
    return tuple(dict.fromkeys(forms))


def _days(year: str, *readings: tuple[str, str]) -> tuple[str, ...]:
    """Return a date as ``20260305``, in each reading of month and day that is one."""
    found = []
    for month, day in readings:
        try:
            found.append(f"{date(int(year), int(month), int(day)):%Y%m%d}")
        except ValueError:
            continue
    return tuple(dict.fromkeys(found))


def _thousandfold(kilo: re.Match[str]) -> str:
    return (kilo[1] + (kilo[2] or "").ljust(3, "0")).lstrip("0") or "0"
