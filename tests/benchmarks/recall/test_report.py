"""The order of the report: the file on which the daemon leads least comes first."""

from tests.benchmarks.recall.answerable import BOUNDS, Answerable
from tests.benchmarks.recall.report import OWN, OWN_WORDS, Data, Measured
from tests.benchmarks.recall.score import Score
from tests.benchmarks.recall.trial import Trial


def _trial(name: str, recall: float, mrr: float) -> Trial:
    return Trial(name, "", Score(1, (0.0, recall, recall, recall), (0.0,) * 4, mrr), {}, 0.0, 0.0, 0.0)


def _measured(own: float) -> Measured:
    trials = [_trial(OWN, own, 0.5), _trial(OWN_WORDS, 1.0, 1.0), _trial("FTS5", 0.5, 0.4), _trial("vectors", 0.5, 0.3)]
    answerable = Answerable(0.0, 0.0, [(0.0, 0.0, 0)] * (len(BOUNDS) - 1), 0.5, 0.5, None)
    return Measured(Data("file.json", "0" * 64, 1, 1, 1), trials, [], answerable)


def test_the_daemon_is_compared_with_the_best_of_the_others() -> None:
    assert _measured(0.6).best_plain.name == "FTS5"
    assert _measured(0.6).ratio == 1.2
    assert min(_measured(0.6), _measured(0.4), key=lambda each: each.ratio).ratio == 0.8
