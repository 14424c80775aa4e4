"""Server reflection, v1 and v1alpha, as methods, so that tools need no proto files.

grpcio-reflection serves v1alpha only. v1 has the same messages under another package name, so it is made from it. The
descriptions are in a pool of their own, because health is described with its List method, which the file of
grpcio-health-checking does not have yet.
"""

from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha import reflection_pb2

from memoryd.v1 import error_reason_pb2
from memoryd_server.domain.error import MalformedMessage
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.grpc.health import HEALTH_FILE, HEALTH_SERVICE
from memoryd_server.transport.routes import Method, MethodKind, probe_method

_V1ALPHA = "grpc.reflection.v1alpha"
_V1 = "grpc.reflection.v1"
_METHOD = "ServerReflection/ServerReflectionInfo"


def reflection_methods(services: Iterable[ServiceDescriptor], gate: Gate) -> dict[str, Method]:
    """Return the methods of both versions by path. They describe these services, health, and themselves."""

    @cache
    def servicer() -> Any:
        return _servicer(services)

    async def serve(requests: AsyncIterator[bytes], exchange: Exchange) -> None:
        async for response in servicer().ServerReflectionInfo(_parsed(requests), None):
            await exchange.send(response.SerializeToString())

    method = probe_method(MethodKind.BIDIRECTIONAL_STREAM, gate.probe(_METHOD, serve, lasts=True), gate)
    return {f"/{_V1}.{_METHOD}": method, f"/{_V1ALPHA}.{_METHOD}": method}


def _servicer(services: Iterable[ServiceDescriptor]) -> Any:
    """Return grpcio's servicer. Without the details of errors, tools would show these as bytes."""
    # Imported late: it brings gRPC, which the front end does without, and most daemons are never asked.
    from grpc_reflection.v1alpha import reflection

    pool = descriptor_pool.DescriptorPool()
    names = []
    added: set[str] = set()
    for file in (error_reason_pb2.DESCRIPTOR, error_details_pb2.DESCRIPTOR, status_pb2.DESCRIPTOR):
        _add(pool, file, added)
    for service in services:
        names.append(service.full_name)
        _add(pool, service.file, added)
    pool.Add(HEALTH_FILE)
    _add(pool, reflection_pb2.DESCRIPTOR, added)
    pool.Add(_v1_file())
    names += [HEALTH_SERVICE, f"{_V1}.ServerReflection", f"{_V1ALPHA}.ServerReflection"]
    return reflection.aio.ReflectionServicer(names, pool=_SymbolPool(pool))


async def _parsed(requests: AsyncIterator[bytes]) -> AsyncIterator[Any]:
    async for data in requests:
        try:
            yield reflection_pb2.ServerReflectionRequest.FromString(data)
        except DecodeError:
            raise MalformedMessage from None


class _SymbolPool:
    """A descriptor pool that also finds the file of a method, which Python's pool does not."""

    def __init__(self, pool: descriptor_pool.DescriptorPool) -> None:
        self._pool = pool

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802 - the pool's name
        try:
            return self._pool.FindFileContainingSymbol(symbol)
        except KeyError:
            return self._pool.FindMethodByName(symbol).containing_service.file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)


def _add(pool: descriptor_pool.DescriptorPool, file: FileDescriptor, added: set[str]) -> None:
    if file.name in added:
        return
    added.add(file.name)
    for dependency in file.dependencies:
        _add(pool, dependency, added)
    proto = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(proto)
    pool.Add(proto)


def _v1_file() -> descriptor_pb2.FileDescriptorProto:
    proto = descriptor_pb2.FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(proto)
    proto.name = "grpc/reflection/v1/reflection.proto"
    proto.package = _V1
    for message in proto.message_type:
        for field in message.field:
            if field.type_name:
                field.type_name = field.type_name.replace(_V1ALPHA, _V1)
    for method in proto.service[0].method:
        method.input_type = method.input_type.replace(_V1ALPHA, _V1)
        method.output_type = method.output_type.replace(_V1ALPHA, _V1)
    return proto
