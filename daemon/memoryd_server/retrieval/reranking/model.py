"""The fitted model in the distribution; scripts/fit writes it."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from memoryd_server.retrieval.reranking.forest import Forest
from memoryd_server.retrieval.reranking.whole import whole_of

MODEL_FILE = Path(__file__).with_name("model.npz")

FACT_FEATURES = ("contrast", "soft_near")
"""The features that order memories without neighbours before the trees do. More of them must never be worse."""

TOTAL_SHARE_MIN = 0.01
"""Share of the first stage's best total that counts as the least, since a logarithm is taken of it."""


class Odds(msgspec.Struct, frozen=True):
    """The logarithm of the odds that a candidate answers a query that has an answer: its sum and the best candidate's,
    each times its weight, and ``intercept``.
    """

    own: float
    best: float
    intercept: float

    def probabilities_of(self, sums: NDArray[np.float64], best: float) -> NDArray[np.float64]:
        """Return the probabilities of candidates from their sums and the greatest one."""
        probabilities: NDArray[np.float64] = 1.0 / (
            1.0 + np.exp(-(self.own * sums + self.best * best + self.intercept))
        )
        return probabilities


class Calibration(msgspec.Struct, frozen=True):
    """The probabilities that sums stand for: that the query has an answer, times that the candidate is one if it has.

    The former's odds have the query's sum times ``slope`` plus ``intercept`` as their logarithm. The latter's differ
    between facts and conversations, where more is said about anything: ``talk`` is for a query whose best candidate has
    neighbours.
    """

    slope: float
    intercept: float
    fact: Odds
    talk: Odds

    def probabilities_of(
        self, sums: NDArray[np.float64], best: float, whole: float, *, is_talk: bool
    ) -> NDArray[np.float64]:
        """Return the probabilities of the candidates of a query, from their sums, the greatest, and the query's."""
        answerable = 1.0 / (1.0 + math.exp(-(self.slope * whole + self.intercept)))
        return answerable * (self.talk if is_talk else self.fact).probabilities_of(sums, best)


class Start(msgspec.Struct, frozen=True):
    """The sums that candidates start with, to which the forest adds.

    ``fact`` is the sum that a memory without neighbours starts with, to which its FACT_FEATURES are added, each times
    its weight; ``talk`` is that of a memory with neighbours. Unknown features are not added.
    """

    weights: tuple[float, ...]
    fact: float
    talk: float

    def of(self, features: NDArray[np.float32], names: Sequence[str]) -> NDArray[np.float64]:
        """Return the sums that rows of the named features start with."""
        fact = (known_of(features, names) * self.weights).sum(axis=1) + self.fact
        start: NDArray[np.float64] = np.where(features[:, names.index("talk")] > 0.0, self.talk, fact)
        return start


def known_of(features: NDArray[np.float32], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the FACT_FEATURES of rows of the named features, 0 for what is unknown."""
    return np.nan_to_num(features[:, [names.index(name) for name in FACT_FEATURES]].astype(np.float64))


class Model(msgspec.Struct, frozen=True):
    """A forest over ``features``, and how its sum becomes a probability.

    ``start`` is added to the sum, and so is the logarithm of the first stage's total, as a share of the best one, times
    ``first_stage``: they decide between candidates that the trees do not tell apart. ``answerable`` is a forest over
    the features of all candidates together, whose sum is greater if one of them answers the query.
    """

    features: tuple[str, ...]
    forest: Forest
    start: Start
    first_stage: float
    answerable: Forest
    calibration: Calibration

    def sums_of(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sums of rows of features."""
        share = features[:, self.features.index("total_share")].astype(np.float64)
        first_stage = self.first_stage * np.log(np.maximum(share, TOTAL_SHARE_MIN))
        return self.forest.sums_of(features) + self.start.of(features, self.features) + first_stage

    def probabilities_of(self, features: NDArray[np.float32], sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities that the candidates of a query answer it, greater for a greater sum."""
        if not len(sums):
            return sums
        answerable = float(self.answerable.sums_of(whole_of(features, sums))[0])
        best = int(np.argmax(sums))
        is_talk = bool(features[best, self.features.index("talk")])
        return self.calibration.probabilities_of(sums, float(sums[best]), answerable, is_talk=is_talk)

    def save(self, path: Path, provenance: Sequence[str]) -> None:
        """Write the model with lines that say what it was fitted on. The same model has the same bytes."""
        arrays = {
            f"{prefix}{name}": getattr(forest, name)
            for prefix, forest in (("", self.forest), (_ANSWERABLE, self.answerable))
            for name in Forest.__struct_fields__
        }
        calibration, start = self.calibration, self.start
        odds = [number for each in (calibration.fact, calibration.talk) for number in msgspec.structs.astuple(each)]
        numbers = np.array([self.first_stage, calibration.slope, calibration.intercept, *odds])
        starts = np.array([start.fact, start.talk, *start.weights])
        names, lines = np.array(self.features), np.array(provenance)
        np.savez_compressed(path, features=names, numbers=numbers, starts=starts, provenance=lines, **arrays)


_ANSWERABLE = "answerable_"


@cache
def shipped_model() -> Model:
    """Return the model in the distribution."""
    with np.load(MODEL_FILE) as arrays:
        forest, answerable = (
            Forest(*(arrays[f"{prefix}{name}"] for name in Forest.__struct_fields__)) for prefix in ("", _ANSWERABLE)
        )
        first_stage, slope, intercept, *odds = map(float, arrays["numbers"])
        calibration = Calibration(slope, intercept, Odds(*odds[:3]), Odds(*odds[3:]))
        fact, talk, *weights = map(float, arrays["starts"])
        start = Start(tuple(weights), fact, talk)
        return Model(tuple(map(str, arrays["features"])), forest, start, first_stage, answerable, calibration)
