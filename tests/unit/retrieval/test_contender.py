"""Of many memories only some are scored, and these are the ones that scoring all finds."""

import random
from unittest.mock import patch

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.retrieval.sample import IDENTITY, NOW, index_of, memory, query, vector
from tests.unit.retrieval.test_index_property import DAY_NS, changed, changes, queries

from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.ports.retrieval import IndexedMemory, Query
from memoryd_server.retrieval import meaning
from memoryd_server.retrieval.agreement import Agreement, agreement_of
from memoryd_server.retrieval.best import best_of
from memoryd_server.retrieval.contender import _others
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.weight import DEFAULT_WEIGHTS

WORDS = [f"word{number}" for number in range(60)]


def both(holdings: Holdings, asked: Query, wanted: int) -> tuple[Agreement, Agreement]:
    every, some = (agreement_of(holdings, asked, DEFAULT_WEIGHTS, wanted, 2, all_max=each) for each in (10**6, 0))
    return every, some


def assert_same(holdings: Holdings, every: Agreement, some: Agreement, wanted: int) -> None:
    assert some.rows is not None
    sequences = holdings.table.sequences.values
    best = best_of(every.total, sequences, wanted)
    assert best_of(some.total, sequences, wanted, some.rows).tolist() == best.tolist()
    near = best_of(every.meaning, sequences, 2, every.near)
    assert best_of(some.meaning, sequences, 2, some.near).tolist() == near.tolist()
    for scores, expected in ((some.total, every.total), (some.words, every.words), (some.meaning, every.meaning)):
        assert scores[some.rows].tolist() == expected[some.rows].tolist()
    assert some.total_count == every.total_count
    assert (some.rarity, some.found, some.spread) == (every.rarity, every.found, every.spread)


def many(count: int, seed: int) -> list[IndexedMemory]:
    """Return turns of conversations whose words are as rare as those of a language."""
    chance, made = random.Random(seed), []
    for number in range(1, count + 1):
        words = chance.choices(WORDS, [1 / (rank + 1) for rank in range(len(WORDS))], k=chance.randint(0, 9))
        content = f"{chance.choice(('Ann', 'Bob'))}: {' '.join(words)}{chance.choice(('', '?'))}"
        each = memory(content, number, f"c{number // 20}", number, sequence=chance.randrange(10**6))
        each = msgspec.structs.replace(each, occur_time=NOW - chance.randrange(20) * DAY_NS)
        numbers = [chance.gauss(0, 1) for _ in range(4)]
        has_vector = chance.random() < 0.7
        made.append(IndexedMemory(each, Embedding(each.memory_id, IDENTITY, vector(*numbers)) if has_vector else None))
    return made


@given(changes, queries, st.integers(1, 5))
def test_the_contenders_have_the_best_and_their_scores(
    steps: list[IndexedMemory | str], asked: Query, wanted: int
) -> None:
    holdings = changed(steps)[0]._holdings
    assert_same(holdings, *both(holdings, asked, wanted), wanted)


TEXTS = ["Ann word1 word30 word45?", "word50 word2", "Bob", "Ann Bob", "word0 word1 Ann", "Ann word1", "May 17 word40"]
TIMES = ["none", "none yesterday", "word40 yesterday", "Bob word30 last week", "word0 today"]


@pytest.mark.parametrize("text", [*TEXTS, *TIMES])
@pytest.mark.parametrize("with_vector", [True, False])
def test_of_many_memories_the_contenders_have_the_best(text: str, with_vector: bool) -> None:
    for seed in range(3):
        holdings = index_of(many(600, seed))._holdings
        asked = query(text, vector=vector(1, 0.5, 0, -1) if with_vector else None, identity=IDENTITY)
        for wanted in (1, 3, 8, 20, 50, 120):
            assert_same(holdings, *both(holdings, asked, wanted), wanted)


def test_a_query_of_very_many_terms_has_the_same_contenders() -> None:
    holdings = index_of([*many(600, 1), memory(" ".join(f"rare{number}" for number in range(400)), 601)])._holdings
    text = " ".join(
        (*WORDS, *(f"rare{number}" for number in range(0, 400, 2)), "Ann", *map("rare{}".format, range(150)))
    )
    assert_same(holdings, *both(holdings, query(text), 20), 20)


def test_few_of_the_memories_that_match_are_scored() -> None:
    holdings = index_of(many(2_000, 1))._holdings
    every, some = both(holdings, query("Ann word50 word45"), 5)
    assert some.rows is not None
    assert len(some.rows) < 200 < every.total_count


def test_rows_without_a_vector_are_contenders_if_common_words_alone_reach_the_threshold() -> None:
    holdings = index_of(many(600, 1))._holdings
    _, some = both(holdings, query("Ann word1", vector=vector(1, 0.5, 0, -1), identity=IDENTITY), 5)
    common = np.float32(0.6)
    just_reached, not_reached = 0.95 * float(common) ** 2, 1.2 * float(common) ** 2
    assert _others(some.relevance, just_reached, common, 600) is None
    assert _others(some.relevance, not_reached, common, 600) is not None


def test_a_linked_memory_that_is_no_contender_has_its_score() -> None:
    holdings = index_of(many(2_000, 1))._holdings
    every, some = both(holdings, query("Ann word50 word45"), 5)
    assert some.rows is not None
    rest = np.setdiff1d(np.flatnonzero(every.total), some.rows)[:3]
    assert not some.total[rest].any()
    some.look_at(rest)
    assert some.total[rest].tolist() == every.total[rest].tolist()


@pytest.mark.whole
def test_the_nearest_of_very_many_vectors_are_the_same_in_any_order() -> None:
    memories = many(2_500, 3)
    shuffled = random.Random(1).sample(memories, len(memories))
    asked = query("Ann word30", vector=vector(1, 0.5, 0, -1), identity=IDENTITY)
    with patch.object(meaning, "COMPARED_MAX", 500), patch.object(meaning, "NEAREST", 50):
        one, other = (index_of(each).search(asked) for each in (memories, shuffled))
        assert one == other
        found = agreement_of(index_of(memories)._holdings, asked, DEFAULT_WEIGHTS, 20, 5)
    exact = agreement_of(index_of(memories)._holdings, asked, DEFAULT_WEIGHTS, 20, 5)
    assert not found.relevance.meaning.is_complete
    assert found.spread == pytest.approx(exact.spread, rel=0.5)
    assert found.meaning[found.near] == pytest.approx(exact.meaning[found.near], abs=0.2)
