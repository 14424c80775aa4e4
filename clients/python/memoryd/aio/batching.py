"""Calls of working memory that are made at about the same time, sent together.

Threads wait for each of their calls, and have nothing of it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from memoryd import errors
from memoryd.protocol import method
from memoryd.protocol.call import Call, call, new_request_id
from memoryd.v1.transaction_service_pb2 import CommitRequest
from memoryd.v1.working_memory_service_pb2 import BatchGetEntriesRequest, GetEntryResponse

CALLS_MAX = 1_000
BYTES_MAX = 1 << 20
"""The maximum size of the writes of a commit, unless it is one write."""

_FIELD = {method.SET_ENTRY.name: "set_entry", method.REMOVE_ENTRY.name: "remove_entry"}
"""The fields of a commit's writes and results."""
_REFUSALS = (
    errors.InvalidArgument,
    errors.NotFound,
    errors.AlreadyExists,
    errors.PermissionDenied,
    errors.ResourceExhausted,
    errors.FailedPrecondition,
    errors.OutOfRange,
    errors.Unimplemented,
)
"""The errors after which nothing has changed, and of which one call alone may be the cause. After others, each call
would fail, too, or nobody knows whether the changes were made."""

Perform = Callable[[Call[Any]], Awaitable[Any]]


class Batcher:
    """Sends the gets, sets and removes together that are called in one turn of the event loop, or within ``window``
    seconds. ``perform`` makes a call by itself.

    Each call has the result and the error that it has by itself; what would change them is not batched.
    """

    def __init__(self, perform: Perform, window: float) -> None:
        self._perform = perform
        self._window = window
        self._lanes: dict[str, _Lane] = {}
        self._is_scheduled = False

    async def run(self, requested: Call[Any]) -> Any:
        """Perform a call together with others, or by itself after those of its agent that wait."""
        agent_id = getattr(requested.request, "agent_id", "")
        if not _is_batched(requested):
            if lane := self._lanes.get(agent_id):
                await lane.settle()
            return await self._perform(requested)
        pending = _Pending(requested)
        self._lanes.setdefault(agent_id, _Lane(agent_id, self._perform)).waiting.append(pending)
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(self._window, self._send)
        return requested.convert(await pending.response)

    def _send(self) -> None:
        self._is_scheduled = False
        for agent_id, lane in list(self._lanes.items()):
            lane.send()
            if lane.is_idle:
                del self._lanes[agent_id]


class _Pending:
    """A call that waits to be sent with others. ``response`` is that of the call by itself."""

    __slots__ = ("call", "key", "response")

    def __init__(self, requested: Call[Any]) -> None:
        self.call: Call[Any] = call(requested.method, requested.request, lambda response: response)
        self.key: str = requested.request.key
        self.response: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def resolve(self, response: Any) -> None:
        """Set the response, unless the caller has given up."""
        if not self.response.done():
            self.response.set_result(response)

    def reject(self, error: BaseException) -> None:
        """Set the error, unless the caller has given up."""
        if not self.response.done():
            self.response.set_exception(error)


class _Lane:
    """The calls of one agent that wait. A call waits until the earlier writes of its key are answered, unless both are
    writes of one commit.
    """

    def __init__(self, agent_id: str, perform: Perform) -> None:
        self.waiting: list[_Pending] = []
        self._agent_id = agent_id
        self._perform = perform
        self._unanswered: set[str] = set()
        self._sent: set[asyncio.Task[None]] = set()

    @property
    def is_idle(self) -> bool:
        """True if no call waits, and none is unanswered."""
        return not self.waiting and not self._sent

    async def settle(self) -> None:
        """Send what waits, and wait until a call that is sent next comes after it."""
        self.send()
        if earlier := [*self._sent, *(each.response for each in self.waiting)]:
            await asyncio.wait(earlier)

    def send(self) -> None:
        """Send all calls that need not wait any longer."""
        waiting, self.waiting = self.waiting, []
        held: set[str] = set()
        gets: dict[tuple[str, bool], list[_Pending]] = {}
        commits = _Commits()
        for pending in waiting:
            if pending.response.done():
                continue
            if pending.key in held or not self._place(pending, gets, commits):
                held.add(pending.key)
                self.waiting.append(pending)
        for group in gets.values():
            for start in range(0, len(group), CALLS_MAX):
                self._begin(self._get(group[start : start + CALLS_MAX]))
        for writes in commits.groups:
            self._begin(self._write(writes))

    def _place(self, pending: _Pending, gets: "dict[tuple[str, bool], list[_Pending]]", commits: "_Commits") -> bool:
        """Add a call to those to be sent. Return False if it has to wait for an earlier write."""
        request: Any = pending.call.request
        if pending.call.method is method.GET_ENTRY:
            if pending.key in self._unanswered:
                return False
            gets.setdefault((request.scope_id, request.local_only), []).append(pending)
            return True
        if pending.key in self._unanswered and not commits.has_in_last(pending.key):
            return False
        if not commits.add(pending):
            return False
        self._unanswered.add(pending.key)
        return True

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work, name="memoryd-batch")
        self._sent.add(task)
        task.add_done_callback(self._sent.discard)

    async def _get(self, gets: Sequence[_Pending]) -> None:
        if len(gets) == 1:
            await self._each(gets)
            return
        first: Any = gets[0].call.request
        request = BatchGetEntriesRequest(
            agent_id=self._agent_id,
            scope_id=first.scope_id,
            local_only=first.local_only,
            keys=[pending.key for pending in gets],
        )
        response = await self._together(gets, call(method.BATCH_GET_ENTRIES, request, lambda response: response))
        if response is None:
            return
        # In the order of the keys: a key that was requested twice has two, each for one caller.
        entries = iter(response.entries)
        entry = next(entries, None)
        for pending in gets:
            answer = GetEntryResponse(revision=response.revision)
            if entry is not None and entry.key == pending.key:
                answer.found = True
                answer.entry.CopyFrom(entry)
                entry = next(entries, None)
            pending.resolve(answer)

    async def _write(self, writes: Sequence[_Pending]) -> None:
        try:
            if len(writes) == 1:
                await self._each(writes)
            else:
                await self._commit(writes)
        finally:
            self._unanswered.difference_update(pending.key for pending in writes)
            self.send()

    async def _commit(self, writes: Sequence[_Pending]) -> None:
        request = CommitRequest(agent_id=self._agent_id, request_id=new_request_id())
        for pending in writes:
            write = getattr(request.writes.add(), _FIELD[pending.call.method.name])
            write.CopyFrom(pending.call.request)
            # The commit has one, for all of its writes.
            write.request_id = ""
        response = await self._together(writes, call(method.COMMIT, request, lambda response: response))
        if response is not None:
            for pending, result in zip(writes, response.results, strict=True):
                pending.resolve(getattr(result, _FIELD[pending.call.method.name]))

    async def _together(self, calls: Sequence[_Pending], batch: Call[Any]) -> Any:
        """Return the response to a batch. If it is refused, make each call by itself, and return None."""
        try:
            return await self._perform(batch)
        except _REFUSALS as refusal:
            if isinstance(refusal, errors.Overloaded):
                _reject(calls, refusal)
            else:
                await self._each(calls)
        except Exception as error:  # noqa: BLE001 - raised by each call
            _reject(calls, error)
        except BaseException:
            for pending in calls:
                pending.response.cancel()
            raise
        return None

    async def _each(self, calls: Sequence[_Pending]) -> None:
        """Make each call by itself, those of one key one after the other."""
        by_key: dict[str, list[_Pending]] = {}
        for pending in calls:
            by_key.setdefault(pending.key, []).append(pending)
        await asyncio.gather(*map(self._one_by_one, by_key.values()))

    async def _one_by_one(self, calls: Sequence[_Pending]) -> None:
        for pending in calls:
            try:
                pending.resolve(await self._perform(pending.call))
            except Exception as error:  # noqa: BLE001 - raised by the call
                pending.reject(error)
            except BaseException:
                pending.response.cancel()
                raise


class _Commits:
    """The groups of writes that are sent as one commit each."""

    def __init__(self) -> None:
        self.groups: list[list[_Pending]] = []
        self._keys: set[str] = set()
        self._size = 0

    def has_in_last(self, key: str) -> bool:
        """Return whether the last group writes a key."""
        return key in self._keys

    def add(self, pending: _Pending) -> bool:
        """Add a write. Return False if it has to come after another of its key, for which its group has no room."""
        size: int = pending.call.request.ByteSize()
        if not self.groups or len(self.groups[-1]) == CALLS_MAX or self._size + size > BYTES_MAX:
            if pending.key in self._keys:
                return False
            self.groups.append([])
            self._keys, self._size = set(), 0
        self.groups[-1].append(pending)
        self._keys.add(pending.key)
        self._size += size
        return True


def _is_batched(requested: Call[Any]) -> bool:
    """Return whether a call has the same result and error among others."""
    request: Any = requested.request
    if requested.method is method.GET_ENTRY:
        return not request.HasField("consistency")
    if requested.method is method.SET_ENTRY:
        is_conditional = request.HasField("precondition") or request.reservation_token
        return not is_conditional and not request.HasField("update_mask")
    return requested.method is method.REMOVE_ENTRY and not request.HasField("precondition") and not request.erase


def _reject(calls: Iterable[_Pending], error: Exception) -> None:
    for pending in calls:
        pending.reject(error)
