"""The terms that a query looks for, each in all the forms in which a memory may have it."""

from collections.abc import Iterable, Iterator

import msgspec

from memoryd_server.retrieval.text.language import ENGLISH, language_of
from memoryd_server.retrieval.text.negation import AVERSION, denied_in, without_contracted
from memoryd_server.retrieval.text.number import figure_of, number_word
from memoryd_server.retrieval.text.statement import DENIED
from memoryd_server.retrieval.text.stop_word import stop_words
from memoryd_server.retrieval.text.term import ignored_words, pairs_of, term_of
from memoryd_server.retrieval.text.token import Token, tokens_of
from memoryd_server.retrieval.text.word import folded, plain

_PART_WEIGHT = 0.5
_OTHER_POLARITY_WEIGHT = 0.6
_OTHER_NUMBER_WEIGHT = 0.9


class Sought(msgspec.Struct, frozen=True):
    """A term that a query looks for.

    ``word`` is the query's word that it was derived from. ``forms`` maps the terms by which memories may have it to
    weights, from 0 to 1: a memory has it in the form that counts most. A memory that denies it, by having a term of
    ``denials``, has it less. ``languages`` are those in which the word is looked for, none if it cannot be a misspelled
    one. If ``is_optional`` is true, it is ignored unless some memory has it.
    """

    term: str
    word: str
    forms: dict[str, float]
    denials: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    is_optional: bool = False


def sought_in(query: str, languages: Iterable[str]) -> dict[str, Sought]:
    """Return the different terms that a query looks for, in order, by term.

    A word is looked for by its stem in each of ``languages``, those of the memories, unless it is a stop word there.
    Stop words of the query's own language are not looked for at all.
    """
    lowered = folded(query)
    tokens = [Token((each,)) if isinstance(each, str) else each for each in tokens_of(query, lowered)]
    words = [word for token in tokens if not token.is_unspaced for word in token.words]
    language = language_of(lowered, set(words))
    kept = frozenset(without_contracted(words)) - ignored_words(language)
    denied = frozenset(denied_in(words, language, stop_words(language), every=True))
    reader = _Reader(language, kept, denied, tuple(dict.fromkeys((ENGLISH, *sorted(languages)))))
    found: dict[str, Sought] = {}
    for token in tokens:
        for sought in reader.sought_of(token):
            found.setdefault(sought.term, sought)
    return found


class _Reader(msgspec.Struct, frozen=True):
    """Reads the tokens of a query in a language.

    ``kept`` are its words that say something, and ``denied`` those that it denies.
    """

    language: str
    kept: frozenset[str]
    denied: frozenset[str]
    languages: tuple[str, ...]

    def sought_of(self, token: Token) -> Iterator[Sought]:
        if token.is_unspaced:
            run = token.words[0]
            for part in pairs_of(run) if len(run) > 1 else run:
                yield Sought(part, part, {part: 1.0})
            return
        if token.parts:
            yield from self._identifier(token)
            return
        others = dict.fromkeys(token.wholes, 1.0)
        if token.is_number:
            yield self._sought(token.wholes[0], others, token.text, is_optional=token.is_date)
            if not token.is_date:
                return
            others = {}
        for word in token.words:
            if word in self.kept:
                yield self._sought(word, others)

    def _identifier(self, token: Token) -> Iterator[Sought]:
        """Yield the parts of an identifier in camel case; the whole itself, if only one of its parts has a topic."""
        (whole,) = token.words
        parts = [part for part in token.parts if part not in stop_words(self.language)]
        if len(parts) < 2:
            yield self._sought(whole, dict.fromkeys(parts, _PART_WEIGHT))
        else:
            for part in parts:
                yield self._sought(part, {whole: 1.0}, whole)

    def _sought(self, word: str, others: dict[str, float], shown: str = "", *, is_optional: bool = False) -> Sought:
        forms: dict[str, float] = {}
        denials = () if word in self.denied else tuple(term_of(word, each) + DENIED for each in self.languages)
        figure = figure_of(word, self.language)
        for language in self.languages:
            texts = {word: 1.0, **others}
            for number in filter(None, (figure, figure and number_word(figure, language))):
                texts.setdefault(number, _OTHER_NUMBER_WEIGHT)
            for each, weight in texts.items():
                if each not in stop_words(language) or language == self.language:
                    self._add(forms, each, language, weight)
        languages = () if others or shown else self.languages
        return Sought(term_of(word), shown or word, forms, denials, languages, is_optional)

    def _add(self, forms: dict[str, float], word: str, language: str, weight: float) -> None:
        """Add the forms of a word in a language, with and without its accents."""
        is_denied = word in self.denied
        for each in (word,) if word.isascii() else (word, plain(word)):
            form = term_of(each, language)
            _raise(forms, form, weight * _OTHER_POLARITY_WEIGHT if is_denied else weight)
            if is_denied:
                _raise(forms, form + DENIED, weight)
        if language == ENGLISH and word in AVERSION:
            _raise(forms, term_of(AVERSION[word]) + DENIED, weight)


def _raise(forms: dict[str, float], form: str, weight: float) -> None:
    forms[form] = max(forms.get(form, 0.0), weight)
