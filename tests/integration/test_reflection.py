"""Reflection, v1 and v1alpha: tools need no proto file. DC-07."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_reflection.v1alpha import reflection_pb2 as pb
from tests.daemon import Daemon
from tests.integration.contract import METHODS, MODULES
from tests.integration.wire import Wire, refused

VERSIONS = ["v1", "v1alpha"]


def ask(wire: Wire, version: str, *requests: pb.ServerReflectionRequest) -> list[pb.ServerReflectionResponse]:
    """Send requests on one stream, and return the responses. Both versions have the same messages."""
    call: Any = wire.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=pb.ServerReflectionRequest.SerializeToString,
        response_deserializer=pb.ServerReflectionResponse.FromString,
    )
    return list(call(iter(requests)))


def described(wire: Wire, version: str, symbol: str) -> list[descriptor_pb2.FileDescriptorProto]:
    """Return the files that describe a symbol, with the files that they import."""
    (answer,) = ask(wire, version, pb.ServerReflectionRequest(file_containing_symbol=symbol))
    assert not answer.HasField("error_response"), symbol
    return [
        descriptor_pb2.FileDescriptorProto.FromString(data)
        for data in answer.file_descriptor_response.file_descriptor_proto
    ]


def symbols() -> Iterator[str]:
    """Yield the full names of the contract's services, methods, messages, enums and fields."""
    for module in MODULES:
        for service in module.DESCRIPTOR.services_by_name.values():
            yield service.full_name
            for method in service.methods:
                yield method.full_name
                yield method.input_type.full_name
                yield method.output_type.full_name
    yield "memoryd.v1.Event"
    yield "memoryd.v1.EventFilter"
    yield "memoryd.v1.ErrorReason"
    yield "memoryd.v1.method_policy"
    yield "memoryd.v1.Entry.value_json"
    yield "google.rpc.ErrorInfo"
    yield "google.rpc.BadRequest"
    yield "google.rpc.RetryInfo"
    yield "google.rpc.Status"
    yield "grpc.health.v1.Health"
    yield "grpc.health.v1.Health.List"
    yield "grpc.reflection.v1.ServerReflection"
    yield "grpc.reflection.v1alpha.ServerReflection"


@pytest.mark.parametrize("version", VERSIONS)
def test_all_services_are_listed(wire: Wire, version: str) -> None:
    (answer,) = ask(wire, version, pb.ServerReflectionRequest(list_services=""))
    names = {each.name for each in answer.list_services_response.service}
    assert names == {method.descriptor.containing_service.full_name for method in METHODS} | {
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_every_symbol_is_described(wire: Wire, version: str) -> None:
    for symbol in symbols():
        assert described(wire, version, symbol)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_tool_can_build_the_contract_from_its_description(wire: Wire, version: str) -> None:
    """The tool requests each imported file by name, as grpcurl does."""
    pool = descriptor_pool.DescriptorPool()
    known: set[str] = set()

    def add(file: descriptor_pb2.FileDescriptorProto) -> None:
        if file.name in known:
            return
        known.add(file.name)
        for name in file.dependency:
            (answer,) = ask(wire, version, pb.ServerReflectionRequest(file_by_filename=name))
            for data in answer.file_descriptor_response.file_descriptor_proto:
                add(descriptor_pb2.FileDescriptorProto.FromString(data))
        pool.Add(file)

    for service in {method.descriptor.containing_service.full_name for method in METHODS}:
        for file in described(wire, version, service):
            add(file)
        assert pool.FindServiceByName(service).methods


@pytest.mark.parametrize("version", VERSIONS)
def test_an_unknown_symbol_is_an_error_response_on_a_stream_that_stays_open(wire: Wire, version: str) -> None:
    unknown = pb.ServerReflectionRequest(file_containing_symbol="memoryd.v1.Nothing")
    first, second = ask(wire, version, unknown, pb.ServerReflectionRequest(list_services=""))
    assert first.error_response.error_code == 5
    assert second.list_services_response.service


@pytest.mark.parametrize("version", VERSIONS)
def test_a_malformed_request_is_refused(wire: Wire, version: str) -> None:
    call: Any = wire.channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
    refusal = refused(lambda: list(call(iter([b"\xff"]))))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE")


@pytest.mark.skipif(sys.platform != "linux", reason="the libraries of a process are read from /proc")
def test_the_front_end_serves_without_grpc_until_it_is_asked_for_descriptions(tmp_path: Path) -> None:
    pytest.importorskip("memoryd_front", reason="the front end is not installed")
    daemon = Daemon(tmp_path, "--transport", "front", "--durability", "memory")
    daemon.start()
    try:
        with daemon.channel() as channel:
            wire = Wire(channel)
            wire.agent().set("k", 1)
            libraries = Path(f"/proc/{daemon.pid}/maps")
            assert "cygrpc" not in libraries.read_text()
            assert described(wire, "v1", "memoryd.v1.Entry")
    finally:
        daemon.close()
