"""Negation: the words that a text denies, such as "like" in "does not like" and in "hates"."""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import zip_longest

_DENYING = {
    "en": "not never cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent "
    "hadnt without",
    "de": "nicht nie niemals kein keine keinen keinem keiner keines ohne",
    "fr": "pas jamais sans aucun aucune",
    "es": "no nunca jamás sin tampoco",
    "it": "non mai senza",
    "pt": "não nunca jamais sem",
    "nl": "niet nooit geen zonder",
    "sv": "inte aldrig ingen inga utan",
    "da": "ikke aldrig ingen uden",
    "no": "ikke aldri ingen uten",
    "ru": "не нет никогда без",
    "pl": "nie nigdy bez",
    "tr": "değil yok",
    "cs": "ne nikdy bez",
}
DENYING = {language: frozenset(words.split()) for language, words in _DENYING.items()}
"""The words that deny what follows them, by language."""

_CONTRACTED = frozenset(
    "don doesn didn isn aren wasn weren won wouldn couldn shouldn can hasn haven hadn mustn needn ain".split()  # noqa: SIM905
)

_AVERSE = "hate hates hated dislike dislikes disliked disliking detest detests loathe loathes despise despises"
AVERSION = dict.fromkeys(_AVERSE.split(), "like")
"""English words that deny another one."""

CONTRACTIONS = frozenset(
    """
    dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent hadnt cant
    im ive youre youve theyre theyve weve thats whats
    """.split()  # noqa: SIM905 - a list of words is read better than a list of strings
)
"""Contractions without their apostrophe: stop words, as their parts are with it."""

_TRACES = {**DENYING, "en": DENYING["en"] | AVERSION.keys() | {"t"}}
"""The words without which a text of a language denies nothing."""

_REACH = 4
"""Maximum number of words between a denying word and the word that it denies."""


def denies(words: Set[str], language: str) -> bool:
    """Return False for the different words of a text that denies nothing."""
    return not words.isdisjoint(_TRACES.get(language, frozenset()))


def denied_in(words: Iterable[str], language: str, stops: frozenset[str], *, every: bool = False) -> Iterator[str]:
    """Yield the words of a text that it denies: the first one with a topic behind a denying word, in its reach.

    With ``every``, all in its reach: a question has its subject between the two, "what doesn't Ada like?".
    """
    denying = DENYING.get(language, frozenset())
    left, before = 0, ""
    for word in words:
        if word in denying or (word == "t" and before in _CONTRACTED):
            left = _REACH
        elif left and word not in stops:
            yield word
            left = left - 1 if every else 0
        else:
            left = max(left - 1, 0)
        if language == "en" and word in AVERSION:
            yield AVERSION[word]
        before = word


def without_contracted(words: Sequence[str]) -> Iterator[str]:
    """Yield words without the first parts of contractions: "didn" before "t"."""
    for word, following in zip_longest(words, words[1:]):
        if following != "t" or word not in _CONTRACTED:
            yield word
