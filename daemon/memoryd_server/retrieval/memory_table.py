"""The indexed memories, one row each, with the properties that criteria filter by."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.retrieval import Criteria, IndexedMemory
from memoryd_server.retrieval.code import Codes
from memoryd_server.retrieval.column import Column, Mask, size_of
from memoryd_server.retrieval.postings import ROWS_MAX

_ROW_BYTES = 160
"""Size of the objects of a row: measured. The memory itself belongs to the agent's state, and is not counted."""

_TAG_BYTES = 100

Links = tuple[tuple[str, float], ...]


class MemoryTable:
    """Rows of memories. A freed row is used again."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.sequences = Column(np.int64)
        self.occur_times = Column(np.int64)
        self._live = Column(np.bool_)
        self._types = Column(np.int8)
        self._statuses = Column(np.int8)
        self._users = Column(np.int32)
        self._projects = Column(np.int32)
        self._conversations = Column(np.int32)
        self._codes = Codes()
        self._tags: dict[str, set[int]] = {}
        self._tag_count = 0
        self._memories: list[Memory | None] = [None]
        self._links: list[Links] = [()]
        self._free_rows: list[int] = []

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def row_count(self) -> int:
        """The number of rows, including free ones and ROW_NONE."""
        return len(self._memories)

    @property
    def size_bytes(self) -> int:
        """The estimated size of the table in memory, without the memories."""
        return size_of(self._columns) + _ROW_BYTES * self.row_count + _TAG_BYTES * self._tag_count

    def memory_at(self, row: int) -> Memory:
        """Return the memory of a row. The row must have one."""
        memory = self._memories[row]
        assert memory is not None
        return memory

    def links_at(self, row: int) -> Links:
        """Return the ids of the memories linked with that of a row, with their weights."""
        return self._links[row]

    def add(self, indexed: IndexedMemory) -> int:
        """Add a memory, which must not have a row yet. Return its row."""
        row = self._free_rows.pop() if self._free_rows else self._new_row()
        self.rows[indexed.memory.memory_id] = row
        self._live.values[row] = True
        self._fill(row, indexed)
        return row

    def replace(self, row: int, indexed: IndexedMemory) -> None:
        """Replace the memory of a row by one with the same id."""
        self._empty(row)
        self._fill(row, indexed)

    def remove(self, row: int) -> None:
        """Free the row of a memory."""
        del self.rows[self.memory_at(row).memory_id]
        self._empty(row)
        self._live.values[row] = False
        self._free_rows.append(row)

    def passing(self, criteria: Criteria) -> Mask:
        """Return a mask of the rows whose memories pass the criteria."""
        rows = self.row_count
        passing: Mask = self._live.values[:rows].copy()
        if criteria.types:
            passing &= np.isin(self._types.values[:rows], list(criteria.types))
        if criteria.statuses:
            passing &= np.isin(self._statuses.values[:rows], list(criteria.statuses))
        for string, column in (
            (criteria.user_id, self._users),
            (criteria.project_id, self._projects),
            (criteria.conversation_id, self._conversations),
        ):
            if string is not None:
                passing &= column.values[:rows] == self._codes.find(string)
        if criteria.conversation_ids:
            passing &= self._said_in(criteria.conversation_ids)
        if criteria.owner is not None:
            passing &= self._owned_by(*criteria.owner)
        passing &= self._tagged(criteria)
        if criteria.occur_start is not None:
            passing &= self.occur_times.values[:rows] >= criteria.occur_start
        if criteria.occur_end is not None:
            passing &= self.occur_times.values[:rows] < criteria.occur_end
        return passing

    def _fill(self, row: int, indexed: IndexedMemory) -> None:
        memory = indexed.memory
        self._memories[row] = memory
        self._links[row] = indexed.links
        self.sequences.values[row] = memory.sequence
        self.occur_times.values[row] = memory.occur_time
        self._types.values[row] = memory.type
        self._statuses.values[row] = memory.status
        self._users.values[row] = self._codes.hold(memory.user_id)
        self._projects.values[row] = self._codes.hold(memory.project_id)
        self._conversations.values[row] = self._codes.hold(memory.provenance.conversation_id)
        for tag in set(memory.tags):
            self._tags.setdefault(tag, set()).add(row)
            self._tag_count += 1

    def _empty(self, row: int) -> None:
        memory = self.memory_at(row)
        for tag in set(memory.tags):
            self._tags[tag].remove(row)
            if not self._tags[tag]:
                del self._tags[tag]
            self._tag_count -= 1
        for string in (memory.user_id, memory.project_id, memory.provenance.conversation_id):
            self._codes.release(string)
        self._memories[row] = None
        self._links[row] = ()

    def _owned_by(self, user_id: str, project_id: str) -> Mask:
        rows = self.row_count
        owned: Mask = self._users.values[:rows] == self._codes.find(user_id)
        owned &= self._projects.values[:rows] == self._codes.find(project_id)
        return owned

    def _said_in(self, conversation_ids: frozenset[str]) -> Mask:
        codes = [self._codes.find(each) for each in conversation_ids]
        said: Mask = np.isin(self._conversations.values[: self.row_count], codes)
        return said

    def _tagged(self, criteria: Criteria) -> Mask:
        tagged: Mask = np.ones(self.row_count, np.bool_)
        if criteria.all_tags:
            with_all: set[int] = reduce(set.intersection, sorted(self._rows_with(criteria.all_tags), key=len))
            tagged &= self._mask_of(with_all)
        if criteria.any_tags:
            tagged &= self._mask_of(set().union(*self._rows_with(criteria.any_tags)))
        return tagged

    def _rows_with(self, tags: Iterable[str]) -> list[set[int]]:
        return [self._tags.get(tag, set()) for tag in tags]

    def _mask_of(self, rows: Iterable[int]) -> Mask:
        mask: Mask = np.zeros(self.row_count, np.bool_)
        mask[list(rows)] = True
        return mask

    def _new_row(self) -> int:
        row = len(self._memories)
        if row == ROWS_MAX:
            raise OverflowError(f"an index has at most {ROWS_MAX} rows")
        self._memories.append(None)
        self._links.append(())
        for column in self._columns:
            column.reserve(row + 1)
        return row

    @property
    def _columns(self) -> Sequence[Column[Any]]:
        return (
            self.sequences,
            self.occur_times,
            self._live,
            self._types,
            self._statuses,
            self._users,
            self._projects,
            self._conversations,
        )
