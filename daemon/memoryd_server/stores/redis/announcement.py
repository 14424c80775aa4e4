"""The announcements of the daemons that use a store."""

from collections.abc import Sequence

from memoryd_server.stores.redis.limit import GONE_MS
from memoryd_server.stores.redis.servers.link import Command


def announcements(key: str) -> tuple[Command, Command]:
    """Return the commands that read the announcements under a key."""
    return ("TIME",), ("ZRANGE", key, 0, -1, "WITHSCORES")


def announced_count(time: Sequence[bytes], announced: Sequence[bytes]) -> int:
    """Return the number of current daemons, from the replies. A killed one counts until GONE_MS have passed."""
    seconds, microseconds = time
    now_ms = int(seconds) * 1_000 + int(microseconds) // 1_000
    return sum(int(time_ms) > now_ms - GONE_MS for time_ms in announced[1::2])
