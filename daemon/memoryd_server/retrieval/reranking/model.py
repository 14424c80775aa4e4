"""The fitted model in the distribution; scripts/fit writes it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.reranking.forest import Forest

MODEL_FILE = Path(__file__).with_name("model.npz")

TOTAL_SHARE_MIN = 0.01
"""Share of the first stage's best total that counts as the least, since a logarithm is taken of it."""


class Model(msgspec.Struct, frozen=True):
    """A forest over ``features``, and how its sum becomes a probability.

    The logarithm of the first stage's total, as a share of the best one, times ``first_stage`` is added to the sum: so
    the first stage decides between candidates that the trees do not tell apart. The logarithm of the odds is ``slope``
    times the sum plus ``intercept``.
    """

    features: tuple[str, ...]
    forest: Forest
    first_stage: float
    slope: float
    intercept: float

    def sums_of(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sums of rows of features."""
        share = features[:, self.features.index("total_share")].astype(np.float64)
        return self.forest.sums_of(features) + self.first_stage * np.log(np.maximum(share, TOTAL_SHARE_MIN))

    def probabilities_of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities that candidates with these sums answer the query, greater for a greater sum."""
        probabilities: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-(self.slope * sums + self.intercept)))
        return probabilities

    def save(self, path: Path, provenance: Sequence[str]) -> None:
        """Write the model with lines that say what it was fitted on. The same model has the same bytes."""
        forest = {name: getattr(self.forest, name) for name in Forest.__struct_fields__}
        numbers = np.array([self.first_stage, self.slope, self.intercept])
        names, lines = np.array(self.features), np.array(provenance)
        np.savez_compressed(path, features=names, numbers=numbers, provenance=lines, **forest)


@cache
def shipped_model() -> Model:
    """Return the model in the distribution."""
    with np.load(MODEL_FILE) as arrays:
        forest = Forest(*(arrays[name] for name in Forest.__struct_fields__))
        return Model(tuple(map(str, arrays["features"])), forest, *map(float, arrays["numbers"]))
