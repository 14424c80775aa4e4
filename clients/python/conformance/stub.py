"""The generated stubs by name, and their messages as proto3 JSON."""

import importlib
import re
from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from conformance.document import ScenarioError

DEADLINE_S = 30.0
_STATUS_KEY = "grpc-status-details-bin"
_OPTIONS = [("grpc.max_receive_message_length", 64 << 20), ("grpc.use_local_subchannel_pool", 1)]


class Stubs:
    """The stubs of all services on one connection."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address, options=_OPTIONS)

    def close(self) -> None:
        """End the connection, and all calls on it."""
        self._channel.close()

    def call(self, method: str, request: Any) -> Any:
        """Call a unary method, and return the response as JSON. Raises grpc.RpcError."""
        stub, descriptor = self._stub(method)
        if descriptor.client_streaming or descriptor.server_streaming:
            raise ScenarioError(f"{method} is not unary")
        return as_json(stub(_message(descriptor, request), timeout=DEADLINE_S))

    def watch(self, request: Any) -> Any:
        """Call WatchEvents, and return the stream of its messages."""
        stub, descriptor = self._stub("EventService.WatchEvents")
        return stub(_message(descriptor, request))

    def _stub(self, method: str) -> tuple[Any, MethodDescriptor]:
        service, _, name = method.partition(".")
        stem = f"memoryd.v1.{re.sub(r'(?<!^)(?=[A-Z])', '_', service).lower()}"
        try:
            descriptor = importlib.import_module(f"{stem}_pb2").DESCRIPTOR.services_by_name[service]
            stub = getattr(importlib.import_module(f"{stem}_pb2_grpc"), f"{service}Stub")(self._channel)
            return getattr(stub, name), descriptor.methods_by_name[name]
        except (ImportError, KeyError, AttributeError):
            raise ScenarioError(f"there is no method {method}") from None


def as_json(message: Message) -> Any:
    """Return a message as JSON, with the names of its proto, including default values."""
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def error_of(error: grpc.RpcError) -> dict[str, Any]:
    """Return the error of a failed call in the form that scenarios expect."""
    call: Any = error
    described: dict[str, Any] = {"code": call.code().name, "message": call.details()}
    for detail in _details(call):
        info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
        if detail.Unpack(info) and info.domain == "memoryd":
            described.update(reason=info.reason, metadata=dict(info.metadata))
        elif detail.Unpack(bad):
            described["field"] = bad.field_violations[0].field
    return described


def _details(call: Any) -> Iterator[Any]:
    for key, value in call.trailing_metadata() or ():
        if key == _STATUS_KEY:
            yield from status_pb2.Status.FromString(value).details


def _message(descriptor: MethodDescriptor, request: Any) -> Message:
    try:
        return json_format.ParseDict(request, GetMessageClass(descriptor.input_type)())
    except json_format.ParseError as error:
        raise ScenarioError(f"request does not fit {descriptor.name}: {error}") from error
