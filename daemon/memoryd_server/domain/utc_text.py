"""Times as text."""

from datetime import UTC, datetime


def utc_text(time_ns: int) -> str:
    """Return a time, in ns since the Unix epoch, as text of RFC 3339, rounded up to a whole microsecond."""
    seconds, microseconds = divmod(-(-time_ns // 1_000), 1_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{microseconds:06}Z"
