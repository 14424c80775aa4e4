"""The matter that two contents are both about: an attribute of a subject."""

import msgspec

from memoryd_server.retrieval.currency.said import Said, Word
from memoryd_server.retrieval.currency.tense.table import Tense


class Matter(msgspec.Struct, frozen=True, gc=False):
    """The beginning of two clauses that are about the same: ``count`` words, which name a subject and an attribute.

    If ``is_certain`` is false, these words may name less: "Ada is" begins sentences on many matters. ``has_one_value``
    is true if somebody has one of it at a time.
    """

    count: int
    is_certain: bool
    has_one_value: bool


def matter_of(one: Said, other: Said, tense: Tense) -> Matter | None:
    """Return what two clauses of a language are both about; None if they are not about the same."""
    count = 0
    for word, against in zip(one.words, other.words, strict=False):
        if word.term != against.term:
            break
        count += 1
    common = one.words[:count]
    place = max((place for place, word in enumerate(common) if word.is_named), default=-1)
    if place < 0:
        has_noun = count > 1 and not common[-1].is_name
        return Matter(count, is_certain=False, has_one_value=False) if has_noun and not tense.is_unspaced else None
    is_weak = common[place].term in tense.weak
    if place == 0 and (is_weak or one.lead != other.lead or not one.lead):
        return None
    is_certain = not is_weak or _has_noun(common[:place])
    has_one_value = any(word.term in tense.single for word in common)
    return Matter(count, is_certain, has_one_value)


def matter_of_who(one: Said, other: Said) -> tuple[Said, Said, Matter] | None:
    """Return what two clauses say of different people in the same words, and each clause with its names at the end.

    "Dana was the CEO" and "Omar is the CEO" are about who that is. None if the clauses are not about the same.
    """
    (names, rest), (other_names, other_rest) = _names_first(one), _names_first(other)
    if not names or not other_names or _terms(rest) != _terms(other_rest):
        return None
    matter = Matter(1, is_certain=True, has_one_value=False)
    return _turned(one, len(names)), _turned(other, len(other_names)), matter


def _turned(said: Said, count: int) -> Said:
    """Return a clause with its first words at its end."""
    marks = tuple(max(mark - count, 0) for mark in said.marks)
    return msgspec.structs.replace(said, words=said.words[count:] + said.words[:count], marks=marks)


def _names_first(said: Said) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    count = next((place for place, word in enumerate(said.words) if not word.is_name), 0)
    return said.words[:count], said.words[count:]


def _terms(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(word.term for word in words)


def value_of(said: Said, matter: Matter) -> tuple[str, ...]:
    """Return what a clause says of the matter, with the last word of that: "married" is a value, too."""
    return tuple(word.term for word in said.words[matter.count :]) or (said.words[matter.count - 1].text,)


def _has_noun(words: tuple[Word, ...]) -> bool:
    """Return True for "Ada's shop": what is one's own is one matter."""
    return len(words) > 1 and not words[-1].is_name
