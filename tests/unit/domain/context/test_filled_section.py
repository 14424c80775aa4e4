import pytest

from memoryd_server.domain.context.filled_section import Outcome, Room


@pytest.mark.parametrize(
    ("own", "left", "outcome"),
    [(4, 5, Outcome.OVER_SECTION_BUDGET), (5, 5, Outcome.OVER_TOTAL_BUDGET), (6, 5, Outcome.OVER_TOTAL_BUDGET)],
)
def test_what_does_not_fit_is_over_the_section_only_if_the_whole_has_more_left(
    own: int, left: int, outcome: Outcome
) -> None:
    assert Room(own, left).over is outcome
