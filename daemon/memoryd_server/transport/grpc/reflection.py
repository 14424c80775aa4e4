"""Server reflection, v1 and v1alpha, so that tools need no proto files at hand.

grpcio-reflection serves v1alpha only; v1 has the same messages under another package name, so it is made from it. What
is described lies in a pool of its own, since health is described with its List method, which grpcio-health-checking
does not know yet.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FileDescriptor
from grpc_reflection.v1alpha import reflection, reflection_pb2

from memoryd_server.transport.gate import Handler
from memoryd_server.transport.grpc.health import HEALTH_FILE

_V1ALPHA = "grpc.reflection.v1alpha"
_V1 = "grpc.reflection.v1"
_METHOD = "ServerReflection/ServerReflectionInfo"


def reflection_handlers(files: Iterable[FileDescriptor], service_names: Iterable[str]) -> Iterator[tuple[str, Handler]]:
    """The handlers of both versions, which describe these files, health and themselves."""
    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()
    for file in files:
        _add(pool, file, added)
    pool.Add(HEALTH_FILE)
    _add(pool, reflection_pb2.DESCRIPTOR, added)
    pool.Add(_v1_file())
    names = [*service_names, "grpc.health.v1.Health", f"{_V1}.ServerReflection", f"{_V1ALPHA}.ServerReflection"]
    servicer = reflection.aio.ReflectionServicer(names, pool=_SymbolPool(pool))
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    yield f"/{_V1}.{_METHOD}", handler
    yield f"/{_V1ALPHA}.{_METHOD}", handler


class _SymbolPool:
    """A pool as the servicer asks it, which also finds the file of a method: Python's own does not."""

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
