"""The dates of memories in UTC, as columns in which the words of a date are searched."""

import re
from datetime import UTC, datetime, timedelta

import numpy as np

from memoryd_server.retrieval.column import Column, Mask, size_of
from memoryd_server.retrieval.text.term import terms_of

_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"

MONTHS = {name: number for number, name in enumerate(_MONTHS.split(), 1)}
WEEKDAYS = {name: number for number, name in enumerate(_WEEKDAYS.split())}

_MONTH_TERMS = dict(zip(terms_of(_MONTHS), MONTHS.values(), strict=True))
_WEEKDAY_TERMS = dict(zip(terms_of(_WEEKDAYS), WEEKDAYS.values(), strict=True))

_NUMBER = re.compile(r"[0-9]{1,4}")
_DAYS = range(1, 32)
_YEARS = range(1900, 2101)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_of(moment_ns: int) -> datetime:
    """Return the datetime of nanoseconds since the Unix epoch, to the microsecond. Any 64-bit value is in its range."""
    return _EPOCH + timedelta(microseconds=moment_ns // 1_000)


def moment_of(time: datetime) -> int:
    """Return the nanoseconds since the Unix epoch of a time."""
    return (time - _EPOCH) // timedelta(microseconds=1) * 1_000


class Calendar:
    """The year, month, day and weekday of each row."""

    def __init__(self) -> None:
        self._years = Column(np.int16)
        self._months = Column(np.int8)
        self._days = Column(np.int8)
        self._weekdays = Column(np.int8)

    @property
    def size_bytes(self) -> int:
        """The size of the columns in memory."""
        return size_of(self._columns)

    def add(self, row: int, occur_time: int) -> None:
        """Set the date of a row. ``occur_time`` is in nanoseconds since the Unix epoch."""
        for column in self._columns:
            column.reserve(row + 1)
        time = time_of(occur_time)
        self._years.values[row] = time.year
        self._months.values[row] = time.month
        self._days.values[row] = time.day
        self._weekdays.values[row] = time.weekday()

    def rows_of(self, term: str, rows: int) -> Mask | None:
        """Return a mask of the first ``rows`` rows whose date the term may name; None if it names no part of a date."""
        named = self._part_of(term)
        return None if named is None else np.equal(named[0].values[:rows], named[1])

    def has(self, row: int, term: str) -> bool:
        """Return True if the term may name the date of a row."""
        named = self._part_of(term)
        return named is not None and bool(named[0].values[row] == named[1])

    def _part_of(self, term: str) -> tuple[Column[np.int8] | Column[np.int16], int] | None:
        """Return the column of the part of a date that a term may name, and that part's number."""
        if term in _MONTH_TERMS:
            return self._months, _MONTH_TERMS[term]
        if term in _WEEKDAY_TERMS:
            return self._weekdays, _WEEKDAY_TERMS[term]
        number = int(term) if _NUMBER.fullmatch(term) else 0
        if number in _DAYS:
            return self._days, number
        return (self._years, number) if number in _YEARS else None

    @property
    def _columns(self) -> tuple[Column[np.int16], Column[np.int8], Column[np.int8], Column[np.int8]]:
        return self._years, self._months, self._days, self._weekdays


def names_date(term: str) -> bool:
    """Return True if a term may name a part of a date."""
    return term in _MONTH_TERMS or term in _WEEKDAY_TERMS or _NUMBER.fullmatch(term) is not None
