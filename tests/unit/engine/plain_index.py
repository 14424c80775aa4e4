"""A minimal memory index: the score of a memory is the share of the query's words that it has."""

import json
from collections.abc import Iterable, Sequence
from typing import BinaryIO

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.memory import MEMORY_SHAPE
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter
from memoryd_server.domain.values.word import words_of
from memoryd_server.ports.retrieval import IndexedMemory, Match, Query, Ranking, Similar, UnusableIndex


class PlainIndex:
    """An index of whole words. ``puts`` and ``removals`` record the ids of all calls. It saves the contents."""

    def __init__(self) -> None:
        self.held: dict[str, IndexedMemory] = {}
        self.puts: list[str] = []
        self.removals: list[str] = []

    def __len__(self) -> int:
        return len(self.held)

    @property
    def size_bytes(self) -> int:
        return len(self.held)

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        for indexed in memories:
            self.held[indexed.memory.memory_id] = indexed
            self.puts.append(indexed.memory.memory_id)

    def remove(self, memory_ids: Iterable[str]) -> None:
        for memory_id in memory_ids:
            self.held.pop(memory_id, None)
            self.removals.append(memory_id)

    def save(self, file: BinaryIO) -> None:
        file.write(json.dumps({memory_id: each.memory.content for memory_id, each in self.held.items()}).encode())

    def load(self, file: BinaryIO, memories: Iterable[IndexedMemory]) -> int:
        try:
            contents = json.loads(file.read())
        except ValueError as error:
            raise UnusableIndex(str(error)) from error
        differences = 0
        for indexed in memories:
            if contents.pop(indexed.memory.memory_id, None) == indexed.memory.content:
                self.held[indexed.memory.memory_id] = indexed
            else:
                self.put([indexed])
                differences += 1
        return differences + len(contents)

    def search(self, query: Query) -> Ranking:
        wanted = words_of(query.text)
        found = []
        for memory_id, indexed in self.held.items():
            shared = wanted & words_of(indexed.memory.content)
            is_near = indexed.embedding is not None and indexed.embedding.vector == query.vector
            score = len(shared) / max(len(wanted), 1) if shared else float(is_near)
            if (
                score > 0
                and score >= (query.min_score or 0.0)
                and Matcher(query.filter, MEMORY_SHAPE).keeps(indexed.memory)
            ):
                found.append(Match(memory_id, score, score, matched_words=tuple(sorted(shared))))
        uses_meaning = query.vector is not None and any(each.embedding is not None for each in self.held.values())
        found.sort(key=lambda match: (-match.score, -self.held[match.memory_id].memory.sequence))
        return Ranking(tuple(found[: query.limit]), len(found), uses_meaning=uses_meaning)

    def similar(
        self, text: str, vector: bytes | None, identity: EmbeddingIdentity | None, chosen: RecordFilter, limit: int
    ) -> Sequence[Similar]:
        words = words_of(text)
        found = []
        for memory_id, indexed in self.held.items():
            if Matcher(chosen, MEMORY_SHAPE).keeps(indexed.memory):
                other = words_of(indexed.memory.content)
                found.append(Similar(memory_id, len(words & other) / max(len(words | other), 1), None))
        return sorted(found, key=lambda each: -each.words)[:limit]
