"""Fits the second stage of recall, and prints how good it is. See scripts/fit."""

import argparse
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.fitting.asking import WEIGHTS
from scripts.fitting.calibration import calibrated
from scripts.fitting.choice import choice_weights
from scripts.fitting.figures import figures_of
from scripts.fitting.forest import forest_of
from scripts.fitting.sample import Sample, samples_of
from tests.benchmarks.environment import interpreter_with

from memoryd_server.retrieval.reranking.feature import FEATURES
from memoryd_server.retrieval.reranking.model import (
    MODEL_FILE,
    TOTAL_SHARE_MIN,
    Calibration,
    Model,
    Odds,
    Start,
    known_of,
)
from memoryd_server.retrieval.reranking.whole import whole_count, whole_of

OWN_DATA = Path(__file__).with_name("data")
FILE_WEIGHTS = {"talks": 8.0, "paragraphs": 8.0, "sentences": 8.0}
"""Weights of the queries of files, 1 for the others: kinds of data should count rather than their sizes."""

FIRST_STAGE = 0.6
FOLDS = 4

LIGHTGBM = "lightgbm==4.7.0"

ASCENDING = frozenset(
    ("own", "here", "anywhere", "date", "words", "words_share", "total_share", "soft", "soft_near", "soft_share")
) | frozenset(("meaning", "meaning_z", "meaning_share", "window", "window_share", "contrast", "contrast_share"))
"""Features of which a greater value never lowers the score."""

DESCENDING = frozenset(("total_rank", "meaning_rank", "contrast_rank", "missing", "other_speaker"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+", help="files of conversations to fit on")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="files of which only figures are printed")
    parser.add_argument("--output", type=Path, default=MODEL_FILE, help="the file of the model")
    arguments = parser.parse_args()
    files = [*sorted(OWN_DATA.glob("*.json")), *arguments.data]
    samples = [sample for file in files for sample in samples_of(file)]
    print(f"{len(samples)} queries, {sum(len(each.answers) for each in samples)} candidates", flush=True)
    model, scores = _fitted(samples)
    model.save(arguments.output, [*map(_provenance_of, files), LIGHTGBM])
    print("\nFitted on, by cross-validation")
    print(figures_of(samples, scores))
    for file in arguments.held_out:
        held_out = samples_of(file)
        scores = [model.probabilities_of(each.features, model.sums_of(each.features)) for each in held_out]
        print(f"\nHeld out: {file.name}")
        print(figures_of(held_out, scores))


def _fitted(samples: Sequence[Sample]) -> tuple[Model, Sequence[NDArray[np.float64]]]:
    """Return the model, and the scores of samples by trees that were fitted on other conversations."""
    folds = np.array([_fold_of(each) for each in samples])
    weights = np.array([WEIGHTS[each.asked.way] * FILE_WEIGHTS.get(each.file, 1.0) for each in samples])
    features, answers = np.concatenate([each.features for each in samples]), _answers(samples)
    monotone = [(name in ASCENDING) - (name in DESCENDING) for name in FEATURES]
    starts = [_start(samples, weights * (folds != fold)) for fold in range(FOLDS)]
    starts.append(_start(samples, weights))
    candidates = _trees(
        features=features, answers=answers, weights=_repeated(samples, weights), folds=_repeated(samples, folds),
        starts=np.stack([each.of(features, FEATURES) for each in starts]), monotone=monotone, leaves=15, rows_min=100,
    )  # fmt: skip
    sums = np.array(candidates["sums"]) + FIRST_STAGE * _log_share(samples)
    by_sample = _by_sample(samples, sums)
    some = np.array([len(each.answers) > 0 for each in samples])
    rows = [whole_of(each.features, own) for each, own in zip(samples, by_sample, strict=True) if len(own)]
    wholes = _trees(
        features=np.concatenate(rows), answers=np.array([each.evidence_count > 0 for each in samples])[some],
        weights=weights[some], folds=folds[some],
        # The better the best candidate, the likelier there is an answer.
        monotone=[1] + [0] * (whole_count(len(FEATURES)) - 1), leaves=7, rows_min=60,
    )  # fmt: skip
    whole = np.zeros(len(samples))
    whole[some] = wholes["sums"]
    best = np.array([own.max() if len(own) else 0.0 for own in by_sample])
    is_talk = np.array([bool(len(own)) and _is_talk(each, own) for each, own in zip(samples, by_sample, strict=True)])
    calibration = _calibration(samples, sums, whole, best, is_talk)
    forests = [forest_of(fitted["trees"], fitted["share"]) for fitted in (candidates, wholes)]
    scores = [
        calibration.probabilities_of(own, best_sum, whole_sum, is_talk=talk)
        for own, best_sum, whole_sum, talk in zip(by_sample, best, whole, is_talk, strict=True)
    ]
    return Model(FEATURES, forests[0], starts[-1], FIRST_STAGE, forests[1], calibration), scores


def _start(samples: Sequence[Sample], weights: NDArray[np.float64]) -> Start:
    """Fit what the trees' sums start with, on the samples that have a weight.

    Which fact answers a question is chosen by the weights of a few features: trees would need hundreds of leaves to
    tell the cosines apart.
    """
    of_kind: dict[bool, list[int]] = {False: [], True: []}
    for number in np.flatnonzero(weights).tolist():
        features = samples[number].features
        if len(features):
            of_kind[bool(features[:, FEATURES.index("talk")].any())].append(number)
    facts, talks = ([samples[number] for number in of_kind[is_talk]] for is_talk in (False, True))
    fact_weights, talk_weights = (weights[of_kind[is_talk]] for is_talk in (False, True))
    is_asked = np.array([each.asked.way == "question" and bool(each.answers.any()) for each in facts])
    asked = [facts[number] for number in np.flatnonzero(is_asked).tolist()]
    sizes = [len(each.answers) for each in asked]
    chosen = choice_weights(_known(asked), _answers(asked), sizes, fact_weights[is_asked])
    mean = np.average(_known(facts) @ chosen, weights=_repeated(facts, fact_weights))
    return Start(
        tuple(map(float, chosen)), _log_odds(facts, fact_weights) - float(mean), _log_odds(talks, talk_weights)
    )


def _known(samples: Sequence[Sample]) -> NDArray[np.float64]:
    return known_of(np.concatenate([each.features for each in samples]), FEATURES)


def _log_odds(samples: Sequence[Sample], weights: NDArray[np.float64]) -> float:
    """Return the logarithm of the odds that a candidate is an answer."""
    share = np.average(_answers(samples), weights=_repeated(samples, weights))
    return float(np.log(share / (1.0 - share)))


def _is_talk(sample: Sample, sums: NDArray[np.float64]) -> bool:
    return bool(sample.features[int(np.argmax(sums)), FEATURES.index("talk")])


def _calibration(
    samples: Sequence[Sample],
    sums: NDArray[np.float64],
    whole: NDArray[np.float64],
    best: NDArray[np.float64],
    is_talk: NDArray[np.bool_],
) -> Calibration:
    """Fit the calibration without the weights of files: the data that people made is more like what is asked in
    earnest.
    """
    ways = np.array([WEIGHTS[each.asked.way] for each in samples])
    answerable = np.array([each.evidence_count > 0 for each in samples])
    slope, intercept = calibrated(whole[:, np.newaxis], answerable, ways)
    inputs, answers, weights = (
        np.column_stack((sums, _repeated(samples, best))),
        _answers(samples),
        _repeated(samples, ways),
    )
    odds = []
    for kind in (~is_talk, is_talk):
        rows = _repeated(samples, answerable & kind)
        odds.append(Odds(*calibrated(inputs[rows], answers[rows], weights[rows])))
    return Calibration(slope, intercept, *odds)


def _trees(**arrays: Any) -> dict[str, Any]:
    """Return what scripts/fitting/trees.py fits on arrays."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.npz"
        np.savez(path, **arrays)
        program = Path(__file__).with_name("trees.py")
        command = [str(interpreter_with("lightgbm", (LIGHTGBM,))), str(program), str(path)]
        fitted: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        return fitted


def _provenance_of(file: Path) -> str:
    return f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"


def _fold_of(sample: Sample) -> int:
    """Return the fold of a sample: that of its first conversation, so that no conversation is in two folds."""
    name = sample.conversation.partition("+")[0]
    return sum(name.encode()) % FOLDS


def _answers(samples: Sequence[Sample]) -> NDArray[np.bool_]:
    return np.concatenate([each.answers for each in samples])


def _log_share(samples: Sequence[Sample]) -> NDArray[np.float64]:
    shares = np.concatenate([each.features[:, FEATURES.index("total_share")] for each in samples])
    return np.log(np.maximum(shares.astype(np.float64), TOTAL_SHARE_MIN))


def _repeated(samples: Sequence[Sample], values: Sequence[float] | NDArray[Any]) -> NDArray[Any]:
    return np.repeat(values, [len(each.answers) for each in samples])


def _by_sample(samples: Sequence[Sample], values: NDArray[np.float64]) -> Sequence[NDArray[np.float64]]:
    return np.split(values, np.cumsum([len(each.answers) for each in samples])[:-1])


if __name__ == "__main__":
    main()
