"""Times that come again: weekdays, seasons, holidays, quarters and decades."""

from memoryd_server.retrieval.time.grammar.dated import SIGNS, Lead, date_at, which_unit, year_behind, yearly
from memoryd_server.retrieval.time.grammar.lexicon import Kind, Tense
from memoryd_server.retrieval.time.grammar.reader import InYear, Reader, Reference
from memoryd_server.retrieval.time.grammar.unit import DAY, Span, Unit, day_of, month_of, shifted, unit_at, unit_from

_DECEMBER = 12
_YEARS_OF_DECADE = 10
_NAMED_DECADES = range(1950, 2101)
"""Decades that are named by two digits or a word: others are more often somebody's age or a temperature."""

_NOT_BEFORE_WEEKDAY = frozenset(
    """
    black good ash cyber taco casual palm super man name named called like likes love loves hate hates about is
    """.split()  # noqa: SIM905 - a list of words is read better than a list of strings
)
"""Words after which a weekday without a preposition is a name."""

_MEASURED = frozenset(
    "degree degrees temperature temperatures temps fahrenheit celsius percent score scores bpm".split()  # noqa: SIM905
)
"""Words of a text in which "the 80s" are no decade."""


def weekday_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the day of "on Monday", "Monday morning", "Monday of last week" or "Friday, May 5"."""
    if reader.kind(index) is not Kind.WEEKDAY:
        return None
    weekday, stop = reader.value(index), index + 1
    if reader.word(stop) == "." and len(reader.word(index)) <= len("thur"):
        stop += 1
    has_part = reader.kind(stop) is Kind.PART_OF_DAY
    stop += has_part
    dated = date_at(reader, reader.skip(stop + (reader.word(stop) == ","), Kind.THE, Kind.AT), Lead.ON)
    if dated is not None and dated.span[1] - dated.span[0] == DAY:
        return dated
    if reader.is_weak(index) and (lead is Lead.NONE or not reader.ends_at(stop)):
        return None
    if lead is Lead.OPEN and not reader.ends_at(stop):
        return None  # "from Monday Street"
    if reader.kind(stop) is Kind.THE and reader.kind(stop + 1) in (Kind.NUMERAL, Kind.ORDINAL):
        return None  # "Friday the 13th"
    if found := _in_week(reader, stop, weekday):
        return found
    is_free = reader.word(index - 1) not in _NOT_BEFORE_WEEKDAY and reader.kind(index - 1) not in (
        Kind.EACH,
        Kind.NUMBER,
    )
    if lead is Lead.NONE and not (is_free and (has_part or _ends_sentence(reader, stop))):
        return None
    span = reader.day_of_week(index, weekday)
    return None if span is None else Reference(span, stop, weekday=weekday)


def _ends_sentence(reader: Reader, index: int) -> bool:
    return not reader.word(index)[:1].isalnum() and reader.word(index) not in SIGNS and not reader.is_next_to(index)


def _in_week(reader: Reader, index: int, weekday: int) -> Reference | None:
    """Return the weekday of the week that stands behind it: "last week", "of next week", "before last"."""
    if reader.lexicon.which_follows and reader.kind(index) is Kind.WHICH:
        return _which_weekday(reader, reader.value(index), weekday, index + 1)
    if reader.kind(index) is Kind.BEFORE and reader.kind(index + 1) is Kind.WHICH and reader.kind(index + 2) is None:
        start, end = reader.last_weekday(weekday)
        return Reference((start - 7 * DAY, end - 7 * DAY), index + 2)
    named = which_unit(reader, reader.skip(index, Kind.OF, Kind.THE, Kind.AT))
    if named is None or named[0] is not Unit.WEEK:
        return None
    start = unit_from(reader.now, Unit.WEEK, named[1])[0] + weekday * DAY
    return Reference((start, start + DAY), named[2])


def _which_weekday(reader: Reader, by: int, weekday: int, stop: int) -> Reference:
    if by:
        return Reference(reader.last_weekday(weekday) if by < 0 else reader.next_weekday(weekday), stop)
    start = unit_at(reader.now, Unit.WEEK)[0] + weekday * DAY
    return Reference((start, start + DAY), stop)


def season_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the season of "summer 2024" or "in the summer". In the present tense it is a habit, and no time."""
    if reader.kind(index) is not Kind.SEASON:
        return None
    in_year, stop = _season(reader.value(index)), index + 1
    if named := year_behind(reader, stop):
        year, after = named
        if reader.word(after) in ("/", *SIGNS) and reader.kind(after + 1) is Kind.NUMERAL:
            after += 2  # "winter 2021/22"
        return Reference(in_year(year), after)
    if lead in (Lead.NONE, Lead.ON) or not reader.ends_at(stop):
        return None
    is_habit = lead is Lead.IN and reader.tense_at(index) in (Tense.PRESENT, Tense.UNKNOWN)
    return None if is_habit else yearly(reader, index, stop, in_year)


def _season(month: int) -> InYear:
    """Return a season in years. The winter of a year begins in it."""
    return lambda year: month_of(year, month, 3)


def holiday_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the days of "at Christmas" or "Christmas 2024"."""
    if reader.kind(index) is not Kind.HOLIDAY:
        return None
    in_year = _holiday(reader, index)
    if named := year_behind(reader, index + 1):
        return Reference(in_year(named[0]), named[1])
    is_led = lead is not Lead.NONE and not (reader.is_weak(index) and lead is not Lead.ON)
    if not reader.ends_at(index + 1) or not (is_led or reader.is_alone(index, index + 1)):
        return None
    return yearly(reader, index, index + 1, in_year)


def _holiday(reader: Reader, index: int) -> InYear:
    month, day, days = reader.items[index].value
    return lambda year: day_of(year, month, day, days)


def which_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "last Monday", "next May", "this summer" or "last Christmas" that begins at an item."""
    if reader.kind(index) is not Kind.WHICH or reader.kind(index - 1) in (Kind.OWN, Kind.EACH):
        return None
    by, place = reader.value(index), index + 1
    kind = reader.kind(place)
    if kind is Kind.WEEKDAY:
        stop = place + 1 + (reader.kind(place + 1) is Kind.PART_OF_DAY)
        if (reader.is_weak(place) and not reader.ends_at(stop)) or _has_owner(reader, stop):
            return None
        return _which_weekday(reader, by, reader.value(place), stop)
    if kind is Kind.MONTH:
        dated = date_at(reader, place, Lead.OPEN)
        return (
            dated if dated is None or dated.in_year is None else _which_in_year(reader, by, dated.in_year, dated.stop)
        )
    if kind in (Kind.SEASON, Kind.HOLIDAY):
        in_year = _season(reader.value(place)) if kind is Kind.SEASON else _holiday(reader, place)
        if not reader.ends_at(place + 1) or (reader.is_weak(place) and kind is Kind.HOLIDAY):
            return None
        return _which_in_year(reader, by, in_year, place + 1, is_over=True)
    return None


def _has_owner(reader: Reader, index: int) -> bool:
    """Return True if "of" or "in" with a month is at an item: "the last Monday of May"."""
    behind = reader.kind(reader.skip(index + 1, Kind.THE))
    return reader.kind(index) in (Kind.OF, Kind.AT, Kind.AHEAD) and behind in (Kind.MONTH, Kind.UNIT)


def month_which_at(reader: Reader, index: int) -> Reference | None:
    """Return the time of "mai dernier" or "el verano pasado" that begins at an item."""
    if not reader.lexicon.which_follows or reader.kind(index + 1) is not Kind.WHICH:
        return None
    if reader.kind(index) is Kind.MONTH:
        month = reader.value(index)
        return _which_in_year(reader, reader.value(index + 1), lambda year: month_of(year, month), index + 2)
    if reader.kind(index) in (Kind.SEASON, Kind.HOLIDAY):
        in_year = _season(reader.value(index)) if reader.kind(index) is Kind.SEASON else _holiday(reader, index)
        return _which_in_year(reader, reader.value(index + 1), in_year, index + 2, is_over=True)
    return None


def _which_in_year(reader: Reader, by: int, in_year: InYear, stop: int, *, is_over: bool = False) -> Reference | None:
    """Return the last, this year's or the next one. The last one has begun or, if ``is_over`` is true, has ended."""
    span: Span | None
    if by < 0:
        span = reader.last_in_year(in_year, reader.now)
        if is_over and span is not None and span[1] > reader.now:
            span = reader.last_in_year(in_year, span[0] - DAY)
    elif by > 0:
        span = reader.next_in_year(in_year, reader.now)
        if span is not None and span[0] <= reader.now:
            span = reader.next_in_year(in_year, span[1])
    else:
        span = in_year(reader.now.year)
        before = in_year(reader.now.year - 1)
        if span[0].month == _DECEMBER and span[0] > shifted(before[1], Unit.QUARTER, 1) > reader.now:
            span = before  # "this winter" until May
    return None if span is None else Reference(span, stop)


def quarter_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the quarter of "Q3 2025", "2025 Q3", or "in Q3", and the half of "H1 2025"."""
    if reader.kind(index) is Kind.NUMERAL and reader.kind(index + 1) is Kind.QUARTER:
        year = reader.value(index)
        is_year = len(reader.word(index)) == 4 and not year_behind(reader, index + 2)
        return Reference(_quarter(reader, index + 1)(year), index + 2) if is_year else None
    if reader.kind(index) is not Kind.QUARTER:
        return None
    in_year = _quarter(reader, index)
    behind = index + 2 if reader.word(index + 1) in ("/", *SIGNS) else index + 1
    if named := year_behind(reader, behind):
        return Reference(in_year(named[0]), named[1])
    is_led = lead in (Lead.IN, Lead.OPEN) or reader.is_alone(index, index + 1)
    return yearly(reader, index, index + 1, in_year) if is_led and reader.ends_at(index + 1) else None


def _quarter(reader: Reader, index: int) -> InYear:
    month, months = reader.items[index].value
    return lambda year: month_of(year, month, months)


def decade_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the decade of "the 90s" or "in the 1980s"."""
    if reader.kind(index) is not Kind.DECADE or reader.kind(index - 1) is Kind.OWN:
        return None
    year, is_long = reader.value(index), reader.word(index)[:4].isdecimal()
    is_led = lead in (Lead.IN, Lead.OPEN) or reader.kind(index - 1) is Kind.THE
    if not is_long and (
        year not in _NAMED_DECADES or not is_led or any(each.word in _MEASURED for each in reader.items)
    ):
        return None
    return Reference((day_of(year, 1, 1)[0], day_of(year + _YEARS_OF_DECADE, 1, 1)[0]), index + 1)
