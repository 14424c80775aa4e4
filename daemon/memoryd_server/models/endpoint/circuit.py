"""Whether an endpoint that keeps failing is asked at all."""

import math


class Circuit:
    """Opens after ``failures_max`` failures in a row, then admits one request every ``rest_s`` seconds to try.

    The first success closes it. Times are seconds of any clock that does not go back.
    """

    def __init__(self, failures_max: int, rest_s: float) -> None:
        self._failures_max = failures_max
        self._rest_s = rest_s
        self._failures = 0
        self._trial_time = -math.inf

    @property
    def is_open(self) -> bool:
        """Whether requests are kept back, but for those that try."""
        return self._failures >= self._failures_max

    def admits(self, now: float) -> bool:
        """Whether a request may be made now; the caller makes it then."""
        if not self.is_open:
            return True
        if now < self._trial_time:
            return False
        # Whatever becomes of this one, also when it is never heard of again, the next waits as long.
        self._trial_time = now + self._rest_s
        return True

    def succeed(self) -> None:
        """Take note of a success."""
        self._failures = 0

    def fail(self, now: float) -> None:
        """Take note of a failure."""
        self._failures += 1
        self._trial_time = now + self._rest_s
