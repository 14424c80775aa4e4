"""The values at one path of the indexed metadata, with the rows that have them."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator

from memoryd_server.domain.values.json_key import TEXT_SIGN, JsonKey
from memoryd_server.domain.values.metadata_condition import MetadataRange

Rows = int | set[int]
"""The rows that have a value: most values of an id are those of one row, for which a set is a waste."""


class MetadataValues:
    """The rows of each value. The order of the values is kept once a range has asked for it."""

    def __init__(self) -> None:
        self._rows: dict[JsonKey, Rows] = {}
        self._numbers: list[float] | None = None
        self._texts: list[str] | None = None

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, key: JsonKey, row: int) -> None:
        """Add a row that has the value with this key, and did not have it before."""
        rows = self._rows.get(key)
        if rows is None:
            self._rows[key] = row
            self._insert(key)
        elif isinstance(rows, int):
            self._rows[key] = {rows, row}
        else:
            rows.add(row)

    def remove(self, key: JsonKey, row: int) -> None:
        """Remove a row that has the value with this key."""
        rows = self._rows[key]
        if isinstance(rows, int):
            self._delete(key)
            return
        rows.discard(row)
        if not rows:
            self._delete(key)

    def rows_of(self, keys: Iterable[JsonKey]) -> Iterator[Rows]:
        """Yield the rows of each of these values that any row has."""
        return (rows for key in keys if (rows := self._rows.get(key)) is not None)

    def all_rows(self) -> Iterable[Rows]:
        """Return the rows of all values."""
        return self._rows.values()

    def rows_within(self, chosen: MetadataRange) -> Iterator[Rows]:
        """Yield the rows of the values within a range."""
        bound = chosen.end if chosen.start is None else chosen.start
        keys = self._ordered_texts() if isinstance(bound, str) else self._ordered_numbers()
        lower, upper = (TEXT_SIGN + each if isinstance(each, str) else each for each in (chosen.start, chosen.end))
        first = 0 if lower is None else (bisect_left if chosen.has_start else bisect_right)(keys, lower)
        last = len(keys) if upper is None else (bisect_right if chosen.has_end else bisect_left)(keys, upper)
        return (self._rows[key] for key in keys[first:last])

    def _ordered_numbers(self) -> list[float]:
        if self._numbers is None:
            self._numbers = sorted(key for key in self._rows if not isinstance(key, str))
        return self._numbers

    def _ordered_texts(self) -> list[str]:
        if self._texts is None:
            self._texts = sorted(key for key in self._rows if isinstance(key, str) and key.startswith(TEXT_SIGN))
        return self._texts

    def _insert(self, key: JsonKey) -> None:
        if isinstance(key, str):
            if self._texts is not None and key.startswith(TEXT_SIGN):
                insort(self._texts, key)
        elif self._numbers is not None:
            insort(self._numbers, key)

    def _delete(self, key: JsonKey) -> None:
        del self._rows[key]
        if isinstance(key, str):
            if self._texts is not None and key.startswith(TEXT_SIGN):
                del self._texts[bisect_left(self._texts, key)]
        elif self._numbers is not None:
            del self._numbers[bisect_left(self._numbers, key)]
