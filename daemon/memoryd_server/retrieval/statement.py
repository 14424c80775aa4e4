"""Statements: what the index takes from the content of a memory."""

import re
from collections import Counter

import msgspec

from memoryd_server.retrieval.term import terms_of

_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'-]{0,39}):\s")


class Statement(msgspec.Struct, frozen=True):
    """The terms of a content.

    ``speakers`` are those of a name before a colon at its beginning: who says it, not what is said. ``counts`` has the
    others with their number, ``length`` is the sum of these. ``is_question`` is whether it ends with a question mark.
    """

    speakers: frozenset[str]
    counts: Counter[str]
    length: int
    is_question: bool


def statement_of(content: str) -> Statement:
    """What the index takes from a content."""
    speaker = _SPEAKER.match(content)
    counts = Counter(terms_of(content[speaker.end() :] if speaker else content))
    speakers = frozenset(terms_of(speaker[1])) if speaker else frozenset()
    is_question = content.rstrip().endswith(("?", "\uff1f", "\u061f"))
    return Statement(speakers, counts, counts.total(), is_question)
