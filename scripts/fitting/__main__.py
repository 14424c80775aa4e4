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
from scripts.fitting.figures import figures_of
from scripts.fitting.forest import forest_of
from scripts.fitting.sample import Sample, samples_of
from tests.benchmarks.environment import interpreter_with

from memoryd_server.retrieval.reranking.feature import FEATURES
from memoryd_server.retrieval.reranking.model import MODEL_FILE, Model

OWN_DATA = Path(__file__).with_name("data")
FILE_WEIGHTS = {"facts": 2.0, "talks": 8.0, "paragraphs": 8.0, "sentences": 8.0, "friendsqa-train": 0.5}
"""Weights of the queries of files, 1 for the others: kinds of data should count rather than their sizes."""

FIRST_STAGE = 0.6
FOLDS = 4

LIGHTGBM = "lightgbm==4.7.0"

ASCENDING = frozenset(
    ("own", "here", "anywhere", "date", "words", "words_share", "total_share", "soft", "soft_near", "soft_share")
) | frozenset(("meaning", "meaning_z", "meaning_share", "window", "window_share"))
"""Features of which a greater value never lowers the score."""

DESCENDING = frozenset(("total_rank", "meaning_rank", "missing", "other_speaker"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+", help="files of conversations to fit on")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[], help="files of which only figures are printed")
    parser.add_argument("--output", type=Path, default=MODEL_FILE, help="the file of the model")
    arguments = parser.parse_args()
    files = [*sorted(OWN_DATA.glob("*.json")), *arguments.data]
    samples = [sample for file in files for sample in samples_of(file)]
    print(f"{len(samples)} queries, {sum(len(each.answers) for each in samples)} candidates", flush=True)
    fitted = _fitted(samples)
    model = Model(FEATURES, forest_of(fitted["trees"], fitted["share"]), FIRST_STAGE, 1.0, 0.0)
    sums = np.array(fitted["sums"]) + model.first_stage * _log_share(samples)
    # Without the weights of files: the data that people made is more like what is asked in earnest.
    slope, intercept = calibrated(
        sums, _answers(samples), _repeated(samples, [WEIGHTS[each.asked.way] for each in samples])
    )
    model = Model(FEATURES, model.forest, FIRST_STAGE, slope, intercept)
    model.save(arguments.output, [*map(_provenance_of, files), LIGHTGBM])
    print("\nFitted on, by cross-validation")
    print(figures_of(samples, _by_sample(samples, model.probabilities_of(sums))))
    for file in arguments.held_out:
        held_out = samples_of(file)
        scores = [model.probabilities_of(model.sums_of(each.features)) for each in held_out]
        print(f"\nHeld out: {file.name}")
        print(figures_of(held_out, scores))


def _fitted(samples: Sequence[Sample]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.npz"
        np.savez(
            path,
            features=np.concatenate([each.features for each in samples]),
            answers=_answers(samples),
            weights=_weights(samples),
            folds=_repeated(samples, [_fold_of(samples, each) for each in samples]),
            monotone=[(name in ASCENDING) - (name in DESCENDING) for name in FEATURES],
        )
        program = Path(__file__).with_name("trees.py")
        command = [str(interpreter_with("lightgbm", (LIGHTGBM,))), str(program), str(path)]
        fitted: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        return fitted


def _provenance_of(file: Path) -> str:
    return f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"


def _fold_of(samples: Sequence[Sample], sample: Sample) -> int:
    """Return the fold of a sample: that of its first conversation, so that no conversation is in two folds."""
    name = sample.conversation.partition("+")[0]
    return sum(name.encode()) % FOLDS


def _answers(samples: Sequence[Sample]) -> NDArray[np.bool_]:
    return np.concatenate([each.answers for each in samples])


def _weights(samples: Sequence[Sample]) -> NDArray[np.float64]:
    return _repeated(samples, [WEIGHTS[each.asked.way] * FILE_WEIGHTS.get(each.file, 1.0) for each in samples])


def _log_share(samples: Sequence[Sample]) -> NDArray[np.float64]:
    shares = np.concatenate([each.features[:, FEATURES.index("total_share")] for each in samples])
    return np.log(np.maximum(shares.astype(np.float64), 0.01))


def _repeated(samples: Sequence[Sample], values: Sequence[float]) -> NDArray[Any]:
    return np.repeat(values, [len(each.answers) for each in samples])


def _by_sample(samples: Sequence[Sample], values: NDArray[np.float64]) -> Sequence[NDArray[np.float64]]:
    return np.split(values, np.cumsum([len(each.answers) for each in samples])[:-1])


if __name__ == "__main__":
    main()
