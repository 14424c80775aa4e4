"""Finds the handler of a method: one table from the full name, made from the protos' own descriptors.

gRPC's registered methods cost every call something for each of them; a generic handler costs one look-up.
"""

import re
from collections.abc import Iterator, Mapping

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from memoryd_server.transport.access import ACCESS_RULES
from memoryd_server.transport.gate import Gate, Handler

_WATCH = "EventService/WatchEvents"


class Router(grpc.GenericRpcHandler):
    """Answers the handler of a full method name, such as /memoryd.v1.EventService/ListEvents."""

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        self._handlers = dict(handlers)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "Handler | None":
        """The method's handler; None for one that is not there, which gRPC answers with UNIMPLEMENTED."""
        return self._handlers.get(handler_call_details.method)


def handlers_of(descriptor: ServiceDescriptor, service: object, gate: Gate) -> Iterator[tuple[str, Handler]]:
    """A service's handlers by full method name. Every method of the proto must be in ACCESS_RULES."""
    for method in descriptor.methods:
        yield f"/{descriptor.full_name}/{method.name}", _handler(method, service, gate)


def _handler(method: MethodDescriptor, service: object, gate: Gate) -> Handler:
    name = f"{method.containing_service.name}/{method.name}"
    handler = getattr(service, re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower())
    request_type = message_factory.GetMessageClass(method.input_type)
    if method.client_streaming:
        return grpc.stream_unary_rpc_method_handler(gate.client_stream(name, request_type, handler))
    if method.server_streaming:
        stream = gate.server_stream(name, request_type, handler, is_watch=name == _WATCH)
        return grpc.unary_stream_rpc_method_handler(stream)
    return grpc.unary_unary_rpc_method_handler(gate.unary(name, ACCESS_RULES[name], request_type, handler))
