import pytest

from memoryd_server.ops.cli.bench.measurement import Measured, measure, quantile, summarized


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 3.0), (0.99, 4.0), (1.0, 4.0)])
def test_a_quantile_is_one_of_the_values(share: float, value: float) -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0], share) == value


def test_times_are_summarized_in_milliseconds() -> None:
    assert summarized("get", 2, [0.003, 0.001, 0.002], 0.5) == Measured("get", 2, 3, 6.0, 2.0, 3.0)


def test_each_call_has_a_number_of_its_own() -> None:
    seen: list[int] = []
    found = measure("set", seen.append, callers=4, seconds=0.0)
    # The first warms up.
    assert found.call_count == len(seen) - 1
    assert len(set(seen)) == len(seen)
    assert found.callers == 4
