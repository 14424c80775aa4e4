"""Where time and identifiers come from: passed in, so that tests may choose them."""

import secrets
import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Answers nanoseconds since the Unix epoch."""

system_clock: Clock = time.time_ns

_ID_BYTES = 10


def new_id() -> str:
    """A new identifier of 20 hexadecimal digits; that any two agree is out of the question."""
    return secrets.token_hex(_ID_BYTES)


def new_token() -> str:
    """A new secret that nobody guesses."""
    return secrets.token_urlsafe(16)
