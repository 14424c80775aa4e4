"""grpc.health.v1 as methods: Check, Watch, and List, which grpcio-health-checking does not have yet."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from grpc_health.v1 import health_pb2

from memoryd_server.domain.error import MalformedMessage
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.gate import Gate, ProbeRefused
from memoryd_server.transport.health import Health
from memoryd_server.transport.routes import Method, MethodKind, probe_method
from memoryd_server.transport.status import Status, StatusCode

HEALTH_SERVICE = "grpc.health.v1.Health"
"""The name of the service, which has a health of its own."""

_STATUSES = {
    True: health_pb2.HealthCheckResponse.SERVING,
    False: health_pb2.HealthCheckResponse.NOT_SERVING,
    None: health_pb2.HealthCheckResponse.SERVICE_UNKNOWN,
}


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
_ListResponse = message_factory.GetMessageClass(_pool.FindMessageTypeByName("grpc.health.v1.HealthListResponse"))


def health_methods(health: Health, gate: Gate) -> dict[str, Method]:
    """Return the methods of grpc.health.v1.Health by path. They need no token, and are served on draining."""
    servicer, described = _HealthService(health), _pool.FindServiceByName(HEALTH_SERVICE)
    serves = {
        "Check": (MethodKind.UNARY, servicer.check),
        "Watch": (MethodKind.SERVER_STREAM, servicer.watch),
        "List": (MethodKind.UNARY, servicer.list),
    }
    return {
        f"/{HEALTH_SERVICE}/{name}": probe_method(
            kind, gate.probe(f"Health/{name}", serve, lasts=name == "Watch"), gate, described.methods_by_name[name]
        )
        for name, (kind, serve) in serves.items()
    }


class _HealthService:
    def __init__(self, health: Health) -> None:
        self._health = health

    async def check(self, requests: AsyncIterator[bytes], _exchange: Exchange) -> bytes:
        serving = self._health.serving.get(await _service_name(requests))
        if serving is None:
            raise ProbeRefused(Status(StatusCode.NOT_FOUND))
        return _response(serving)

    async def watch(self, requests: AsyncIterator[bytes], exchange: Exchange) -> None:
        async with aclosing(self._health.watch(await _service_name(requests))) as changes:
            async for serving in changes:
                await exchange.send(_response(serving))

    async def list(self, _requests: AsyncIterator[bytes], _exchange: Exchange) -> bytes:
        response: Any = _ListResponse()
        for name, serving in self._health.serving.items():
            response.statuses[name].status = _STATUSES[serving]
        return bytes(response.SerializeToString())


async def _service_name(requests: AsyncIterator[bytes]) -> str:
    async for data in requests:
        try:
            return health_pb2.HealthCheckRequest.FromString(data).service  # type: ignore[no-any-return]
        except DecodeError:
            raise MalformedMessage from None
    raise MalformedMessage


def _response(serving: bool | None) -> bytes:
    return health_pb2.HealthCheckResponse(status=_STATUSES[serving]).SerializeToString()  # type: ignore[no-any-return]
