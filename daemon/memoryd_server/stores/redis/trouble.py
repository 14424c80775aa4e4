"""Logs what is wrong with the servers: each text once in a while, however many requests meet it."""

import logging
import math
import time

from memoryd_server.stores.redis.limit import AGAIN_S, TEXTS_MAX

log = logging.getLogger("memoryd.redis")


_told_times: dict[str, float] = {}


def log_trouble(level: int, message: str, *arguments: object) -> None:
    """Log a message, unless the same was logged a moment ago."""
    text = message % arguments
    now = time.monotonic()
    if now < _told_times.get(text, -math.inf) + AGAIN_S:
        return
    for old in [each for each, told_time in _told_times.items() if now >= told_time + AGAIN_S]:
        del _told_times[old]
    if len(_told_times) < TEXTS_MAX:
        _told_times[text] = now
        log.log(level, "%s", text, stacklevel=2)


def words_of(error: Exception) -> str:
    """What an error says; its name when it says nothing."""
    return str(error) or type(error).__name__
