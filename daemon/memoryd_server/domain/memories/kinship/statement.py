"""Comparison of whole sentences: the same words, a denial, or another amount."""

import re
from collections.abc import Sequence

from memoryd_server.domain.memories.kinship.language import Language
from memoryd_server.domain.memories.kinship.sentence import FILLERS, Sentence, stem
from memoryd_server.domain.memories.kinship.wording import bare_words, may_be_same_date

_AMOUNT = re.compile(r"(?:[dt]:)?[\d_]")


def have_same_words(one: str, other: str) -> bool:
    """Return True if both contents have the same words in the same order.

    Case, fillers, contractions and punctuation are ignored. A single added or different word prevents a match, since it
    may change the meaning of a text of any length.
    """
    said, other_said = ([word for word in bare_words(text) if word not in FILLERS] for text in (one, other))
    return bool(said) and said == other_said


def say_the_same(one: Sentence, other: Sentence) -> bool:
    """Return True if both sentences have the same words in the same order, where synonyms count as the same."""
    return len(one.said) > 1 and one.said == other.said


def are_denials(one: Sentence, other: Sentence) -> bool:
    """Return True if one sentence denies the other, or has the opposite in place of one of its words."""
    if one.language is not other.language or one.speaker != other.speaker or one.is_question or other.is_question:
        return False
    language = one.language
    (said, denied), (other_said, other_denied) = one.affirmed, other.affirmed
    if not said or len(said) != len(other_said):
        return False
    if said == other_said:
        return denied != other_denied
    differing = [(word, against) for word, against in zip(said, other_said, strict=True) if word != against]
    return len(differing) == 1 and denied == other_denied and _are_opposites(*differing[0], language)


def _are_opposites(one: str, other: str, language: Language) -> bool:
    shorter, longer = sorted((one, other), key=len)
    has_prefix = len(shorter) > 3 and any(longer == prefix + shorter for prefix in language.prefixes)
    return (
        has_prefix or stem(language.opposites.get(one, "")) == other or stem(language.opposites.get(other, "")) == one
    )


def differ_in_amount(one: Sentence, other: Sentence) -> bool:
    """Return True if the sentences state of one thing that is so now different numbers, dates or times."""
    said, other_said = one.words, other.words
    if len(said) != len(other_said) or one.is_question or other.is_question or one.speaker != other.speaker:
        return False
    differing = [place for place, word in enumerate(said) if word != other_said[place]]
    if len(differing) != 1 or _verb_place(said, one.language) >= differing[0] or _is_of_the_past(one):
        return False
    word, against = said[differing[0]], other_said[differing[0]]
    if not (_AMOUNT.match(word) and _AMOUNT.match(against) and _are_different(word, against)):
        return False
    is_moment = word[1:2] == ":"
    return not (is_moment and _states_one_of_many(said[: differing[0]], one.language))


def _is_of_the_past(sentence: Sentence) -> bool:
    pattern = sentence.language.past_verb_pattern
    words = sentence.words
    return any(
        pattern.fullmatch(word) and not (place and words[place - 1] in sentence.language.present)
        for place, word in enumerate(words)
    )


def _states_one_of_many(words: Sequence[str], language: Language) -> bool:
    """Return True if there may be more of what the words are about: "Ann has a meeting" at 3 pm, and at 4 pm."""
    return any(word in language.indefinite or word in language.each for word in words)


def _verb_place(words: Sequence[str], language: Language) -> int:
    if words[0] in language.plain_verb_subjects:
        return 1
    verbs = (
        place
        for place, word in enumerate(words)
        if place and (word in language.present or word.endswith(language.verb_ending))
    )
    return next(verbs, len(words))


def _are_different(one: str, other: str) -> bool:
    if one[:2] != other[:2] and (one[1:2] == ":" or other[1:2] == ":"):
        return False
    return not (one.startswith("d:") and may_be_same_date(one, other))
