"""A static table: a vector for each token, such that the weighted mean of a text's tokens is the text's vector."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

DIMENSIONS = 256


class Table(NamedTuple):
    """model2vec's ``embeddings``, rows of int8; for each token the row that it has in ``mapping``, and in ``weights``
    that row's scale times the token's weight.
    """

    embeddings: npt.NDArray[np.int8]
    weights: npt.NDArray[np.float32]
    mapping: npt.NDArray[np.int32]


def make_table(
    vectors: npt.NDArray[np.float32], weights: npt.NDArray[np.float64], mapping: npt.NDArray[np.int64]
) -> Table:
    """Project vectors to fewer dimensions, and round them to a byte each.

    The first tokens have a vector each; ``mapping`` has the vector of each token, and ``weights`` its weight.
    """
    own = weights[: len(vectors)]
    # A token counts by its weight alone: its vector's length is an artefact of encoding a word without a sentence.
    directions = vectors / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    projected = directions @ principal_axes(directions * own[:, None])
    # A scale for each row: with one for all, most rows would use a few of the 255 steps.
    scales = np.abs(projected).max(axis=1) / 127
    steps = np.rint(projected / scales[:, None]).astype(np.int8)
    steps[own == 0] = 0
    return Table(steps, (scales[mapping] * weights).astype(np.float32), mapping.astype(np.int32))


def principal_axes(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the axes that preserve most of the rows' dot products, as columns.

    The rows are not centred: cosines are of the vectors as they are, and the share that all tokens have in common
    carries a text's length.
    """
    _, axes = np.linalg.eigh(rows.T @ rows)
    kept = axes[:, ::-1][:, :DIMENSIONS]
    # An axis may point either way; the same one is chosen on every machine.
    signs = np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])])
    return np.asarray(kept * signs)
