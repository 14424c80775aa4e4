"""Moments: nanoseconds since the Unix epoch, and the same as times of the calendar in UTC, without a time zone."""

from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)


def time_of(moment_ns: int) -> datetime:
    """Return the time of nanoseconds since the Unix epoch, to the microsecond. Any 64-bit value is in its range."""
    return _EPOCH + timedelta(microseconds=moment_ns // 1_000)


def moment_of(time: datetime) -> int:
    """Return the nanoseconds since the Unix epoch of a time."""
    return (time - _EPOCH) // timedelta(microseconds=1) * 1_000
