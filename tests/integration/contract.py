"""The contract, read from its descriptors: every service and method, and the status and metadata of each reason."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor

from memoryd import v1
from memoryd.v1 import error_reason_pb2

MODULES = tuple(
    importlib.import_module(f"memoryd.v1.{module.name}")
    for module in pkgutil.iter_modules(v1.__path__)
    if module.name.endswith("_service_pb2")
)
PROTOS = Path(__file__).parents[2] / "protos" / "memoryd" / "v1"


class Method(NamedTuple):
    """A method of the contract."""

    descriptor: MethodDescriptor

    @property
    def name(self) -> str:
        """The method's name, such as WorkingMemoryService/SetEntry."""
        return f"{self.descriptor.containing_service.name}/{self.descriptor.name}"

    @property
    def request_type(self) -> Any:
        """The class of the method's requests."""
        return message_factory.GetMessageClass(self.descriptor.input_type)

    def call_raw(self, channel: grpc.Channel, data: bytes, timeout_s: float = 10.0) -> grpc.StatusCode:
        """Send these bytes as the request, and return the status. A stream is read up to its first message."""
        try:
            self.call(channel, data, timeout_s=timeout_s)
        except grpc.RpcError as error:
            code: grpc.StatusCode = error.code()
            return code
        return grpc.StatusCode.OK

    def call(self, channel: grpc.Channel, *data: bytes, timeout_s: float = 10.0) -> None:
        """Send these bytes as the request, or as requests. A stream is read up to its first message.

        Raises grpc.RpcError.
        """
        path = f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"
        untyped: Any = channel
        if self.descriptor.client_streaming:
            untyped.stream_unary(path)(iter(data), timeout=timeout_s)
        elif self.descriptor.server_streaming:
            responses = untyped.unary_stream(path)(*data, timeout=timeout_s)
            next(responses, None)
            responses.cancel()
        else:
            untyped.unary_unary(path)(*data, timeout=timeout_s)


METHODS = tuple(
    Method(method)
    for module in MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
)
UNARY = tuple(
    method for method in METHODS if not method.descriptor.client_streaming and not method.descriptor.server_streaming
)


class Reason(NamedTuple):
    """A reason as error_reason.proto documents it: its status, and the names in its metadata.

    If ``optional`` is true, the metadata may be absent.
    """

    code: str
    metadata: frozenset[str]
    optional: bool


def reasons() -> dict[str, Reason]:
    """Return the reasons that the comments of error_reason.proto document, by name without its prefix."""
    return dict(_reasons())


def _reasons() -> Iterator[tuple[str, Reason]]:
    text = (PROTOS / "error_reason.proto").read_text("utf-8")
    for value in error_reason_pb2.DESCRIPTOR.enum_types_by_name["ErrorReason"].values:
        match = re.search(rf"((?:  //.*\n)+)  {value.name} =", text)
        assert match is not None, value.name
        comment = " ".join(line.strip().removeprefix("//").strip() for line in match[1].splitlines())
        documented = re.search(r"\b([A-Z]+(?:_[A-Z]+)*)(?:, with google\.rpc\.\w+)?\. .*Metadata: ([^.]*)\.", comment)
        if documented is None:
            continue
        words, _, condition = documented[2].partition(", when")
        names = frozenset() if words == "none" else frozenset(words.split(", "))
        yield value.name.removeprefix("ERROR_REASON_"), Reason(documented[1], names, bool(condition))
