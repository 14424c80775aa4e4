"""The sentences that a model is shown, of several texts at once."""

import re
from collections.abc import Sequence

import msgspec

from memoryd_server.domain.memories.kinship.claim import LANGUAGES
from memoryd_server.domain.memories.kinship.german import GERMAN
from memoryd_server.domain.memories.kinship.wording import folded, words_in
from memoryd_server.domain.memories.proposals.prose import own_sentences
from memoryd_server.domain.memories.proposals.statement import Clause, clauses_of

SHOWN_TEXTS_MAX = 32
"""Maximum number of texts that a model is shown at a time: of more, small models overlook some."""
SHOWN_CHARACTERS_MAX = 8_000
"""Characters of sentences that a model is shown at a time: about 2,000 tokens. The first text may have more."""

_DOUBTFUL_IN_GERMAN = re.compile(
    r"\b(?:vielleicht|wahrscheinlich|vermutlich|möglicherweise|angeblich|falls|wenn|ob|würd\w*|könnt\w*|sollt\w*|hätt\w*|"
    r"wär\w*|glaube?|denke?|hoff\w*|wünsch\w*|sag(?:e|t|te|ten|en)|meint\w*|laut|du|dich|dir|dein\w*|euch|euer|eure\w*|"
    r"bitte|er|sie|es|ihn|ihm|ihnen|dies\w*|jen\w*|dort|da|"
    r"passw[oö]rt\w*|kennw[oö]rt\w*|geheim\w*|zugangs\w*|berechtig\w*|befugt\w*|kontonummer|kreditkarte\w*)\b",
    re.IGNORECASE,
)
"""The German words of doubt, of what another sentence names, and of rights and secrets. The rules have the English."""
_INSTRUCTING_IN_GERMAN = re.compile(
    r"\b(?:ignorier\w*|vergiss|missachte\w*|systemprompt|(?:vorherigen?|bisherigen?|neuen?|alle) anweisungen|"
    r"ab sofort|ab jetzt|du bist (?:jetzt|nun)|tu so)\b",
    re.IGNORECASE,
)

_SMALL_TALK = re.compile(
    r"(?:that|this|these|those|what|how|such|so|thanks?|thank|see|talk|no (?:worries|problem|way|doubt)|sorry|good|"
    r"great|nice|cool|awesome|amazing|glad|happy|congrat\w*|looks?|looking|sounds?|feels?|hope|have|had|got|getting|can't|"
    r"can not|keep|don't|do|take|enjoy|appreciate|always|just|yes|yeah|yep|yup|wow|haha\w*|lol|danke|gut|super|toll|"
    r"schön|klar|i(?:'m| am) (?:(?:doing|feeling|so|really|very|pretty|all|just|still) )*(?:good|ok|okay|fine|great|"
    r"well|glad|happy|sorry|excited|tired|busy|thankful|grateful|sure|here|back)"
    r"|i (?:\w+ )?(?:agree|see|know|understand|get|mean|appreciate|can't wait|couldn't agree)"
    r"|ich bin (?:so|froh|müde|wieder|da)|mir geht)(?![\w'])",
    re.IGNORECASE,
)
"""Beginnings of clauses that are moods and courtesies, or that have no subject of their own."""


class ShownText(msgspec.Struct, frozen=True):
    """The sentences that a model is shown of one text. ``number`` is the text's place, from 1."""

    number: int
    sentences: tuple[str, ...]


class Batch(msgspec.Struct, frozen=True):
    """Texts that are read together, each as its sentences that may state something, and what a model is shown of them.

    A sentence that several texts have is shown once, of the first.
    """

    texts: tuple[tuple[str, ...], ...]
    shown: tuple[ShownText, ...]

    @property
    def half(self) -> int:
        """The number of texts before the second half of those that are shown: at least 1 where two are shown."""
        return self.shown[len(self.shown) // 2].number - 1


def batch_of(texts: Sequence[str]) -> Batch:
    """Return the batch of the first texts: as many as a model is shown at a time, at least one.

    No sentence is shown that the rules would not read: a message with an attack has none, and neither rights and
    secrets nor what is doubtful leave the process.
    """
    read: list[tuple[str, ...]] = []
    shown: list[ShownText] = []
    seen: set[str] = set()
    characters = 0
    for text in texts:
        sentences = _sentences_of(text)
        new = tuple(each for each in dict.fromkeys(sentences) if each not in seen)
        length = sum(map(len, new))
        if new and shown and (len(shown) == SHOWN_TEXTS_MAX or characters + length > SHOWN_CHARACTERS_MAX):
            break
        read.append(sentences)
        if new:
            shown.append(ShownText(len(read), new))
            seen.update(new)
            characters += length
    return Batch(tuple(read), tuple(shown))


def choices_of(sentence: str) -> Sequence[Clause]:
    """Return the clauses of a sentence among which a model chooses."""
    if _is_doubtful_german(sentence):
        return ()
    return [each for each in clauses_of(sentence) if not _SMALL_TALK.match(each.text.replace("\u2019", "'"))]


def _sentences_of(text: str) -> tuple[str, ...]:
    if _INSTRUCTING_IN_GERMAN.search(text):
        return ()
    return tuple(each for each in own_sentences(text) if choices_of(each))


def _is_doubtful_german(sentence: str) -> bool:
    # Some of the words are usual ones of other languages, such as "du" in French.
    words = words_in(folded(sentence))
    language = max(LANGUAGES, key=lambda each: sum(word in each.marks for word in words))
    return language is GERMAN and _DOUBTFUL_IN_GERMAN.search(sentence) is not None
