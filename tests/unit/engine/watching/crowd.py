"""Calls of watches whose clients stop reading and read again as a test wants, alone or as a crowd."""

import asyncio
import contextlib
import itertools
from collections.abc import Sequence
from typing import Any

from tests.unit.engine.world import World

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.engine.watching.outlet import WatchOutput
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchRequest, WatchStep


class Crowd:
    """A transport that sends one message to many calls. ``sent`` counts what it took; a test sets ``unsent``."""

    def __init__(self) -> None:
        self.sent = 0
        self.unsent = 0
        self.largest_bytes = 0

    def broadcast(self, calls: list["Client"], message: bytes) -> Sequence[int]:
        refused = []
        for index, call in enumerate(calls):
            if call.unsent or call.has_ended:
                refused.append(index)
            else:
                self.sent += 1
                self.largest_bytes = max(self.largest_bytes, len(message))
                call.take(message)
        return refused

    def unsent_bytes(self) -> int:
        return self.unsent


class Codec:
    """Messages that tests read again: each names the step that it was made of, and is as large as its commits."""

    def __init__(self) -> None:
        self._steps: dict[int, WatchStep] = {}
        self._numbers = itertools.count()
        self.count = 0

    def encode(self, step: WatchStep, _selection: EventSelection, _view: Any) -> bytes:
        self.count += 1
        number = next(self._numbers)
        self._steps[number] = step
        return number.to_bytes(8, "big").ljust(sum(each.commit.size_bytes for each in step.slices))

    def decode(self, message: bytes) -> WatchStep:
        return self._steps[int.from_bytes(message[:8], "big")]


class Client:
    """One watch, read by a task. It is the outlet of its messages. ``received`` are the steps that the client has."""

    def __init__(self, world: World, codec: Codec, request: WatchRequest, crowd: Crowd | None) -> None:
        self.crowd = crowd
        self.received: list[WatchStep] = []
        self.unsent: list[bytes] = []
        self.has_ended = False
        self.end: BaseException | None = None
        self.request = request
        self._is_reading = True
        self._sent = asyncio.Event()
        self._codec = codec
        flow = world.engine.events.memory.flow()
        self._messages = world.engine.events.messages(request, flow, WatchOutput("view", codec.encode, self))
        self.task = asyncio.create_task(self._serve())

    @property
    def call(self) -> "Client":
        return self

    async def _serve(self) -> None:
        try:
            async with contextlib.aclosing(self._messages) as messages:
                async for message in messages:
                    await self.send(message)
        except Exception as end:  # noqa: BLE001 - the test looks at it
            self.end = end
        finally:
            self.has_ended = True

    async def send(self, message: bytes, /) -> None:
        """Send after what was broadcast before, and return once the message was sent, as gRPC does."""
        await self._until_sent()
        self.take(message)
        await self._until_sent()

    async def _until_sent(self) -> None:
        while self.unsent:
            self._sent.clear()
            await self._sent.wait()

    def take(self, message: bytes) -> None:
        """Send a message at once if the client reads."""
        self.unsent.append(message)
        if self._is_reading:
            self.read()

    def stop(self) -> None:
        """Read no more."""
        self._is_reading = False

    def read(self) -> None:
        """Read all, and go on reading."""
        self._is_reading = True
        self.received += map(self._codec.decode, self.unsent)
        self.unsent.clear()
        self._sent.set()

    async def cancel(self) -> None:
        """End the call."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    @property
    def events(self) -> list[tuple[str, int, int]]:
        """The live events: the agent, revision and index of each."""
        return [
            (each.commit.agent_id, event.revision, event.index)
            for step in self.received
            if step.phase is WatchPhase.LIVE
            for each in step.slices
            for event in each.events
        ]
