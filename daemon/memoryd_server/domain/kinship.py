"""How two contents relate, told from their words alone: that they tell the same, or contradict each other.

It is a judgement of form, not of sense, and made to err by saying nothing: a missed duplicate costs a record, a false
one costs what the new content told.
"""

import enum
import re
from collections import Counter

from memoryd_server.domain.memory_policy import MemoryPolicy

_TOKEN = re.compile(r"[^\W_]+(?:[.':/-][^\W_]+)*")
_NUMBER = re.compile(r"\d")
_NEGATIONS = frozenset({"not", "no", "never", "cannot", "none", "nobody", "nothing", "without"})
_AUXILIARIES = frozenset({"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "can", "will", "any"})
_ARTICLES = frozenset({"a", "an", "the"})
_DEFINITE = frozenset({"the", "my", "your", "his", "her", "its", "our", "their", "this"})
_HAVE_ONE_VALUE = re.compile(
    r"\b(prefers?|lives? in|lived? in|works? (?:at|for)|(?:is|are|am) (?:called|named)|means?|equals?)\b"
)
"""Of these verbs a subject has one object at a time."""
_HAVE_ONE_VALUE_IF_DEFINITE = re.compile(r"\b(is|are|uses?|requires?)\b")
"""Of these only where the subject is a certain thing, such as "the deadline" or "Ann's birthday"."""

_DUPLICATE_WORDS_LEAST = 0.5
"""However near the vectors are, texts that share less of their words than this are not taken for the same."""


class Kinship(enum.Enum):
    """What a content is to another."""

    NONE = "none"
    RELATED = "related"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"


def kinship_of(new: str, known: str, words: float, cosine: float | None, policy: MemoryPolicy) -> Kinship:
    """What a new content is to a known one of the same subject matter.

    ``words`` is how much of their words agree (Jaccard, 0 to 1), ``cosine`` how near their vectors are, None without.
    """
    nearness = -1.0 if cosine is None else cosine
    if words < policy.related_words and nearness < policy.related_cosine:
        return Kinship.NONE
    if contradict(new, known):
        return Kinship.CONTRADICTION
    has_words = words >= policy.duplicate_words
    has_meaning = nearness >= policy.duplicate_cosine and words >= _DUPLICATE_WORDS_LEAST
    if (has_words or has_meaning) and _has_same_particulars(new, known):
        return Kinship.DUPLICATE
    return Kinship.RELATED


def contradict(one: str, other: str) -> bool:
    """Whether two contents have the same subject and another value, or are each other's negation."""
    tokens, other_tokens = _tokens(one), _tokens(other)
    return (
        _is_negation(tokens, other_tokens)
        or _differs_in_numbers(tokens, other_tokens)
        or _has_other_value(one, other, _HAVE_ONE_VALUE, needs_definite=False)
        or _has_other_value(one, other, _HAVE_ONE_VALUE_IF_DEFINITE, needs_definite=True)
    )


def _has_same_particulars(one: str, other: str) -> bool:
    """Whether the numbers are the same, and what is negated is."""
    tokens, other_tokens = _tokens(one), _tokens(other)
    numbers, other_numbers = (Counter(filter(_NUMBER.search, each)) for each in (tokens, other_tokens))
    return numbers == other_numbers and _negations(tokens) == _negations(other_tokens)


def _is_negation(tokens: list[str], other_tokens: list[str]) -> bool:
    if _negations(tokens) == _negations(other_tokens):
        return False
    said, other_said = (
        {_singular(each) for each in tokens_of if not _is_negative(each) and each not in _AUXILIARIES | _ARTICLES}
        for tokens_of in (tokens, other_tokens)
    )
    return bool(said) and said == other_said


def _differs_in_numbers(tokens: list[str], other_tokens: list[str]) -> bool:
    if len(tokens) != len(other_tokens) or tokens == other_tokens:
        return False
    pairs = [(each, other) for each, other in zip(tokens, other_tokens, strict=True) if each != other]
    has_subject = any(not _NUMBER.search(each) and each not in _ARTICLES for each in tokens)
    return has_subject and all(_NUMBER.search(each) and _NUMBER.search(other) for each, other in pairs)


def _has_other_value(one: str, other: str, verb: re.Pattern[str], *, needs_definite: bool) -> bool:
    parts, other_parts = _parts(one, verb), _parts(other, verb)
    if parts is None or other_parts is None or parts[:2] != other_parts[:2]:
        return False
    if needs_definite and not _is_definite(one, verb):
        return False
    value, other_value = set(parts[2]), set(other_parts[2])
    return not (value <= other_value or other_value <= value)


def _parts(text: str, verb: re.Pattern[str]) -> tuple[list[str], str, list[str]] | None:
    """The words of the subject, the verb, and the words of the value."""
    folded = _folded(text)
    found = verb.search(folded)
    if found is None:
        return None
    subject = [each for each in _tokens(folded[: found.start()]) if each not in _ARTICLES]
    value = [each for each in _tokens(folded[found.end() :]) if each not in _ARTICLES]
    return (subject, _singular(found.group()), value) if subject and value else None


def _is_definite(text: str, verb: re.Pattern[str]) -> bool:
    folded = _folded(text)
    found = verb.search(folded)
    subject = _tokens(folded[: found.start()]) if found else []
    return bool(subject) and (subject[0] in _DEFINITE or any(each.endswith("'s") for each in subject))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_folded(text))


def _folded(text: str) -> str:
    return text.casefold().replace("\u2019", "'")


def _negations(tokens: list[str]) -> int:
    return sum(map(_is_negative, tokens)) % 2


def _is_negative(token: str) -> bool:
    return token in _NEGATIONS or token.endswith("n't")


def _singular(word: str) -> str:
    """The word without the s by which a verb's person is told."""
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
