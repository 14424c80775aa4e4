"""The requests of an agent that were carried out lately, so that repeating one answers the first result.

The window is bounded by count, by age, and by the size of what it keeps. What changed something is in the journal too,
from which the window is filled again when the agent is loaded; what changed nothing may be forgotten by a restart, when
carrying it out again is as good.
"""

from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.error import RequestIdReused
from memoryd_server.domain.limit import (
    REQUESTS_REMEMBERED_BYTES_MAX,
    REQUESTS_REMEMBERED_MAX,
    REQUESTS_REMEMBERED_NS_MAX,
)
from memoryd_server.engine.agents.journal import RememberedRequest


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
        result: Result = request.result
        return result

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
    result: Result = request.result
    return result.memory_bytes
