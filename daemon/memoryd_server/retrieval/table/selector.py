"""The selection of memories by a filter alone, without words and vectors."""

from collections.abc import Iterable, Sequence

import numpy as np

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.table.memory_table import MemoryTable

_BY_ID = {ListOrder.ID: False, ListOrder.ID_DESCENDING: True}
_DESCENDING = frozenset({ListOrder.CREATE_TIME_DESCENDING, ListOrder.UPDATE_TIME_DESCENDING})
_BY_CREATION = frozenset({ListOrder.CREATE_TIME, ListOrder.CREATE_TIME_DESCENDING})


class Selector:
    """Implements ``MemorySelector`` in NumPy arrays."""

    def __init__(self) -> None:
        self._table = MemoryTable()

    @property
    def size_bytes(self) -> int:
        """The estimated size of the index in memory, without the memories themselves."""
        return self._table.size_bytes

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Add memories, replacing those with the same ids."""
        for indexed in memories:
            row = self._table.rows.get(indexed.memory.memory_id)
            if row is None:
                self._table.add(indexed)
            else:
                self._table.replace(row, indexed)

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Remove memories. An id that is not in the index is ignored."""
        for memory_id in memory_ids:
            row = self._table.rows.get(memory_id)
            if row is not None:
                self._table.remove(row)

    def select(self, chosen: RecordFilter, order: ListOrder) -> Sequence[Memory]:
        """Return the memories that a filter keeps, in an order."""
        rows = np.flatnonzero(self._table.passing(chosen))
        if order in _BY_ID:
            found = map(self._table.memory_at, rows.tolist())
            return sorted(found, key=lambda each: each.memory_id, reverse=_BY_ID[order])
        times = self._table.create_times if order in _BY_CREATION else self._table.update_times
        ordered = rows[np.lexsort((self._table.sequences.values[rows], times.values[rows]))]
        if order in _DESCENDING:
            ordered = ordered[::-1]
        return [self._table.memory_at(row) for row in ordered.tolist()]
