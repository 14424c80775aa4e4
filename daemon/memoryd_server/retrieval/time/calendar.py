"""The dates of memories in UTC, as columns in which the words of a date are searched."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Column, Mask, size_of
from memoryd_server.retrieval.text.term import terms_of
from memoryd_server.retrieval.time.mention import Mention
from memoryd_server.retrieval.time.mention_table import MentionTable
from memoryd_server.retrieval.time.moment import time_of

_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"

_MONTH_TERMS = {term: number for number, term in enumerate(terms_of(_MONTHS), 1)}
_WEEKDAY_TERMS = {term: number for number, term in enumerate(terms_of(_WEEKDAYS))}

_NUMBER = re.compile(r"[0-9]{1,4}")
_DAYS = range(1, 32)
_YEARS = range(1900, 2101)


class Calendar:
    """The year, month, day and weekday of each row, and of the times that its content mentions.

    ``mentions`` are these times. A mention has the parts of a date that all of its days share.
    """

    def __init__(self) -> None:
        self.mentions = MentionTable()
        self._years = Column(np.int16)
        self._months = Column(np.int8)
        self._days = Column(np.int8)
        self._weekdays = Column(np.int8)
        self._columns: dict[str, Column[np.int16] | Column[np.int8]] = {
            "year": self._years,
            "month": self._months,
            "day": self._days,
            "weekday": self._weekdays,
        }

    @property
    def size_bytes(self) -> int:
        """The size of the columns in memory."""
        return size_of(self._columns.values()) + self.mentions.size_bytes

    def add(self, row: int, occur_time: int, mentions: list[Mention]) -> None:
        """Set the date of a row, and what its content mentions. ``occur_time`` is in ns since the Unix epoch."""
        for column in self._columns.values():
            column.reserve(row + 1)
        time = time_of(occur_time)
        self._years.values[row] = time.year
        self._months.values[row] = time.month
        self._days.values[row] = time.day
        self._weekdays.values[row] = time.weekday()
        self.mentions.set(row, mentions)

    def saved(self, rows: int) -> dict[str, NDArray[Any]]:
        """Return the dates of the first rows, and all mentions, in the form of a saved index."""
        dates = {f"rows.{name}": column.values[:rows] for name, column in self._columns.items()}
        return {**dates, **self.mentions.saved()}

    def load(self, table: Mapping[str, NDArray[Any]], kept: Mask) -> None:
        """Fill an empty calendar with those rows of a saved one that a mask keeps."""
        for name, column in self._columns.items():
            column.load(np.where(kept, table[f"rows.{name}"], 0))
        self.mentions.load(table, kept)

    def remove(self, row: int) -> None:
        """Remove what the content of a row mentions."""
        self.mentions.set(row, [])

    def names_date(self, term: str) -> bool:
        """Return True if the term may name a part of a date."""
        return _part_of(term) is not None

    def rows_of(self, term: str, rows: int) -> Mask | None:
        """Return a mask of the first ``rows`` rows that have a date that the term may name; None if it names none."""
        part = _part_of(term)
        if part is None:
            return None
        name, number = part
        mask: Mask = np.equal(self._columns[name].values[:rows], number)
        mask[self.mentions.rows_with(name, number)] = True
        return mask

    def has(self, row: int, term: str) -> bool:
        """Return True if the term may name a date of a row."""
        part = _part_of(term)
        if part is None:
            return False
        name, number = part
        return bool(self._columns[name].values[row] == number) or self.mentions.has(row, name, number)


def _part_of(term: str) -> tuple[str, int] | None:
    """Return the part of a date that a term may name, and its number."""
    if term in _MONTH_TERMS:
        return "month", _MONTH_TERMS[term]
    if term in _WEEKDAY_TERMS:
        return "weekday", _WEEKDAY_TERMS[term]
    number = int(term) if _NUMBER.fullmatch(term) else 0
    if number in _DAYS:
        return "day", number
    return ("year", number) if number in _YEARS else None
