"""The index is derived: after any changes it returns what an index returns that is built of the same memories."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.retrieval.sample import IDENTITY, NOW, index_of, memory, query, salience_of, vector

from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryStatus, MemoryType, Provenance
from memoryd_server.ports.retrieval import Criteria, IndexedMemory, Query
from memoryd_server.retrieval.index import Index

DAY_NS = 86_400 * 10**9
NUMBERS = range(1, 9)
WORDS = [
    "ann:",
    "tea",
    "teas",
    "green",
    "may",
    "2023",
    "17",
    "日本語",
    "🎉",
    "قهوة",
    "why?",
    "the",
    "café",
    "\0",
    "\ud800",
]

contents = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
links = st.lists(st.tuples(st.sampled_from(NUMBERS).map("m{}".format), st.sampled_from([0.0, 0.5, 1.0])), max_size=2)
numbers = st.sampled_from([-1.0, 0.0, 0.5, 1.0])
vectors = st.one_of(st.none(), st.builds(vector, numbers, numbers, numbers, numbers))


@st.composite
def indexed_memories(draw: st.DrawFn) -> IndexedMemory:
    made = memory(
        draw(contents),
        draw(st.sampled_from(NUMBERS)),
        type=draw(st.sampled_from(MemoryType)),
        status=draw(st.sampled_from(MemoryStatus)),
        user_id=draw(st.sampled_from(["", "u", "v"])),
        project_id=draw(st.sampled_from(["", "p"])),
        provenance=Provenance(draw(st.sampled_from(["", "c", "d"])), position=draw(st.integers(0, 2))),
        tags=tuple(draw(st.lists(st.sampled_from(["x", "y"]), max_size=2))),
        importance=draw(st.sampled_from([0.0, 0.5, 1.0])),
        occur_time=NOW - draw(st.integers(-1, 40)) * DAY_NS,
    )
    numbers_of = draw(vectors)
    embedding = Embedding(made.memory_id, IDENTITY, numbers_of) if numbers_of is not None else None
    return IndexedMemory(made, embedding, tuple(draw(links)))


criteria = st.builds(
    Criteria,
    types=st.frozensets(st.sampled_from(MemoryType), max_size=2),
    statuses=st.frozensets(st.sampled_from(MemoryStatus), max_size=2),
    user_id=st.sampled_from([None, "", "u", "w"]),
    project_id=st.sampled_from([None, "", "p"]),
    conversation_id=st.sampled_from([None, "", "c"]),
    conversation_ids=st.sampled_from([frozenset(), frozenset({"c"}), frozenset({"c", "unknown"}), frozenset({"d"})]),
    all_tags=st.frozensets(st.sampled_from(["x", "y"]), max_size=2),
    any_tags=st.frozensets(st.sampled_from(["x", "y", "z"]), max_size=2),
    occur_start=st.sampled_from([None, NOW - 5 * DAY_NS]),
    occur_end=st.sampled_from([None, NOW]),
    owner=st.sampled_from([None, ("u", ""), ("u", "p"), ("w", "")]),
)
queries = st.builds(
    query,
    st.one_of(contents, st.sampled_from(["tea yesterday", "green tea in May 2023", "2 weeks ago"])),
    criteria,
    limit=st.sampled_from([1, 3, 20]),
    vector=vectors,
    identity=st.just(IDENTITY),
    min_score=st.sampled_from([0.0, 0.2]),
    min_salience=st.sampled_from([0.0, 0.6]),
    follow_links=st.booleans(),
)
changes = st.lists(st.one_of(indexed_memories(), st.sampled_from(NUMBERS).map("m{}".format)), max_size=24)


def changed(steps: list[IndexedMemory | str]) -> tuple[Index, dict[str, IndexedMemory]]:
    index, left = Index(salience_of), dict[str, IndexedMemory]()
    for step in steps:
        if isinstance(step, str):
            index.remove([step])
            left.pop(step, None)
        else:
            index.put([step])
            left[step.memory.memory_id] = step
    return index, left


def passes(made: Memory, wanted: Criteria) -> bool:
    return (
        (not wanted.types or made.type in wanted.types)
        and (not wanted.statuses or made.status in wanted.statuses)
        and wanted.user_id in (None, made.user_id)
        and wanted.project_id in (None, made.project_id)
        and wanted.conversation_id in (None, made.provenance.conversation_id)
        and (not wanted.conversation_ids or made.provenance.conversation_id in wanted.conversation_ids)
        and wanted.all_tags <= set(made.tags)
        and (not wanted.any_tags or bool(wanted.any_tags & set(made.tags)))
        and (wanted.occur_start is None or made.occur_time >= wanted.occur_start)
        and (wanted.occur_end is None or made.occur_time < wanted.occur_end)
        and wanted.owner in (None, (made.user_id, made.project_id))
    )


@given(changes, queries, st.randoms(use_true_random=False))
def test_an_index_after_any_changes_equals_one_that_is_built_at_once(
    steps: list[IndexedMemory | str], asked: Query, chance: random.Random
) -> None:
    index, left = changed(steps)
    memories = list(left.values())
    chance.shuffle(memories)
    fresh = index_of(memories)
    assert index.search(asked) == fresh.search(asked) == index.search(asked)
    similar = [each.similar("green tea", asked.vector, IDENTITY, asked.criteria, 5) for each in (index, fresh)]
    assert similar[0] == similar[1]


@given(changes)
def test_an_emptied_index_is_larger_than_a_new_one_only_by_its_rows(
    steps: list[IndexedMemory | str],
) -> None:
    index, left = changed(steps)
    index.remove(left)
    refilled = index.size_bytes
    index.put(left.values())
    index.remove(left)
    assert index.size_bytes == refilled


@given(changes, queries)
def test_scores_are_from_0_to_1_in_order_and_of_memories_that_meet_the_criteria(
    steps: list[IndexedMemory | str], asked: Query
) -> None:
    index, left = changed(steps)
    ranking = index.search(asked)
    keys = [(-match.score, -left[match.memory_id].memory.sequence) for match in ranking.matches]
    assert keys == sorted(keys)
    assert len(ranking.matches) <= min(asked.limit, ranking.total)
    assert ranking.total <= sum(passes(indexed.memory, asked.criteria) for indexed in left.values())
    for match in ranking.matches:
        assert passes(left[match.memory_id].memory, asked.criteria)
        assert 0.0 < match.score <= 1.0
        assert match.score >= asked.min_score
        assert match.salience >= asked.min_salience
        assert all(0.0 <= part <= 1.0 for part in (match.words, match.meaning, match.salience))


@pytest.mark.parametrize("scope", ["user_id", "project_id"])
@given(changes, queries)
def test_memories_of_other_users_do_not_change_the_results(
    scope: str, steps: list[IndexedMemory | str], asked: Query
) -> None:
    index, left = changed(steps)
    for name in {getattr(indexed.memory, scope) for indexed in left.values()}:
        own = index_of(indexed for indexed in left.values() if getattr(indexed.memory, scope) == name)
        wanted = msgspec.structs.replace(asked.criteria, **{scope: name})
        narrowed = msgspec.structs.replace(asked, criteria=wanted)
        # A link to another user's memory still counts for the salience of the memory that has it.
        assert index.search(narrowed) == own.search(narrowed)
