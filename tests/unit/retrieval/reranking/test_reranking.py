"""The order and the scores of an index with a second stage. Each part of the ranking has a test that needs it."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.unit.record_filters import of_memories
from tests.unit.retrieval.sample import (
    IDENTITY,
    embedding,
    found,
    index_of,
    memory,
    moment,
    query,
    search,
    talk,
    vector,
)

from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.models.embedding.static import StaticEmbedder
from memoryd_server.ports.retrieval import IndexedMemory, Match
from memoryd_server.retrieval.index import Index
from memoryd_server.retrieval.ranking import NOTHING_MAX
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.reranking.vocabulary import Vocabulary

WORDS_ONLY = Reranker()

FACTS = [
    "User is allergic to peanuts.",
    "User works as a nurse in Leeds.",
    "User has two cats, Minka and Tom.",
    "User plays the cello in an orchestra.",
    "User's car is a blue Volvo.",
    "User moved to Leeds in 2019.",
    "User's sister studies medicine in Prague.",
    "User drinks green tea in the morning.",
    "User is afraid of heights.",
    "User wants to learn how to sail.",
]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="module")
def reranker(embedder: StaticEmbedder) -> Reranker:
    return Reranker(Vocabulary(embedder.word_table))


class _Store:
    """An index of texts with the vectors of the default table."""

    def __init__(self, texts: Sequence[str], embedder: StaticEmbedder, reranker: Reranker | None) -> None:
        self._embedder = embedder
        vectors = self._vectors(texts)
        self.index: Index = index_of(
            (
                IndexedMemory(memory(text, number), Embedding(f"m{number}", embedder.identity, vectors[number]))
                for number, text in enumerate(texts)
            ),
            reranker,
        )

    def search(self, text: str, **fields: object) -> list[Match]:
        (query_vector,) = self._vectors([text])
        return search(self.index, text, vector=query_vector, identity=self._embedder.identity, **fields)

    def _vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        return asyncio.run(self._embedder.embed(texts))


@pytest.fixture(scope="module")
def facts(embedder: StaticEmbedder, reranker: Reranker) -> _Store:
    return _Store(FACTS, embedder, reranker)


@pytest.mark.parametrize("number", range(len(FACTS)))
def test_the_text_of_a_memory_finds_it_with_a_score_near_1(facts: _Store, number: int) -> None:
    first = facts.search(FACTS[number])[0]
    assert first.memory_id == f"m{number}"
    assert first.score > 0.85


GIBBERISH = ["asdf qwertz uiopq", "zxcvb", "mnbv lkjh gfds poiu"]


@pytest.mark.parametrize("text", GIBBERISH)
def test_gibberish_has_scores_near_0(facts: _Store, text: str) -> None:
    assert all(match.score < 0.05 for match in facts.search(text))


@pytest.mark.parametrize("text", GIBBERISH)
def test_gibberish_finds_nothing_in_a_conversation(embedder: StaticEmbedder, reranker: Reranker, text: str) -> None:
    said = talk(*(f"Ann: {fact}" for fact in FACTS))
    vectors = asyncio.run(embedder.embed([*(each.content for each in said), text]))
    index = index_of(
        (
            IndexedMemory(each, Embedding(each.memory_id, embedder.identity, own))
            for each, own in zip(said, vectors[:-1], strict=True)
        ),
        reranker,
    )
    asked = {"vector": vectors[-1], "identity": embedder.identity}
    least = search(index, text, min_score=0.0, **asked)
    assert least
    assert max(match.score for match in least) < NOTHING_MAX
    assert search(index, text, min_score=None, **asked) == []


def test_what_is_far_behind_the_best_is_left_out_without_a_minimum_score(facts: _Store) -> None:
    assert len(facts.search("medicine", min_score=0.0)) == len(FACTS)
    assert [match.memory_id for match in facts.search("medicine", min_score=None)] == ["m6"]


def test_as_long_as_the_best_is_unlikely_nothing_is_far_behind(facts: _Store) -> None:
    everything = facts.search("football", min_score=0.0)
    likely = facts.search("football", min_score=None)
    assert 0.01 < everything[0].score < 0.2
    assert len(likely) > 5
    assert likely == everything[: len(likely)]


def test_a_question_with_an_answer_scores_more_than_one_without(facts: _Store) -> None:
    answered = ["What is the user allergic to?", "Which car does the user have?", "When did the user move to Leeds?"]
    unanswered = ["What is the capital of Mongolia?", "Who repaired the roof?", "How much does the phone cost?"]
    least = min(facts.search(text)[0].score for text in answered)
    assert least > 2 * max(facts.search(text, limit=1)[0].score for text in unanswered if facts.search(text))


def test_the_first_match_is_the_one_with_the_highest_score(facts: _Store) -> None:
    for text in ("user", "Leeds", "Where does the user work?", "tea or coffee"):
        scores = [match.score for match in facts.search(text)]
        assert scores == sorted(scores, reverse=True)


def test_a_minimum_score_is_the_score_that_each_match_has_at_least(facts: _Store) -> None:
    scores = [match.score for match in facts.search("Where does the user work?")]
    kept = facts.search("Where does the user work?", min_score=scores[1])
    assert [match.score for match in kept] == [score for score in scores if score >= scores[1]]


def test_a_vector_that_equals_the_query_s_scores_high_without_a_word() -> None:
    others = [IndexedMemory(memory(f"thing{n}", n), embedding(f"m{n}", 0, 0, 0.5 + n, 1)) for n in range(1, 12)]
    near = IndexedMemory(memory("a dog", 20), embedding("m20", 1, 0, 0, 0))
    index = index_of([near, *others], WORDS_ONLY)
    (first, *_) = search(index, "", vector=vector(3, 0, 0, 0), identity=IDENTITY)
    assert first.memory_id == "m20"
    assert first.score > 0.5


def test_a_word_of_similar_meaning_finds_a_memory(embedder: StaticEmbedder, reranker: Reranker) -> None:
    texts = ["The children are at the beach.", "The invoice is at the office.", "The meeting is at noon."]
    near = _Store(texts, embedder, reranker).search("kids")[0]
    literal = _Store(texts, embedder, Reranker()).search("kids")[0]
    assert near.memory_id == "m0"
    assert near.score > literal.score


def test_a_near_duplicate_has_half_of_the_score() -> None:
    texts = ["likes green tea from Uji", "Likes green tea from Uji!"]
    matches = search(index_of((memory(text, n) for n, text in enumerate(texts)), WORDS_ONLY), "green tea from Uji")
    assert [match.memory_id for match in matches] == ["m1", "m0"]
    assert matches[1].score == pytest.approx(matches[0].score / 2)


def test_a_link_leads_to_a_memory_that_does_not_match() -> None:
    linking = IndexedMemory(memory("tea time", 1), links=(("m2", 0.8),))
    matches = search(index_of([linking, memory("a porcelain pot", 2)], WORDS_ONLY), "tea")
    assert [(match.memory_id, match.linked_from) for match in matches] == [("m1", ""), ("m2", "m1")]
    assert matches[1].score == pytest.approx(matches[0].score * 0.5 * 0.8)


def test_a_more_salient_memory_ranks_before_an_equal_one() -> None:
    index = index_of((memory(f"tea word{n}", n, importance=1 - n / 10) for n in range(8)), WORDS_ONLY)
    assert found(index, "tea") == [f"m{n}" for n in range(8)]


def test_of_equal_matches_the_one_that_occurred_later_ranks_first() -> None:
    made = [memory("tea with Ann", 1), memory("tea with Bob", 2, occur_time=moment(2022, 5, 17))]
    assert found(index_of(made, WORDS_ONLY), "tea") == ["m1", "m2"]


def test_a_memory_of_the_named_time_gains_a_tenth_of_what_it_lacks() -> None:
    def first(day: int) -> Match:
        made = memory("tea with Ann", 1, occur_time=moment(2023, 5, day))
        return search(index_of([made], WORDS_ONLY), "tea last week", now=moment(2023, 5, 17))[0]

    within, outside = first(14), first(15)
    assert (within.time_phrase, outside.time_phrase) == ("last week", "")
    # Salience lowers all of the score by a twentieth outside of the period, and only the gain within it.
    matched = outside.score / 0.95
    assert within.score == pytest.approx(matched + 0.1 * (1 - matched), abs=0.01)


def test_equal_memories_have_equal_scores() -> None:
    made = [memory(f"tea {'vwxyz'[n]}", n) for n in range(5)]
    assert len({match.score for match in search(index_of(made, WORDS_ONLY), "tea")}) == 1


def test_a_reply_is_found_by_the_words_of_the_question_before_it() -> None:
    made = talk("Ann: Where did you buy the kettle?", "Bob: At the market in Leeds.", "Ann: It was cold there.")
    assert found(index_of(made, WORDS_ONLY), "Where was the kettle bought?")[0] == "m2"


def test_the_order_of_putting_makes_no_difference(embedder: StaticEmbedder, reranker: Reranker) -> None:
    one = _Store(FACTS, embedder, reranker)
    other = _Store([], embedder, reranker)
    held = [one.index._holdings.table.memory_at(row) for row in one.index._holdings.table.rows.values()]
    vectors = asyncio.run(embedder.embed([each.content for each in held]))
    for each, own in reversed(list(zip(held, vectors, strict=True))):
        other.index.put([IndexedMemory(each, Embedding(each.memory_id, embedder.identity, own))])
    for text in (*FACTS, "Where does the user live?", "pets"):
        assert one.search(text) == other.search(text)


def test_candidates_beyond_the_first_are_scored_when_salience_excludes_many() -> None:
    made = (memory(f"tea word{number}", number, importance=1 - number / 400) for number in range(400))
    index = index_of(made, WORDS_ONLY)
    assert found(index, "tea", min_salience=0.995, limit=3) == ["m0", "m1", "m2"]


def test_memories_of_other_users_make_no_difference() -> None:
    own = [memory("green tea", 1, user_id="u"), memory("black tea", 2, user_id="u")]
    others = [memory("green grass", number, user_id="v") for number in range(3, 200)]
    criteria = of_memories(user_id="u")
    alone = search(index_of(own, WORDS_ONLY), "green tea", criteria)
    assert search(index_of(own + others, WORDS_ONLY), "green tea", criteria) == alone


def test_a_query_of_thousands_of_words_is_ranked() -> None:
    text = " ".join(f"word{number}" for number in range(600))
    assert found(index_of([memory("word7 word8", 1), memory("nothing", 2)], WORDS_ONLY), text) == ["m1"]
    assert index_of([], WORDS_ONLY).search(query(text)).matches == ()
