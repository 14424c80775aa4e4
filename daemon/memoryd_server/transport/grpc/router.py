"""Finds the handler of a method, and passes its calls from gRPC to the gate.

With gRPC's registered methods, the cost of a call grows with their number; a generic handler costs one look-up.
"""

import functools
from collections.abc import Mapping
from typing import Any, NoReturn

import grpc

from memoryd_server.transport.grpc.exchange import GrpcExchange
from memoryd_server.transport.routes import Method, unknown_method

_Handler = Any
"""grpc.RpcMethodHandler, whose types say nothing of messages as bytes."""


class Router(grpc.GenericRpcHandler):
    """Returns the handler of a method by its path, such as ``/memoryd.v1.EventService/ListEvents``."""

    def __init__(self, methods: Mapping[str, Method]) -> None:
        self._handlers = {path: _handler_of(method) for path, method in methods.items()}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> _Handler:
        """Return the method's handler; for a method that does not exist one that refuses the call with details.

        gRPC itself would refuse it without.
        """
        path: str = handler_call_details.method
        return self._handlers.get(path) or _handler_of(unknown_method(path))


class _Begin(functools.partial):  # type: ignore[type-arg]
    """A method with the exchange that it begins with.

    gRPC asks of the function of each call, twice, whether it is asynchronous. Its first question is whether it can be
    awaited: a yes saves the other questions, which cost more than the gate.
    """

    def __await__(self) -> NoReturn:
        raise TypeError("call it first")


def _handler_of(method: Method) -> _Handler:
    # Every request is a stream to gRPC, which would otherwise receive it before it calls the method.
    handler = _STREAM_HANDLER if method.kind.value[1] else _UNARY_HANDLER
    return handler(_Begin(method.begin, GrpcExchange))


_UNARY_HANDLER = grpc.stream_unary_rpc_method_handler
_STREAM_HANDLER = grpc.stream_stream_rpc_method_handler
