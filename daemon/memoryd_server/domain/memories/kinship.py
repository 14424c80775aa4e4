"""Comparison of two contents by their words: duplicate, contradicting, related or none of these.

It judges form, not meaning, and errs towards no finding: a missed duplicate costs a record, but a false one loses the
new content. A false contradiction costs a superfluous link.
"""

import enum
import re
import unicodedata

from memoryd_server.domain.memories.memory_policy import MemoryPolicy

_TOKEN = re.compile(r"[^\W_]+(?:[.':/-][^\W_]+)*")
_NUMBER = re.compile(r"\d")
_NEGATIONS = frozenset({"not", "no", "never", "cannot", "none", "nobody", "nothing", "without"})
_AUXILIARIES = frozenset({"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "can", "will", "any"})
_ARTICLES = frozenset({"a", "an", "the"})
_PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "of", "on", "since", "to", "until"})
_DEFINITE = frozenset({"the", "my", "your", "his", "her", "its", "our", "their", "this"})
_HAVE_ONE_VALUE = re.compile(
    r"\b(prefers?|lives? in|lived? in|works? (?:at|for)|(?:is|are|am) (?:called|named)|means?|equals?)\b"
)
"""Verbs of which a subject has one object at a time."""
_HAVE_ONE_VALUE_IF_DEFINITE = re.compile(r"\b(is|are|uses?|requires?)\b")
"""Verbs of which only a definite subject, such as "the deadline" or "Ann's birthday", has one object at a time."""

_OPENING_SIGNS = "\"'`*([{\u00ab\u00bf\u00a1\u2018\u201c"
_CLOSING_SIGNS = "\"'`*)]}.,;:!\u00bb\u2019\u201d\u2026\u3001\u3002\uff01\uff0c"
"""Signs at the end of a word that do not change its meaning. The question mark does: a question states nothing."""
_DASHES = frozenset({"-", "\u2013", "\u2014"})
_FILLERS = frozenset({"that", "of", "really", "very", "just", "also", "actually"}) | _ARTICLES
"""Words whose presence does not change the meaning of a text."""
_CONTRACTIONS = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
)

_JUDGED_CHARACTERS_MAX = 2_000
"""Maximum characters of a text to judge: one word of a longer text proves little, and judging it takes long."""

_SUBJECT_WORDS_MIN = 2
"""Minimum words before a differing number: after fewer, as in "section 2", the number is a name and not a value."""


class Kinship(enum.Enum):
    """The relation of one content to another."""

    NONE = "none"
    RELATED = "related"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"


def kinship_of(new: str, known: str, words: float, cosine: float | None, policy: MemoryPolicy) -> Kinship:
    """Return the relation of a new content to an existing one on the same subject matter.

    ``words`` is the Jaccard similarity of their words, 0 to 1. ``cosine`` is that of their vectors, None if a vector is
    missing. For long contents, the result is RELATED at most.
    """
    nearness = -1.0 if cosine is None else cosine
    if words < policy.related_words and nearness < policy.related_cosine:
        return Kinship.NONE
    if max(len(new), len(known)) > _JUDGED_CHARACTERS_MAX:
        return Kinship.RELATED
    if contradict(new, known):
        return Kinship.CONTRADICTION
    is_near = words >= policy.duplicate_words or nearness >= policy.duplicate_cosine
    return Kinship.DUPLICATE if is_near and have_same_words(new, known) else Kinship.RELATED


def have_same_words(one: str, other: str) -> bool:
    """Return True if both contents have the same words in the same order.

    Case, fillers, contractions and punctuation are ignored. A single added or different word prevents a match, since it
    may change the meaning of a text of any length.
    """
    said = _significant_words(one)
    return bool(said) and said == _significant_words(other)


def contradict(one: str, other: str) -> bool:
    """Return True if the contents give one subject different values, or one is the negation of the other."""
    one, other = _folded(one), _folded(other)
    tokens, other_tokens = _TOKEN.findall(one), _TOKEN.findall(other)
    return (
        _is_negation(tokens, other_tokens)
        or _differs_in_numbers(tokens, other_tokens)
        or _has_other_value(one, other, _HAVE_ONE_VALUE, needs_definite=False)
        or _has_other_value(one, other, _HAVE_ONE_VALUE_IF_DEFINITE, needs_definite=True)
    )


def _significant_words(text: str) -> list[str]:
    """Return the words of a text without fillers and without punctuation at their ends."""
    said: list[str] = []
    for written in _folded(text).split():
        word = written.lstrip(_OPENING_SIGNS).rstrip(_CLOSING_SIGNS)
        if word and word not in _FILLERS and word not in _DASHES:
            said += _without_contraction(word)
    return said


def _without_contraction(word: str) -> list[str]:
    for contraction, full in _CONTRACTIONS:
        if word.endswith(contraction):
            return (word.removesuffix(contraction) + full).split()
    return [word]


def _is_negation(tokens: list[str], other_tokens: list[str]) -> bool:
    if _negations(tokens) == _negations(other_tokens):
        return False
    said, other_said = (
        [_singular(each) for each in tokens_of if not _is_negative(each) and each not in _AUXILIARIES | _ARTICLES]
        for tokens_of in (tokens, other_tokens)
    )
    return bool(said) and said == other_said


def _differs_in_numbers(tokens: list[str], other_tokens: list[str]) -> bool:
    if len(tokens) != len(other_tokens) or tokens == other_tokens:
        return False
    differing = [place for place, each in enumerate(tokens) if each != other_tokens[place]]
    subject = [each for each in tokens[: differing[0]] if each not in _ARTICLES | _PREPOSITIONS]
    return len(subject) >= _SUBJECT_WORDS_MIN and all(
        _NUMBER.search(tokens[place]) and _NUMBER.search(other_tokens[place]) for place in differing
    )


def _has_other_value(one: str, other: str, verb: re.Pattern[str], *, needs_definite: bool) -> bool:
    parts, other_parts = _parts(one, verb), _parts(other, verb)
    if parts is None or other_parts is None:
        return False
    (subject, said, value), (other_subject, other_said, other_value) = parts, other_parts
    if _bare(subject) != _bare(other_subject) or said != other_said or (needs_definite and not _is_definite(subject)):
        return False
    values, other_values = set(_bare(value)), set(_bare(other_value))
    return not (values <= other_values or other_values <= values)


def _parts(folded: str, verb: re.Pattern[str]) -> tuple[list[str], str, list[str]] | None:
    """Return the words of the subject, the verb, and the words of the value; None if any of the three is missing."""
    found = verb.search(folded)
    if found is None:
        return None
    subject, value = _TOKEN.findall(folded[: found.start()]), _TOKEN.findall(folded[found.end() :])
    return (subject, _singular(found.group()), value) if _bare(subject) and _bare(value) else None


def _bare(tokens: list[str]) -> list[str]:
    return [each for each in tokens if each not in _ARTICLES]


def _is_definite(subject: list[str]) -> bool:
    return subject[0] in _DEFINITE or any(each.endswith("'s") for each in subject)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold().replace("\u2019", "'"))


def _negations(tokens: list[str]) -> int:
    return sum(map(_is_negative, tokens)) % 2


def _is_negative(token: str) -> bool:
    return token in _NEGATIONS or token.endswith("n't")


def _singular(word: str) -> str:
    """Return a verb without the s of its third person."""
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
