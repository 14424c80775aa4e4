"""The indexed memories, one row each, with the properties that filters ask for."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryd_server.domain.memories.memory import Memory, MemoryCondition
from memoryd_server.domain.values.metadata_condition import MetadataCondition, metadata_of
from memoryd_server.domain.values.record_filter import EVERY_RECORD, RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.column import ROW_NONE, Column, Mask, Rows, size_of
from memoryd_server.retrieval.table.code import Codes
from memoryd_server.retrieval.table.metadata_index import MetadataIndex
from memoryd_server.retrieval.words.postings import ROWS_MAX

_ROW_BYTES = 160
"""Size of the objects of a row: measured. The memory itself belongs to the agent's state, and is not counted."""

_TAG_BYTES = 100

_SPREADING = 0x9E3779B97F4A7C15
"""Odd factor that spreads successive numbers over 64 bits (Fibonacci hashing)."""

Links = tuple[tuple[str, float], ...]
Rivals = tuple[tuple[str, bool], ...]


class MemoryTable:
    """Rows of memories. A freed row is used again."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.sequences = Column(np.int64)
        self.occur_times = Column(np.int64)
        self.create_times = Column(np.int64)
        self.update_times = Column(np.int64)
        self._live = Column(np.bool_)
        self._sampled = Column(np.bool_)
        self._types = Column(np.int8)
        self._statuses = Column(np.int8)
        self._users = Column(np.int32)
        self._projects = Column(np.int32)
        self._conversations = Column(np.int32)
        self._documents = Column(np.int32)
        self.importances = Column(np.float64)
        self._confidences = Column(np.float64)
        self._values: tuple[tuple[Column[Any], Callable[[Memory], float]], ...] = (
            (self.sequences, attrgetter("sequence")),
            (self.occur_times, attrgetter("occur_time")),
            (self.create_times, attrgetter("create_time")),
            (self.update_times, attrgetter("update_time")),
            (self._types, attrgetter("type")),
            (self._statuses, attrgetter("status")),
            (self.importances, attrgetter("importance")),
            (self._confidences, lambda memory: memory.confidences[-1].value),
        )
        self._coded_strings: tuple[tuple[Column[np.int32], Callable[[Memory], str]], ...] = (
            (self._users, attrgetter("user_id")),
            (self._projects, attrgetter("project_id")),
            (self._conversations, attrgetter("provenance.conversation_id")),
            (self._documents, attrgetter("provenance.document_id")),
        )
        self._codes = Codes()
        self._metadata = MetadataIndex()
        self._tags: dict[str, set[int]] = {}
        self._tag_count = 0
        self._memories: list[Memory | None] = [None]
        self._links: list[Links] = [()]
        self._rivals: dict[int, Rivals] = {}
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
        objects = _ROW_BYTES * self.row_count + _TAG_BYTES * self._tag_count
        return size_of(self._columns) + objects + self._metadata.size_bytes

    def memory_at(self, row: int) -> Memory:
        """Return the memory of a row. The row must have one."""
        memory = self._memories[row]
        assert memory is not None
        return memory

    def links_at(self, row: int) -> Links:
        """Return the ids of the memories linked with that of a row, with their weights."""
        return self._links[row]

    def rivals_at(self, row: int) -> Rivals:
        """Return the ids of the memories that contradict that of a row or supersede it, with whether they supersede."""
        return self._rivals.get(row, ())

    def memory_ids(self) -> list[str]:
        """Return the ids of the memories by their rows, empty for a free row."""
        return ["" if memory is None else memory.memory_id for memory in self._memories]

    def load(self, rows: Rows, memories: Sequence[IndexedMemory], row_count: int) -> None:
        """Fill an empty table of this many rows with memories at some of them, in order. The other rows are free."""
        for column in self._columns:
            column.reserve(row_count)
        there = [indexed.memory for indexed in memories]
        for column, value_of in self._values:
            column.values[rows] = np.fromiter(map(value_of, there), column.values.dtype, len(there))
        for codes, string_of in self._coded_strings:
            codes.values[rows] = self._codes.hold_all(list(map(string_of, there)))
        self._sampled.values[rows] = _are_sampled(self.sequences.values[rows])
        self._live.values[rows] = True
        is_free = ~self._live.values[:row_count]
        is_free[ROW_NONE] = False
        self._free_rows = np.flatnonzero(is_free).tolist()
        self._memories, self._links = [None] * row_count, [()] * row_count
        numbers = rows.tolist()
        self.rows = dict(zip(map(attrgetter("memory_id"), there), numbers, strict=True))
        for row, memory in zip(numbers, there, strict=True):
            self._memories[row] = memory
        for row, indexed in zip(numbers, memories, strict=True):
            if indexed.links or indexed.rivals or indexed.memory.metadata_json or indexed.memory.tags:
                self._hold(row, indexed)

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

    def passing(self, chosen: RecordFilter) -> Mask:
        """Return a mask of the rows whose memories a filter keeps. The salience of its condition is not read."""
        live: Mask = self._live.values[: self.row_count]
        return live.copy() if chosen == EVERY_RECORD else live & self._kept(chosen)

    def is_sampled(self, row_count: int) -> Mask:
        """Return a mask of the first rows: about every 128th, chosen by the memory's sequence and not by its row."""
        return self._sampled.values[:row_count]

    def _kept(self, chosen: RecordFilter) -> Mask:
        """Return a mask of the rows that a filter keeps, of which some may be free."""
        kept: Mask = np.ones(self.row_count, np.bool_)
        if chosen.ids:
            kept &= self._mask_of(row for each in chosen.ids if (row := self.rows.get(each)) is not None)
        if chosen.user_ids is not None:
            kept &= self._coded(self._users, chosen.user_ids)
        if chosen.conversation_ids:
            kept &= self._coded(self._conversations, chosen.conversation_ids)
        kept &= self._within(self.create_times, chosen.create_start, chosen.create_end)
        kept &= self._within(self.update_times, chosen.update_start, chosen.update_end)
        if chosen.condition is not None:
            kept &= self._of_kind(chosen.condition)
        kept &= self._tagged(chosen)
        for condition in chosen.metadata:
            kept &= self._with_metadata(condition, kept)
        if chosen.any_of:
            kept &= reduce(np.logical_or, map(self._kept, chosen.any_of))
        for each in chosen.none_of:
            kept &= ~self._kept(each)
        return kept

    def _of_kind(self, condition: object) -> Mask:
        rows = self.row_count
        if not isinstance(condition, MemoryCondition):
            return np.zeros(rows, np.bool_)
        kept = self._within(self.occur_times, condition.occur_start, condition.occur_end)
        if condition.types:
            kept &= np.isin(self._types.values[:rows], list(condition.types))
        if condition.statuses:
            kept &= np.isin(self._statuses.values[:rows], list(condition.statuses))
        if condition.project_ids:
            kept &= self._coded(self._projects, condition.project_ids)
        if condition.document_ids:
            kept &= self._coded(self._documents, condition.document_ids)
        if condition.min_importance:
            kept &= self.importances.values[:rows] >= condition.min_importance
        if condition.min_confidence:
            kept &= self._confidences.values[:rows] >= condition.min_confidence
        return kept

    def _coded(self, column: Column[np.int32], strings: Iterable[str]) -> Mask:
        """Return a mask of the rows whose value in a column of codes is that of any of these strings."""
        codes = [self._codes.find(each) for each in strings]
        values = column.values[: self.row_count]
        coded: Mask = values == codes[0] if len(codes) == 1 else np.isin(values, codes)
        return coded

    def _within(self, times: Column[np.int64], start: int | None, end: int | None) -> Mask:
        within: Mask = np.ones(self.row_count, np.bool_)
        values = times.values[: self.row_count]
        if start is not None:
            within &= values >= start
        if end is not None:
            within &= values < end
        return within

    def _with_metadata(self, condition: MetadataCondition, candidates: Mask) -> Mask:
        """Return a mask of the rows whose metadata meet a condition, of which others than candidates may be missing."""
        met, unsure = self._metadata.find(condition, self.row_count)
        for row in np.flatnonzero(unsure & candidates & self._live.values[: self.row_count]).tolist():
            met[row] = condition.keeps(metadata_of(self.memory_at(row).metadata_json))
        return met

    def _fill(self, row: int, indexed: IndexedMemory) -> None:
        for column, value_of in self._values:
            column.values[row] = value_of(indexed.memory)
        for codes, string_of in self._coded_strings:
            codes.values[row] = self._codes.hold(string_of(indexed.memory))
        self._sampled.values[row] = _are_sampled(self.sequences.values[row : row + 1])[0]
        self._hold(row, indexed)

    def _hold(self, row: int, indexed: IndexedMemory) -> None:
        """Note what is in no column of a row."""
        memory = indexed.memory
        self._memories[row] = memory
        if indexed.links:
            self._links[row] = indexed.links
        if indexed.rivals:
            self._rivals[row] = indexed.rivals
        if memory.metadata_json:
            self._metadata.add(row, memory.metadata_json)
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
        for _, string_of in self._coded_strings:
            self._codes.release(string_of(memory))
        self._metadata.remove(row, memory.metadata_json)
        self._memories[row] = None
        self._links[row] = ()
        self._rivals.pop(row, None)

    def _tagged(self, chosen: RecordFilter) -> Mask:
        tagged: Mask = np.ones(self.row_count, np.bool_)
        if chosen.all_tags:
            with_all: set[int] = reduce(set.intersection, sorted(self._rows_with(chosen.all_tags), key=len))
            tagged &= self._mask_of(with_all)
        if chosen.any_tags:
            tagged &= self._mask_of(set().union(*self._rows_with(chosen.any_tags)))
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
            self.create_times,
            self.update_times,
            self._live,
            self._sampled,
            self._types,
            self._statuses,
            self._users,
            self._projects,
            self._conversations,
            self._documents,
            self.importances,
            self._confidences,
        )


def _are_sampled(sequences: NDArray[np.int64]) -> Mask:
    # The upper bits of the product are as good as random.
    spread = sequences.astype(np.uint64) * np.uint64(_SPREADING)
    sampled: Mask = spread < np.uint64(1 << 57)
    return sampled
