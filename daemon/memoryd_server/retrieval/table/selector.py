"""The selection of memories by a filter alone, without words and vectors."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.column import Column
from memoryd_server.retrieval.table.memory_table import MemoryTable


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
        if order.ascending is ListOrder.ID:
            found = map(self._table.memory_at, rows.tolist())
            return sorted(found, key=lambda each: each.memory_id, reverse=order.is_descending)
        columns: dict[ListOrder, Column[Any]] = {
            ListOrder.CREATE_TIME: self._table.create_times,
            ListOrder.UPDATE_TIME: self._table.update_times,
            ListOrder.IMPORTANCE: self._table.importances,
        }
        by = columns[order.ascending]
        ordered = rows[np.lexsort((self._table.sequences.values[rows], by.values[rows]))]
        if order.is_descending:
            ordered = ordered[::-1]
        return [self._table.memory_at(row) for row in ordered.tolist()]
