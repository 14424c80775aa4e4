"""Atoms: times that are no part of another one, and begin with no preposition."""

from collections.abc import Callable

from memoryd_server.retrieval.time.grammar import recurring, relative
from memoryd_server.retrieval.time.grammar.dated import Lead, date_at, year_at
from memoryd_server.retrieval.time.grammar.lexicon import Kind, Tense
from memoryd_server.retrieval.time.grammar.reader import Reader, Reference
from memoryd_server.retrieval.time.grammar.unit import DAY, Unit, unit_at, unit_from


def atom_at(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the time that begins at an item and is no part of another one."""
    kind = reader.kind(index)
    for read in _READERS.get(kind, ()) if kind is not None else ():
        if found := read(reader, index, lead):
            return found
    return None


def _year(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the year at an item, which needs no preposition if it is all of the text."""
    return year_at(reader, index, Lead.IN if reader.is_alone(index, index + 1) else lead)


def _unit(reader: Reader, index: int, lead: Lead) -> Reference | None:
    """Return the time of a unit that begins at an item: "the year 2024", "the week of May 5", "the weekend"."""
    unit = reader.items[index].value
    if found := relative.before_last_at(reader, index) or relative.near_at(reader, index):
        return found
    if unit is Unit.YEAR:
        return year_at(reader, index + 1, Lead.IN)
    if reader.kind(index + 1) is Kind.OF and unit in (Unit.WEEK, Unit.WEEKEND):
        place = reader.skip(index + 1, Kind.OF, Kind.THE)
        day = date_at(reader, place, Lead.ON)
        if day is not None and day.span[1] - day.span[0] == DAY:
            return Reference(unit_at(day.span[0], unit), day.stop)
        return None
    is_one = not reader.word(index).endswith("s")
    if unit is Unit.WEEKEND and is_one and lead is not Lead.NONE and reader.ends_at(index + 1):
        return _weekend(reader, index)
    return None


def _weekend(reader: Reader, index: int) -> Reference | None:
    """Return the last weekend that has begun, or the next one in the future."""
    last = unit_at(reader.now, Unit.WEEKEND)
    if last[0] > reader.now:
        last = unit_from(reader.now, Unit.WEEKEND, -1)
    tense = reader.tense_at(index)
    if reader.is_content and tense in (Tense.UNKNOWN, Tense.PRESENT):
        return None
    if tense is Tense.FUTURE:
        last = last[0] + 7 * DAY, last[1] + 7 * DAY
    return Reference(last, index + 1)


def _without_lead(read: Callable[[Reader, int], Reference | None]) -> "_Read":
    return lambda reader, index, _: read(reader, index)


_Read = Callable[[Reader, int, Lead], Reference | None]

_NUMBERED: tuple[_Read, ...] = (
    _without_lead(relative.ago_at),
    _without_lead(relative.rolling_at),
    date_at,
    recurring.quarter_at,
    _year,
)
_YEARLY: tuple[_Read, ...] = (
    _without_lead(recurring.month_which_at),
    date_at,
    recurring.season_at,
    recurring.holiday_at,
)
_READERS: dict[Kind, tuple[_Read, ...]] = {
    Kind.WHICH: tuple(
        map(_without_lead, (relative.rolling_at, relative.near_at, relative.part_of_today_at, recurring.which_at))
    ),
    Kind.DAY: (_without_lead(relative.day_word_at),),
    Kind.UNIT: (_unit,),
    **dict.fromkeys((Kind.NUMERAL, Kind.ORDINAL, Kind.NUMBER, Kind.HALF, Kind.AGO_BEFORE), _NUMBERED),
    Kind.DATE: (date_at,),
    **dict.fromkeys((Kind.MONTH, Kind.SEASON, Kind.HOLIDAY), _YEARLY),
    Kind.WEEKDAY: (recurring.weekday_at,),
    Kind.QUARTER: (recurring.quarter_at,),
    Kind.DECADE: (recurring.decade_at,),
    Kind.RECENT: (_without_lead(relative.recent_at),),
    Kind.FEW_DAYS_AGO: (_without_lead(relative.few_days_ago_at),),
}
"""For each kind of item the ways in which a time may begin there, tried in this order."""
