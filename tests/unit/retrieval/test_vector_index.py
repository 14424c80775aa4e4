import numpy as np
import pytest

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.retrieval.vector_index import VectorIndex, vector_of


@pytest.mark.parametrize("dimensions", [1, 256, 8_192])
@pytest.mark.parametrize("scale", [1e-38, 1.0, 1e38])
def test_quantization_keeps_the_direction_at_any_length(dimensions: int, scale: float) -> None:
    raw = (np.random.default_rng(7).uniform(-1, 1, dimensions) * scale).astype("<f4")
    vector = vector_of(raw.tobytes())
    assert vector is not None
    assert int(np.abs(vector.astype(np.int64)).max()) == 127
    exact = raw.astype(np.float64) / np.linalg.norm(raw.astype(np.float64))
    assert float(exact @ (vector / np.linalg.norm(vector.astype(np.float64)))) > 0.999


def test_a_cosine_is_exact_after_rows_were_moved() -> None:
    raw = np.random.default_rng(7).standard_normal((33, 100)).astype("<f4")
    vectors = [vector_of(row.tobytes()) for row in raw]
    index = VectorIndex(EmbeddingIdentity("sample", "1", 100))
    for row, vector in enumerate(vectors, 1):
        assert vector is not None
        index.add(np.array([row]), vector[np.newaxis])
    for row in (2, 33, 17):
        index.remove(row)
    assert vectors[0] is not None
    rows = np.flatnonzero(index.has(40))
    cosines = index.cosines_of(vectors[0], 40)
    assert index.cosines_at(vectors[0], np.arange(40)).tolist() == cosines.tolist()
    cosine_of = dict(zip(rows.tolist(), cosines[rows].tolist(), strict=True))
    assert cosine_of.keys() == set(range(1, 34)) - {2, 33, 17}
    assert not cosines[[0, 2, 33, 17, 39]].any()
    for row, cosine in cosine_of.items():
        vector = vectors[row - 1]
        assert vector is not None
        one, other = (each.astype(np.int64) for each in (vector, vectors[0]))
        lengths = [np.float32(np.sqrt(np.float64(each @ each))) for each in (one, other)]
        assert cosine == min(float(np.float32(one @ other) / (lengths[0] * lengths[1])), 1.0)


def test_a_zero_vector_is_not_indexed() -> None:
    assert vector_of(b"\0" * 16) is None


def test_the_rows_with_most_signs_in_common_are_probably_nearest() -> None:
    raw = np.random.default_rng(7).standard_normal((50, 100)).astype("<f4")
    vectors = [vector for row in raw if (vector := vector_of(row.tobytes())) is not None]
    index = VectorIndex(EmbeddingIdentity("sample", "1", 100))
    index.add(np.arange(50), np.stack(vectors))
    among = np.arange(50) % 2 == 0
    differing = {row: int(((vectors[row] > 0) != (vectors[4] > 0)).sum()) for row in range(0, 50, 2)}
    tenth = sorted(differing.values())[9]
    expected = [row for row in differing if differing[row] <= tenth]
    assert index.probably_nearest(vectors[4], among, 10).tolist() == expected
    assert index.probably_nearest(vectors[4], among, 60).tolist() == list(differing)


@pytest.mark.parametrize("dimensions", [4, 192, 256, 320, 1_024])
def test_the_vectors_with_the_fewest_differing_signs_are_probably_the_nearest(dimensions: int) -> None:
    chance = np.random.default_rng(3)
    asked = chance.choice(np.array([-1, 1], np.int8), dimensions)
    flipped = chance.permutation(dimensions + 1)[:40] if dimensions > 40 else np.arange(dimensions + 1)
    vectors = np.tile(asked, (len(flipped), 1))
    for row, count in enumerate(flipped):
        vectors[row, chance.permutation(dimensions)[:count]] *= -1
    opposite = -asked[np.newaxis]
    index = VectorIndex(EmbeddingIdentity("sample", "1", dimensions))
    rows = np.arange(1, len(vectors) + 2)
    index.add(rows, np.concatenate((vectors, opposite)))
    among = np.ones(len(vectors) + 5, np.bool_)
    among[[0, *range(len(vectors) + 2, len(among))]] = False
    among[1 + int(np.argmin(flipped))] = False
    expected = np.sort(1 + np.argsort(flipped)[1:4])
    assert index.probably_nearest(asked, among, 3).tolist() == expected.tolist()
