"""Times and lengths of time, between nanoseconds and protobuf's well-known types."""

from google.protobuf import duration_pb2, timestamp_pb2

from memoryd_server.domain import validation
from memoryd_server.domain.limit import SECOND_NS

Timestamp = timestamp_pb2.Timestamp


def timestamp(time_ns: int) -> timestamp_pb2.Timestamp:
    """Nanoseconds since the Unix epoch as a Timestamp."""
    seconds, nanos = divmod(time_ns, SECOND_NS)
    return Timestamp(seconds=seconds, nanos=nanos)


def write_timestamp(message: timestamp_pb2.Timestamp, time_ns: int) -> None:
    """Set a Timestamp to nanoseconds since the Unix epoch."""
    message.seconds, message.nanos = divmod(time_ns, SECOND_NS)


def time_ns(message: timestamp_pb2.Timestamp) -> int:
    """A Timestamp as nanoseconds since the Unix epoch."""
    return message.seconds * SECOND_NS + message.nanos


def duration_ns(message: duration_pb2.Duration) -> int:
    """A Duration in nanoseconds."""
    return message.seconds * SECOND_NS + message.nanos


def duration_within(field: str, message: duration_pb2.Duration, least_ns: int, most_ns: int) -> int:
    """A Duration in nanoseconds, between two others. Raises InvalidField."""
    return validation.within(field, duration_ns(message), least_ns, most_ns, " ns")
