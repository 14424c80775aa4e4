"""The index is derived: after any changes it returns what an index returns that is built of the same memories."""

import json
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.record_filters import METADATA, Facts, filters_of, keeps, of_memories
from tests.unit.retrieval.sample import IDENTITY, NOW, index_of, memory, query, salience_of, vector

from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import (
    MEMORY_SHAPE,
    Memory,
    MemoryCondition,
    MemoryStatus,
    MemoryType,
    Provenance,
)
from memoryd_server.domain.notes.note import NoteCondition
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter
from memoryd_server.ports.retrieval import IndexedMemory, Query
from memoryd_server.retrieval.index import Index
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.table.selector import Selector

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
rivals = st.lists(st.tuples(st.sampled_from(NUMBERS).map("m{}".format), st.booleans()), max_size=2)
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
        provenance=Provenance(
            draw(st.sampled_from(["", "c", "d"])), draw(st.sampled_from(["", "d"])), position=draw(st.integers(0, 2))
        ),
        metadata_json=json.dumps(draw(METADATA)),
        tags=tuple(draw(st.lists(st.sampled_from(["x", "y"]), max_size=2))),
        importance=draw(st.sampled_from([0.0, 0.5, 1.0])),
        occur_time=NOW - draw(st.integers(-1, 40)) * DAY_NS,
    )
    numbers_of = draw(vectors)
    embedding = Embedding(made.memory_id, IDENTITY, numbers_of) if numbers_of is not None else None
    return IndexedMemory(made, embedding, tuple(draw(links)), tuple(draw(rivals)))


conditions = st.one_of(
    st.none(),
    st.builds(
        MemoryCondition,
        types=st.frozensets(st.sampled_from(MemoryType), max_size=2),
        statuses=st.frozensets(st.sampled_from(MemoryStatus), max_size=2),
        project_ids=st.sampled_from([frozenset(), frozenset({""}), frozenset({"p", "none"})]),
        document_ids=st.sampled_from([frozenset(), frozenset({""}), frozenset({"d"})]),
        occur_start=st.sampled_from([None, NOW - 5 * DAY_NS]),
        occur_end=st.sampled_from([None, NOW]),
        min_importance=st.sampled_from([0.0, 0.5]),
        min_confidence=st.sampled_from([0.0, 0.5, 0.6]),
    ),
    st.just(NoteCondition()),
)
criteria = filters_of(conditions, ["m1", "m2"], [NOW - 1, NOW], ["", "c", "d"])
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
STAGES = pytest.mark.parametrize("reranker", [None, Reranker()], ids=["first stage", "both stages"])
changes = st.lists(st.one_of(indexed_memories(), st.sampled_from(NUMBERS).map("m{}".format)), max_size=24)


def changed(
    steps: list[IndexedMemory | str], reranker: Reranker | None = None
) -> tuple[Index, dict[str, IndexedMemory]]:
    index, left = Index(salience_of, reranker=reranker), dict[str, IndexedMemory]()
    for step in steps:
        if isinstance(step, str):
            index.remove([step])
            left.pop(step, None)
        else:
            index.put([step])
            left[step.memory.memory_id] = step
    return index, left


def passes(made: Memory, wanted: RecordFilter) -> bool:
    def own(condition: object) -> bool:
        return (
            isinstance(condition, MemoryCondition)
            and (not condition.types or made.type in condition.types)
            and (not condition.statuses or made.status in condition.statuses)
            and (not condition.project_ids or made.project_id in condition.project_ids)
            and (not condition.document_ids or made.provenance.document_id in condition.document_ids)
            and (condition.occur_start is None or made.occur_time >= condition.occur_start)
            and (condition.occur_end is None or made.occur_time < condition.occur_end)
            and made.importance >= condition.min_importance
            and made.confidence >= condition.min_confidence
        )

    metadata = json.loads(made.metadata_json or "{}")
    times = made.create_time, made.update_time
    facts = Facts(made.memory_id, made.user_id, made.tags, metadata, *times, made.provenance.conversation_id, own)
    return keeps(wanted, facts)


@given(changes, criteria, st.sampled_from(ListOrder))
def test_a_selector_keeps_what_a_scan_keeps_and_what_the_filter_says(
    steps: list[IndexedMemory | str], wanted: RecordFilter, order: ListOrder
) -> None:
    selector, left = Selector(), dict[str, IndexedMemory]()
    for step in steps:
        if isinstance(step, str):
            selector.remove([step])
            left.pop(step, None)
        else:
            selector.put([step])
            left[step.memory.memory_id] = step
    memories = [each.memory for each in left.values()]
    by_id = order in (ListOrder.ID, ListOrder.ID_DESCENDING)
    scanned = filter(Matcher(wanted, MEMORY_SHAPE).keeps, memories)
    selected = selector.select(wanted, order)
    assert selected == arranged(scanned, order, lambda each: each.memory_id if by_id else each.sequence)
    assert {each.memory_id for each in selected} == {each.memory_id for each in memories if passes(each, wanted)}
    size_bytes = selector.size_bytes
    selector.remove(list(left))
    assert selector.select(RecordFilter(), order) == []
    assert selector.size_bytes <= size_bytes


@pytest.mark.whole
@STAGES
@given(changes, queries, st.randoms(use_true_random=False))
def test_an_index_after_any_changes_equals_one_that_is_built_at_once(
    reranker: Reranker | None, steps: list[IndexedMemory | str], asked: Query, chance: random.Random
) -> None:
    index, left = changed(steps, reranker)
    memories = list(left.values())
    chance.shuffle(memories)
    fresh = index_of(memories, reranker)
    assert index.search(asked) == fresh.search(asked) == index.search(asked)
    similar = [each.similar("green tea", asked.vector, IDENTITY, asked.filter, 5) for each in (index, fresh)]
    assert similar[0] == similar[1]


@pytest.mark.whole
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


@pytest.mark.whole
@STAGES
@given(changes, queries)
def test_scores_are_from_0_to_1_in_order_and_of_memories_that_meet_the_criteria(
    reranker: Reranker | None, steps: list[IndexedMemory | str], asked: Query
) -> None:
    index, left = changed(steps, reranker)
    ranking = index.search(asked)
    keys = [(-match.score, -left[match.memory_id].memory.sequence) for match in ranking.matches]
    assert keys == sorted(keys)
    assert len(ranking.matches) <= min(asked.limit, ranking.total)
    assert ranking.total <= sum(passes(indexed.memory, asked.filter) for indexed in left.values())
    for match in ranking.matches:
        assert passes(left[match.memory_id].memory, asked.filter)
        assert 0.0 < match.score <= 1.0
        assert match.score >= asked.min_score
        assert match.salience >= asked.min_salience
        assert all(0.0 <= part <= 1.0 for part in (match.words, match.meaning, match.salience))


@pytest.mark.whole
@STAGES
@pytest.mark.parametrize("scope", ["user_id", "project_id"])
@given(changes, queries)
def test_memories_of_other_users_do_not_change_the_results(
    scope: str, reranker: Reranker | None, steps: list[IndexedMemory | str], asked: Query
) -> None:
    index, left = changed(steps, reranker)
    for name in {getattr(indexed.memory, scope) for indexed in left.values()}:
        own = index_of((indexed for indexed in left.values() if getattr(indexed.memory, scope) == name), reranker)
        narrow = of_memories(**{scope: name})
        wanted = msgspec.structs.replace(narrow, any_of=(asked.filter,))
        narrowed = msgspec.structs.replace(asked, filter=wanted)
        # A link to another user's memory still counts for the salience of the memory that has it.
        assert index.search(narrowed) == own.search(narrowed)
