"""Health of each service, also while the daemon drains: DC-07."""

import threading
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.daemon import Daemon
from tests.in_process import AnyDaemon
from tests.integration.contract import METHODS
from tests.integration.wire import Wire, refused

from memoryd.v1 import server_service_pb2 as server_pb

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVICES = sorted({method.descriptor.containing_service.full_name for method in METHODS})


def health(wire: Wire) -> Any:
    return health_pb2_grpc.HealthStub(wire.channel)


@pytest.mark.parametrize("service", ["", *SERVICES])
def test_each_service_is_healthy_by_its_name(wire: Wire, service: str) -> None:
    assert health(wire).Check(health_pb2.HealthCheckRequest(service=service)).status == SERVING


def test_an_unknown_service_is_not_found(wire: Wire) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        health(wire).Check(health_pb2.HealthCheckRequest(service="memoryd.v1.NothingService"))
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("method", ["Check", "Watch"])
def test_a_malformed_request_is_refused(wire: Wire, method: str) -> None:
    path = f"/grpc.health.v1.Health/{method}"
    call: Any = wire.channel.unary_unary(path) if method == "Check" else wire.channel.unary_stream(path)
    refusal = refused(lambda: call(b"\xff") if method == "Check" else next(call(b"\xff")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE")


def test_all_statuses_can_be_listed(wire: Wire) -> None:
    """The client takes the List method from the daemon's reflection."""
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="grpc.health.v1.Health")
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(wire.channel)
    (answer,) = stub.ServerReflectionInfo(iter([request]))
    pool = descriptor_pool.DescriptorPool()
    for data in answer.file_descriptor_response.file_descriptor_proto:
        pool.Add(descriptor_pb2.FileDescriptorProto.FromString(data))
    method = pool.FindServiceByName("grpc.health.v1.Health").FindMethodByName("List")
    response_type = message_factory.GetMessageClass(method.output_type)
    listing: Any = wire.channel.unary_unary("/grpc.health.v1.Health/List")
    statuses: Any = response_type.FromString(listing(b""))
    assert {name: each.status for name, each in statuses.statuses.items()} == dict.fromkeys(
        ["", *SERVICES, "grpc.health.v1.Health", "memoryd.v1.Writes"], SERVING
    )


def test_a_watch_of_health_receives_not_serving_when_the_daemon_drains(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    daemon = launch("--durability", "memory")
    wire = connect(daemon)
    watches = {name: health(wire).Watch(health_pb2.HealthCheckRequest(service=name)) for name in ("", SERVICES[0])}
    for watch in watches.values():
        assert next(watch).status == SERVING
    stopping = threading.Thread(target=daemon.stop)
    stopping.start()
    for watch in watches.values():
        assert next(watch).status == NOT_SERVING
        refusal = refused(lambda watch=watch: next(watch))  # type: ignore[misc]
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
    stopping.join()


def test_a_watch_of_an_unknown_service_stays_open(wire: Wire) -> None:
    watch = health(wire).Watch(health_pb2.HealthCheckRequest(service="memoryd.v1.Nothing"))
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    assert watch.is_active()
    watch.cancel()


def test_the_server_info_has_version_store_and_limits(wire: Wire, small_wire: Wire) -> None:
    info = wire.server.GetServerInfo(server_pb.GetServerInfoRequest())
    assert (info.backend, info.durability) == ("sqlite", server_pb.DURABILITY_SYNCED)
    assert info.state == server_pb.SERVER_STATE_SERVING
    assert info.version.count(".") == 2
    assert info.store_id
    assert info.limits["entries_per_agent"] == 10_000
    assert info.HasField("start_time")
    other = small_wire.server.GetServerInfo(server_pb.GetServerInfoRequest())
    assert (other.backend, other.durability) == ("in_memory", server_pb.DURABILITY_MEMORY)
    assert other.store_id != info.store_id


def test_the_server_info_has_the_embedder(wire: Wire, small_wire: Wire) -> None:
    embedder = wire.server.GetServerInfo(server_pb.GetServerInfoRequest()).embedder
    assert (embedder.model, embedder.dimensions) == ("all-MiniLM-L6-v2/static", 256)
    assert embedder.version
    assert not small_wire.server.GetServerInfo(server_pb.GetServerInfoRequest()).HasField("embedder")


def test_the_capabilities_are_the_optional_features_that_are_on(
    wire: Wire, launch_process: Callable[..., Daemon]
) -> None:
    info = wire.server.GetServerInfo(server_pb.GetServerInfoRequest())
    assert set(info.capabilities) - {"front-end"} == {"embedding"}
    flags = ["--embedder", "none", "--fragment-consolidate", "--document-url-hosts", "example.org"]
    flags += ["--summary-url", "http://127.0.0.1:1/v1", "--summary-model", "small"]
    flags += ["--ingest-url", "http://127.0.0.1:1/v1", "--ingest-model", "small"]
    with launch_process("--durability", "memory", "--transport", "grpc", *flags).channel() as channel:
        info = Wire(channel).server.GetServerInfo(server_pb.GetServerInfoRequest())
    assert list(info.capabilities) == ["consolidation", "document-urls", "proposing", "summarizing"]


@pytest.mark.parametrize("transport", ["front", "grpc"])
def test_the_capabilities_say_which_server_serves(launch_process: Callable[..., Daemon], transport: str) -> None:
    if transport == "front":
        pytest.importorskip("memoryd_front", reason="the front end is not installed")
    with launch_process("--durability", "memory", "--transport", transport).channel() as channel:
        info = Wire(channel).server.GetServerInfo(server_pb.GetServerInfoRequest())
    assert ("front-end" in info.capabilities) is (transport == "front")
