"""The window of an agent's recently executed requests: repeating a request returns its first result.

The window is bounded by count, by age and by the size of the results. Requests that changed something are in the
journal as well, and the window is filled from it when the agent is loaded: a retry after a crash must not apply a
change twice. Requests that changed nothing are only here. A restart may forget them, since executing one again is
harmless.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable

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
    """A request id with a digest of the request's body: one id with two bodies is a client's mistake."""

    request_id: str
    fingerprint: bytes


class RequestWindow:
    """The results of recent requests by request id, oldest first."""

    def __init__(self, requests: Iterable[RememberedRequest] = ()) -> None:
        self._requests: OrderedDict[str, RememberedRequest] = OrderedDict()
        self._size_bytes = 0
        for request in requests:
            self.remember(request)

    def find(self, key: RequestKey, now: int) -> Result | None:
        """Return the first result of this request, or None if it is new. Raises RequestIdReused for another body."""
        request = self._requests.get(key.request_id)
        # Check the age here as well: ``remember`` drops old requests only when a new one arrives.
        if request is None or now - request.time > REQUESTS_REMEMBERED_NS_MAX:
            return None
        if request.fingerprint != key.fingerprint:
            raise RequestIdReused(key.request_id)
        result: Result = request.result
        return result

    def rewrite(self, change: Callable[[Result], Result]) -> None:
        """Replace each result by what ``change`` returns for it."""
        for request_id, request in self._requests.items():
            result = change(request.result)
            if result is not request.result:
                self._size_bytes += result.memory_bytes - _size_bytes(request)
                self._requests[request_id] = msgspec.structs.replace(request, result=result)

    def remember(self, request: RememberedRequest) -> None:
        """Add an executed request, and drop the oldest requests that exceed a bound."""
        requests = self._requests
        # Remove before adding: a dictionary keeps a replaced key where it was, and the order must be that of time.
        replaced = requests.pop(request.request_id, None)
        if replaced is not None:
            self._size_bytes -= _size_bytes(replaced)
        requests[request.request_id] = request
        self._size_bytes += request.result.memory_bytes
        oldest_time = request.time - REQUESTS_REMEMBERED_NS_MAX
        while (
            len(requests) > REQUESTS_REMEMBERED_MAX
            or self._size_bytes > REQUESTS_REMEMBERED_BYTES_MAX
            or next(iter(requests.values())).time < oldest_time
        ):
            _, oldest = requests.popitem(last=False)
            self._size_bytes -= _size_bytes(oldest)


def _size_bytes(request: RememberedRequest) -> int:
    result: Result = request.result
    return result.memory_bytes
