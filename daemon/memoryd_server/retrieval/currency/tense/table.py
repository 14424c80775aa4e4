"""The table by which a language says what was so and what is so now."""

import re
from collections.abc import Mapping
from functools import cached_property

import msgspec

from memoryd_server.retrieval.text.stop_word import stop_words

PAST = "\ue000"
PRESENT = "\ue001"
"""The marks, in a text that is read, of words for the past and for the present. No text has them."""

_NEVER = r"(?!)"
"""A pattern that matches nothing."""


class Verb(msgspec.Struct, frozen=True):
    """A form of a verb, or of another word that a table names. ``base`` stands for all forms of the word."""

    base: str
    is_past: bool


class Tense(msgspec.Struct, frozen=True, dict=True):
    """The table of one language. Patterns ignore case.

    - ``code``: that of the language.
    - ``verbs``: lines ``base: forms / forms of the past``. A verb whose forms differ by ``endings`` alone may be
      missing.
    - ``past``: patterns of words by which a clause says what is no longer so. Their groups stay.
    - ``former``: a pattern of words by which a question asks for the past.
    - ``present``: a pattern of words for now. A memory need not have them. ``current``: of other words by which a
      question asks for the present, such as "still".
    - ``opening``: a pattern of a question's first word.
    - ``cuts``: words that begin a clause that is not the main one. ``relatives``: those behind a comma.
    - ``first_person``: the subject of who speaks.
    - ``denials``: words that deny.
    - ``attribute``: a pattern of a clause that stands before a noun. ``turned``: a pattern of a clause whose verb is
      its last word, and what replaces it, so that the verb stands behind the subject.
    - ``endings``: a pattern of what is cut off a word; empty to stem it. ``past_endings``: that of a verb's past.
    - ``weak``: verbs that need a noun to name an attribute, as "is" does. ``single``: words for attributes that have
      one value at a time.
    - ``participle``: a pattern of what stands behind the value, and belongs to an auxiliary before it.
    - ``is_unspaced``: words are not separated.
    """

    code: str
    verbs: str
    past: tuple[str, ...]
    former: str
    present: str
    current: str
    opening: str
    cuts: str = ""
    relatives: str = ""
    first_person: str = ""
    denials: str = ""
    attribute: str = ""
    turned: tuple[str, str] | None = None
    endings: str = ""
    past_endings: str = ""
    weak: frozenset[str] = frozenset({"be", "have", "do"})
    single: frozenset[str] = frozenset()
    participle: str = ""
    is_unspaced: bool = False

    @cached_property
    def forms(self) -> Mapping[str, Verb]:
        """The words of ``verbs``."""
        found: dict[str, Verb] = {}
        for line in self.verbs.strip().splitlines():
            base, _, forms = line.strip().partition(":")
            present, _, past = forms.partition("/")
            found.update((form, Verb(base, is_past=True)) for form in past.split())
            found.update((form, Verb(base, is_past=False)) for form in present.split())
        return found

    @cached_property
    def stops(self) -> frozenset[str]:
        """The words that say nothing of a topic."""
        return stop_words(self.code)

    @cached_property
    def past_pattern(self) -> re.Pattern[str]:
        """The words for what is no longer so."""
        return _pattern("|".join(self.past))

    @cached_property
    def former_pattern(self) -> re.Pattern[str]:
        """The words by which a question asks for the past."""
        return _pattern(self.former)

    @cached_property
    def present_pattern(self) -> re.Pattern[str]:
        """The words for now."""
        return _pattern(self.present)

    @cached_property
    def current_pattern(self) -> re.Pattern[str]:
        """The words by which a question asks for the present."""
        return _pattern(f"{self.present}|{self.current}")

    @cached_property
    def opening_pattern(self) -> re.Pattern[str]:
        """The beginning of a question."""
        return _pattern(rf"^\W*(?:{self.opening})")

    @cached_property
    def relative_pattern(self) -> re.Pattern[str]:
        """A clause between two commas."""
        return _pattern(rf",\s*(?:{self.relatives or _NEVER})\b[^,]*,")

    @cached_property
    def cut_pattern(self) -> re.Pattern[str]:
        """The comma or the word between the main clause and another one."""
        words = rf"|(?<=\w)\s+(?:{self.cuts})\b" if self.cuts else ""
        return _pattern(rf"(?<!^),|[;\uff0c\uff1b]{words}")

    @cached_property
    def attribute_pattern(self) -> re.Pattern[str]:
        """A clause before a noun."""
        return _pattern(self.attribute or _NEVER)

    @cached_property
    def turned_pattern(self) -> re.Pattern[str]:
        """A clause whose verb is its last word."""
        return _pattern(self.turned[0] if self.turned else _NEVER)

    @cached_property
    def first_person_pattern(self) -> re.Pattern[str]:
        """The subject of who speaks, at the beginning."""
        return _pattern(rf"^(?:{self.first_person or _NEVER})")

    @cached_property
    def denial_pattern(self) -> re.Pattern[str]:
        """The words that deny."""
        return _pattern(self.denials)

    @cached_property
    def endings_pattern(self) -> re.Pattern[str]:
        """The ending that is cut off a word."""
        return _pattern(rf"(?<=..)(?:{self.endings})$")

    @cached_property
    def past_endings_pattern(self) -> re.Pattern[str]:
        """A verb of the past, by its ending."""
        return _pattern(rf"..(?:{self.past_endings or _NEVER})$")

    @cached_property
    def participle_pattern(self) -> re.Pattern[str]:
        """A participle."""
        return _pattern(rf"^(?:{self.participle or _NEVER})$")

    @cached_property
    def words_pattern(self) -> re.Pattern[str]:
        """The words of a text, with the marks. Without spaces, a verb of the table is one, and any other character."""
        if self.is_unspaced:
            verbs = "|".join(sorted(map(re.escape, self.forms), key=len, reverse=True))
            return re.compile(rf"[{PAST}{PRESENT}]|{verbs}|\d+|\w")
        return re.compile(rf"[{PAST}{PRESENT}]|\d[\w.,:/-]*\w|[^\W_]+(?:-[^\W_]+)*")


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
