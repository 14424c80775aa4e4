"""The tables by which a language states claims: its attributes, classes of values, and small words.

A table is data. To add a language, write its table as ``english.py`` and ``german.py`` do, and list it in ``claim.py``.
All words are folded, and as ``wording.words_in`` returns them.
"""

import enum
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec


class Exclusion(enum.Enum):
    """The values of an attribute that exclude each other.

    ANY other value does. COMPARABLE values do: of the same class, or with the same last word ("dark mode", "light
    mode"). OPPOSITE values do: the same value, affirmed and denied.
    """

    ANY = "any"
    COMPARABLE = "comparable"
    OPPOSITE = "opposite"


class Relation(msgspec.Struct, frozen=True):
    """A verb phrase that stands between a subject and the value of its attribute.

    - ``pattern``: a regular expression over words that are separated by single spaces.
    - ``is_negative``: the phrase itself denies, as "left" does.
    - ``is_event``: it says how the value came about, as "moved to" does.
    - ``is_inverse``: the value stands before it, as in "Carl leads the project".
    - ``has_contexts``: values under different circumstances ("in the evening", "for work") do not exclude each other.
    - ``implied_class``, ``implied_value``: what it says besides: who is married to somebody is married.
    """

    attribute: str
    pattern: str
    exclusion: Exclusion = Exclusion.ANY
    is_negative: bool = False
    is_event: bool = False
    is_inverse: bool = False
    has_contexts: bool = False
    implied_class: str = ""
    implied_value: str = ""


class Language(msgspec.Struct, frozen=True, dict=True):
    """The table of one language.

    - ``marks``: frequent words, by which a text is found to be of the language.
    - ``rewrites``: phrases and what they are replaced by, so that fewer relations are needed: parts of which a text has
      one if it has the phrase, its pattern, and the replacement.
    - ``relations``: verb phrases, tried in their order.
    - ``nouns``: names of attributes that a subject has one value of ("Ann's birthday is"), each with its attribute.
    - ``definite``, ``definite_beginnings``: words, and their beginnings, that make any noun such a name ("favourite").
    - ``neutral``: adjectives that add nothing to such a name.
    - ``has_names``: names alone are capitalised, so that "Ann's gym is FitX" names one of what she has one of.
    - ``many``: nouns of which somebody may have several, all the same.
    - ``events``: nouns of what happens at a time.
    - ``classes``: sets of values of which a thing has one. ``broader``: a value with one that includes it.
    - ``countries``: places that other places are in.
    - ``synonyms``: words and phrases, with the word that stands for them. ``opposites``: words with their opposites.
    - ``prefixes``: those of a word that make its opposite.
    - ``negations``: words that deny. ``ended``: those behind a value ("anymore"). ``helpers``: verbs only denials need.
    - ``auxiliaries``, ``adverbs``: words between a subject and a verb that do not change what is claimed.
    - ``fillers``: adverbs that may stand anywhere. ``adverb_ending``: that of other adverbs.
    - ``participles``: words at the end of a clause that belong to its verb.
    - ``past``, ``uncertain``: words before a verb by which nothing is claimed of the present.
    - ``reporting``: words of a subject by which its clause is not a claim by itself.
    - ``boundaries``: words between two clauses. ``pronouns``: subjects that stand for that of the clause before.
    - ``subjects``: words for who speaks, with the subject that they stand for.
    - ``places``, ``moments``: prepositions before a place, and before a time. ``since``: those before a beginning.
    - ``qualifiers``: words that end a value. ``comparisons``: those among them before what is less preferred.
    - ``possessive``: prepositions between a noun and its owner. ``moment_words``: nouns for times.
    - ``first_person``: words of who speaks of themselves. ``over``: words by which something is no longer so.
    - ``ages``: what may stand behind the number of an age.
    - ``each``: words by which a sentence is about more than one thing.
    - ``present``: verbs of the present. ``verb_ending``: that of other verbs, but behind ``plain_verb_subjects``.
    - ``past_verbs``: a regular expression of verbs of the past.
    """

    name: str
    marks: frozenset[str]
    rewrites: tuple[tuple[str, str, str], ...]
    relations: tuple[Relation, ...]
    nouns: Mapping[str, str]
    definite: frozenset[str]
    neutral: frozenset[str]
    events: frozenset[str]
    classes: Mapping[str, frozenset[str]]
    broader: Mapping[str, str]
    synonyms: Mapping[str, str]
    articles: frozenset[str]
    indefinite: frozenset[str]
    negations: frozenset[str]
    ended: frozenset[str]
    auxiliaries: frozenset[str]
    adverbs: frozenset[str]
    past: frozenset[str]
    uncertain: frozenset[str]
    reporting: frozenset[str]
    boundaries: frozenset[str]
    pronouns: frozenset[str]
    subjects: Mapping[str, str]
    places: frozenset[str]
    moments: frozenset[str]
    since: frozenset[str]
    qualifiers: frozenset[str]
    comparisons: frozenset[str]
    possessive: frozenset[str]
    moment_words: frozenset[str]
    opposites: Mapping[str, str]
    prefixes: tuple[str, ...]
    helpers: frozenset[str]
    participles: frozenset[str]
    has_names: bool
    many: frozenset[str]
    adverb_ending: str
    fillers: frozenset[str]
    countries: frozenset[str]
    present: frozenset[str]
    verb_ending: str
    plain_verb_subjects: frozenset[str]
    past_verbs: str
    each: frozenset[str]
    first_person: frozenset[str]
    over: frozenset[str]
    ages: frozenset[str]
    definite_beginnings: tuple[str, ...] = ()

    @cached_property
    def relation_pattern(self) -> re.Pattern[str]:
        """A pattern that finds any of the relations; the group ``r3`` is that of the fourth."""
        alternatives = (rf"(?P<r{n}>(?:{each.pattern})(?!\S))" for n, each in enumerate(self.relations))
        return re.compile(rf"(?<!\S)(?:{'|'.join(alternatives)})")

    @cached_property
    def denial_words(self) -> frozenset[str]:
        """The words by which a denial differs from what it denies."""
        return self.negations | self.articles | self.helpers | self.ended

    @cached_property
    def before_verbs(self) -> frozenset[str]:
        """The words that stand between a subject and its verb."""
        return self.auxiliaries | self.adverbs | self.past | self.uncertain | self.negations | {"to"}

    @cached_property
    def _rewrite_patterns(self) -> Sequence[tuple[Sequence[str], re.Pattern[str], str]]:
        return [
            (parts.split(), re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), target)
            for parts, pattern, target in self.rewrites
        ]

    @cached_property
    def past_verb_pattern(self) -> re.Pattern[str]:
        """A pattern that matches a verb of the past."""
        return re.compile(rf"(?:{self.past_verbs})")

    @cached_property
    def _synonym_pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self.synonyms, key=len, reverse=True)
        return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, longest_first))})(?!\S)")

    @cached_property
    def _class_of_value(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for name, values in self.classes.items():
            for value in values:
                found.setdefault(self.bare(value), name)
        return found

    def rewritten(self, text: str) -> str:
        """Return a text with its phrases rewritten."""
        for parts, pattern, target in self._rewrite_patterns:
            if any(part in text for part in parts):
                text = pattern.sub(target, text)
        return text

    def canonical(self, text: str) -> str:
        """Return a text with the words that stand for its words and phrases."""
        return self._synonym_pattern.sub(lambda found: self.synonyms[found.group()], text)

    def bare(self, text: str) -> str:
        """Return a value without articles, in canonical words."""
        return self.canonical(" ".join(word for word in text.split() if word not in self.articles))

    def class_of(self, value: Sequence[str]) -> str | None:
        """Return the class of a value, or of its last words: a senior software engineer is of a profession."""
        kept = self.bare(" ".join(value))
        if kept in self._class_of_value:
            return self._class_of_value[kept]
        parts = kept.split()
        endings = (" ".join(parts[-count:]) for count in (2, 1) if len(parts) > count)
        return next((name for each in endings if (name := self._class_of_value.get(each)) == "profession"), None)


def table(text: str) -> Mapping[str, str]:
    """Return a mapping from entries ``one phrase, another = target``. An entry ends with the line of its ``=``."""
    pairs = re.findall(r"([^=]+?) = (.+)", text)
    return {phrase.strip(): target.strip() for phrases, target in pairs for phrase in phrases.split(",")}


def classes(text: str) -> Mapping[str, frozenset[str]]:
    """Return the classes of a text: each is a name, a colon, and values that are separated by commas."""
    parts = re.split(r"^ *([\w ]+):", text, flags=re.MULTILINE)[1:]
    return {
        name: frozenset(each.strip() for each in values.split(",") if each.strip())
        for name, values in zip(parts[::2], parts[1::2], strict=True)
    }


def opposites(text: str) -> Mapping[str, str]:
    """Return each word of the pairs in a text, ``on/off up/down``, mapped to its opposite."""
    pairs = [(one, other) for one, _, other in (pair.partition("/") for pair in text.split())]
    return dict(pairs) | {other: one for one, other in pairs}


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
