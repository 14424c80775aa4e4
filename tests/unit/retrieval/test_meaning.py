import numpy as np
import pytest
from tests.unit.retrieval.sample import IDENTITY, embedding, index_of, memory, vector

from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.meaning import Meaning
from memoryd_server.retrieval.vector_index import Vector, vector_of

COMMON = vector_of(vector(1, 0, 0, 0))
NEAR, FAR = (5, 1, 0, 0), (9, 0, 1, 0)
"""Vectors that share most of their direction."""


def contrasts(common: Vector | None) -> list[float]:
    made = [IndexedMemory(memory("a", 1), embedding("m1", *NEAR)), IndexedMemory(memory("b", 2), embedding("m2", *FAR))]
    holdings = index_of([*made, memory("c", 3)])._holdings
    passing = np.ones(holdings.table.row_count, np.bool_)
    meaning = Meaning(holdings, vector(5, 1, 0, 0), IDENTITY, passing)
    assert common is not None
    return meaning.contrast_at(common, np.array([holdings.table.rows[f"m{n}"] for n in (1, 2, 3)])).tolist()


def test_what_all_texts_have_in_common_is_no_contrast() -> None:
    assert contrasts(COMMON) == pytest.approx([1, 0, 0], abs=0.02)


@pytest.mark.parametrize("common", [np.zeros(4, np.int8), np.ones(3, np.int8)])
def test_without_anything_in_common_the_contrast_is_the_cosine(common: Vector) -> None:
    near, far = (np.array(each) / np.linalg.norm(each) for each in (NEAR, FAR))
    assert contrasts(common) == pytest.approx([1, float(near @ far), 0], abs=0.01)
