"""The connections of an adapter: one for threads, and one for each event loop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, NoReturn, TypeVar

from memoryd.aio.agent import Agent as AioAgent
from memoryd.aio.channel import Channel as AioChannel
from memoryd.aio.client import Client as AioClient
from memoryd.aio.flow import drive as drive_in_task
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place
from memoryd.protocol.status import client_copied
from memoryd.sync.agent import Agent
from memoryd.sync.channel import Channel
from memoryd.sync.client import Client, connect
from memoryd.sync.flow import drive

Step = TypeVar("Step")
Result = TypeVar("Result")
Item = TypeVar("Item")


class Connection:
    """Performs flows of calls, both in threads and in event loops.

    A given client is used where possible, and stays open: a ``memoryd.Client`` by the sync methods, a
    ``memoryd.aio.Client`` by the async methods in the event loop that runs now. Other connections are opened with the
    client's settings, and closed by this object.
    """

    def __init__(self, client: Client | AioClient | str | None) -> None:
        self._lock = threading.Lock()
        self._in_loop: dict[asyncio.AbstractEventLoop, AioChannel] = {}
        self._lent: AioChannel | None = None
        if isinstance(client, AioClient):
            self._lent = client._channel
            self._in_loop[asyncio.get_running_loop()] = client._channel
            self._channel = Channel(client._channel.settings)
        else:
            self._channel = (client if isinstance(client, Client) else connect(client))._channel
        self._owned = not isinstance(client, Client)

    def __reduce__(self) -> NoReturn:
        raise client_copied(self._channel.settings.target)

    def agent(self, agent_id: str, user_id: str = "") -> Agent:
        """Return an agent for threads, bound to the user unless the id is empty."""
        return Agent(self._channel, Place(agent_id)).user(user_id)

    def agent_in_task(self, agent_id: str, user_id: str = "") -> AioAgent:
        """Return an agent for the running event loop, bound to the user unless the id is empty."""
        return AioAgent(self._of_loop(), Place(agent_id)).user(user_id)

    def run(self, flow: Generator[Step, Any, Result], perform: Callable[[Step], Any] | None = None) -> Result:
        """Perform a flow, and return its result. ``perform`` performs a step; by default every step is a call."""
        return drive(flow, perform or self.call)

    async def run_in_task(
        self, flow: Generator[Step, Any, Result], perform: Callable[[Step], Awaitable[Any]] | None = None
    ) -> Result:
        """Perform a flow in the running event loop, as ``run`` does."""
        return await drive_in_task(flow, perform or self.call_in_task)

    def stream(self, flow: Generator[Call[Any] | Item, Any, None]) -> Iterator[Item]:
        """Perform the calls that a flow yields, and yield its other items."""
        answer: Any = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration:
                return
            if isinstance(step, Call):
                answer = self.call(step)
            else:
                yield step
                answer = None

    async def stream_in_task(self, flow: Generator[Call[Any] | Item, Any, None]) -> AsyncIterator[Item]:
        """Perform the calls that a flow yields, in the running event loop, and yield its other items."""
        answer: Any = None
        while True:
            try:
                step = flow.send(answer)
            except StopIteration:
                return
            if isinstance(step, Call):
                answer = await self.call_in_task(step)
            else:
                yield step
                answer = None

    def call(self, step: Any) -> Any:
        """Perform one call."""
        return self._channel.run(step)

    async def call_in_task(self, step: Any) -> Any:
        """Perform one call in the running event loop."""
        return await self._of_loop().run(step)

    def close(self) -> None:
        """Close the connection of the sync methods. Those of event loops end with ``aclose``, or with their loop."""
        if self._owned:
            self._channel.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop and of the sync methods."""
        with self._lock:
            channel = self._in_loop.pop(asyncio.get_running_loop(), None)
        if channel is not None and channel is not self._lent:
            await channel.close()
        self.close()

    def _of_loop(self) -> AioChannel:
        loop = asyncio.get_running_loop()
        with self._lock:
            channel = self._in_loop.get(loop)
            if channel is None:
                # A connection references its loop, so that connections of closed loops would never be freed.
                self._in_loop = {each: kept for each, kept in self._in_loop.items() if not each.is_closed()}
                channel = self._in_loop[loop] = AioChannel(self._channel.settings)
            return channel
