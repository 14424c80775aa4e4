import pytest

from memoryd.errors import (
    CallFailed,
    Cancelled,
    Draining,
    InvalidArgument,
    Overloaded,
    QuotaExceeded,
    StorageFull,
    TooLarge,
    Unavailable,
)
from memoryd.protocol.retry import DELAY_S_MAX, Attempts, backoff


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def attempts(clock: Clock, *, repeatable: bool = True, patience: float = 10.0) -> Attempts:
    return Attempts(repeatable=repeatable, timeout=10.0, patience=patience, clock=clock)  # time: own clock


def test_the_backoff_grows_to_its_bound() -> None:
    delays = [backoff(failures, jitter=lambda: 1.0) for failures in range(1, 40)]
    assert delays[:3] == [0.1, 0.2, 0.4]
    assert max(delays) == DELAY_S_MAX
    assert delays == sorted(delays)


def test_no_two_callers_come_back_at_once() -> None:
    assert backoff(1, jitter=lambda: 0.0) < backoff(1, jitter=lambda: 1.0)


def test_an_unreachable_daemon_is_retried_until_the_timeout(clock: Clock) -> None:
    call = attempts(clock)
    tries = 0
    with pytest.raises(Unavailable):  # noqa: PT012 - the loop is the caller's
        while True:
            tries += 1
            clock.now += call.delay_after(Unavailable("gone"))
    assert tries > 5
    assert clock.now <= 110.0


def test_a_call_that_arrived_as_the_daemon_stopped_is_retried(clock: Clock) -> None:
    assert attempts(clock).delay_after(Cancelled("stopped")) > 0
    with pytest.raises(Cancelled):
        attempts(clock, repeatable=False).delay_after(Cancelled("stopped"))


def test_a_daemon_that_was_never_reached_is_retried_for_a_shorter_time(clock: Clock) -> None:
    call = attempts(clock, patience=0.0)
    with pytest.raises(Unavailable):
        call.delay_after(Unavailable("gone"))


def test_only_an_overload_is_retried_of_what_is_exhausted(clock: Clock) -> None:
    assert attempts(clock).delay_after(Overloaded("later", retry_delay=0.25)) == 0.25
    for refused in (Overloaded("later"), QuotaExceeded("never"), StorageFull("never"), TooLarge("never")):
        with pytest.raises(type(refused)):
            attempts(clock, repeatable=not isinstance(refused, Overloaded)).delay_after(refused)


def test_the_server_says_when_to_come_back(clock: Clock) -> None:
    assert attempts(clock).delay_after(Draining("soon", retry_delay=3.0)) == 3.0


def test_a_delay_beyond_the_timeout_is_not_waited_for(clock: Clock) -> None:
    with pytest.raises(Draining):
        attempts(clock).delay_after(Draining("soon", retry_delay=30.0))


def test_a_call_that_is_not_safe_to_repeat_fails_at_once(clock: Clock) -> None:
    with pytest.raises(Unavailable):
        attempts(clock, repeatable=False).delay_after(Unavailable("gone"))


@pytest.mark.parametrize("error", [InvalidArgument("bad"), CallFailed("odd")])
def test_a_refusal_is_not_retried(clock: Clock, error: CallFailed) -> None:
    with pytest.raises(type(error)):
        attempts(clock).delay_after(error)


def test_each_attempt_has_the_time_that_is_left(clock: Clock) -> None:
    call = attempts(clock)
    assert call.timeout() == 10.0
    clock.now += 4.0
    assert call.timeout() == 6.0
    clock.now += 60.0
    assert 0.0 < call.timeout() < 0.01
