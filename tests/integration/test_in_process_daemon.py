"""memoryd_server.testing, used as by the tests of another program: the daemon runs inside their process."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import grpc
import pytest
from tests.integration.wire import Wire, code_of, details_of
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.ops.error import OperatorError
from memoryd_server.testing.daemon import InProcessDaemon, running, settings_of

GET = "/memoryd.v1.WorkingMemoryService/GetEntry"


def flags(directory: Path, *others: str) -> list[str]:
    return ["--data-dir", str(directory / "data"), "--embedder", "none", *others]


def loops() -> set[threading.Thread]:
    """Return the threads of all daemons in this process, including those of other tests."""
    return {thread for thread in threading.enumerate() if thread.name == "memoryd"}  # shared: those of others may end


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcessDaemon]:
    with InProcessDaemon(*flags(tmp_path_factory.mktemp("daemon"), "--durability", "memory")) as running:
        yield running


@pytest.fixture
def wire(daemon: InProcessDaemon) -> Wire:
    return Wire(daemon.channel())


@pytest.mark.parametrize("durability", ["synced", "memory"])
def test_writes_survive_a_restart(tmp_path: Path, durability: str) -> None:
    """With durability ``memory``, by the snapshot that is written at shutdown."""
    options = flags(tmp_path, "--durability", durability)
    with InProcessDaemon(*options) as first:
        Wire(first.channel()).agent("a").set("key", "value")
    restore = ["--restore", "latest"] if durability == "memory" else []
    with InProcessDaemon(*options, *restore) as second:
        assert Wire(second.channel()).agent("a").value("key") == "value"


def test_one_daemon_may_be_stopped_and_started_again(tmp_path: Path) -> None:
    before = loops()
    daemon = InProcessDaemon(*flags(tmp_path))
    for number in range(3):
        daemon.start()
        assert Wire(daemon.channel()).agent("a").set("key", number).revision == number + 1
        daemon.stop()
        daemon.stop()
    assert loops() <= before


def test_a_daemon_that_has_stopped_is_unavailable(tmp_path: Path) -> None:
    with InProcessDaemon(*flags(tmp_path)) as daemon:
        wire = Wire(daemon.channel())
        watch: Any = wire.events.WatchEvents(event_pb.WatchEventsRequest())
        assert next(watch).phase == event_pb.WATCH_PHASE_OPENED
    for call in (lambda: wire.agent().set("key"), lambda: next(watch)):
        with pytest.raises(grpc.RpcError) as caught:
            call()
        assert code_of(caught.value) is grpc.StatusCode.UNAVAILABLE
    watch.cancel()


def test_several_threads_may_stop_a_daemon(tmp_path: Path) -> None:
    daemon = InProcessDaemon(*flags(tmp_path))
    daemon.start()
    with ThreadPoolExecutor(4) as pool:
        for stopped in [pool.submit(daemon.stop) for _ in range(4)]:
            stopped.result(WAIT_S_MAX)


def test_a_data_directory_is_used_by_one_daemon_at_a_time(tmp_path: Path) -> None:
    second = InProcessDaemon(*flags(tmp_path))
    with InProcessDaemon(*flags(tmp_path)), pytest.raises(OperatorError, match="is in use"):
        second.start()
    with second:
        assert Wire(second.channel()).agent("a").set("key").revision == 1


def test_an_invalid_flag_is_refused_as_by_the_command(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="synced, journaled, memory"):
        InProcessDaemon(*flags(tmp_path, "--durability", "none"))


async def test_a_program_can_serve_in_its_own_event_loop(tmp_path: Path) -> None:
    async with running(settings_of(*flags(tmp_path, "--durability", "memory"))) as transport:
        request = pb.GetEntryRequest(agent_id="a", key="key")
        response = pb.GetEntryResponse.FromString(await transport.unary(GET, request.SerializeToString()))
        assert not response.found


async def test_an_exception_in_the_program_stops_the_daemon(tmp_path: Path) -> None:
    settings = settings_of(*flags(tmp_path))
    for _ in range(2):
        with pytest.raises(KeyError, match="of the program"):
            async with running(settings):
                raise KeyError("of the program")


def test_a_refusal_has_the_status_and_details_of_grpc(wire: Wire) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        wire.agent().set("")
    refusal = details_of(caught.value)
    assert (refusal.code, refusal.reason, refusal.fields) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "INVALID_FIELD",
        ("key",),
    )
    assert refusal.message == "key: must not be empty"


def test_a_call_may_be_started_and_awaited_later(wire: Wire) -> None:
    agent = wire.agent()
    setting = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json="1")
    call = wire.memory.SetEntry.future(setting)
    assert call.result(WAIT_S_MAX).revision == 1
    assert call.done()
    assert call.exception() is None
    response, ended = wire.memory.SetEntry.with_call(setting)
    assert (response.revision, ended.result()) == (2, response)
    failed = wire.memory.SetEntry.future(pb.SetEntryRequest())
    assert isinstance(failed.exception(20), grpc.RpcError)


def test_a_cancelled_call_has_the_status_cancelled(wire: Wire) -> None:
    agent = wire.agent()
    agent.reserve("key")
    waiting: Any = wire.memory.ReserveEntry.future(pb.ReserveEntryRequest(agent_id=agent.id, key="key"))
    assert waiting.cancel()
    assert waiting.cancelled()
    with pytest.raises(grpc.FutureCancelledError):
        waiting.result()


def test_a_cancelled_watch_ends(wire: Wire) -> None:
    watch: Any = wire.events.WatchEvents(event_pb.WatchEventsRequest())
    assert next(watch).phase == event_pb.WATCH_PHASE_OPENED
    assert watch.is_active()
    watch.cancel()
    assert not watch.is_active()
    with pytest.raises(grpc.RpcError) as caught:
        list(watch)
    assert code_of(caught.value) is grpc.StatusCode.CANCELLED


def test_an_exception_in_a_stream_of_requests_cancels_the_call(wire: Wire) -> None:
    def requests() -> Iterator[snapshot_pb.ImportSnapshotRequest]:
        yield snapshot_pb.ImportSnapshotRequest(header=snapshot_pb.ImportSnapshotHeader(snapshot_id="cut"))
        raise ValueError("cannot be made")

    with pytest.raises(grpc.RpcError) as caught:
        wire.snapshots.ImportSnapshot(requests())
    assert code_of(caught.value) is grpc.StatusCode.CANCELLED
    assert not wire.snapshots.ListSnapshots(snapshot_pb.ListSnapshotsRequest()).snapshots


def test_metadata_of_a_channel_is_sent_with_every_call(daemon: InProcessDaemon) -> None:
    wire = Wire(daemon.channel((("memoryd-origin", "tester"),)))
    agent = wire.agent()
    agent.set("key")
    (event,) = wire.events.ListEvents(event_pb.ListEventsRequest()).events[-1:]
    assert event.origin == "tester"


class Origin(grpc.UnaryUnaryClientInterceptor):
    """An interceptor that sets the origin of each call."""

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return continuation(details._replace(metadata=(("memoryd-origin", "intercepted"),)), request)


def test_interceptors_of_grpc_work(wire: Wire) -> None:
    intercepted = Wire(grpc.intercept_channel(wire.channel, Origin()))
    agent = intercepted.agent()
    agent.set("key")
    (event,) = wire.events.ListEvents(event_pb.ListEventsRequest()).events[-1:]
    assert event.origin == "intercepted"
    with pytest.raises(grpc.RpcError) as caught:
        agent.set("")
    assert details_of(caught.value).fields == ("key",)


def test_a_channel_is_ready_at_once(daemon: InProcessDaemon) -> None:
    with daemon.channel() as channel:
        grpc.channel_ready_future(channel).result(WAIT_S_MAX)


async def test_many_threads_call_one_daemon(daemon: InProcessDaemon) -> None:
    agent = Wire(daemon.channel()).agent()
    await asyncio.gather(*(asyncio.to_thread(agent.set, f"key-{number}") for number in range(20)))
    assert agent.revision == 20


def test_a_daemon_that_listens_serves_clients_of_other_processes_until_it_stops(tmp_path: Path) -> None:
    daemon = InProcessDaemon(*flags(tmp_path), listens=True)
    with daemon:
        with memoryd.connect(daemon.address, **PATIENT) as client, client.agent("a").watch() as watch:
            client.agent("a").set("k", 1)
            assert next(iter(watch)).entry is not None
        address = daemon.address
    assert daemon.address == ""
    with (
        memoryd.connect(address, connect_timeout=0.1) as late,  # time: nobody answers
        pytest.raises(memoryd.errors.Unavailable),
    ):
        late.server_info()
