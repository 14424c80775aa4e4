"""Logging of the servers' failures. A repeated line is logged at most every AGAIN_S, however many requests fail."""

import logging
import math
import time

from memoryd_server.stores.redis.limit import AGAIN_S, TEXTS_MAX

log = logging.getLogger("memoryd.redis")


_log_times: dict[tuple[str, ...], float] = {}


def log_trouble(level: int, message: str, **fields: str) -> None:
    """Log a message, unless it was logged with the same fields less than AGAIN_S ago."""
    line = (message, *fields.values())
    now = time.monotonic()
    if now < _log_times.get(line, -math.inf) + AGAIN_S:
        return
    for old in [each for each, log_time in _log_times.items() if now >= log_time + AGAIN_S]:
        del _log_times[old]
    if len(_log_times) < TEXTS_MAX:
        _log_times[line] = now
        log.log(level, message, extra=fields, stacklevel=2)


def text_of(error: Exception) -> str:
    """Return an error's message, or its type if it has none."""
    return str(error) or type(error).__name__
