"""Conversion of times and durations between nanoseconds and protobuf's well-known types."""

from google.protobuf import duration_pb2, timestamp_pb2

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import SECOND_NS

Timestamp = timestamp_pb2.Timestamp

_TIME_NS_MAX = 2**63 - 1


def timestamp(time_ns: int) -> timestamp_pb2.Timestamp:
    """Return nanoseconds since the Unix epoch as a Timestamp."""
    seconds, nanos = divmod(time_ns, SECOND_NS)
    return Timestamp(seconds=seconds, nanos=nanos)


def write_timestamp(message: timestamp_pb2.Timestamp, time_ns: int) -> None:
    """Write nanoseconds since the Unix epoch into a message's own Timestamp, which costs less than to copy one."""
    message.seconds, message.nanos = divmod(time_ns, SECOND_NS)


def time_ns(field: str, message: timestamp_pb2.Timestamp) -> int:
    """Return a Timestamp as nanoseconds since the Unix epoch. Raises InvalidField if it is malformed."""
    if not 0 <= message.nanos < SECOND_NS:
        raise InvalidField(field, f"must have nanos from 0 to {SECOND_NS - 1}")
    return message.seconds * SECOND_NS + message.nanos


def moment_of(message: timestamp_pb2.Timestamp, field: str) -> int:
    """Return a Timestamp as nanoseconds since the Unix epoch, in the range of 64 bits. Raises InvalidField."""
    moment = time_ns(field, message)
    if abs(moment) > _TIME_NS_MAX:
        raise InvalidField(field, "must be from 1677-09-22 to 2262-04-11")
    return moment


def duration(length_ns: int) -> duration_pb2.Duration:
    """Return nanoseconds, which are not negative, as a Duration."""
    seconds, nanos = divmod(length_ns, SECOND_NS)
    return duration_pb2.Duration(seconds=seconds, nanos=nanos)


def duration_within(field: str, message: duration_pb2.Duration, least_ns: int, most_ns: int) -> int:
    """Return a Duration in nanoseconds, between two inclusive bounds. Raises InvalidField, also if it is malformed."""
    seconds, nanos = message.seconds, message.nanos
    if not -SECOND_NS < nanos < SECOND_NS or (seconds > 0 > nanos) or (seconds < 0 < nanos):
        raise InvalidField(field, f"must have nanos up to {SECOND_NS - 1}, of the same sign as its seconds")
    length_ns = seconds * SECOND_NS + nanos
    if not least_ns <= length_ns <= most_ns:
        least = "more than 0 s and at most" if least_ns == 1 else f"from {_seconds(least_ns)} to"
        raise InvalidField(field, f"must be {least} {_seconds(most_ns)}")
    return length_ns


def _seconds(length_ns: int) -> str:
    seconds, nanos = divmod(length_ns, SECOND_NS)
    return f"{seconds:,}.{nanos:09}".rstrip("0").rstrip(".") + " s"
