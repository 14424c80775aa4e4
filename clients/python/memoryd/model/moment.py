"""Conversions between Python's times and durations, and those of protobuf."""

from datetime import UTC, datetime, timedelta

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp


def datetime_from(message: Timestamp) -> datetime:
    """Return the time in UTC, truncated to the microsecond."""
    return message.ToDatetime(tzinfo=UTC)


def datetime_in(message: Message, field: str) -> datetime | None:
    """Return the time in a field of a message; None when it is absent."""
    return datetime_from(getattr(message, field)) if message.HasField(field) else None


def timestamp_of(moment: datetime) -> Timestamp:
    """Return the time as a message. Raises ValueError if it has no time zone, since assuming one would be a guess."""
    if moment.tzinfo is None:
        raise ValueError("the time has no time zone: use datetime.now(UTC) or the like")
    message = Timestamp()
    message.FromDatetime(moment)
    return message


def timestamp_if_given(moment: datetime | None) -> Timestamp | None:
    """Return the time as a message. For None it is None, which leaves the field absent."""
    return None if moment is None else timestamp_of(moment)


def timestamp_after(moment: datetime | None) -> Timestamp | None:
    """Return the last nanosecond of the time's microsecond; None for None.

    The daemon keeps nanoseconds and this client truncates them to microseconds. A read as of a time that the client
    returned must include what happened later in the same microsecond.
    """
    message = timestamp_if_given(moment)
    if message is not None:
        message.nanos += 999
    return message


def seconds_of(length: timedelta | float) -> float:
    """Return the duration in seconds."""
    return length.total_seconds() if isinstance(length, timedelta) else float(length)


def duration_of(length: timedelta | float) -> Duration:
    """Return the duration as a message. Raises ValueError if it is no number of seconds that a message can have."""
    message = Duration()
    seconds = seconds_of(length)
    try:
        message.FromNanoseconds(round(seconds * 1e9))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"a duration must be a number of seconds within 10,000 years, not {seconds}") from error
    return message
