"""The requests of an agent that were carried out lately, so that repeating one answers the first result.

The window is bounded by count, by age, and by the size of what it keeps. What changed something is in the journal too,
from which the window is filled again when the agent is loaded; what changed nothing may be forgotten by a restart, when
carrying it out again is as good.
"""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from memoryd_server.domain.agent.result import (
    EntriesWritten,
    EntryFoundOrSet,
    EntryReserved,
    FragmentsLeased,
    MemoriesCreated,
    MessagesCompacted,
    RecordPut,
    Result,
    ScopesDisposed,
)
from memoryd_server.domain.error import RequestIdReused
from memoryd_server.domain.limit import (
    REQUESTS_REMEMBERED_BYTES_MAX,
    REQUESTS_REMEMBERED_MAX,
    REQUESTS_REMEMBERED_NS_MAX,
)
from memoryd_server.engine.agents.journal import RememberedRequest

_SIZE_BYTES_LEAST = 256
_SEQUENCE_BYTES = 40


class RequestKey(msgspec.Struct, frozen=True):
    """A request id, and a digest of the body that it came with."""

    request_id: str
    fingerprint: bytes


class RequestWindow:
    """Remembers results by request id."""

    def __init__(self, requests: Iterable[RememberedRequest] = ()) -> None:
        self._requests: OrderedDict[str, RememberedRequest] = OrderedDict()
        self._size_bytes = 0
        for request in requests:
            self.remember(request)

    def find(self, key: RequestKey, now: int) -> Result | None:
        """The first result of this request, None when it is new. Raises RequestIdReused for another body."""
        request = self._requests.get(key.request_id)
        if request is None or now - request.time > REQUESTS_REMEMBERED_NS_MAX:
            return None
        if request.fingerprint != key.fingerprint:
            raise RequestIdReused(key.request_id)
        return request.result

    def remember(self, request: RememberedRequest) -> None:
        """Keep a request that was carried out, and let the oldest go past the bounds."""
        replaced = self._requests.pop(request.request_id, None)
        if replaced is not None:
            self._size_bytes -= _size_bytes(replaced)
        self._requests[request.request_id] = request
        self._size_bytes += _size_bytes(request)
        oldest_time = request.time - REQUESTS_REMEMBERED_NS_MAX
        while (
            len(self._requests) > REQUESTS_REMEMBERED_MAX
            or self._size_bytes > REQUESTS_REMEMBERED_BYTES_MAX
            or next(iter(self._requests.values())).time < oldest_time
        ):
            _, oldest = self._requests.popitem(last=False)
            self._size_bytes -= _size_bytes(oldest)


def _size_bytes(request: RememberedRequest) -> int:
    size_bytes, result = _SIZE_BYTES_LEAST, request.result
    if isinstance(result, EntryFoundOrSet | EntryReserved) and result.entry is not None:
        size_bytes += result.entry.size_bytes
    elif isinstance(result, RecordPut):
        size_bytes += result.record.size_bytes
    elif isinstance(result, MessagesCompacted):
        size_bytes += result.conversation.size_bytes + sum(map(len, result.note_ids))
    elif isinstance(result, EntriesWritten):
        size_bytes += sum(_SIZE_BYTES_LEAST + len(each.key) for each in result.results)
    elif isinstance(result, ScopesDisposed):
        size_bytes += _SIZE_BYTES_LEAST * len(result.scope_ids)
    elif isinstance(result, MemoriesCreated):
        size_bytes += _SIZE_BYTES_LEAST * sum(
            1 + len(each.contradicts) + len(each.relates_to) for each in result.created
        )
    elif isinstance(result, FragmentsLeased) and result.lease is not None:
        size_bytes += _SEQUENCE_BYTES * len(result.lease.sequences)
    return size_bytes
