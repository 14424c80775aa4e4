"""A limit of log lines that repeat: what callers do wrong, however often, does not fill the disk."""

import logging
import threading
import time
from collections.abc import Callable

from memoryd_server.ops.limit import LOG_PHRASES_MAX, LOG_REPEAT_S, LOG_REPEATS_MAX


class RepeatLimit(logging.Filter):
    """Passes at most LOG_REPEATS_MAX lines of one logger and phrase in LOG_REPEAT_S; lines of level DEBUG always.

    The last line before others are left out has the field ``more=omitted``, and the first line after that the number of
    them as ``omitted``.
    """

    def __init__(self, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic_s = monotonic_s
        self._lock = threading.Lock()
        self._periods: dict[tuple[str, str], _Period] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for a line to leave out. Add the fields to others."""
        if record.levelno <= logging.DEBUG:
            return True
        with self._lock:
            period = self._period_of((record.name, str(record.msg)), record)
            period.lines += 1
            if period.lines == LOG_REPEATS_MAX:
                record.more = "omitted"
            return period.lines <= LOG_REPEATS_MAX

    def _period_of(self, phrase: tuple[str, str], record: logging.LogRecord) -> "_Period":
        now_s, period = self._monotonic_s(), self._periods.get(phrase)
        if period is not None and now_s < period.end_s:
            return period
        if period is None and len(self._periods) >= LOG_PHRASES_MAX:
            # Ours are constant. Those of libraries may have anything in them.
            self._periods.clear()
        if period is not None and period.lines > LOG_REPEATS_MAX:
            record.omitted = period.lines - LOG_REPEATS_MAX
        self._periods[phrase] = _Period(now_s + LOG_REPEAT_S)
        return self._periods[phrase]


class _Period:
    """The lines of one phrase until a time."""

    __slots__ = ("end_s", "lines")

    def __init__(self, end_s: float) -> None:
        self.end_s = end_s
        self.lines = 0
