"""Statements: the indexed form of the content of a memory, and of its aliases and tags."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from memoryd_server.retrieval.text.language import LANGUAGE_CHARACTERS_MAX, language_of
from memoryd_server.retrieval.text.negation import CONTRACTIONS, denied_in, denies, is_contracted
from memoryd_server.retrieval.text.stop_word import stop_words
from memoryd_server.retrieval.text.term import pairs_of, term_of
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
    tokens = tuple(tokens_of(said))
    words = [word for token in tokens if not token.is_unspaced for word in token.words]
    different = set(words)
    language = language_of(folded(said[:LANGUAGE_CHARACTERS_MAX]), different)
    counts = Counter(_terms_of(tokens, language))
    length = counts.total()
    for form in _forms_of(tokens, language):
        counts.setdefault(form, 1)
    labels = set[str]()
    if denies(different, language):
        labels.update(term_of(word, language) + DENIED for word in denied_in(words, language, stop_words(language)))
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
    tokens = tuple(tokens_of(text))
    yield from _terms_of(tokens, language)
    yield from _forms_of(tokens, language)


def _terms_of(tokens: Sequence[Token], language: str) -> Iterator[str]:
    """Yield the terms of tokens, once per occurrence. A run without spaces yields its characters and their pairs."""
    stops = stop_words(language)
    for token, following in zip(tokens, (*tokens[1:], None), strict=False):
        if token.is_unspaced:
            yield from token.words[0]
            yield from pairs_of(token.words[0])
            continue
        after = following.words[0] if following is not None else ""
        for word in token.words:
            if word not in stops and word not in CONTRACTIONS and not is_contracted(word, after):
                yield term_of(word, language)


def _forms_of(tokens: Iterable[Token], language: str) -> Iterator[str]:
    """Yield the terms of the other notations of tokens."""
    stops = stop_words(language)
    for token in tokens:
        for form in (*token.wholes, *token.parts):
            if form not in stops:
                yield term_of(form, language)
