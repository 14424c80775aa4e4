from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.random_agent import RandomAgent
from tests.unit.domain.sample import Agent
from tests.unit.engine.plain_index import PlainIndex

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.documents.document import DOCUMENT_CHUNK, ChunkDraft, DocumentContent, DocumentDraft
from memoryd_server.domain.documents.document_change import (
    CreateDocument,
    DeleteDocument,
    DocumentPatch,
    UpdateDocument,
)
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.engine.indexes.chunk_indexes import ChunkIndexes
from memoryd_server.ports.retrieval import IndexedMemory

IDENTITY = EmbeddingIdentity("m", "1", 1)


def content(*texts: str) -> DocumentContent:
    chunks = tuple(ChunkDraft("Guide", text, "", 1, IDENTITY, text.encode()[:4]) for text in texts)
    return DocumentContent("text/plain", 1, 1, chunks)


def creating(document_id: str, *texts: str) -> CreateDocument:
    return CreateDocument(DocumentDraft(document_id, "T"), content(*texts))


class Indexed:
    """One agent, and the index of its documents."""

    def __init__(self, *, learns_changes: bool = True) -> None:
        self.agent = Agent()
        self.made: list[PlainIndex] = []
        self.indexes = ChunkIndexes(self._new_index)
        self._learns_changes = learns_changes

    def _new_index(self) -> PlainIndex:
        self.made.append(PlainIndex())
        return self.made[-1]

    def do(self, *commands: Command) -> None:
        for each in commands:
            before = self.agent.state
            self.agent.do(each)
            changes = self.agent.decision.changes if self._learns_changes else None
            self.indexes.note_change(before, self.agent.state, changes, is_own=True)

    async def held(self) -> dict[str, IndexedMemory]:
        await self.indexes.use(self.agent.state, lambda index: None)
        return self.made[-1].held


@pytest.fixture(params=[True, False], ids=["with the changes", "without the changes"])
def known(request: pytest.FixtureRequest) -> Iterator[Indexed]:
    indexed = Indexed(learns_changes=request.param)
    yield indexed
    indexed.indexes.close()


async def test_a_chunk_is_indexed_as_a_memory_of_its_document(known: Indexed) -> None:
    known.do(creating("d", "one", "two"))
    held = await known.held()
    assert list(held) == ["d/000000000001", "d/000000000002"]
    second = held["d/000000000002"]
    assert second.memory.content == "Guide\ntwo"
    assert (second.memory.provenance.conversation_id, second.memory.provenance.position) == ("d", 2)
    assert second.embedding is not None
    assert (second.embedding.identity, second.embedding.vector) == (IDENTITY, b"two")


async def test_chunks_of_a_replaced_document_are_replaced(known: Indexed) -> None:
    known.do(creating("d", "one", "two", "three"), creating("e", "other"))
    await known.held()
    known.made[0].puts = []
    known.do(UpdateDocument("d", DocumentPatch(), content("four")))
    held = await known.held()
    assert {chunk_id: each.memory.content for chunk_id, each in held.items()} == {
        "d/000000000001": "Guide\nfour",
        "e/000000000001": "Guide\nother",
    }
    assert known.made[0].puts == ["d/000000000001"]
    known.do(UpdateDocument("d", DocumentPatch(title="New", tags=("new",))))
    await known.held()
    assert known.made[0].puts == ["d/000000000001"]
    known.do(DeleteDocument("d"), DeleteDocument("e"))
    assert await known.held() == {}


async def test_chunks_have_distinct_sequences_which_descend_within_a_document(known: Indexed) -> None:
    for document_id in "abc":
        known.do(creating(document_id, "one", "two", "three"))
    held = await known.held()
    sequences = [each.memory.sequence for _, each in sorted(held.items())]
    assert len(set(sequences)) == 9
    assert all(sequences[start] > sequences[start + 1] > sequences[start + 2] for start in (0, 3, 6))
    assert all(0 < sequence < 2**63 for sequence in sequences)


@settings(max_examples=60)
@given(st.data())
async def test_an_index_has_the_chunks_of_the_state_after_any_changes(data: st.DataObject) -> None:
    agent, made = RandomAgent(data), PlainIndex()
    indexes = ChunkIndexes(lambda: made)
    try:
        await indexes.use(agent.state, lambda index: None)
        for _ in range(data.draw(st.integers(1, 12))):
            before = agent.state
            agent.step()
            if agent.state is not before:
                decision = agent.decision
                indexes.note_change(before, agent.state, None if decision.ends else decision.changes, is_own=True)
            if data.draw(st.booleans()):
                await indexes.use(agent.state, lambda index: None)
        await indexes.use(agent.state, lambda index: None)
        chunks = agent.state.part(DOCUMENT_CHUNK)
        expected = {f"{each.group}/{each.key}": each.found_by for each in chunks}
        assert {chunk_id: each.memory.content for chunk_id, each in made.held.items()} == expected
    finally:
        indexes.close()
