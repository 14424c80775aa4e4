"""The connection to the daemon: performs what ``memoryd.protocol`` decides."""

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager
from typing import Any, NoReturn, TypeVar

from memoryd.aio.connection import CutOff, RpcError, failure_of, open_batcher, open_channel
from memoryd.aio.flow import drive
from memoryd.aio.runtime import Flag, in_background, is_cancelled, pause, resolved, unless_cancelled
from memoryd.errors import Aborted, CallFailed, MemorydError
from memoryd.protocol.call import Call, Page
from memoryd.protocol.change import changed_agent, revision_after
from memoryd.protocol.method import Method
from memoryd.protocol.reservation import Make, Renewed
from memoryd.protocol.retry import Attempts
from memoryd.protocol.setting import Settings
from memoryd.protocol.status import client_closed, client_copied
from memoryd.protocol.trace import traced

log = logging.getLogger("memoryd")

Result = TypeVar("Result")
Item = TypeVar("Item")
Seen = Callable[[int | None], Awaitable[None]]
"""Waits until a revision is seen; None for one that is not known."""
Expect = Callable[[bool], Seen]
"""Called with False when a write begins; with True when one ends that began before there was this near cache."""


class Channel:
    """One connection, opened by its first call, for one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._connected = False
        self._closed = Flag()
        self._methods: dict[str, Any] = {}
        # The near caches of each agent, which have to see its writes.
        self._near: dict[str, list[Expect]] = {}
        self._channel = open_channel(settings)
        self._batcher = open_batcher(self.alone, settings.batching)

    def __reduce__(self) -> NoReturn:
        raise client_copied(self.settings.target)

    @property
    def whole(self) -> "Channel":
        """The connection without a bound user."""
        return self

    @property
    def user_id(self) -> str:
        """The id of the bound user; empty if there is none."""
        return ""

    @property
    def closed(self) -> bool:
        """True once it is closed. From then on every call raises Cancelled."""
        return self._closed.is_set()

    async def close(self) -> None:
        """End the connection and all calls on it."""
        self._closed.set()
        await self._channel.close()

    async def run(self, call: Call[Result], stop: Flag | None = None) -> Result:
        """Perform a call, and retry it where that is safe and may succeed. Raises CallFailed.

        If the caller is cancelled when the result is on its way, the call's ``undo`` is performed with that result.
        Once ``stop`` is set, a call that waits for its next attempt makes that attempt at once, and no other.
        """
        if self._batcher is not None and stop is None:
            result: Result = await self._batcher.run(call)
            return result
        return await self.alone(call, stop)

    async def alone(self, call: Call[Result], stop: Flag | None = None) -> Result:
        """Perform a call as ``run`` does, by itself even where calls are batched."""
        undo = call.undo
        if undo is None:
            return await self._attempt(call, stop or self._closed)

        async def give_back(result: Result) -> None:
            undoing = undo(result)
            if undoing is not None:
                await self.run(undoing)

        return await unless_cancelled(lambda: self._attempt(call, self._closed), give_back)

    async def _attempt(self, call: Call[Result], stop: Flag) -> Result:
        attempts = Attempts(
            repeatable=call.method.repeatable,
            timeout=self.settings.timeout + call.patience,
            patience=self.settings.patience(connected=self._connected),
            clock=time.monotonic,
        )
        method, metadata = self._unary(call.method), traced(self.settings.metadata)
        expected = {expect: expect(False) for expect in self._near_of(call)}
        while True:
            if self._closed.is_set():
                raise client_closed()
            try:
                response = await method(call.request, timeout=attempts.timeout(), metadata=metadata)
            except RpcError as error:
                failed = self.failure(error)
            except CutOff:
                # Closing this channel cuts its calls off. Any other cause concerns the caller.
                if is_cancelled() or not self._closed.is_set():
                    raise
                failed = client_closed()
            else:
                self._connected = True
                for expect in self._near_of(call):
                    seen = expected.get(expect) or expect(True)
                    await seen(revision_after(call.request, response))
                return call.convert(response)
            delay = attempts.delay_after(failed)
            if self._closed.is_set() or stop.is_set():
                raise failed
            await pause(delay, stop)

    def enter_near(self, agent_id: str, expect: Expect) -> None:
        """Have the writes of an agent wait until a near cache has seen their revisions."""
        self._near.setdefault(agent_id, []).append(expect)

    def exit_near(self, agent_id: str, expect: Expect) -> None:
        """Remove a near cache that was entered."""
        self._near[agent_id].remove(expect)
        if not self._near[agent_id]:
            del self._near[agent_id]

    def _near_of(self, call: Call[Any]) -> list[Expect]:
        """Return what the near caches expect that a call concerns: none if it is a read."""
        if call.method.reads or not self._near:
            return []
        agent_id = changed_agent(call.request)
        if agent_id is None:
            return [expect for each in list(self._near.values()) for expect in each]
        return list(self._near.get(agent_id, ()))

    async def pages(self, call: Call[Page[Item]]) -> AsyncIterator[Item]:
        """Yield the items of a listing. Each page is requested when it is needed."""
        following: Call[Page[Item]] | None = call
        while following is not None:
            page = await self.run(following)
            for item in page.items:
                yield item
            following = page.following

    async def collect(self, call: Call[Page[Item]]) -> list[Item]:
        """Return the items of all pages."""
        items: list[Item] = []
        following: Call[Page[Item]] | None = call
        while following is not None:
            page = await self.run(following)
            items += page.items
            following = page.following
        return items

    async def perform(
        self, flow: Generator[Call[Any] | Make, Any, Any], factory: Callable[[], Any] | None = None
    ) -> Any:
        """Perform the steps of a flow, and return what it returns."""
        return await drive(flow, lambda step: self.make(step, factory) if isinstance(step, Make) else self.run(step))

    def download(self, method: Method[Any, Any], request: Any, timeout: float | None) -> Any:
        """Begin a call that streams messages back. Iterating over it raises RpcError: see failure."""
        call = self._channel.unary_stream(
            method.path,
            request_serializer=method.request_type.SerializeToString,
            response_deserializer=method.response_type.FromString,
        )
        return call(request, timeout=timeout, metadata=traced(self.settings.metadata))

    async def upload(self, method: Method[Any, Any], requests: AsyncIterator[Any], seconds: float) -> Any:
        """Perform a call that streams messages to the server. Raises CallFailed."""
        if self._closed.is_set():
            raise client_closed()
        call = self._channel.stream_unary(
            method.path,
            request_serializer=method.request_type.SerializeToString,
            response_deserializer=method.response_type.FromString,
        )
        try:
            return await call(requests, timeout=seconds, metadata=traced(self.settings.metadata))
        except RpcError as error:
            raise self.failure(error) from None
        except CutOff:
            if is_cancelled() or not self._closed.is_set():
                raise
            raise client_closed() from None

    def failure(self, error: RpcError) -> CallFailed:
        """Return this package's error for gRPC's."""
        failed = failure_of(error, self.settings.target)
        self._connected = self._connected or bool(failed.reason)
        return failed

    def _unary(self, method: Method[Any, Any]) -> Any:
        path = method.path
        if path not in self._methods:
            self._methods[path] = self._channel.unary_unary(
                path,
                request_serializer=method.request_type.SerializeToString,
                response_deserializer=method.response_type.FromString,
            )
        return self._methods[path]

    async def make(self, step: Renewed, factory: Callable[[], Any] | None) -> Any:
        """Run the factory, and renew its lease meanwhile."""
        if factory is None:
            raise AssertionError("a flow that makes a value comes with a factory")
        async with self.renewing(step):
            return await resolved(factory())

    def renewing(self, step: Renewed) -> AbstractAsyncContextManager[None]:
        """Renew a lease while the block runs, or until the lease is lost."""
        done = Flag()

        async def renew() -> None:
            while not await pause(step.interval, done):
                try:
                    await self.run(step.renew(), done)
                except Aborted:
                    # The lease is lost. The work goes on, and the call that completes it raises the error.
                    return
                except MemorydError as error:
                    log.warning("lease not renewed: %s", error)

        return in_background(renew, done, "memoryd-renewal")
