"""Time phrases: the words of a query that name a time ("last week", "in May 2023"), and that time. English, UTC."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec

from memoryd_server.retrieval.calendar import MONTHS, WEEKDAYS, moment_of, time_of

_DAY = timedelta(days=1)
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "a couple of": 2,
    "three": 3,
    "a few": 3,
    "four": 4,
    "five": 5,
    "six": 6,
}
_MONTH = "|".join(MONTHS)
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"

_Span = tuple[datetime, datetime]


class TimePhrase(msgspec.Struct, frozen=True):
    """Words of a query, and the time that they name: nanoseconds since the Unix epoch, the end exclusive."""

    text: str
    start: int
    end: int


def time_phrase_in(query: str, now: int) -> TimePhrase | None:
    """Return the first phrase in a query that names a time; None if there is none. ``now`` is as in Query."""
    text, time = query.lower(), time_of(now)
    found = [(match, span) for pattern, span in _PHRASES for match in [pattern.search(text)] if match]
    for match, span in sorted(found, key=lambda pair: (pair[0].start(), -pair[0].end())):
        try:
            start, end = span(match, time)
            return TimePhrase(match[0], moment_of(start), moment_of(end))
        except (ValueError, OverflowError):
            continue  # no such day, or beyond datetime's range
    return None


def _day(time: datetime) -> _Span:
    start = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return start, start + _DAY


def _week(time: datetime) -> _Span:
    start = _day(time - time.weekday() * _DAY)[0]
    return start, start + 7 * _DAY


def _month(year: int, month: int) -> _Span:
    """Return a month. Its number may be less than 1 or more than 12: it continues into other years."""
    years, month = divmod(month - 1, 12)
    after = divmod(year * 12 + years * 12 + month + 1, 12)
    return datetime(year + years, month + 1, 1, tzinfo=UTC), datetime(after[0], after[1] + 1, 1, tzinfo=UTC)


def _year(year: int) -> _Span:
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _shifted(time: datetime, unit: str, by: int) -> _Span:
    """Return the day, week, month, year or weekend that is ``by`` of them after the one of ``time``."""
    if unit == "day":
        return _day(time + by * _DAY)
    if unit == "week":
        return _week(time + 7 * by * _DAY)
    if unit == "weekend":
        end = _week(time + 7 * by * _DAY)[1]
        return end - 2 * _DAY, end
    return _month(time.year, time.month + by) if unit == "month" else _year(time.year + by)


def _near_day(match: re.Match[str], time: datetime) -> _Span:
    return _day(time + {"tomorrow": 1, "today": 0, "tonight": 0}.get(match[0], -1) * _DAY)


def _near_unit(match: re.Match[str], time: datetime) -> _Span:
    return _shifted(time, match[2], {"last": -1, "this": 0, "next": 1}[match[1]])


def _ago(match: re.Match[str], time: datetime) -> _Span:
    number = _NUMBERS.get(match[1]) or int(match[1])
    return _shifted(time, match[2], -number)


def _weekday(match: re.Match[str], time: datetime) -> _Span:
    """Return the last such weekday before today."""
    back = (time.weekday() - WEEKDAYS[match[1]] - 1) % 7 + 1
    return _day(time - back * _DAY)


def _date(year: str | None, month: str, day: str, time: datetime) -> _Span:
    """Return the day of a date. A date without a year is the last one that has begun."""
    number = int(re.match(r"\d+", day)[0])  # type: ignore[index] # it begins with a digit
    start = datetime(int(year) if year else time.year, MONTHS[month], number, tzinfo=UTC)
    if not year and start > time:
        start = start.replace(year=start.year - 1)
    return _day(start)


def _last_month(match: re.Match[str], time: datetime) -> _Span:
    """Return the last month of this name that has begun."""
    return _month(time.year - (MONTHS[match[1]] > time.month), MONTHS[match[1]])


_PHRASES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], _Span]], ...] = (
    (re.compile(r"\b(?:today|tonight|yesterday|last night|tomorrow)\b"), _near_day),
    (re.compile(r"\b(last|this|next) (week|weekend|month|year)\b"), _near_unit),
    (re.compile(rf"\b(\d{{1,3}}|{'|'.join(_NUMBERS)}) (day|week|month|year)s? ago\b"), _ago),
    (re.compile(rf"\b(?:last|on) ({'|'.join(WEEKDAYS)})\b"), _weekday),
    (
        re.compile(rf"\b({_ORDINAL})(?: of)? ({_MONTH})\b(?:,? (\d{{4}})\b)?"),
        lambda match, time: _date(match[3], match[2], match[1], time),
    ),
    (
        re.compile(rf"\b({_MONTH}) ({_ORDINAL})\b(?:,? (\d{{4}})\b)?"),
        lambda match, time: _date(match[3], match[1], match[2], time),
    ),
    (
        re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b"),
        lambda match, _: _day(datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)),
    ),
    (
        re.compile(rf"\b({_MONTH}),? (?:of )?(\d{{4}})\b"),
        lambda match, _: _month(int(match[2]), MONTHS[match[1]]),
    ),
    (re.compile(rf"\b(?:in|during|since|until|last) ({_MONTH})\b(?!,? (?:of )?\d)"), _last_month),
    (re.compile(r"\b(?:in|during|since|until|of) ((?:19|20)\d\d)\b"), lambda match, _: _year(int(match[1]))),
)
