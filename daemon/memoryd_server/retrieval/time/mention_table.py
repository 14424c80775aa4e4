"""The times that the contents of rows mention, in columns with one place for each mention."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.column import Column, Mask, Rows, size_of
from memoryd_server.retrieval.time.mention import Mention, days_of

_NONE = -1
"""The number of a part of a date that the days of a mention do not share."""

_ROW_BYTES = 130
"""Estimated size of a row with mentions in the map of places."""


class MentionTable:
    """The mentions of rows. The last mention takes the place of one that is removed."""

    def __init__(self) -> None:
        self._rows = Column(np.intp)
        self._starts = Column(np.int64)
        self._ends = Column(np.int64)
        self._firsts = Column(np.int32)
        self._lasts = Column(np.int32)
        self._parts = {
            "year": Column(np.int16),
            "month": Column(np.int16),
            "day": Column(np.int16),
            "weekday": Column(np.int16),
        }
        self._columns: tuple[Column[Any], ...] = (
            self._rows,
            self._starts,
            self._ends,
            self._firsts,
            self._lasts,
            *self._parts.values(),
        )
        self._places: dict[int, list[int]] = {}
        self._count = 0

    @property
    def size_bytes(self) -> int:
        """The estimated size of the table in memory."""
        return size_of(self._columns) + _ROW_BYTES * len(self._places)

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return all mentions in the form of a saved index."""
        return {name: column.values[: self._count] for name, column in self._named_columns()}

    def load(self, table: Mapping[str, NDArray[Any]], kept: Mask) -> None:
        """Fill an empty table with the mentions of those rows of a saved one that a mask keeps."""
        of_kept = kept[table["mentions.row"]]
        for name, column in self._named_columns():
            column.load(table[name][of_kept])
        self._count = int(np.count_nonzero(of_kept))
        for place, row in enumerate(self._rows.values[: self._count].tolist()):
            self._places.setdefault(row, []).append(place)

    def set(self, row: int, mentions: list[Mention]) -> None:
        """Replace the mentions of a row."""
        if row in self._places:
            for place in sorted(self._places.pop(row), reverse=True):
                self._free(place)
        if mentions:
            self._places[row] = [self._add(row, mention) for mention in mentions]

    def at(self, row: int) -> Iterator[Mention]:
        """Yield the mentions of a row, in the order of its content."""
        for place in sorted(self._places.get(row, ()), key=lambda each: int(self._firsts.values[each])):
            yield Mention(
                int(self._starts.values[place]),
                int(self._ends.values[place]),
                int(self._firsts.values[place]),
                int(self._lasts.values[place]),
            )

    def rows_within(self, start: int | None, end: int | None) -> Rows:
        """Return the rows with a mention of which at least half is within a span; None is an open end.

        A mention of a whole year is therefore not of each of its days.
        """
        starts, ends = self._starts.values[: self._count], self._ends.values[: self._count]
        # In floating point, since the length of a span in nanoseconds may exceed 64 bits.
        first, last = starts.astype(np.float64), ends.astype(np.float64)
        common = np.minimum(last, np.inf if end is None else end) - np.maximum(
            first, -np.inf if start is None else start
        )
        rows: Rows = self._rows.values[: self._count][2 * common >= last - first]
        return rows

    def rows_with(self, part: str, number: int) -> Rows:
        """Return the rows with a mention that has a number as its year, month, day or weekday."""
        rows: Rows = self._rows.values[: self._count][self._parts[part].values[: self._count] == number]
        return rows

    def has(self, row: int, part: str, number: int) -> bool:
        """Return True if a row has such a mention."""
        values = self._parts[part].values
        return any(values[place] == number for place in self._places.get(row, ()))

    def _named_columns(self) -> Iterator[tuple[str, Column[Any]]]:
        names = ("row", "start", "end", "first", "last", *self._parts)
        return ((f"mentions.{name}", column) for name, column in zip(names, self._columns, strict=True))

    def _add(self, row: int, mention: Mention) -> int:
        place = self._count
        self._count += 1
        for column in self._columns:
            column.reserve(self._count)
        self._rows.values[place] = row
        self._starts.values[place], self._ends.values[place] = mention.start, mention.end
        self._firsts.values[place], self._lasts.values[place] = mention.first, mention.last
        for name, number in _parts_of(mention).items():
            self._parts[name].values[place] = number
        return place

    def _free(self, place: int) -> None:
        self._count -= 1
        last = self._count
        if place == last:
            return
        for column in self._columns:
            column.values[place] = column.values[last]
        places = self._places[int(self._rows.values[place])]
        places[places.index(last)] = place


def _parts_of(mention: Mention) -> dict[str, int]:
    """Return the parts of a date that all days of a mention share."""
    first, last = days_of(mention)
    is_year = first.year == last.year
    is_month = is_year and first.month == last.month
    is_day = is_month and first.day == last.day
    return {
        "year": first.year if is_year else _NONE,
        "month": first.month if is_month else _NONE,
        "day": first.day if is_day else _NONE,
        "weekday": first.weekday() if is_day else _NONE,
    }
