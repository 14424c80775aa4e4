"""The tokens that a model may use in a day: counted in a file, which a restart does not reset and workers share."""

import contextlib
import fcntl
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from memoryd_server.domain.error import Overloaded
from memoryd_server.domain.limit import DAY_NS, MILLISECOND_NS, SECOND_NS

log = logging.getLogger("memoryd.proposing")

LIMIT_NAME = "ingest_tokens_per_day"


class _Spent(msgspec.Struct):
    """The tokens that were used on a day in UTC."""

    day: str = ""
    tokens: int = 0


class TokenBudget:
    """A budget of ``tokens_max`` per day in UTC, counted in the file at ``path``. ``clock`` returns ns since 1970.

    A file that is damaged counts as empty. While the disk is full, or fails, this process counts for itself.
    """

    def __init__(self, path: Path, tokens_max: int, clock: Callable[[], int]) -> None:
        self._path = path
        self._tokens_max = tokens_max
        self._clock = clock
        self._last = _Spent()
        self._is_noted = True

    def reserve(self, tokens: int) -> None:
        """Count the tokens of a request that is about to be made.

        The last request of a day may exceed the budget, so that a small budget does not exclude a long message forever.
        Raises Overloaded, with the time until the next day, if nothing is left.
        """
        if not self._add(tokens, below=self._tokens_max):
            delay_ms = (DAY_NS - self._clock() % DAY_NS) // MILLISECOND_NS + 1
            raise Overloaded(LIMIT_NAME, self._tokens_max, delay_ms)

    def correct(self, tokens: int) -> None:
        """Add tokens that a request has used beyond those that were reserved; a negative number gives some back."""
        self._add(tokens)

    def _add(self, tokens: int, below: int | None = None) -> bool:
        """Count tokens, unless ``below`` is given and as many were used before. Return whether they were counted."""
        with contextlib.ExitStack() as held:
            descriptor = None
            try:
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                held.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                found = _spent_in(os.pread(descriptor, 1_000, 0))
                self._last = found if self._is_noted else self._last
            except OSError as error:
                log.warning("tokens of the day not read", extra={"error": str(error)})
            today = datetime.fromtimestamp(self._clock() // SECOND_NS, UTC).date().isoformat()
            used = self._last.tokens if self._last.day == today else 0
            if below is not None and used >= below:
                return False
            self._last = _Spent(today, max(used + tokens, 0))
            self._is_noted = descriptor is not None and self._note(descriptor)
        return True

    def _note(self, descriptor: int) -> bool:
        data = msgspec.json.encode(self._last)
        try:
            os.pwrite(descriptor, data, 0)
            os.ftruncate(descriptor, len(data))
        except OSError as error:
            log.warning("tokens of the day not noted", extra={"error": str(error)})
            return False
        return True


def _spent_in(data: bytes) -> _Spent:
    try:
        return msgspec.json.decode(data, type=_Spent)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _Spent()
