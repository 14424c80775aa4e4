"""The statements of a text, by the form of its sentences."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from memoryd_server.domain.memories.proposals.doubt import (
    ADDRESSED,
    DOUBTED,
    OF_KIN,
    OF_OTHERS,
    PRIVILEGED,
    SUPPOSED,
    UNRESOLVED,
)
from memoryd_server.domain.memories.proposals.form import kind_of
from memoryd_server.domain.memories.proposals.part import Part, parts_of, stated_in, without_formulas
from memoryd_server.domain.memories.proposals.proposal import Proposal
from memoryd_server.domain.memories.proposals.prose import own_sentences

STATEMENTS_PER_TEXT_MAX = 20
"""Maximum number of statements of one text, the first of it."""
TRAILING = " \t.,;:!~*_-\u2013\u2014\u2026)("
"""Characters at the end of a clause that say nothing."""
_WORDS_MIN, _WORDS_MAX = 2, 30
_WORDS_WEIGHTY = 4
"""Minimum number of words of an uncertain clause that is about something else than the clause before it."""

_WORD = re.compile(r"[\w']+")
_AUTHOR = re.compile(r"(?:i|i'm|i've|im|ive|we|we're|my|our)\b", re.IGNORECASE)
_OF_AUTHOR = re.compile(r"\b(?:i|im|ive|we|weve|my|our|us|me|team|company|called|launch|release|baby)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:i|i'm|i've|im|ive|we|we're|my|our|it|he|she|they|the|this|that|you|there)\b", re.IGNORECASE)
_REMARK = re.compile(
    r"(?:,?\s+(?:because|cause|cos|since (?:i|it|we|he|she|they|my)|as (?:it|they|i))\b"
    r"|,\s+(?:so|which|and it|and that|it|they|and they|but it|but they|who|where|though)\b"
    r"|\s+(?:just \w+ing|so that|so i|so we|and it|and they|but it|but they|it's|which|lol|haha\w*|hehe|tho|"
    r"btw|pls|(?:and )?that'?s (?:all|it))\b"
    r"|\s+so (?!much|many|often|far|long|well|on|good|bad|hard|very|dearly|deeply)(?=\w)"
    r"|\s+[-\u2013\u2014]+\s+|\s*[(\u2026]|:\s|\s:|\.\.).*",
    re.IGNORECASE | re.DOTALL,
)
"""A reason or a remark behind a statement, which says the same without it."""

_SECOND = re.compile(
    r",?\s+(?:and|but)\s+(?:(?:now|also|then|still|currently|just)\s+)?(?:have|haven't|work|live|am|own|love|like|"
    r"hate|prefer|don't|can't|speak|study|teach|got|moved|started|want|need|use|was|were|did|went|had|will|try|play|"
    r"run|keep|drive|would)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""A second verb of the same subject: what is said before it is a statement by itself, unless it denies both."""
_DENIED = re.compile(r"\b(?:not|never|no|nor|neither|without|cannot|cant|dont|\w+n't)\b", re.IGNORECASE)
_BEGUN = re.compile(r",?\s+(?:and|but|so|or)(?:\s+(?:yes|no|yeah|also))?$", re.IGNORECASE)
"""The beginning of what was cut."""


class Clause(msgspec.Struct, frozen=True):
    """A part of a sentence with a subject of its own: without the reason or the remark behind it, and with it."""

    text: str
    whole: str


def statements_in(text: str) -> Sequence[Proposal]:
    """Return the statements of a text that its author makes, in their order, at most STATEMENTS_PER_TEXT_MAX.

    Questions, suppositions, what others say, what cannot be understood alone, rights and secrets are none.
    """
    found: dict[str, Proposal] = {}
    for sentence in own_sentences(text):
        for proposal in _statements_of(sentence):
            found.setdefault(proposal.text.casefold(), proposal)
    return list(found.values())[:STATEMENTS_PER_TEXT_MAX]


def clauses_of(sentence: str) -> Iterator[Clause]:
    """Yield the clauses of a sentence that may be statements, as they are written.

    None of a sentence of what is supposed or said by others, or about rights or secrets, and no clause that asks, is
    uncertain or is addressed to somebody.
    """
    # Of the same length, so that places in one are places in the other.
    straight = without_formulas(sentence.replace("\u2019", "'").replace("\t", " "))
    if not sentence.isprintable() or PRIVILEGED.search(straight):
        return
    for begin, finish in stated_in(straight):
        yield from _clauses_of(sentence, straight, begin, finish)


def _clauses_of(sentence: str, straight: str, begin: int, finish: int) -> Iterator[Clause]:
    stated = straight[:finish]
    if SUPPOSED.search(stated, begin):
        return
    for start, end in _certain(stated, list(parts_of(stated, begin))):
        clause = _BEGUN.sub("", _REMARK.sub("", stated[start:end], count=1).rstrip(TRAILING)).rstrip(TRAILING)
        if not _WORDS_MIN <= len(_WORD.findall(clause)) <= _WORDS_MAX or _is_unclear(clause):
            continue
        yield Clause(sentence[start : start + len(clause)], sentence[start:end].rstrip(TRAILING))


def _statements_of(sentence: str) -> Iterator[Proposal]:
    if _OF_AUTHOR.search(sentence) is None:
        return
    for clause in clauses_of(sentence):
        first = _SECOND.sub("", clause.text, count=1)
        for text in (clause.text,) if _DENIED.search(first.replace("\u2019", "'")) else (first, clause.text):
            kind = kind_of(" ".join(text.replace("\u2019", "'").split()))
            if kind is not None:
                yield Proposal(kind, text, sentence)
                break


def _certain(sentence: str, parts: Sequence[Part]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each part that no doubt concerns: neither its own nor that of a part beside it."""
    held: Part | None = None
    is_doubtful = False
    for part in parts:
        text = sentence[part.start : part.end]
        # In "you know that I have a cat and I live in Oslo" both are what the other knows.
        is_doubtful = (is_doubtful and part.is_joined) or DOUBTED.search(text) is not None
        is_hedge = is_doubtful and (_SUBJECT.match(text) is None or len(_WORD.findall(text)) < _WORDS_WEIGHTY)
        if held is not None and not is_hedge:
            yield held.start, held.end
        if _AUTHOR.match(text) is None:
            is_doubtful = is_doubtful or ADDRESSED.search(_REMARK.sub("", text, count=1)) is not None
        held = None if is_doubtful else part
    if held is not None:
        yield held.start, held.end


def _is_unclear(clause: str) -> bool:
    """Return True if a clause is addressed to somebody, or means somebody or something that another sentence names."""
    # In "my sister lost her job" it is clear whose.
    of_others = OF_KIN.match(clause) is None and OF_OTHERS.search(clause) is not None
    return of_others or UNRESOLVED.search(clause) is not None or ADDRESSED.search(clause) is not None
