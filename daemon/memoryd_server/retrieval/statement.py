"""Statements: the indexed form of the content of a memory."""

import re
from collections import Counter

import msgspec

from memoryd_server.retrieval.term import terms_of

_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'-]{0,39}):\s")


class Statement(msgspec.Struct, frozen=True):
    """The terms of a memory's content.

    ``speakers`` are the terms of a name before a colon at the beginning: the speaker. ``counts`` has the occurrences of
    all other terms, and ``length`` is their sum. If ``is_question`` is true, the content ends with a question mark.
    """

    speakers: frozenset[str]
    counts: Counter[str]
    length: int
    is_question: bool


def statement_of(content: str) -> Statement:
    """Return the indexed form of a memory's content."""
    speaker = _SPEAKER.match(content)
    counts = Counter(terms_of(content[speaker.end() :] if speaker else content))
    speakers = frozenset(terms_of(speaker[1])) if speaker else frozenset()
    is_question = content.rstrip().endswith(("?", "\uff1f", "\u061f"))
    return Statement(speakers, counts, counts.total(), is_question)
