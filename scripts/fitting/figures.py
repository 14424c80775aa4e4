"""The figures of samples by their scores, as lines of text."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scripts.fitting.sample import Sample
from tests.benchmarks.recall.probability import auroc, brier, curve

BOUNDS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
FOUND_MAX = 10
UNANSWERABLE = ("removed", "elsewhere", "unanswerable", "gibberish")

Scores = Sequence[NDArray[np.float64]]


def figures_of(samples: Sequence[Sample], scores: Scores) -> str:
    """Return the recall of each file and category, and how well the first score says if there is an answer."""
    lines = [*_recall(samples, scores), *_answerable(samples, scores), *_calibration(samples, scores)]
    return "\n".join(lines)


def _recall(samples: Sequence[Sample], scores: Scores) -> Sequence[str]:
    ranks = defaultdict(list)
    for sample, own in zip(samples, scores, strict=True):
        if sample.evidence_count and sample.asked.way in ("question", "words", "itself"):
            found = sample.answers[np.argsort(-own, kind="stable")]
            first = np.flatnonzero(found[:20])
            figures = (
                *(found[:depth].sum() / sample.evidence_count for depth in (1, 5, 10)),
                1 / (first[0] + 1) if len(first) else 0.0,
            )
            ranks[sample.file, sample.asked.way, ""].append(figures)
            ranks[sample.file, sample.asked.way, sample.asked.category].append(figures)
    return [
        f"{file:16} {way:9} {category:22} {len(each):5}  R@1 {means[0]:.3f} R@5 {means[1]:.3f} R@10 {means[2]:.3f}"
        f" MRR {means[3]:.3f}"
        for (file, way, category), each in sorted(ranks.items())
        for means in [np.mean(each, axis=0)]
        if way != "words" or not category
    ]


def _answerable(samples: Sequence[Sample], scores: Scores) -> Sequence[str]:
    tops = defaultdict(list)
    for sample, own in zip(samples, scores, strict=True):
        tops[sample.file, sample.asked.way].append(float(own.max(initial=0.0)))
    lines = []
    for file in sorted({file for file, _ in tops}):
        answerable = tops[file, "question"]
        for ways in (*((way,) for way in UNANSWERABLE), UNANSWERABLE[:3]):
            unanswerable = [top for way in ways for top in tops.get((file, way), ())]
            if unanswerable:
                lines.append(f"{file:16} AUROC against {', '.join(ways):35} {auroc(answerable, unanswerable):.3f}")
        for way in (*UNANSWERABLE, "question", "itself"):
            if first := tops.get((file, way)):
                shares = " ".join(f"{np.quantile(first, share):.3f}" for share in (0.05, 0.25, 0.5, 0.75, 0.95))
                lines.append(f"{file:16} first score of {way:12} {shares}")
    return lines


def _calibration(samples: Sequence[Sample], scores: Scores) -> Sequence[str]:
    """The curve of all matches among the first FOUND_MAX, of questions that can be answered and others alike."""
    probabilities, answers = [], []
    for sample, own in zip(samples, scores, strict=True):
        if sample.asked.way in ("question", "removed", "elsewhere", "unanswerable"):
            best = np.argsort(-own, kind="stable")[:FOUND_MAX]
            probabilities.append(own[best])
            answers.append(sample.answers[best])
    all_probabilities, all_answers = np.concatenate(probabilities), np.concatenate(answers)
    lines = [f"Brier score {brier(all_probabilities, all_answers):.4f}, of a constant {np.var(all_answers):.4f}"]
    for (mean, share, count), lower in zip(curve(all_probabilities, all_answers, BOUNDS), BOUNDS, strict=False):
        lines.append(f"  from {lower:.2f}: {count:6}, mean score {mean:.3f}, share of answers {share:.3f}")
    return lines
