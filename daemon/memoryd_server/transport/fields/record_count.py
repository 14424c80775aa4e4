"""Numbers of records by kind."""

from collections.abc import Iterator, Mapping

from memoryd.v1 import record_pb2
from memoryd_server.domain.record_kind import RecordKind


def count_messages(counts: Mapping[RecordKind, int]) -> Iterator[record_pb2.RecordCount]:
    """Encode numbers of records, in the order of their kinds, without those that are 0."""
    for kind, count in sorted(counts.items()):
        if count:
            yield record_pb2.RecordCount(kind=int(kind), count=count)  # type: ignore[arg-type]
