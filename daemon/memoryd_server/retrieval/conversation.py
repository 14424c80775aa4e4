"""Conversations: the order in which their rows were said."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

import numpy as np

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.retrieval.column import ROW_NONE, Column, Mask, Rows, size_of

CONTEXT_ROWS = 2
"""Number of rows on either side that are the context of a row."""

_KEPT_BYTES = 120
"""Size of a row in the list of its conversation: measured."""

_Place = tuple[int, int, int]


class Conversations:
    """The order of rows in conversations: by position, then by sequence. A conversation has one user and one project.

    ``previous`` and ``next`` are the neighbours of each row; ROW_NONE if there is none.
    """

    def __init__(self) -> None:
        self.previous = Column(np.intp)
        self.next = Column(np.intp)
        self._places: dict[tuple[str, str, str], list[_Place]] = {}
        self._row_count = 0

    @property
    def size_bytes(self) -> int:
        """The estimated size of the order in memory."""
        return size_of((self.previous, self.next)) + _KEPT_BYTES * self._row_count

    def load(self, rows: Rows, memories: Sequence[Memory], row_count: int) -> None:
        """Fill empty conversations with the memories of these rows, of ``row_count``."""
        for column in (self.previous, self.next):
            column.reserve(row_count)
        for row, memory in zip(rows.tolist(), memories, strict=True):
            if memory.provenance.conversation_id:
                self._places.setdefault(_conversation_of(memory), []).append(_place_of(row, memory))
        for places in self._places.values():
            places.sort()
        ordered = np.array([row for places in self._places.values() for _, _, row in places], np.intp)
        is_first: Mask = np.zeros(len(ordered) + 1, np.bool_)
        is_first[np.cumsum([0, *map(len, self._places.values())])] = True
        is_joined = ~is_first[1:-1]
        self.previous.values[ordered[1:][is_joined]] = ordered[:-1][is_joined]
        self.next.values[ordered[:-1][is_joined]] = ordered[1:][is_joined]
        self._row_count = len(ordered)

    def add(self, row: int, memory: Memory) -> None:
        """Insert a row into its conversation. A memory without a conversation is ignored."""
        self.previous.reserve(row + 1)
        self.next.reserve(row + 1)
        if not memory.provenance.conversation_id:
            return
        places = self._places.setdefault(_conversation_of(memory), [])
        place = _place_of(row, memory)
        insort(places, place)
        index = bisect_left(places, place)
        self._join(places[index - 1][-1] if index else ROW_NONE, row)
        self._join(row, places[index + 1][-1] if index + 1 < len(places) else ROW_NONE)
        self._row_count += 1

    def remove(self, row: int, memory: Memory) -> None:
        """Remove a row. Its neighbours become neighbours of each other."""
        if not memory.provenance.conversation_id:
            return
        conversation = _conversation_of(memory)
        places = self._places[conversation]
        del places[bisect_left(places, _place_of(row, memory))]
        if not places:
            del self._places[conversation]
        self._join(int(self.previous.values[row]), int(self.next.values[row]))
        self.previous.values[row] = self.next.values[row] = ROW_NONE
        self._row_count -= 1

    def around(self, row: int) -> Iterator[int]:
        """Yield up to CONTEXT_ROWS rows before and after a row, the nearest first on each side."""
        for neighbours in (self.previous.values, self.next.values):
            neighbour = row
            for _ in range(CONTEXT_ROWS):
                neighbour = int(neighbours[neighbour])
                if neighbour == ROW_NONE:
                    break
                yield neighbour

    def _join(self, row: int, following: int) -> None:
        if row != ROW_NONE:
            self.next.values[row] = following
        if following != ROW_NONE:
            self.previous.values[following] = row


def _conversation_of(memory: Memory) -> tuple[str, str, str]:
    return memory.user_id, memory.project_id, memory.provenance.conversation_id


def _place_of(row: int, memory: Memory) -> _Place:
    return memory.provenance.position, memory.sequence, row
