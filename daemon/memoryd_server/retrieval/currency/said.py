"""The main clause of a memory's content: of whom it says what, and whether that is no longer so."""

import re
from collections.abc import Iterator

import msgspec

from memoryd_server.retrieval.currency.tense.table import PAST, PRESENT, Tense
from memoryd_server.retrieval.text.term import STEMMED, term_of
from memoryd_server.retrieval.text.word import folded

READ_CHARACTERS_MAX = 300
"""Maximum length of a content that is read: a longer one says more than one thing."""

_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'-]{0,39}):\s")
_QUOTE = re.compile(
    '"[^"]*"|\u201c[^\u201d]*\u201d|\u201e[^\u201c\u201d]*[\u201c\u201d]|\u00ab[^\u00bb]*\u00bb|\u300c[^\u300d]*\u300d'
)
_QUOTED = " 0 "
"""A word in place of a quotation, which is not what the memory says itself."""
_SENTENCE_END = re.compile(r"(?<=\w\w[.!])\s+|[\u3002\uff01\n]")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_MARK_BEFORE_COMMA = re.compile(rf"^\s*({PAST}|{PRESENT})\s*[,\u3001\uff0c]")


class Word(msgspec.Struct, frozen=True, gc=False):
    """A word of a clause that is no stop word.

    ``term`` stands for all its forms, ``text`` is the word as it is written, folded. ``is_named`` is true if the table
    of the language has it, and ``is_name`` if it begins with a capital.
    """

    term: str
    text: str
    is_named: bool
    is_past: bool
    is_name: bool


class Said(msgspec.Struct, frozen=True, gc=False):
    """The main clause of a content.

    ``lead`` are the stop words before its first word, and ``marks`` are the numbers of words before each word or phrase
    for the past, ``past`` the first of these. ``is_of_now`` is true if another clause says what is so now.
    """

    words: tuple[Word, ...]
    lead: str
    marks: tuple[int, ...]
    past: str
    is_denied: bool
    is_of_now: bool

    def is_past(self, count: int) -> bool:
        """Return True if the clause says that what its first ``count`` words name is no longer so."""
        if self.is_of_now:
            return False
        is_marked = any(mark <= count or mark == len(self.words) for mark in self.marks)
        return is_marked or any(word.is_past for word in self.words[:count])

    def past_words(self, count: int) -> str:
        """Return the words by which the clause says so."""
        return self.past or next((word.text for word in self.words[:count] if word.is_past), "")


def said_in(text: str, tense: Tense) -> Said | None:
    """Return what the main clause of a content says; None if the content is too long, or a question.

    Reading one takes some 30 microseconds. Nothing of it is kept: a memory may be erased.
    """
    if len(text) > READ_CHARACTERS_MAX or text.rstrip().endswith(("?", "\uff1f")):
        return None
    speaker = _SPEAKER.match(text)
    if speaker is not None:
        text = tense.first_person_pattern.sub(f"{speaker[1]} ", text[speaker.end() :])
    text = _POSSESSIVE.sub("", _QUOTE.sub(_QUOTED, text))
    first, *others = _SENTENCE_END.split(text.strip(), maxsplit=1)
    first = tense.relative_pattern.sub(" ", first.rstrip(".!"))
    first = tense.attribute_pattern.sub("", first)
    marked, past = _marked(first, tense)
    clause, *rest = tense.cut_pattern.split(marked, maxsplit=1)
    is_of_now = any(PRESENT in each for each in rest) or any(tense.present_pattern.search(each) for each in others)
    if tense.turned:
        clause = tense.turned_pattern.sub(tense.turned[1], clause.replace(" ", ""))
    is_denied = PAST not in clause and bool(tense.denials) and tense.denial_pattern.search(clause) is not None
    return _read(clause, tense, past, is_denied=is_denied, is_of_now=is_of_now)


def terms_in(question: str, tense: Tense) -> frozenset[str]:
    """Return the terms of a question that may name whom or what it is about."""
    words = (_word(each, tense) for each in tense.words_pattern.findall(_POSSESSIVE.sub("", question)))
    return frozenset(word.term for word in words if word is not None and word.term not in tense.weak)


def has_past_verb(question: str, tense: Tense) -> bool:
    """Return True if a word of a question is a verb of the past."""
    words = (_word(each, tense) for each in tense.words_pattern.findall(question))
    return any(word is not None and word.is_past for word in words)


def _marked(text: str, tense: Tense) -> tuple[str, str]:
    """Return a text with marks in place of its words for the past and the present, and the first of the former."""
    past = ""

    def mark(found: re.Match[str]) -> str:
        nonlocal past
        past = past or found[0]
        return f" {PAST} {' '.join(each or '' for each in found.groups())} "

    text = tense.present_pattern.sub(f" {PRESENT} ", tense.past_pattern.sub(mark, text))
    return _MARK_BEFORE_COMMA.sub(r" \1 ", text), " ".join(past.replace(PAST, "").split())


def _read(clause: str, tense: Tense, past: str, *, is_denied: bool, is_of_now: bool) -> Said:
    words, marks, lead = list[Word](), list[int](), list[str]()
    for each in tense.words_pattern.findall(clause):
        if each in (PAST, PRESENT):
            if each == PAST:
                marks.append(len(words))
            continue
        word = _word(each, tense)
        if word is not None:
            words.append(word)
        elif not words:
            lead.append(each.casefold())
    ordered = tuple(_in_usual_order(words, tense, begins_marked=0 in marks))
    return Said(ordered, " ".join(lead), tuple(marks), past, is_denied, is_of_now)


def _word(text: str, tense: Tense) -> Word | None:
    """Return a word; None for a stop word that the table does not have."""
    written = folded(text)
    verb = tense.forms.get(written)
    is_name = text[:1].isupper()
    if verb is not None:
        return Word(verb.base, written, is_named=True, is_past=verb.is_past, is_name=is_name)
    if written in tense.stops and not tense.is_unspaced:
        return None
    is_past = not is_name and tense.past_endings_pattern.search(written) is not None
    return Word(_term_of(written, tense), written, is_named=False, is_past=is_past, is_name=is_name)


def _term_of(written: str, tense: Tense) -> str:
    if tense.endings:
        return tense.endings_pattern.sub("", written)
    return term_of(written, tense.code) if tense.code in STEMMED else written


def _in_usual_order(words: list[Word], tense: Tense, *, begins_marked: bool) -> Iterator[Word]:
    """Yield words with the verb behind its subject: "früher trank Ada", "Ada hat Kaffee getrunken"."""
    if not tense.participle:
        yield from words
        return
    if begins_marked and len(words) > 1 and words[1].is_name and not words[0].is_name:
        words[:2] = words[1::-1]
    place = next((place for place, word in enumerate(words[:-2], 1) if word.term in tense.weak), 0)
    if place and tense.participle_pattern.match(words[-1].text):
        yield from (*words[: place - 1], words[-1], *words[place:-1])
    else:
        yield from words
