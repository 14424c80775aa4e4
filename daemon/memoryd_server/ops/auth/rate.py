"""The rate of a caller's calls: a token bucket."""

import math
import time
from collections.abc import Callable

from memoryd_server.domain.error import Overloaded


class Rate:
    """Allows a number of calls per second, and as many at once as a second allows, at least one.

    ``limit`` is its name in the error.
    """

    __slots__ = ("_burst", "_clock", "_left", "_limit", "_time", "calls_per_second")

    def __init__(
        self,
        calls_per_second: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        limit: str = "calls_per_second",
    ) -> None:
        self.calls_per_second = calls_per_second
        self._limit = limit
        self._burst = max(1.0, calls_per_second)
        self._clock = clock
        self._left = self._burst
        self._time = clock()

    def take(self) -> None:
        """Count a call. Raises Overloaded, with the time until the next one is allowed."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._time) * self.calls_per_second)
        self._time = now
        if self._left < 1.0:
            delay_ms = math.ceil((1.0 - self._left) / self.calls_per_second * 1_000)
            raise Overloaded(self._limit, self.calls_per_second, delay_ms)
        self._left -= 1.0
