"""Statements: the indexed form of the content of a memory, and of its aliases and tags."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

import msgspec

from memoryd_server.retrieval.text.language import language_of
from memoryd_server.retrieval.text.negation import denied_in, denies, without_contracted
from memoryd_server.retrieval.text.stop_word import stop_words
from memoryd_server.retrieval.text.term import counts_of, pairs_of, term_of
from memoryd_server.retrieval.text.token import Token, tokens_of
from memoryd_server.retrieval.text.word import folded

_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'-]{0,39}):\s")

_NAMES_MAX = 1_000
"""Maximum number of speakers whose terms are kept."""

ALIAS = "|alias"
TAG = "|tag"
DENIED = "|not"
"""The end of a term that a memory's aliases, its tags or the words that it denies have."""


class Statement(msgspec.Struct, frozen=True):
    """The terms of a memory.

    ``speakers`` are the terms of a name before a colon at the beginning: the speaker. ``counts`` has the occurrences of
    all other terms of the content, with other notations of its tokens, and ``length`` is the number of its words.
    ``labels`` are the terms of the memory's aliases and tags, and those that it denies, each with its mark. If
    ``is_question`` is true, the content ends with a question mark.
    """

    language: str
    speakers: frozenset[str]
    counts: Counter[str]
    length: int
    labels: frozenset[str]
    is_question: bool


def statement_of(content: str, aliases: Iterable[str] = (), tags: Iterable[str] = ()) -> Statement:
    """Return the indexed form of a memory."""
    speaker = _SPEAKER.match(content)
    said = content[speaker.end() :] if speaker else content
    lowered = folded(said)
    read = _read(tokens_of(said, lowered))
    different = set(read.words)
    language = language_of(lowered, different)
    counts = _counts_of(read, language, different)
    length = counts.total()
    for form in _forms_of(read, language):
        counts.setdefault(form, 1)
    labels = set[str]()
    if denies(different, language):
        denied = denied_in(read.words, language, stop_words(language))
        labels.update(term_of(word, language) + DENIED for word in denied)
    for mark, texts in ((ALIAS, aliases), (TAG, tags)):
        labels.update(term + mark for text in texts for term in _all_terms_of(text, language))
    return Statement(
        language,
        _name_terms(speaker[1], language) if speaker else frozenset(),
        counts,
        length,
        frozenset(labels),
        content.rstrip().endswith(("?", "\uff1f", "\u061f")),
    )


@lru_cache(_NAMES_MAX)
def _name_terms(name: str, language: str) -> frozenset[str]:
    return frozenset(_all_terms_of(name, language))


def _all_terms_of(text: str, language: str) -> Iterator[str]:
    read = _read(tokens_of(text, folded(text)))
    yield from _counts_of(read, language, set(read.words))
    yield from _forms_of(read, language)


class _Read(msgspec.Struct, frozen=True, gc=False):
    """The tokens of a text: its words and its runs without spaces, and those tokens that have other forms."""

    words: list[str]
    runs: list[str]
    special: list[Token]


def _read(tokens: Iterable[str | Token]) -> _Read:
    words: list[str] = []
    runs: list[str] = []
    special: list[Token] = []
    for token in tokens:
        if isinstance(token, str):
            words.append(token)
        elif token.is_unspaced:
            runs.extend(token.words)
        else:
            words.extend(token.words)
            special.append(token)
    return _Read(words, runs, special)


def _counts_of(read: _Read, language: str, different: Set[str]) -> Counter[str]:
    """Return the terms of a text, with their occurrences. A run without spaces has its characters and their pairs."""
    words = without_contracted(read.words) if "t" in different else read.words
    counts = counts_of(words, language)
    for run in read.runs:
        counts.update(run)
        counts.update(pairs_of(run))
    return counts


def _forms_of(read: _Read, language: str) -> Iterator[str]:
    """Yield the terms of the other notations of tokens."""
    stops = stop_words(language)
    for token in read.special:
        for form in (*token.wholes, *token.parts):
            if form not in stops:
                yield term_of(form, language)
