"""Waiting for conditions, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

WAIT_S_MAX = 120.0
"""The maximum time to wait for something that must happen, in seconds. No passing test waits as long, however slow the
machine is."""

PATIENT = {"timeout": WAIT_S_MAX, "connect_timeout": WAIT_S_MAX}
"""Options of a Python client that waits for a daemon as long as a test does."""

STEP_S = 0.01  # time: between two looks at a condition


def until(condition: Callable[[], Value], what: str, timeout_s: float = WAIT_S_MAX) -> Value:
    """Wait until a condition holds, and return its value, which is true.

    It does not hold yet while asking for it raises OSError, as when a server is not there. Raises AssertionError, which
    says ``what`` did not happen, after ``timeout_s`` seconds.
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
