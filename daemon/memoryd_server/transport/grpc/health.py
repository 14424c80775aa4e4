"""grpc.health.v1: Check from grpcio-health-checking; List, which it does not have yet; Watch, which it cannot end.

A server that stops cancels the streams that are still open, and what was written to them last may be lost. So watches
of health end by themselves, once they have told that the server no longer serves.
"""

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_health.v1 import health, health_pb2

from memoryd_server.domain.error import Draining
from memoryd_server.transport.error import abort
from memoryd_server.transport.gate import Handler

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
_UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN

_SERVICE = "grpc.health.v1.Health"


def _file_with_list() -> descriptor_pb2.FileDescriptorProto:
    """health.proto as published upstream, with ``rpc List(HealthListRequest) returns (HealthListResponse)``."""
    proto = descriptor_pb2.FileDescriptorProto()
    health_pb2.DESCRIPTOR.CopyToProto(proto)
    proto.message_type.add(name="HealthListRequest")
    response = proto.message_type.add(name="HealthListResponse")
    field = descriptor_pb2.FieldDescriptorProto
    response.field.add(
        name="statuses",
        number=1,
        label=field.LABEL_REPEATED,
        type=field.TYPE_MESSAGE,
        type_name=".grpc.health.v1.HealthListResponse.StatusesEntry",
    )
    pair = response.nested_type.add(name="StatusesEntry")
    pair.options.map_entry = True
    pair.field.add(name="key", number=1, label=field.LABEL_OPTIONAL, type=field.TYPE_STRING)
    pair.field.add(
        name="value",
        number=2,
        label=field.LABEL_OPTIONAL,
        type=field.TYPE_MESSAGE,
        type_name=".grpc.health.v1.HealthCheckResponse",
    )
    proto.service[0].method.add(
        name="List",
        input_type=".grpc.health.v1.HealthListRequest",
        output_type=".grpc.health.v1.HealthListResponse",
    )
    return proto


HEALTH_FILE = _file_with_list()
_pool = descriptor_pool.DescriptorPool()
_pool.Add(HEALTH_FILE)
_ListRequest = message_factory.GetMessageClass(_pool.FindMessageTypeByName("grpc.health.v1.HealthListRequest"))
_ListResponse = message_factory.GetMessageClass(_pool.FindMessageTypeByName("grpc.health.v1.HealthListResponse"))


class Health:
    """Whether each service serves; an empty name stands for the server as a whole."""

    def __init__(self, service_names: Iterable[str]) -> None:
        self._names = ("", *service_names, _SERVICE)
        self._servicer = health.aio.HealthServicer()
        self._statuses: dict[str, Any] = {}
        self._changed = asyncio.Event()
        self._ended = False

    async def set_all(self, status: Any) -> None:
        """Every service has this status from now on, and those who watch it are told."""
        for name in self._names:
            self._statuses[name] = status
            await self._servicer.set(name, status)
        self._wake()

    def end_watches(self) -> None:
        """End the watches, each once it has told the last status."""
        self._ended = True
        self._wake()

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """The handlers of Check, Watch and List by full method name."""
        request, response = health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse
        check = grpc.unary_unary_rpc_method_handler(
            self._servicer.Check, request.FromString, response.SerializeToString
        )
        watch = grpc.unary_stream_rpc_method_handler(self._watch, request.FromString, response.SerializeToString)
        listing = grpc.unary_unary_rpc_method_handler(
            self._list, _ListRequest.FromString, _ListResponse.SerializeToString
        )
        yield f"/{_SERVICE}/Check", check
        yield f"/{_SERVICE}/Watch", watch
        yield f"/{_SERVICE}/List", listing

    async def _watch(self, request: health_pb2.HealthCheckRequest, context: Any) -> None:
        told = None
        while True:
            status, changed, ended = self._statuses.get(request.service, _UNKNOWN), self._changed, self._ended
            if status != told:
                await context.write(health_pb2.HealthCheckResponse(status=status))
                told = status
            if ended:
                await abort(context, Draining())
            await changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _list(self, _request: Any, _context: Any) -> Any:
        response: Any = _ListResponse()
        for name, status in self._statuses.items():
            response.statuses[name].status = status
        return response
