"""The order in which calls end while the daemon drains: calls, then watches, then watches of health."""

import asyncio
from typing import Any

import pytest
from tests.unit.engine.world import World, settle, until
from tests.unit.transport.gated import is_refused, open_gate

from memoryd.v1 import error_reason_pb2
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import operation_pb2 as operation_pb
from memoryd.v1 import operation_service_pb2 as operations_pb
from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.domain.error import Draining
from memoryd_server.domain.limit import Limits
from memoryd_server.engine.watching import store_watch
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.transport import serving as module
from memoryd_server.transport.health import Health
from memoryd_server.transport.in_process import InProcessTransport
from memoryd_server.transport.routes import contract_services, routes
from memoryd_server.transport.server_service import ServerFacts
from memoryd_server.transport.serving import Serving
from memoryd_server.transport.status import StatusCode

NEVER_S = 1e9
SERVICE = "/memoryd.v1.WorkingMemoryService"
WATCH = "/memoryd.v1.EventService/WatchEvents"
OPERATIONS = "/memoryd.v1.OperationService"
INFO = "/memoryd.v1.ServerService/GetServerInfo"
FACTS = ServerFacts("1.2.3", "in_memory", "memory", "store", 0, Limits(), (), None)
SETTING = pb.SetEntryRequest(agent_id="a", key="k", value_json="1")


class Daemon:
    """All services of the contract over an engine, and what drains them."""

    def __init__(self, world: World) -> None:
        self.held = world.held
        self.gate = open_gate()
        self.health = Health(["a.Service"])
        self.serving = Serving(world.engine, self.gate, self.health)
        self.transport = InProcessTransport(routes(contract_services(world.engine, self.gate, FACTS), self.gate))

    async def call(self, path: str, request: Any) -> bytes:
        return await self.transport.unary(path, request.SerializeToString())

    def begin(self, path: str, request: Any) -> "asyncio.Task[bytes]":
        return asyncio.create_task(self.call(path, request))

    async def is_refused_as_draining(self, path: str, request: Any) -> None:
        await is_refused(self.call(path, request), StatusCode.UNAVAILABLE, "DRAINING")

    async def state(self) -> int:
        response = server_pb.GetServerInfoResponse.FromString(await self.call(INFO, server_pb.GetServerInfoRequest()))
        return int(response.state)


class Watch:
    """A watch that is read until it ends."""

    def __init__(self, daemon: Daemon) -> None:
        self.messages: list[event_pb.WatchEventsResponse] = []
        self._call = daemon.transport.call(WATCH, b"")
        self.ended = asyncio.create_task(self._read())

    @property
    def keys(self) -> list[str]:
        return [event.entry.key for message in self.messages for event in message.events]

    async def _read(self) -> None:
        async for data in self._call:
            self.messages.append(event_pb.WatchEventsResponse.FromString(data))


async def test_calls_end_before_watches_and_watches_receive_their_commits() -> None:
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        assert all(daemon.health.serving.values())
        watch = Watch(daemon)
        await until(lambda: watch.messages)
        daemon.held.holds = True
        setting = daemon.begin(f"{SERVICE}/SetEntry", SETTING)
        await until(lambda: daemon.held.waiting)
        draining = asyncio.create_task(daemon.serving.drain(NEVER_S))
        await settle()
        assert not any(daemon.health.serving.values())
        await daemon.is_refused_as_draining(f"{SERVICE}/SetEntry", SETTING)
        assert await daemon.state() == server_pb.SERVER_STATE_DRAINING
        assert not watch.ended.done()
        daemon.held.release()
        assert pb.SetEntryResponse.FromString(await setting).revision == 1
        await is_refused(watch.ended, StatusCode.UNAVAILABLE, "DRAINING")
        assert watch.keys == ["k"]
        assert watch.messages[-1].phase == event_pb.WATCH_PHASE_PROGRESS
        await draining


async def test_a_wait_for_a_reservation_ends_with_a_response() -> None:
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        reserving = pb.ReserveEntryRequest(agent_id="a", key="k")
        reserving.wait_duration.FromSeconds(60)
        await daemon.call(f"{SERVICE}/ReserveEntry", reserving)
        waiting = daemon.begin(f"{SERVICE}/ReserveEntry", reserving)
        await settle()
        await daemon.serving.drain(NEVER_S)
        assert pb.ReserveEntryResponse.FromString(await waiting).outcome == pb.RESERVE_OUTCOME_HELD


async def test_watches_of_health_end_last(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        health = daemon.health.watch("")
        assert await anext(health) is True
        may_end = asyncio.Event()
        monkeypatch.setattr(daemon.gate, "wait_for_watches", may_end.wait)
        draining = asyncio.create_task(daemon.serving.drain(NEVER_S))
        assert await anext(health) is False
        last = asyncio.ensure_future(anext(health))
        await settle()
        assert not last.done()
        may_end.set()
        with pytest.raises(Draining):
            await last
        await draining


async def test_a_drain_does_not_wait_for_calls_and_watches_that_do_not_end_in_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "WATCHES_END_S", 0.0)
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        daemon.held.holds = True
        setting = daemon.begin(f"{SERVICE}/SetEntry", SETTING)
        await until(lambda: daemon.held.waiting)
        monkeypatch.setattr(daemon.gate, "wait_for_watches", asyncio.Event().wait)
        await daemon.serving.drain(0.0)
        assert [record.getMessage() for record in caplog.records] == [
            "calls did not end in time",
            "watches did not end in time",
        ]
        assert not setting.done()
        daemon.held.release()
        await setting


async def started(daemon: Daemon, world: World) -> asyncio.Event:
    """Start an operation "o", which creates a snapshot once the returned event is set."""
    may_create, create = asyncio.Event(), world.repository.create

    async def later(*of: Any) -> Any:
        await may_create.wait()
        return await create(*of)

    world.repository.create = later  # type: ignore[method-assign]
    await world.set("k", "1", "a")
    request = snapshot_pb.CreateSnapshotRequest(agent_id="a", snapshot_id="s")
    await daemon.call(
        f"{OPERATIONS}/StartOperation", operations_pb.StartOperationRequest(operation_id="o", create_snapshot=request)
    )
    return may_create


async def waited(call: "asyncio.Task[bytes]") -> operation_pb.Operation:
    return operations_pb.WaitOperationResponse.FromString(await call).operation


async def test_a_drain_waits_for_operations_and_their_waiting_callers_get_the_result() -> None:
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        may_create = await started(daemon, world)
        waiting = daemon.begin(f"{OPERATIONS}/WaitOperation", operations_pb.WaitOperationRequest(operation_id="o"))
        await settle()
        draining = asyncio.create_task(daemon.serving.drain(NEVER_S))
        await settle()
        assert not draining.done()
        may_create.set()
        assert (await waited(waiting)).state == operation_pb.OPERATION_STATE_SUCCEEDED
        await draining


async def test_a_drain_stops_operations_that_do_not_end_in_time(caplog: pytest.LogCaptureFixture) -> None:
    async with World() as world:
        daemon = Daemon(world)
        daemon.serving.start()
        await started(daemon, world)
        waiting = daemon.begin(f"{OPERATIONS}/WaitOperation", operations_pb.WaitOperationRequest(operation_id="o"))
        await settle()
        await daemon.serving.drain(0.0)
        stopped = await waited(waiting)
        assert stopped.state == operation_pb.OPERATION_STATE_FAILED
        assert stopped.error.reason == error_reason_pb2.ERROR_REASON_DRAINING
        assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [
            "calls did not end in time"
        ]
        assert not world.repository.snapshots


async def test_a_daemon_that_never_started_drains() -> None:
    async with World() as world:
        await Daemon(world).serving.drain(NEVER_S)


class ShardsAway(InMemoryStore):
    """A shared store whose unavailable shards a test sets."""

    def __init__(self) -> None:
        super().__init__(is_shared=True)
        self.away: list[int] = []

    async def unavailable_shards(self, wait_s: float) -> list[int]:
        return self.away


async def test_health_follows_a_shared_store_until_the_daemon_drains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_watch, "STORE_LOOK_S", 0.0)
    store = ShardsAway()
    async with World(store) as world:
        daemon = Daemon(world)
        daemon.serving.start()
        store.away = [0]
        await until(lambda: not any(daemon.health.serving.values()))
        store.away = []
        await until(lambda: all(daemon.health.serving.values()))
        await daemon.serving.drain(NEVER_S)
        store.away = [0]
        await settle()
        store.away = []
        await settle()
        assert not any(daemon.health.serving.values())
