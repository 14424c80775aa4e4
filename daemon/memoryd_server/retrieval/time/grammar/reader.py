"""The reader of one text in one language: its items, and what is known about it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from memoryd_server.retrieval.time.grammar.item import Item
from memoryd_server.retrieval.time.grammar.lexicon import Kind, Lexicon, Tense
from memoryd_server.retrieval.time.grammar.unit import DAY, Span, midnight

_YEARS_APART_MAX = 8
"""Greatest distance of two years that have 29 February."""

InYear = Callable[[int], Span]
"""Returns the span in a year of something that comes every year. Raises ValueError if that year has none."""


class Reference(NamedTuple):
    """A time that a text names: the items until ``stop``, and the span that they stand for.

    A time without its year is any of those that ``in_year`` returns, and a weekday any with that number: the span is
    the one that the sentence most probably means. ``is_vague`` is true for times such as "recently".
    """

    span: Span
    stop: int
    in_year: InYear | None = None
    weekday: int | None = None
    is_vague: bool = False


class Reader:
    """The items of a text. An index past the end has no kind.

    ``is_content`` is true for what someone says at the time ``now``, and false for a question about what was said.
    """

    def __init__(self, items: list[Item], lexicon: Lexicon, now: datetime, *, is_content: bool) -> None:
        self.items = items
        self.lexicon = lexicon
        self.now = now
        self.today = midnight(now)
        self.is_content = is_content
        self._verbs: list[tuple[int, Tense]] | None = None
        self._word_count: int | None = None

    def kind(self, index: int) -> Kind | None:
        """Return the kind of an item; None past either end, and for words that take no part in times."""
        return self.items[index].kind if 0 <= index < len(self.items) else None

    def word(self, index: int) -> str:
        """Return the word or sign of an item; an empty string past either end."""
        return self.items[index].word if 0 <= index < len(self.items) else ""

    def value(self, index: int) -> int:
        """Return the value of an item whose kind has a number."""
        value = self.items[index].value
        assert isinstance(value, int)
        return value

    def way(self, index: int) -> int:
        """Return the direction of an item that puts a time at a distance from another one: -1, 1, or 0 for none."""
        kind = self.kind(index)
        return -1 if kind is Kind.BEFORE else int(kind in (Kind.AFTER, Kind.FROM))

    def skip(self, index: int, *kinds: Kind) -> int:
        """Return the index of the next item that is of none of these kinds."""
        while self.kind(index) in kinds:
            index += 1
        return index

    def is_weak(self, index: int) -> bool:
        """Return True if an item's word is a time only where a preposition or a number says so."""
        return self.word(index) in self.lexicon.weak

    def ends_at(self, index: int) -> bool:
        """Return True if no noun can be at an item, so that what precedes it is a time and no part of a name."""
        if index >= len(self.items):
            return True
        item = self.items[index]
        if item.kind is not None:
            return item.kind not in (Kind.NUMERAL, Kind.UNIT, Kind.NUMBER, Kind.HALF, Kind.MONTH, Kind.PART_OF)
        if self.is_next_to(index) and item.word == "s":
            return False
        return not item.word[0].isalnum() or not self.lexicon.following or item.word in self.lexicon.following

    def is_next_to(self, index: int) -> bool:
        """Return True if only an apostrophe is between an item and the one before."""
        return 0 < index < len(self.items) and self.items[index].start - self.items[index - 1].end == 1

    def is_alone(self, start: int, stop: int) -> bool:
        """Return True if there is nothing but signs and articles around some items."""
        if self._word_count is None:
            self._word_count = _words_in(self.items)
        return _words_in(self.items[start:stop]) == self._word_count

    def tense_at(self, index: int) -> Tense:
        """Return the tense of an item's sentence: of the verb of the past or the future that is nearest, if any."""
        tenses = self._tenses()
        moved = [place for place, tense in tenses if tense is not Tense.PRESENT]
        if moved:
            nearest = min(moved, key=lambda place: (abs(place - index), place))
            return dict(tenses)[nearest]
        return Tense.PRESENT if tenses else Tense.UNKNOWN

    def _tenses(self) -> list[tuple[int, Tense]]:
        """Return the verbs that show a tense, each with its place."""
        if self._verbs is None:
            found = ((place, self._tense_of(item)) for place, item in enumerate(self.items))
            self._verbs = [(place, tense) for place, tense in found if tense is not None]
        return self._verbs

    def _tense_of(self, item: Item) -> Tense | None:
        tense = self.lexicon.tenses.get(item.word)
        if tense is None and item.kind is None and self.lexicon.past_form.fullmatch(item.word):
            return Tense.PAST
        return tense

    def span_in_year(self, index: int, in_year: InYear) -> Span | None:
        """Return the span of something that comes every year: the last that has begun, or the next in the future.

        In a content whose sentence shows no tense it may be either: None.
        """
        tense = self.tense_at(index)
        if self.is_content and tense is Tense.UNKNOWN:
            return None
        is_future = tense is Tense.FUTURE or (tense is Tense.PRESENT and self.is_content)
        return self.next_in_year(in_year, self.now) if is_future else self.last_in_year(in_year, self.now)

    def last_in_year(self, in_year: InYear, time: datetime) -> Span | None:
        """Return the last span that has begun at a time."""
        return _first(in_year, range(time.year + 1, time.year - _YEARS_APART_MAX - 1, -1), lambda span: span[0] <= time)

    def next_in_year(self, in_year: InYear, time: datetime) -> Span | None:
        """Return the first span that has not ended at a time."""
        return _first(in_year, range(time.year - 1, time.year + _YEARS_APART_MAX + 1), lambda span: span[1] > time)

    def day_of_week(self, index: int, weekday: int) -> Span | None:
        """Return the last such weekday before today, or the next one after it; None as in ``span_in_year``."""
        tense = self.tense_at(index)
        if self.is_content and tense is Tense.UNKNOWN:
            return None
        return self.next_weekday(weekday) if tense in (Tense.FUTURE, Tense.PRESENT) else self.last_weekday(weekday)

    def last_weekday(self, weekday: int) -> Span:
        """Return the last such weekday before today."""
        start = self.today - ((self.today.weekday() - weekday - 1) % 7 + 1) * DAY
        return start, start + DAY

    def next_weekday(self, weekday: int) -> Span:
        """Return the next such weekday after today."""
        start = self.today + ((weekday - self.today.weekday() - 1) % 7 + 1) * DAY
        return start, start + DAY


def _words_in(items: Sequence[Item]) -> int:
    """Return the number of items that are neither signs nor articles."""
    return sum(item.kind is not Kind.THE and item.word[0].isalnum() for item in items)


def _first(in_year: InYear, years: range, fits: Callable[[Span], bool]) -> Span | None:
    for year in years:
        try:
            span = in_year(year)
        except (ValueError, OverflowError):
            continue  # no such day, or beyond datetime's range
        if fits(span):
            return span
    return None
