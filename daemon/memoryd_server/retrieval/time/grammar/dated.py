"""Dates in words: days, months and years by their names and numbers."""

from enum import Enum, auto

from memoryd_server.retrieval.time.grammar.lexicon import Kind
from memoryd_server.retrieval.time.grammar.reader import InYear, Reader, Reference
from memoryd_server.retrieval.time.grammar.unit import Span, Unit, day_of, month_of, shifted, unit_at, unit_from

SIGNS = frozenset("-\u2013\u2014")
"""Signs between the two ends of a span."""

_YEARS = range(1900, 2101)
_YEARS_WITH_MONTH = range(1000, 3000)
_DAYS = range(1, 32)


class Lead(Enum):
    """The word before a time, as far as it says that a time follows."""

    NONE = auto()
    ON = auto()
    """A preposition of days."""
    IN = auto()
    """A preposition of any other time."""
    OPEN = auto()
    """A preposition of an open span, or a part of a time."""


def date_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the day, the days or the month that begins at an item."""
    kind = reader.kind(index)
    if kind is Kind.DATE:
        day = reader.items[index].value
        return Reference(unit_at(day, Unit.DAY), index + 1)
    if kind is Kind.MONTH:
        return _day_behind(reader, index, lead) or _month(reader, index, lead)
    if kind is Kind.NUMERAL or kind is Kind.ORDINAL:
        return _day_before(reader, index, lead) or _day_of_month(reader, index, lead)
    return None


def year_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the year in digits at an item. Without a preposition it may be any number."""
    year = _year_number(reader, index, _YEARS)
    if year is None or lead in (Lead.NONE, Lead.ON):
        return None
    after = index + 1
    if reader.word(after) in ("/", *SIGNS) and reader.kind(after + 1) is Kind.NUMERAL:
        ending = reader.value(after + 1)
        if ending in (year + 1, (year + 1) % 100):
            return Reference((day_of(year, 1, 1)[0], day_of(year + 2, 1, 1)[0]), after + 2)
        if _year_number(reader, after + 1, _YEARS) is None:
            return None
    if not reader.ends_at(after) and _counts(reader, year, after):
        return None
    return Reference(unit_at(day_of(year, 1, 1)[0], Unit.YEAR), after)


def year_behind(reader: Reader, index: int, *, is_month: bool = False) -> tuple[int, int] | None:
    """Return the year that stands behind a time at an item, in digits or as "last year", and the index behind it.

    Behind a comma it may be another number: "in May, 2000 people came".
    """
    has_comma = reader.word(index) == ","
    place = reader.skip(index + has_comma, Kind.OF, Kind.THE)
    year = _year_number(reader, place, _YEARS_WITH_MONTH)
    if year is not None:
        is_doubtful = has_comma and not reader.ends_at(place + 1) and (is_month or _counts(reader, year, place + 1))
        return None if is_doubtful else (year, place + 1)
    found = which_unit(reader, place)
    if found is None or found[0] is not Unit.YEAR:
        return None
    return reader.now.year + found[1], found[2]


def _counts(reader: Reader, number: int, index: int) -> bool:
    """Return True if a number is probably one of the things at an item: "2000 words"."""
    return number % 100 == 0 or reader.word(index).endswith("s")


def which_unit(reader: Reader, index: int) -> tuple[Unit, int, int] | None:
    """Return the unit at an item that is the last, this or the next one: its distance, and the index behind it."""
    first, second = index, index + 1
    if reader.lexicon.which_follows and reader.kind(first) is Kind.UNIT:
        first, second = second, first
    if reader.kind(first) is not Kind.WHICH or reader.kind(second) is not Kind.UNIT:
        return None
    unit = reader.items[second].value
    return (unit, reader.value(first), index + 2) if isinstance(unit, Unit) else None


def _year_number(reader: Reader, index: int, years: range) -> int | None:
    if reader.kind(index) is not Kind.NUMERAL or len(reader.word(index)) != 4:
        return None
    return reader.value(index) if reader.value(index) in years else None


def yearly(reader: Reader, index: int, stop: int, in_year: InYear) -> Reference | None:
    """Return a time of the items from ``index`` to ``stop`` that comes every year, in the year behind it if any."""
    if named := year_behind(reader, stop):
        return Reference(in_year(named[0]), named[1])
    span = reader.span_in_year(index, in_year)
    return None if span is None else Reference(span, stop, in_year)


def _day_number(reader: Reader, index: int) -> int | None:
    kind, word = reader.kind(index), reader.word(index)
    if kind is Kind.ORDINAL or (kind is Kind.NUMERAL and (len(word) <= 2 or reader.items[index].is_ordinal)):
        number = reader.value(index)
        return number if number in _DAYS else None
    return None


def _is_ordinal(reader: Reader, index: int) -> bool:
    return reader.kind(index) is Kind.ORDINAL or reader.items[index].is_ordinal


def _days(month: int, first: int, last: int) -> InYear:
    return lambda year: (day_of(year, month, first)[0], day_of(year, month, last)[1])


def _day_behind(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the days of "May 3", "May the 3rd", "May 3, 2023" or "May 3-9", whose month is at an item."""
    place = index + 1
    if reader.word(place) == "." and len(reader.word(index)) <= 4:
        place += 1
    has_article = reader.kind(place) is Kind.THE
    place = reader.skip(place, Kind.THE)
    first = _day_number(reader, place)
    if first is None or (has_article and not _is_ordinal(reader, place)):
        return None
    is_ordinal, last, place = _is_ordinal(reader, place), first, place + 1
    if _joins(reader, place) and reader.kind(place + 2) is not Kind.MONTH:
        ending = _day_number(reader, place + 1)
        if ending is not None and ending > first:
            last, place = ending, place + 2
    in_year = _days(reader.value(index), first, last)
    is_sure = is_ordinal or last != first or lead is Lead.ON or year_behind(reader, place) or reader.ends_at(place)
    return yearly(reader, index, place, in_year) if is_sure else None


def _joins(reader: Reader, index: int) -> bool:
    return reader.word(index) in SIGNS or reader.kind(index) in (Kind.TO, Kind.UNTIL, Kind.AND)


def _day_before(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the days of "3 May", "the 3rd of May 2023", "3. Mai" or "3 to 9 May", whose day is at an item."""
    first = _day_number(reader, index)
    if first is None:
        return None
    place = _behind_day(reader, index)
    last = first
    if _joins(reader, place):
        place = reader.skip(place + 1, Kind.THE)
        ending = _day_number(reader, place)
        if ending is None or ending <= first:
            return None
        last, place = ending, _behind_day(reader, place)
    has_of = reader.kind(place) is Kind.OF
    month = reader.skip(place, Kind.OF)
    if reader.kind(month) is not Kind.MONTH:
        return None
    stop = month + 1
    if reader.word(stop) == "." and len(reader.word(month)) <= 4 and year_behind(reader, stop + 1):
        stop += 1
    is_sure = has_of or last != first or lead is not Lead.NONE or _is_ordinal(reader, index)
    if not is_sure and reader.is_weak(month) and not year_behind(reader, stop) and reader.word(stop).isalnum():
        return None  # "18 may be enough"
    return yearly(reader, index, stop, _days(reader.value(month), first, last))


def _behind_day(reader: Reader, index: int) -> int:
    """Return the index behind a day's number and the dot that some languages write after it."""
    return index + 2 if reader.word(index + 1) == "." else index + 1


def _day_of_month(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the day of "on the 5th" or "the 5th of last month", whose day is at an item."""
    number = _day_number(reader, index)
    if number is None or not reader.items[index].is_ordinal or reader.kind(index - 1) is not Kind.THE:
        return None
    behind = reader.skip(index + 1, Kind.OF, Kind.THE)
    named = which_unit(reader, behind)
    if named is not None and named[0] is Unit.MONTH:
        month = unit_from(reader.now, Unit.MONTH, named[1])[0]
        return Reference(day_of(month.year, month.month, number), named[2])
    if lead in (Lead.NONE, Lead.IN) or reader.word(index + 1).isalnum():
        return None
    month = unit_at(reader.now, Unit.MONTH)[0]
    if number > reader.now.day:
        month = shifted(month, Unit.MONTH, -1)
    return None if reader.is_content else Reference(day_of(month.year, month.month, number), index + 1)


def _month(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the month of "May 2023" or "in May"."""
    month = reader.value(index)
    behind = index + 1
    if reader.word(behind) == "." and len(reader.word(index)) <= 4:
        behind += 1

    def in_year(year: int) -> Span:
        return month_of(year, month)

    if named := year_behind(reader, behind, is_month=True):
        return Reference(in_year(named[0]), named[1])
    if lead in (Lead.NONE, Lead.ON) and not (reader.is_alone(index, index + 1) and not reader.is_weak(index)):
        return None
    if not reader.ends_at(index + 1) and (reader.is_weak(index) or reader.word(index + 1) == "s"):
        return None
    span = reader.span_in_year(index, in_year)
    return None if span is None else Reference(span, index + 1, in_year)
