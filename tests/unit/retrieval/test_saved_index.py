import io
import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from tests.unit.retrieval.sample import NOW, embedding, index_of, memory, query, salience_of, talk
from tests.unit.retrieval.test_index_property import changed, changes, queries

from memoryd_server.ports.retrieval import IndexedMemory, Query, UnusableIndex
from memoryd_server.retrieval.index import Index
from memoryd_server.retrieval.reranking.reranker import Reranker
from memoryd_server.retrieval.saved import version
from memoryd_server.retrieval.saved.content_digest import digests_of

CONTENTS = ("Ann: green tea since May 2023?", "no coffee, thanks", "Die Katze schläft", "日本語 in 2024", "at 10:30")


def saved(index: Index) -> bytes:
    file = io.BytesIO()
    index.save(file)
    return file.getvalue()


def loaded(data: bytes, memories: Iterable[IndexedMemory]) -> tuple[Index, int]:
    index = Index(salience_of, reranker=Reranker())
    return index, index.load(io.BytesIO(data), memories)


def sample() -> list[IndexedMemory]:
    made = [*talk(*CONTENTS), *(memory(f"{content} again", number) for number, content in enumerate(CONTENTS, 10))]
    return [
        IndexedMemory(each, embedding(each.memory_id, number, 1.0, 0.0, -1.0) if number % 3 else None)
        for number, each in enumerate(made)
    ]


@pytest.mark.whole
@given(changes, changes, queries)
def test_a_loaded_index_equals_one_that_is_built_of_the_memories(
    before: list[IndexedMemory | str], after: list[IndexedMemory | str], asked: Query
) -> None:
    index, _ = changed(before)
    _, left = changed([*before, *after])
    later, _ = loaded(saved(index), left.values())
    built = index_of(left.values(), Reranker())
    assert later.search(asked) == built.search(asked)
    rows = [sorted(each.candidates(asked)[0]) for each in (later, built)]
    assert rows[0] == rows[1]
    assert later.similar(asked.text, asked.vector, asked.identity, asked.filter, 20) == built.similar(
        asked.text, asked.vector, asked.identity, asked.filter, 20
    )


@pytest.mark.whole
@given(changes, changes, queries)
def test_a_loaded_index_is_changed_as_any_other(
    before: list[IndexedMemory | str], after: list[IndexedMemory | str], asked: Query
) -> None:
    index, left = changed(before)
    later, read_count = loaded(saved(index), left.values())
    assert read_count == 0
    change(later, left, after)
    assert later.search(asked) == index_of(left.values(), Reranker()).search(asked)
    later.remove(list(left))
    assert (len(later), later.search(asked).total) == (0, 0)


@pytest.mark.whole
@given(changes, changes, queries)
def test_what_a_loaded_index_never_unpacked_is_saved_again(
    before: list[IndexedMemory | str], after: list[IndexedMemory | str], asked: Query
) -> None:
    index, left = changed(before)
    later, _ = loaded(saved(index), left.values())
    change(later, left, after)
    again, read_count = loaded(saved(later), left.values())
    assert read_count == 0
    assert again.search(asked) == index_of(left.values(), Reranker()).search(asked)


def change(index: Index, left: dict[str, IndexedMemory], steps: list[IndexedMemory | str]) -> None:
    """Put and remove memories, in an index and among those that are left."""
    for step in steps:
        if isinstance(step, str):
            index.remove([step])
            left.pop(step, None)
        else:
            index.put([step])
            left[step.memory.memory_id] = step


def test_a_digest_of_a_memory_is_the_same_alone_and_among_others() -> None:
    made = [*sample(), IndexedMemory(memory("tea"), embedding("m1", *range(1, 10)))] * 300
    assert digests_of(made).tolist() == [int(digests_of([each])[0]) for each in made]
    assert len(set(digests_of(made).tolist())) == len(made) / 300


def test_only_what_an_index_reads_of_a_memory_makes_it_read_again() -> None:
    made = sample()
    data = saved(index_of(made))
    assert loaded(data, made)[1] == 0
    first = made[0].memory
    for fields in ({"content": "other"}, {"aliases": ("tea",)}, {"tags": ("tea",)}, {"occur_time": NOW + 1}):
        edited = memory(**{"content": first.content, "number": 1, "conversation_id": "c", "position": 1} | fields)
        assert loaded(data, [IndexedMemory(edited), *made[1:]])[1] == 1, fields
    assert loaded(data, [IndexedMemory(first, embedding("m1", 1.0, 2.0, 3.0, 4.0)), *made[1:]])[1] == 1
    assert loaded(data, [IndexedMemory(memory(first.content, importance=0.9, user_id="u")), *made[1:]])[1] == 0


def test_a_loaded_index_samples_the_same_memories() -> None:
    made = [IndexedMemory(memory("tea", number)) for number in range(1, 600)]
    built = index_of(made)
    later, _ = loaded(saved(index_of(made[::-1])), made)
    sampled = [
        {table.memory_at(int(row)).memory_id for row in np.flatnonzero(table.is_sampled(table.row_count))}
        for table in (built._holdings.table, later._holdings.table)
    ]
    assert sampled[0] == sampled[1]
    assert 1 <= len(sampled[0]) <= 20


def test_a_damaged_file_is_refused_or_makes_no_difference() -> None:
    made, chance = sample(), random.Random(20)
    data = saved(index_of(made))
    asked = [query(text) for text in ("green tea", "Katze", "日本", "10:30", "May 2023")]
    built = index_of(made, Reranker())
    expected = [built.search(each) for each in asked]
    for place in chance.sample(range(len(data)), 400):
        flipped = bytearray(data)
        flipped[place] ^= 1 << chance.randrange(8)
        for damaged in (bytes(flipped), data[:place]):
            try:
                index, _ = loaded(damaged, made)
            except UnusableIndex:
                continue
            assert [index.search(each) for each in asked] == expected


def test_a_file_of_another_version_or_of_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sample()
    data = saved(index_of(made))
    other = io.BytesIO()
    np.savez(other, words=np.zeros(3))
    for file in (b"", b"text", other.getvalue()):
        with pytest.raises(UnusableIndex):
            loaded(file, made)
    monkeypatch.setattr(version, "_LIBRARIES", ("numpy",))
    version.reading_version.cache_clear()
    try:
        with pytest.raises(UnusableIndex, match="another version"):
            loaded(data, made)
    finally:
        version.reading_version.cache_clear()


def test_a_file_that_refers_to_python_objects_is_refused() -> None:
    file = io.BytesIO()
    np.savez(file, version=np.array([object()], dtype=object))
    with pytest.raises(UnusableIndex):
        loaded(file.getvalue(), sample())
