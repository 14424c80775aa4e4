import numpy as np
import pytest

from memoryd_server.retrieval.reranking.model import Calibration, Odds
from memoryd_server.retrieval.reranking.whole import whole_count, whole_of

FEATURES = np.array([[0.1, 9.0], [0.7, 2.0], [0.3, 5.0]], np.float32)
SUMS = np.array([-2.0, 1.0, 0.5])


def test_the_row_has_the_best_sum_its_leads_the_best_candidate_and_the_greatest_of_each_feature() -> None:
    row = whole_of(FEATURES, SUMS)
    assert row.shape == (1, whole_count(2))
    assert row[0] == pytest.approx([1.0, 0.5, 10.0, 10.0, 0.7, 2.0, 0.7, 9.0])


def test_the_row_does_not_depend_on_the_order_of_candidates() -> None:
    assert (whole_of(FEATURES[::-1], SUMS[::-1]) == whole_of(FEATURES, SUMS)).all()


def test_what_is_known_of_the_query_moves_all_its_candidates_and_keeps_their_order() -> None:
    calibration = Calibration(0.5, -1.0, fact=Odds(1.0, 0.2, 0.0), talk=Odds(1.0, 0.2, -1.0))
    unlikely, likely = (calibration.probabilities_of(SUMS, 1.0, whole, is_talk=True) for whole in (-2.0, 2.0))
    assert (unlikely < likely).all()
    assert np.argsort(unlikely).tolist() == np.argsort(likely).tolist() == [0, 2, 1]
    assert (calibration.probabilities_of(SUMS, 1.0, 2.0, is_talk=False) > likely).all()
