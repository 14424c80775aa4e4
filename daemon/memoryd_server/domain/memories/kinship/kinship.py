"""Comparison of two contents by their words: duplicate, contradicting, related or none of these.

It judges form, not meaning, and errs towards no finding: a missed duplicate costs a record, but a false one loses the
new content. A false contradiction puts a fact behind another one that it has nothing to do with.
"""

import enum
from collections.abc import Sequence

import msgspec

from memoryd_server.domain.memories.kinship.claim import LANGUAGES, Claim, claims_in
from memoryd_server.domain.memories.kinship.sentence import Sentence, read
from memoryd_server.domain.memories.kinship.statement import (
    are_denials,
    differ_in_amount,
    have_same_words,
    say_the_same,
)
from memoryd_server.domain.memories.kinship.value import claim_the_same, exclude_each_other
from memoryd_server.domain.memories.memory_policy import MemoryPolicy

_JUDGED_CHARACTERS_MAX = 2_000
"""Maximum characters of a text to judge: one word of a longer text proves little, and judging it takes long."""


class Kinship(enum.Enum):
    """The relation of one content to another."""

    NONE = "none"
    RELATED = "related"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"


class Content(msgspec.Struct, frozen=True):
    """The content of a memory as it is compared. Without sentences, it is too long to be judged, or has no words."""

    text: str
    sentences: Sequence[Sentence] = ()
    claims: Sequence[Claim] = ()


def content_of(text: str) -> Content:
    """Return a text as it is compared. Reading takes some 100 microseconds, comparing two contents a tenth of that."""
    if len(text) > _JUDGED_CHARACTERS_MAX:
        return Content(text)
    sentences = read(text, LANGUAGES)
    return Content(text, sentences, [claim for each in sentences for claim in claims_in(each)])


def kinship_of(new: Content, known: Content, words: float, cosine: float | None, policy: MemoryPolicy) -> Kinship:
    """Return the relation of a new content to an existing one on the same subject matter.

    ``words`` is the Jaccard similarity of their words, 0 to 1. ``cosine`` is that of their vectors, None if a vector is
    missing. For long contents, the result is RELATED at most. Claims exclude each other whatever words they have in
    common; all else is found only if the contents are as similar as the policy demands.
    """
    nearness = -1.0 if cosine is None else cosine
    is_related = words >= policy.related_words or nearness >= policy.related_cosine
    if max(len(new.text), len(known.text)) > _JUDGED_CHARACTERS_MAX:
        return Kinship.RELATED if is_related else Kinship.NONE
    if _claims_exclude(new, known) or (is_related and _statements_exclude(new, known)):
        return Kinship.CONTRADICTION
    is_near = words >= policy.duplicate_words or nearness >= policy.duplicate_cosine
    if (is_near and have_same_words(new.text, known.text)) or (is_related and _say_the_same(new, known)):
        return Kinship.DUPLICATE
    return Kinship.RELATED if is_related else Kinship.NONE


def contradict(one: Content, other: Content) -> bool:
    """Return True if the contents give one subject different values, or one is the negation of the other."""
    return _claims_exclude(one, other) or _statements_exclude(one, other)


def are_duplicates(one: Content, other: Content) -> bool:
    """Return True if the contents have the same words, or claim the same, in other words, and nothing else."""
    return have_same_words(one.text, other.text) or _say_the_same(one, other)


def _claims_exclude(one: Content, other: Content) -> bool:
    return any(exclude_each_other(claim, against) for claim in one.claims for against in other.claims)


def _statements_exclude(one: Content, other: Content) -> bool:
    if len(one.sentences) != 1 or len(other.sentences) != 1:
        return False
    (sentence,), (against,) = one.sentences, other.sentences
    return are_denials(sentence, against) or differ_in_amount(sentence, against)


def _say_the_same(one: Content, other: Content) -> bool:
    """Return True if both contents are one sentence of the same speaker that says the same in other words."""
    sentences = (*one.sentences, *other.sentences)
    if len(one.sentences) != 1 or len(other.sentences) != 1 or any(each.is_question for each in sentences):
        return False
    if sentences[0].speaker != sentences[1].speaker:
        return False
    claims, other_claims = ([claim for claim in each.claims if not claim.is_implied] for each in (one, other))
    if len(claims) == len(other_claims) == 1 and claim_the_same(claims[0], other_claims[0]):
        return True
    return say_the_same(sentences[0], sentences[1]) and not _claims_exclude(one, other)
