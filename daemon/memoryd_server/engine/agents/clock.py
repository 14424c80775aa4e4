"""The source of identifiers, and what a clock is: it is passed to its users, so that tests can control it."""

import itertools
import os
import secrets
from collections.abc import Callable

Clock = Callable[[], int]
"""Returns the current time in nanoseconds since the Unix epoch."""

_ID_DIGITS = 20
_IDS_DRAWN = 512


class _Ids:
    """Generates random ids, drawn many at a time: a system call per id would cost more than deciding a command."""

    def __init__(self) -> None:
        self._digits = ""
        self._place = 0

    def next(self) -> str:
        """Return the next id."""
        if self._place == len(self._digits):
            self._digits, self._place = secrets.token_hex(_ID_DIGITS // 2 * _IDS_DRAWN), 0
        self._place += _ID_DIGITS
        return self._digits[self._place - _ID_DIGITS : self._place]


new_id: Callable[[], str] = _Ids().next
"""Returns a new identifier of 20 hexadecimal digits (80 random bits). Collisions need not be handled."""


def new_number() -> int:
    """Return a new random number below 2**32. Collisions are unlikely, but possible."""
    return int(new_id()[:8], 16)


def new_token() -> str:
    """Return a new secret of 32 hexadecimal digits. Without a hyphen, no command line takes it for an option."""
    return secrets.token_hex(16)


class _Nonces:
    """Generates consecutive numbers, starting at a random number of 62 bits."""

    def __init__(self) -> None:
        self.begin()
        # Draw a new start in each forked worker: two processes that shared a sequence would take each other's commits
        # for their own.
        os.register_at_fork(after_in_child=self.begin)

    def begin(self) -> None:
        """Draw a new random start."""
        self._numbers = itertools.count(secrets.randbits(62))

    def next(self) -> int:
        """Return the next nonce."""
        return next(self._numbers)


new_nonce: Callable[[], int] = _Nonces().next
"""Returns a number that identifies a commit among those that several daemons try at one position of a journal."""
