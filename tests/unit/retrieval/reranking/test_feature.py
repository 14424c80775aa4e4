"""The features of candidates, each by a small example."""

import numpy as np
import pytest
from tests.unit.retrieval.sample import IDENTITY, embedding, index_of, memory, moment, query, talk, vector

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.retrieval import IndexedMemory, Query, WordTable
from memoryd_server.retrieval.reranking.feature import FEATURES, TERMS_MAX
from memoryd_server.retrieval.reranking.model import shipped_model
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.reranking.vocabulary import Vocabulary

WORDS = ["kids", "children", "invoice"]
COMPONENTS = np.array([[10, 1], [10, 2], [0, 10]], np.int8)


def features(memories: list[Memory | IndexedMemory], asked: Query) -> dict[str, dict[str, float]]:
    """Return the features by the id of the memory and by name."""
    vocabulary = Vocabulary(lambda: WordTable(WORDS, memoryview(COMPONENTS.tobytes())))
    memory_ids, table = index_of(memories, Reranker(vocabulary)).candidates(asked)
    return {each: dict(zip(FEATURES, row.tolist(), strict=True)) for each, row in zip(memory_ids, table, strict=True)}


def test_the_shipped_model_has_these_features() -> None:
    assert shipped_model().features == FEATURES


def test_words_are_shares_of_the_query_by_where_they_are() -> None:
    made = talk("alpha", "beta", "gamma", "delta", "Eve: epsilon")
    own = features(list(made), query("alpha beta gamma delta eve"))
    middle = own["m3"]
    assert middle["own"] == pytest.approx(middle["before"]) == pytest.approx(middle["before2"])
    assert middle["after"] == pytest.approx(middle["own"])
    assert middle["anywhere"] == pytest.approx(4 * middle["own"])
    assert (middle["speaker"], middle["own_count"], middle["terms"], middle["found"]) == (0, 1, 5, 1)
    assert own["m5"]["speaker"] == pytest.approx(middle["other_speaker"])
    assert own["m5"]["here"] == pytest.approx(own["m5"]["speaker"])


def test_a_rare_word_that_is_missing_counts_by_its_weight() -> None:
    made = [memory("tea cake", 1), memory("tea", 2), memory("tea", 3)]
    own = features(list(made), query("tea cake"))
    assert own["m1"]["missing"] == 0
    assert own["m2"]["missing"] > own["m2"]["own"]


def test_the_words_of_a_date_count_apart() -> None:
    own = features([memory("a walk", occur_time=moment(2023, 5, 8))], query("walk in may"))
    assert own["m1"]["date"] > 0
    assert own["m1"]["here"] == pytest.approx(1)


def test_a_word_of_similar_meaning_is_soft() -> None:
    made = [
        IndexedMemory(memory("children play", 1), embedding("m1", 1, 0, 0, 0)),
        IndexedMemory(memory("invoice for kites", 2), embedding("m2", 1, 0.1, 0, 0)),
    ]
    asked = query("kids kites", vector=vector(1, 0, 0, 0), identity=IDENTITY)
    own = features(list(made), asked)
    assert own["m1"]["soft"] > own["m1"]["own"] == 0
    assert own["m1"]["soft_missing"] == pytest.approx(own["m1"]["soft"])
    assert own["m2"]["soft"] == pytest.approx(own["m2"]["own"])
    assert 0 < own["m1"]["known"] < 1


def test_a_number_that_another_term_takes_has_the_vector_of_that_term() -> None:
    vocabulary = Vocabulary(lambda: WordTable(WORDS, memoryview(COMPONENTS.tobytes())))
    index = index_of([], Reranker(vocabulary))
    asked = query("kids", vector=vector(1, 0, 0, 0), identity=IDENTITY)
    soft = []
    for content in ("children", "invoice"):
        index.put([IndexedMemory(memory(content), embedding("m1", 1, 0, 0, 0))])
        ((row,),) = (index.candidates(asked)[1].tolist(),)
        soft.append(row[FEATURES.index("soft")])
        index.remove(["m1"])
    assert soft[0] > soft[1] == 0


def test_meaning_and_soft_words_are_unknown_without_a_vector() -> None:
    own = features([memory("tea")], query("tea"))["m1"]
    unknown = {name for name, value in own.items() if np.isnan(value)}
    by_vector = ("meaning", "soft", "window", "contrast")
    assert unknown == {name for name in FEATURES if name.startswith(by_vector)} | {"known"}


def test_the_meaning_of_neighbours_makes_a_window() -> None:
    made = [
        IndexedMemory(each, embedding(each.memory_id, *numbers))
        for each, numbers in zip(talk("one", "two", "three"), [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)], strict=True)
    ]
    asked = query("two", vector=vector(1, 0, 0, 0), identity=IDENTITY)
    own = features(list(made), asked)
    assert own["m2"]["meaning_before"] == pytest.approx(own["m1"]["meaning"])
    assert own["m2"]["window"] == pytest.approx(0.7 * own["m1"]["meaning"])


def test_a_question_and_what_follows_it_are_known() -> None:
    own = features(list(talk("tea?", "tea", "tea and more")), query("tea"))
    assert [own[each]["question"] for each in ("m1", "m2")] == [1, 0]
    assert [own[each]["after_question"] for each in ("m1", "m2")] == [0, 1]
    assert features([memory("tea")], query("tea"))["m1"]["talk"] == 0
    assert own["m1"]["talk"] == 1


def test_at_most_the_rarest_terms_are_compared() -> None:
    text = " ".join(f"word{number}" for number in range(2 * TERMS_MAX))
    own = features([memory(text), memory("word1", 2)], query(text))["m1"]
    assert own["terms"] == 2 * TERMS_MAX
    assert own["own_count"] == TERMS_MAX


def test_near_memories_are_candidates_without_a_word() -> None:
    made = [IndexedMemory(memory("a dog", 1), embedding("m1", 1, 3.5, 0, 0)), memory("nothing", 2)]
    asked = query("puppy", vector=vector(1, 0, 0, 0), identity=IDENTITY)
    own = features(list(made), asked)
    assert set(own) == {"m1"}
    assert own["m1"]["total_share"] == 0


def test_a_name_that_no_memory_has_is_counted() -> None:
    made = [memory("Ada drinks tea", 1), memory("tea", 2)]
    assert features(list(made), query("Does Ada or Bob drink tea?"))["m2"]["unknown_names"] == 1
    assert features(list(made), query("does ada or bob drink tea?"))["m2"]["unknown_names"] == 0
