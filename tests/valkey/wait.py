"""Waits for a condition instead of for a time."""

import time
from collections.abc import Callable

WAIT_S_MAX = 30.0
STEP_S = 0.02


def until(condition: Callable[[], object], what: str, timeout_s: float = WAIT_S_MAX) -> None:
    """Wait until the condition holds; a connection that fails meanwhile means that it does not hold yet."""
    deadline = time.monotonic() + timeout_s
    last: OSError | None = None
    while True:
        try:
            if condition():
                return
            last = None
        except OSError as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_s} s: {what}") from last
        time.sleep(STEP_S)
