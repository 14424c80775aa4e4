"""Duplicates and contradictions in pairs of memories that people could have said, judged by hand.

The pairs of ``development.tsv`` are those that the rules were written with. Those of ``held_out.tsv`` were written when
the rules were finished, and no rule was changed for them.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from tests.unit.domain.sample import Agent, memory_draft
from tests.unit.retrieval.sample import index_of

from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.indexes.relatives import with_kin
from memoryd_server.models.embedding.static import StaticEmbedder
from memoryd_server.ports.retrieval import IndexedMemory

VERDICTS = ("contradiction", "duplicate", "neither")
PAIRS_MIN = 100


class Pair(msgspec.Struct, frozen=True):
    verdict: str
    known: str
    new: str


class Figures(msgspec.Struct, frozen=True):
    """The share of what was found that is right, and of what is right that was found."""

    precision: float
    recall: float


def pairs_in(name: str) -> Sequence[Pair]:
    lines = Path(__file__).with_name(f"{name}.tsv").read_text("utf-8").splitlines()
    return [Pair(*line.split("\t")) for line in lines]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


async def judged(pair: Pair, embedder: StaticEmbedder | None) -> str:
    """Return what the daemon takes a pair for, when the second is created after the first."""
    agent = Agent()
    known = agent.create(pair.known)
    draft, embedding = memory_draft(pair.new), None
    if embedder is not None:
        there, vector = await embedder.embed([pair.known, pair.new])
        embedding = Embedding(known.memory_id, embedder.identity, there)
        draft = msgspec.structs.replace(draft, identity=embedder.identity, vector=vector)
    index = index_of([IndexedMemory(known, embedding)])
    found = with_kin(draft, index, agent.state.part(MEMORIES), agent.policy)
    return "duplicate" if found.duplicate_of else "contradiction" if found.contradicts else "neither"


async def figures_of(name: str, embedder: StaticEmbedder | None) -> dict[str, Figures]:
    counts = Counter([(pair.verdict, await judged(pair, embedder)) for pair in pairs_in(name)])

    def figures(verdict: str) -> Figures:
        right = counts[verdict, verdict]
        found = sum(counts[each, verdict] for each in VERDICTS)
        there = sum(counts[verdict, each] for each in VERDICTS)
        return Figures(right / found, right / there)

    return {verdict: figures(verdict) for verdict in VERDICTS}


@pytest.mark.parametrize("name", ["development", "held_out"])
def test_each_verdict_has_many_pairs_and_none_is_there_twice(name: str) -> None:
    pairs = pairs_in(name)
    assert len(pairs) >= PAIRS_MIN
    assert len({frozenset((pair.known, pair.new)) for pair in pairs}) == len(pairs)
    assert set(Counter(pair.verdict for pair in pairs)) == set(VERDICTS)


async def test_what_the_rules_were_written_with_is_found(embedder: StaticEmbedder) -> None:
    found = await figures_of("development", embedder)
    assert found["contradiction"].precision >= 0.97
    assert found["contradiction"].recall >= 0.95
    assert found["duplicate"].precision >= 0.97
    assert found["duplicate"].recall >= 0.93


async def test_contradictions_and_duplicates_are_found_in_pairs_that_no_rule_was_written_for(
    embedder: StaticEmbedder,
) -> None:
    found = await figures_of("held_out", embedder)
    assert found["contradiction"].precision >= 0.95
    assert found["contradiction"].recall >= 0.7
    assert found["duplicate"].precision >= 0.95
    assert found["duplicate"].recall >= 0.7


async def test_contradictions_are_found_without_an_embedder() -> None:
    found = await figures_of("held_out", None)
    assert found["contradiction"].precision >= 0.9
    assert found["contradiction"].recall >= 0.6
    assert found["duplicate"].precision >= 0.95
