"""Waiting for conditions, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

WAIT_S_MAX = 120.0
"""Maximum time to wait for a condition that must come true, in seconds. A passing test never waits as long, even on a
slow machine."""

PATIENT = {"timeout": WAIT_S_MAX, "connect_timeout": WAIT_S_MAX}
"""Options of a Python client that waits for a daemon for WAIT_S_MAX."""

STEP_S = 0.01  # time: between two looks at a condition


def until(condition: Callable[[], Value], what: str, timeout_s: float = WAIT_S_MAX) -> Value:
    """Wait until ``condition`` returns a true value, and return that value.

    A condition that raises OSError, as when a server does not listen yet, does not hold yet. Raises AssertionError,
    which says that ``what`` did not happen, after ``timeout_s`` seconds.
    """
    deadline = time.monotonic() + timeout_s
    last: OSError | None = None
    while True:
        try:
            value = condition()
            if value:
                return value
            last = None
        except OSError as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_s} s: {what}") from last
        time.sleep(STEP_S)  # time: a look at the condition follows
