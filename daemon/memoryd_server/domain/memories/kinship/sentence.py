"""Sentences of a text, with their words in one form and in their usual order, and the language they are in."""

import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from memoryd_server.domain.memories.kinship.language import Language
from memoryd_server.domain.memories.kinship.wording import folded, sentences_of, words_in

_SPEAKER = re.compile(r"^([^\W\d][\w .-]{0,30}): (?=\S+ \S+)")
_CAPITALISED = re.compile(r"\b[^\W\d_a-zß-öø-ÿ][\w-]*")
_MOMENT = re.compile(r"[dt]:|\d{4}$")

_TIME_WORDS = 2

FILLERS = frozenset({"that", "of", "really", "very", "just", "also", "actually", "a", "an", "the"})
"""Words whose presence does not change the meaning of a text."""


class Sentence(msgspec.Struct, frozen=True, dict=True):
    """One sentence. ``names`` are its text's capitalised words, folded. ``speaker`` has the words of who says it.

    ``is_all`` is true if its text has nothing else, which its pronouns could stand for.
    """

    words: tuple[str, ...]
    language: Language
    names: frozenset[str]
    speaker: tuple[str, ...] = ()
    is_question: bool = False
    is_all: bool = True

    @cached_property
    def said(self) -> Sequence[str]:
        """The canonical words, without fillers."""
        language = self.language
        written = (word for word in self.words if word not in FILLERS and word != ",")
        words = language.canonical(language.rewritten(" ".join(written))).split()
        if any(word in language.negations for word in words):
            words = [word for word in words if word != "any"]
        if len(words) > 1 and words[0] in language.plain_verb_subjects and words[1] not in language.helpers:
            words[1] = words[1].removesuffix("s") if len(words[1]) > 3 else words[1]
        return words

    @cached_property
    def affirmed(self) -> tuple[Sequence[str], bool]:
        """The stems of what is said, without the words that deny or help to, and whether they deny."""
        language = self.language
        denied = sum(word in language.negations for word in self.said) % 2 == 1
        return [stem(word) for word in self.said if word not in language.denial_words], denied


def read(text: str, languages: Sequence[Language]) -> list[Sentence]:
    """Return the sentences of a text."""
    names = frozenset(folded(word) for word in _CAPITALISED.findall(text))
    speaker = _SPEAKER.match(folded(text))
    if speaker is not None:
        text = text[speaker.end() :]
    said_by = tuple(speaker[1].split()) if speaker is not None else ()
    sentences = []
    all_written = sentences_of(text)
    is_all = len(all_written) == 1 and not said_by
    for written in all_written:
        words = words_in(written)
        language = max(languages, key=lambda each: sum(word in each.marks for word in words))
        own = bool(said_by) and any(word in language.first_person for word in words)
        subjects = dict(language.subjects)
        if own:
            subjects = {each: target.replace("user", " ".join(said_by)) for each, target in subjects.items()}
        renamed = [part for word in words for part in subjects.get(word, word).split()]
        ordered = tuple(_in_usual_order(renamed, language))
        if ordered:
            rest = () if own else said_by
            sentences.append(Sentence(ordered, language, names, rest, written.endswith("?"), is_all))
    return sentences


def stem(word: str) -> str:
    """Return a word without the ending of a plural, or of a verb's third person."""
    return word.removesuffix("s").removesuffix("e") if len(word) > 3 else word


def _in_usual_order(words: list[str], language: Language) -> list[str]:
    """Return the words with a time at their beginning moved to their end: "on Monday Ann left"."""
    if len(words) <= _TIME_WORDS + 1 or words[0] not in language.moments | language.since | language.each:
        return words
    if not _MOMENT.match(words[1]) and words[1] not in language.moment_words:
        return words
    count = _TIME_WORDS + (words[_TIME_WORDS] == ",")
    return [*words[count:], *words[:_TIME_WORDS]]
