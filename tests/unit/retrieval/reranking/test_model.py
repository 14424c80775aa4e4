import numpy as np
import pytest
from scripts.fitting.choice import choice_weights

from memoryd_server.retrieval.reranking.model import FACT_FEATURES, Start

NAMES = (*FACT_FEATURES, "talk")
START = Start((4.0, 1.0), fact=-1.0, talk=-5.0)


def test_a_fact_starts_with_its_features_times_their_weights_and_others_with_a_constant() -> None:
    rows = np.array([[1, 0.5, 0], [0.75, np.nan, 0], [1, 1, 1]], np.float32)
    assert START.of(rows, NAMES).tolist() == [3.5, 2.0, -5.0]


def test_what_answers_gets_a_weight_and_what_does_not_gets_none() -> None:
    chance = np.random.default_rng(1)
    sizes = [5] * 200
    inputs = chance.normal(size=(1000, 2))
    answers = np.zeros(1000, np.bool_)
    answers[np.arange(0, 1000, 5) + np.argmax(inputs[:, 0].reshape(200, 5), axis=1)] = True
    answering, other = choice_weights(inputs, answers, sizes, np.ones(200))
    assert answering > 2
    assert abs(other) < answering / 5


def test_a_query_of_no_weight_makes_no_difference() -> None:
    inputs = np.array([[0.0], [1.0], [0.3], [1.0], [0.0]])
    answers = np.array([False, True, False, False, True])
    with_both = choice_weights(inputs, answers, [3, 2], np.array([1.0, 0.0]))
    assert with_both > 0
    assert choice_weights(inputs, answers, [3, 2], np.array([0.0, 1.0])) == pytest.approx(-with_both, rel=0.5)
