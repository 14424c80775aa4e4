# ruff: noqa: RUF001 - letters of many scripts
"""Words that say nothing about a text's topic: they are neither indexed nor searched."""

from functools import cache
from pathlib import Path

from memoryd_server.retrieval.text.word import plain, words_of

_FOLDER = Path(__file__).with_name("data") / "stop_words"

STOP_WORDS = frozenset(
    """
    a an the this that these those here there
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what when where why how
    am is are was were be been being have has had having do does did doing done
    can could might must shall should will would
    and or but nor if then else so than as not no yes
    of at by for from in into on onto to with without within about against between through during
    before after above below over under again further once up down out off
    only own same too very just also both each any all some such other another more most few
    s t d m ll re ve don
    """.split()  # noqa: SIM905 - a list of words is read better than a list of strings
)
"""English articles, pronouns, question words, auxiliaries, conjunctions, prepositions, and the ends of contractions.

"may" is not among them: it is a month.
"""

_POLISH = """
    a aby ale albo am ani bardzo bez bo był była było były być będzie będą bym ci cię co coś czy czyli dla do
    dlaczego gdy gdzie go i ich ile im ja jak jako je jednak jego jej jest jestem jeszcze jeśli już kiedy kto
    która które który lub ma mam mają mi mnie mój moja moje mu my na nad nam nami nas nasz nasza nie niej nim
    nic niż o od on ona one oni ono oraz po pod podczas poza przed przez przy są się skąd swoje swój ta tak
    taka taki także tam te tego tej ten to tobie tu twoja twoje twój ty tych tylko tym u w wam was we więc
    wszystko z za ze że żeby
    """

_ADDED = {
    "de": "wer wen wem wessen wann warum wieso woher wohin worüber gern gerne ja",
    "fr": "où quand comment combien pourquoi quel quelle quels quelles chez dont oui ni",
    "es": "dónde cuándo cómo cuál cuáles quién quiénes cuánto cuántos cuántas",
    "it": "quando quale quali cosa quanto quanti quanta quante sì",
    "pt": "onde quando qual quais quem quanto quantos quantas sim",
    "nl": "waar wanneer hoe wie waarom welke welk ja nee",
    "sv": "när hur vem varför vilken vilket vilka ja nej",
    "da": "hvad hvem hvor hvornår hvordan hvorfor hvilken hvilket ja nej",
    "no": "hva hvem hvor når hvordan hvorfor hvilken hvilket ja nei",
    "tr": "nerede ne zaman nasıl hangi kaç",
    "pl": _POLISH,
}
"""Question words and the like that the lists lack. Questions are what is searched for."""

_TOPICS = {
    "ru": "человек жизнь два три раз сказал сказать сказала говорил лучше хорошо",
    "cs": "strana článek článku články napište zprávy téma tipy design",
    "tr": "altmış beş bin bir doksan dokuz dört elli iki katrilyon kırk milyar milyon on otuz sekiz seksen trilyon üç "
    "yedi yetmiş yirmi yüz altı",
    "ro": "bucur bine bună",
}
"""Words of the lists that are a topic: numbers and nouns."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, with and without their accents; those of English for an unknown one."""
    path = _FOLDER / f"{language}.txt"
    if language == "en" or not (path.exists() or language in _ADDED):
        return STOP_WORDS
    listed = path.read_text(encoding="utf-8") if path.exists() else ""
    words = set(words_of(listed + " " + _ADDED.get(language, "")))
    words -= set(_TOPICS.get(language, "").split())
    return frozenset(words | set(map(plain, words)))
