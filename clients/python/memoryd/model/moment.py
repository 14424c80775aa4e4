"""Python's times and lengths of time, and those of the contract."""

from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp


def datetime_from(message: Timestamp) -> datetime:
    """Answer the moment in UTC, to the microsecond."""
    return message.ToDatetime(tzinfo=UTC)


def timestamp_of(moment: datetime) -> Timestamp:
    """Answer the moment as a message. Raises ValueError when it has no time zone, for it would be a guess."""
    if moment.tzinfo is None:
        raise ValueError("the time has no time zone: use datetime.now(UTC) or the like")
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def seconds_of(length: timedelta | float) -> float:
    """Answer the length of time in seconds."""
    return length.total_seconds() if isinstance(length, timedelta) else float(length)


def duration_of(length: timedelta | float) -> Duration:
    """Answer the length of time as a message."""
    message = Duration()
    message.FromNanoseconds(round(seconds_of(length) * 1e9))
    return message
