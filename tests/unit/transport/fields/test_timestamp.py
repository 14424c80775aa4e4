"""Times and durations of requests."""

import pytest
from google.protobuf.duration_pb2 import Duration

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import EXPIRY_NS_MAX, SECOND_NS
from memoryd_server.transport.fields.timestamp import duration_within


@pytest.mark.parametrize(
    ("least_ns", "most_ns", "words"),
    [
        (1, EXPIRY_NS_MAX, "ttl: must be more than 0 s and at most 3,162,240,000 s"),
        (SECOND_NS // 10, 600 * SECOND_NS, "ttl: must be from 0.1 s to 600 s"),
        (0, 86_400 * SECOND_NS, "ttl: must be from 0 s to 86,400 s"),
    ],
)
def test_a_duration_out_of_bounds_is_refused_with_them_in_seconds(least_ns: int, most_ns: int, words: str) -> None:
    for length_ns in (least_ns - 1, most_ns + 1):
        seconds, nanos = divmod(abs(length_ns), SECOND_NS)
        sign = -1 if length_ns < 0 else 1
        with pytest.raises(InvalidField) as refused:
            duration_within("ttl", Duration(seconds=sign * seconds, nanos=sign * nanos), least_ns, most_ns)
        assert str(refused.value) == words
