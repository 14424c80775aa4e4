"""Fits gradient-boosted trees with LightGBM. Run by the interpreter of an environment that has it, not by the daemon's.

Reads the arrays ``features``, ``answers``, ``weights``, ``folds`` and ``monotone`` from the file that is its argument,
and the numbers ``leaves`` and ``rows_min`` of a tree. ``starts``, if there are any, has the sums that the rows start
with: for each fold those that were fitted without it, and at the end those for all.
Prints JSON: the trees fitted on all rows, their share in the sum, and for each row the sum of trees that were fitted on
the other folds. The sum is the mean of several forests, since MRR differs by .01 between those of two seeds.
"""

import json
import sys

import lightgbm
import numpy as np

ROUNDS = 65
SEEDS = (20, 21, 22)
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.1,
    "lambda_l2": 10.0,
    "feature_fraction": 0.5,
    "monotone_constraints_method": "basic",
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}


def main() -> None:
    with np.load(sys.argv[1]) as arrays:
        features, answers, weights, folds = (arrays[name] for name in ("features", "answers", "weights", "folds"))
        sizes = {"num_leaves": int(arrays["leaves"]), "min_data_in_leaf": int(arrays["rows_min"])}
        starts = arrays.get("starts")
        parameters = PARAMETERS | sizes | {"monotone_constraints": arrays["monotone"].tolist()}

    def fitted(rows: np.ndarray, seed: int, start: int) -> lightgbm.Booster:
        first = None if starts is None else starts[start][rows]
        data = lightgbm.Dataset(features[rows], answers[rows], weight=weights[rows], init_score=first)
        booster = lightgbm.train(parameters | {"seed": seed}, data, ROUNDS)
        print(f"fitted on {len(rows)} rows", file=sys.stderr)
        return booster

    sums = np.zeros(len(features))
    for fold in np.unique(folds):
        own = folds == fold
        others = fitted(np.flatnonzero(~own), SEEDS[0], fold)
        sums[own] = others.predict(features[own], raw_score=True) + (0.0 if starts is None else starts[fold][own])
    boosters = [fitted(np.arange(len(features)), seed, -1) for seed in SEEDS]
    trees = [tree["tree_structure"] for booster in boosters for tree in booster.dump_model()["tree_info"]]
    json.dump({"trees": trees, "share": 1 / len(SEEDS), "sums": sums.tolist()}, sys.stdout)


if __name__ == "__main__":
    main()
