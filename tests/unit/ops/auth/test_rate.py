import pytest

from memoryd_server.domain.error import Overloaded
from memoryd_server.ops.auth.rate import Rate


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_second_of_calls_may_come_at_once_and_then_no_more() -> None:
    rate = Rate(3, Clock())
    for _ in range(3):
        rate.take()
    with pytest.raises(Overloaded) as refused:
        rate.take()
    assert refused.value.metadata == {"limit": "calls_per_second", "value": "3"}
    assert refused.value.delay_ms == 334


def test_calls_come_back_with_time_but_no_more_than_a_second_of_them() -> None:
    clock = Clock()
    rate = Rate(2, clock)
    rate.take()
    rate.take()
    clock.now += 0.5
    rate.take()
    with pytest.raises(Overloaded):
        rate.take()
    clock.now += 3_600.0
    rate.take()
    rate.take()
    with pytest.raises(Overloaded):
        rate.take()


def test_less_than_one_call_a_second_is_one_call_at_a_time() -> None:
    clock = Clock()
    rate = Rate(0.1, clock)
    rate.take()
    with pytest.raises(Overloaded) as refused:
        rate.take()
    assert refused.value.delay_ms == 10_000
    clock.now += 10.0
    rate.take()
