"""Retries of failed calls, and the delays before them."""

import random
from collections.abc import Callable

from memoryd.errors import CallFailed, Cancelled, Overloaded, Unavailable

DELAY_S_FIRST = 0.1
DELAY_S_MAX = 2.0


def backoff(failures: int, *, delay_max: float = DELAY_S_MAX, jitter: Callable[[], float] = random.random) -> float:
    """Return the seconds to wait after a number of failures in a row: growing, bounded, and randomized."""
    delay = min(delay_max, DELAY_S_FIRST * 2.0 ** min(failures - 1, 16))
    return delay * (0.5 + jitter() / 2)


def is_transient(error: CallFailed) -> bool:
    """Return True if the daemon may accept the call soon. A server that stops cancels the calls that arrive then."""
    return isinstance(error, Unavailable | Cancelled | Overloaded)


class Attempts:
    """The attempts of one call, all within its timeout.

    gRPC itself makes a few retries at once (see protocol/setting.py). These attempts come after it has given up: they
    bridge a restart or an overload of the daemon, and wait as long as the server's RetryInfo says, which gRPC does not
    read. ``patience`` is the number of seconds for which such a server is retried.
    """

    def __init__(self, *, repeatable: bool, timeout: float, patience: float, clock: Callable[[], float]) -> None:
        self._repeatable = repeatable
        self._clock = clock
        self._deadline = clock() + timeout
        self._patient_until = clock() + min(patience, timeout)
        self._failures = 0

    def timeout(self) -> float:
        """Return the seconds that are left for the next attempt."""
        return max(0.001, self._deadline - self._clock())

    def delay_after(self, error: CallFailed) -> float:
        """Return the seconds to wait before the next attempt. Raises the error if there is to be none."""
        self._failures += 1
        delay = backoff(self._failures) if error.retry_delay is None else error.retry_delay
        if not (self._repeatable and is_transient(error)) or self._clock() + delay >= self._patient_until:
            raise error
        return delay
