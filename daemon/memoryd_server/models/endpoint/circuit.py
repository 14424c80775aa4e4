"""A circuit breaker for endpoints that keep failing."""

import math


class Circuit:
    """Opens after ``failures_max`` failures in a row, then admits one trial request every ``rest_s`` seconds.

    The first success closes it. Times are seconds of any monotonic clock.
    """

    def __init__(self, failures_max: int, rest_s: float) -> None:
        self._failures_max = failures_max
        self._rest_s = rest_s
        self._failures = 0
        self._trial_time = -math.inf

    @property
    def is_open(self) -> bool:
        """True if only trial requests are admitted."""
        return self._failures >= self._failures_max

    def admits(self, now: float) -> bool:
        """Return True if a request may be made now. The caller must then make it."""
        if not self.is_open:
            return True
        if now < self._trial_time:
            return False
        # Set before the trial ends: a trial that is cancelled and never reported must not block or hasten the next one.
        self._trial_time = now + self._rest_s
        return True

    def succeed(self) -> None:
        """Report a success."""
        self._failures = 0

    def fail(self, now: float) -> None:
        """Report a failure."""
        self._failures += 1
        self._trial_time = now + self._rest_s
