"""Python's times and lengths of time, and those of the contract."""

from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp


def datetime_from(message: Timestamp) -> datetime:
    """Answer the moment in UTC, to the microsecond."""
    return message.ToDatetime(tzinfo=UTC)


def datetime_in(message: Message, field: str) -> datetime | None:
    """Answer the moment in a field of a message; None when it is absent."""
    return datetime_from(getattr(message, field)) if message.HasField(field) else None


def timestamp_of(moment: datetime) -> Timestamp:
    """Answer the moment as a message. Raises ValueError when it has no time zone, for it would be a guess."""
    if moment.tzinfo is None:
        raise ValueError("the time has no time zone: use datetime.now(UTC) or the like")
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def timestamp_if_given(moment: datetime | None) -> Timestamp | None:
    """Answer the moment as a message; None, which leaves a field absent, for none."""
    return None if moment is None else timestamp_of(moment)


def timestamp_after(moment: datetime | None) -> Timestamp | None:
    """Answer the end of the moment's microsecond.

    The daemon's times are finer. What happened at a time that was answered here, cut to the microsecond, has happened
    then.
    """
    message = timestamp_if_given(moment)
    if message is not None:
        message.nanos += 999
    return message


def seconds_of(length: timedelta | float) -> float:
    """Answer the length of time in seconds."""
    return length.total_seconds() if isinstance(length, timedelta) else float(length)


def duration_of(length: timedelta | float) -> Duration:
    """Answer the length of time as a message."""
    message = Duration()
    message.FromNanoseconds(round(seconds_of(length) * 1e9))
    return message
