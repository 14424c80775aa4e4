"""The watchers of P-5, in a separate process.

Prints ``ready`` when all watches are open and, once each has seen the end, what they saw.
"""

import asyncio
import sys
import time
from typing import Any

import grpc
import msgspec
from tests.benchmarks.workload import KEY

from memoryd.v1 import event_pb2, event_service_pb2

END = "the end"
STREAMS_PER_CONNECTION = 100
CONNECTS_PER_S = 300
SAMPLE_EVERY = 20
"""One watcher in SAMPLE_EVERY decodes its messages and measures their lag; the others look only for the end."""


class Seen(msgspec.Struct, frozen=True):
    """The lag of each event at each sampled watcher, and the time at which the last of all watchers saw the end.

    ``end_ns`` is a time of the monotonic clock, which all processes of the machine share. ``incomplete`` is the number
    of sampled watchers that missed an event.
    """

    lags_ms: list[list[float]]
    end_ns: int
    sampled: int
    incomplete: int


class Plan(msgspec.Struct, frozen=True):
    """The number of watchers, the agent that they watch, and the number of events each must see before the end."""

    address: str
    method: str
    agent_id: str
    watchers: int
    events: int


class _Watcher:
    def __init__(self, *, sampled: bool) -> None:
        self.sampled = sampled
        self.lags_ms: list[float] = []
        self.events = 0

    async def watch(self, stream: Any, opened: asyncio.Event) -> int:
        """Read until the end, and return its time by the monotonic clock."""
        end = END.encode()
        async for message in stream:
            now = time.monotonic_ns()
            opened.set()
            if self.sampled:
                self._measure(message, now)
            if end in message:
                return now
        raise RuntimeError("the watch ended before the end")

    def _measure(self, message: bytes, now: int) -> None:
        for event in event_service_pb2.WatchEventsResponse.FromString(message).events:
            if event.entry.key == KEY and event.entry.entry.value_json.isdecimal():
                self.events += 1
                self.lags_ms.append((now - int(event.entry.entry.value_json)) / 1e6)


async def _run(plan: Plan) -> None:
    request = event_service_pb2.WatchEventsRequest(filters=[event_pb2.EventFilter(agent_ids=[plan.agent_id])])
    channels: list[grpc.aio.Channel] = []
    watchers, reading = [], []
    for number in range(plan.watchers):
        if number % STREAMS_PER_CONNECTION == 0:
            options = [("grpc.use_local_subchannel_pool", 1)]
            channels.append(grpc.aio.insecure_channel(plan.address, options=options))
        stream: Any = channels[-1].unary_stream(plan.method, request_serializer=type(request).SerializeToString)(
            request
        )
        watcher, opened = _Watcher(sampled=number % SAMPLE_EVERY == 0), asyncio.Event()
        watchers.append(watcher)
        reading.append((asyncio.create_task(watcher.watch(stream, opened)), opened))
        await asyncio.sleep(1 / CONNECTS_PER_S)
    for _, opened in reading:
        await opened.wait()
    _print("ready")
    ends = await asyncio.gather(*(task for task, _ in reading))
    sampled = [each for each in watchers if each.sampled]
    incomplete = sum(each.events != plan.events for each in sampled)
    lags_ms = [each.lags_ms for each in sampled]
    _print(msgspec.json.encode(Seen(lags_ms, max(ends), len(sampled), incomplete)).decode())
    for channel in channels:
        await channel.close()


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_run(msgspec.json.decode(sys.argv[1], type=Plan)))
