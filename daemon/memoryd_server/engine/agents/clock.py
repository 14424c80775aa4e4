"""Where time and identifiers come from: passed in, so that tests may choose them."""

import itertools
import os
import secrets
import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Answers nanoseconds since the Unix epoch."""

system_clock: Clock = time.time_ns

_ID_DIGITS = 20
_IDS_DRAWN = 512


class _Ids:
    """Draws the chance of many ids at once: a system call for each costs more than deciding what the id is for."""

    def __init__(self) -> None:
        self._digits = ""
        self._place = 0

    def next(self) -> str:
        """The next id."""
        if self._place == len(self._digits):
            self._digits, self._place = secrets.token_hex(_ID_DIGITS // 2 * _IDS_DRAWN), 0
        self._place += _ID_DIGITS
        return self._digits[self._place - _ID_DIGITS : self._place]


new_id: Callable[[], str] = _Ids().next
"""Answers a new identifier of 20 hexadecimal digits; that any two agree is out of the question."""


def new_number() -> int:
    """A new number below 2**32. That any two agree is unlikely, not out of the question."""
    return int(new_id()[:8], 16)


def new_token() -> str:
    """A new secret that nobody guesses, of 32 hexadecimal digits: at a terminal it is never taken for an option."""
    return secrets.token_hex(16)


class _Nonces:
    """Counts on from a random number of 62 bits."""

    def __init__(self) -> None:
        self.begin()
        # A worker that counted on from where its parent is would take another's commits for its own.
        os.register_at_fork(after_in_child=self.begin)

    def begin(self) -> None:
        """Draw where to count on from."""
        self._numbers = itertools.count(secrets.randbits(62))

    def next(self) -> int:
        """The next nonce."""
        return next(self._numbers)


new_nonce: Callable[[], int] = _Nonces().next
"""Answers a number that no other process has at the same place."""
