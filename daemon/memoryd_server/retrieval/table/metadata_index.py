"""The metadata of the indexed memories: which rows have which value at which path."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from memoryd_server.domain.values.json_key import JsonKey, json_key_of
from memoryd_server.domain.values.metadata_condition import MetadataCondition, Path, metadata_of
from memoryd_server.retrieval.column import Mask
from memoryd_server.retrieval.table.metadata_values import MetadataValues, Rows

LEAVES_MAX = 16
"""Maximum number of values of one memory's metadata that are indexed."""

KEY_CHARACTERS_MAX = 128
"""Maximum length of an indexed value, and of the keys of its path together."""

_CONTAINER = ""
"""Stands for a list or an object, whose elements are not indexed. No value has this key."""

_ENTRY_BYTES = 150
"""Size of the objects of one value of one row: measured, for values that few rows share."""


class MetadataIndex:
    """Finds rows by the values of their metadata.

    Metadata with too many or too long values are not indexed: their rows are always candidates. Metadata are read when
    a condition first asks for any.
    """

    def __init__(self) -> None:
        self._paths: dict[Path, MetadataValues] = {}
        self._unindexed: set[int] = set()
        self._unread: dict[int, str] = {}
        self._count = 0

    @property
    def size_bytes(self) -> int:
        """The estimated size of the index in memory."""
        return _ENTRY_BYTES * (self._count + len(self._unindexed) + len(self._unread))

    def add(self, row: int, metadata_json: str) -> None:
        """Add the metadata of a row, which must not be there yet."""
        if metadata_json:
            self._unread[row] = metadata_json

    def _read(self, row: int, metadata_json: str) -> None:
        leaves = _leaves_of(metadata_json)
        if leaves is None:
            self._unindexed.add(row)
            return
        for path, key in leaves:
            self._paths.setdefault(path, MetadataValues()).add(key, row)
        self._count += len(leaves)

    def remove(self, row: int, metadata_json: str) -> None:
        """Remove the metadata of a row, as they were added."""
        if not metadata_json or self._unread.pop(row, None) is not None:
            return
        leaves = _leaves_of(metadata_json)
        if leaves is None:
            self._unindexed.discard(row)
            return
        for path, key in leaves:
            values = self._paths[path]
            values.remove(key, row)
            if not values:
                del self._paths[path]
        self._count -= len(leaves)

    def find(self, condition: MetadataCondition, row_count: int) -> tuple[Mask, Mask]:
        """Return a mask of the rows that meet a condition, and one of those that must be checked: they may meet it."""
        while self._unread:
            self._read(*self._unread.popitem())
        met: Mask = np.zeros(row_count, np.bool_)
        unsure: Mask = np.zeros(row_count, np.bool_)
        unsure[list(self._unindexed)] = True
        values = self._paths.get(condition.path) or MetadataValues()
        if condition.exists is not None:
            _set(met, values.all_rows())
            if not condition.exists:
                met = ~met & ~unsure
        elif condition.range is not None:
            _set(met, values.rows_within(condition.range))
        else:
            _set(met, values.rows_of(condition.equals))
            if condition.contains is not None or any(map(_is_container, condition.equals)):
                _set(unsure, values.rows_of((_CONTAINER,)))
        return met, unsure


def _set(mask: Mask, found: Iterable[Rows]) -> None:
    single: list[int] = []
    for rows in found:
        if isinstance(rows, int):
            single.append(rows)
        else:
            mask[list(rows)] = True
    mask[single] = True


def _is_container(key: JsonKey) -> bool:
    return isinstance(key, str) and key.startswith(("[", "{"))


def _leaves_of(metadata_json: str) -> list[tuple[Path, JsonKey]] | None:
    """Return the values of metadata with their paths, each once; None if they are too many or too long."""
    leaves: dict[tuple[Path, JsonKey], None] = {}
    for path, key in _values_in((), metadata_of(metadata_json)):
        is_short = sum(map(len, path)) <= KEY_CHARACTERS_MAX
        if not is_short or len(leaves) == LEAVES_MAX or (isinstance(key, str) and len(key) > KEY_CHARACTERS_MAX):
            return None
        leaves[path, key] = None
    return list(leaves)


def _values_in(path: Path, value: Any) -> Iterator[tuple[Path, JsonKey]]:
    if isinstance(value, dict):
        if path:
            yield path, _CONTAINER
        for key, each in value.items():
            yield from _values_in((*path, key), each)
    else:
        yield path, _CONTAINER if isinstance(value, list) else json_key_of(value)
