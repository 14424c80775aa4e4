"""Units of the calendar, and the arithmetic with them. A span is half-open: its end is exclusive."""

from datetime import datetime, timedelta
from enum import Enum, auto

DAY = timedelta(days=1)

Span = tuple[datetime, datetime]


class Unit(Enum):
    """A unit in which times are named."""

    MINUTE = auto()
    HOUR = auto()
    DAY = auto()
    WEEKEND = auto()
    WEEK = auto()
    FORTNIGHT = auto()
    MONTH = auto()
    QUARTER = auto()
    HALF = auto()
    YEAR = auto()
    DECADE = auto()
    CENTURY = auto()


_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12, Unit.DECADE: 120, Unit.CENTURY: 1200}
_LENGTHS = {
    Unit.MINUTE: timedelta(minutes=1),
    Unit.HOUR: timedelta(hours=1),
    Unit.DAY: DAY,
    Unit.WEEKEND: 7 * DAY,
    Unit.WEEK: 7 * DAY,
    Unit.FORTNIGHT: 14 * DAY,
}


def midnight(time: datetime) -> datetime:
    """Return the beginning of a day."""
    return time.replace(hour=0, minute=0, second=0, microsecond=0)


def shifted(time: datetime, unit: Unit, by: int) -> datetime:
    """Return the time that is ``by`` units after another. A day that a month does not have becomes its last one."""
    if unit in _LENGTHS:
        return time + by * _LENGTHS[unit]
    years, month = divmod(time.year * 12 + time.month - 1 + by * _MONTHS[unit], 12)
    for day in range(time.day, 27, -1):
        try:
            return time.replace(year=years, month=month + 1, day=day)
        except ValueError:
            continue  # no such day
    return time.replace(year=years, month=month + 1)


def unit_at(time: datetime, unit: Unit) -> Span:
    """Return the unit of the calendar that has a time. A week begins on Monday; the weekend is that of its week."""
    start = midnight(time)
    if unit is Unit.MINUTE:
        start = time.replace(second=0, microsecond=0)
    elif unit is Unit.HOUR:
        start = time.replace(minute=0, second=0, microsecond=0)
    elif unit in (Unit.WEEK, Unit.WEEKEND, Unit.FORTNIGHT):
        start -= start.weekday() * DAY
    elif unit in _MONTHS:
        size = _MONTHS[unit]
        years, month = divmod((start.year * 12 + start.month - 1) // size * size, 12)
        start = start.replace(year=years, month=month + 1, day=1)
    end = shifted(start, unit, 1)
    return (end - 2 * DAY, end) if unit is Unit.WEEKEND else (start, end)


def unit_from(time: datetime, unit: Unit, by: int) -> Span:
    """Return the unit of the calendar that is ``by`` of them after the one of a time."""
    return unit_at(shifted(time if unit in _LENGTHS else time.replace(day=1), unit, by), unit)


def month_of(year: int, month: int, months: int = 1) -> Span:
    """Return a month, or several that begin with it."""
    start = datetime(year, month, 1)
    return start, shifted(start, Unit.MONTH, months)


def day_of(year: int, month: int, day: int, days: int = 1) -> Span:
    """Return a day, or several that begin with it. Raises ValueError if there is no such day."""
    start = datetime(year, month, day)
    return start, start + days * DAY


def third_of(span: Span, number: int) -> Span:
    """Return the first, second or third part of a span (``number`` 0, 1 or 2), in whole months or whole days."""
    start, end = span
    months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1 and months >= len(_THIRDS):
        places = [months * third // len(_THIRDS) for third in range(len(_THIRDS) + 1)]
        return shifted(start, Unit.MONTH, places[number]), shifted(start, Unit.MONTH, places[number + 1])
    days = (end - start) // DAY
    if days >= _THIRDS_OF_MONTH_DAYS:
        return start + 10 * number * DAY, end if number == len(_THIRDS) - 1 else start + 10 * (number + 1) * DAY
    places = [0, 2, 4, days] if days == len(_DAYS) else [round(days * third / len(_THIRDS)) for third in range(4)]
    return start + places[number] * DAY, start + places[number + 1] * DAY


_THIRDS = ("early", "mid", "late")
_THIRDS_OF_MONTH_DAYS = 28
_DAYS = range(7)
