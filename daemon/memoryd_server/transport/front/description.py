"""The descriptors by which the front end writes messages as JSON."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from memoryd_server.transport.routes import Method


def files_of(methods: Mapping[str, Method]) -> bytes:
    """Return the files that describe the methods' messages, as a ``google.protobuf.FileDescriptorSet``.

    Each stands after those that it imports.
    """
    described: dict[str, FileDescriptorProto] = {}

    def add(file: Any) -> None:
        if file.name in described:
            return
        for imported in file.dependencies:
            add(imported)
        described[file.name] = FileDescriptorProto.FromString(file.serialized_pb)

    for method in methods.values():
        if method.descriptor is not None:
            add(method.descriptor.containing_service.file)
    return FileDescriptorSet(file=described.values()).SerializeToString()
