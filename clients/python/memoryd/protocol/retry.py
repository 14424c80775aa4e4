"""Whether and when a failed call is tried again."""

import random
from collections.abc import Callable

from memoryd.errors import CallFailed, Cancelled, Unavailable

FIRST_DELAY = 0.1
LONGEST_DELAY = 2.0


def backoff(failures: int, *, longest: float = LONGEST_DELAY, jitter: Callable[[], float] = random.random) -> float:
    """Answer the seconds to wait after so many failures in a row: growing, bounded, and never the same for two."""
    delay = min(longest, FIRST_DELAY * 2.0 ** min(failures - 1, 16))
    return delay * (0.5 + jitter() / 2)


def may_pass(error: CallFailed) -> bool:
    """Whether the daemon may be back in a while. A server that stops cancels what arrives in that very moment."""
    return isinstance(error, Unavailable | Cancelled)


class Attempts:
    """The attempts of one call, all within its timeout.

    gRPC itself repeats a few times at once (see protocol/setting.py). What is left when it gives up is decided here:
    a restart of the daemon is waited for, and the server's own RetryInfo is kept, which gRPC does not read.
    ``patience`` is how long in seconds an unreachable server is asked again.
    """

    def __init__(self, *, repeatable: bool, timeout: float, patience: float, clock: Callable[[], float]) -> None:
        self._repeatable = repeatable
        self._clock = clock
        self._deadline = clock() + timeout
        self._patient_until = clock() + min(patience, timeout)
        self._failures = 0

    def timeout(self) -> float:
        """Answer the seconds that are left for the next attempt."""
        return max(0.001, self._deadline - self._clock())

    def delay_after(self, error: CallFailed) -> float:
        """Answer the seconds to wait before the next attempt. Raises the error when there is to be none."""
        self._failures += 1
        delay = backoff(self._failures) if error.retry_delay is None else error.retry_delay
        if not (self._repeatable and may_pass(error)) or self._clock() + delay >= self._patient_until:
            raise error
        return delay
