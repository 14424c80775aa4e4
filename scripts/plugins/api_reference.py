"""A plugin of protoc that writes the API reference of the protos' comments: api.md."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf import message_factory
from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    MethodDescriptorProto,
    MethodOptions,
    ServiceDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool

INTRODUCTION = """# API reference

Written by `scripts/generate` of the comments in [protos/memoryd/v1](../protos/memoryd/v1): change those. Everything is
in package `memoryd.v1`. How each language says it: [clients.md](clients.md). Whether a call may be repeated, who may
make it and what it costs: [MethodPolicy](#methodpolicy).
"""

# The numbers of fields in descriptor.proto, of which the paths of comments are made.
_FILE_MESSAGE, _FILE_ENUM, _FILE_SERVICE = 4, 5, 6
_MESSAGE_FIELD, _ENUM_VALUE, _SERVICE_METHOD = 2, 2, 2

_DEFAULT_ACCESS = "the agent in `agent_id`"

Path = tuple[int, ...]


class File:
    """A proto file with its comments."""

    def __init__(self, descriptor: FileDescriptorProto) -> None:
        self._comments: dict[Path, str] = {
            tuple(location.path): location.leading_comments for location in descriptor.source_code_info.location
        }
        self.messages = {each.name: (each, (_FILE_MESSAGE, at)) for at, each in enumerate(descriptor.message_type)}
        self.enums = {each.name: (each, (_FILE_ENUM, at)) for at, each in enumerate(descriptor.enum_type)}
        self.services = {each.name: (each, (_FILE_SERVICE, at)) for at, each in enumerate(descriptor.service)}

    def comment(self, path: Path) -> str:
        """Answer the paragraphs of a comment, each on a line of its own."""
        lines = [line.strip() for line in self._comments.get(path, "").splitlines()]
        paragraphs = "\n".join(lines).strip().split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


class Policies:
    """Reads the option method_policy of methods as the protos at hand define it: the stubs may not be current."""

    def __init__(self, files: Iterable[FileDescriptorProto]) -> None:
        pool = DescriptorPool()
        for file in files:
            pool.Add(file)
        self._options = message_factory.GetMessageClass(pool.FindMessageTypeByName("google.protobuf.MethodOptions"))
        self._policy = pool.FindExtensionByName("memoryd.v1.method_policy")

    def value(self, method: MethodDescriptorProto, field: str) -> str:
        """Return the name of an enum field's value. Empty for the default."""
        options: Any = self._options.FromString(method.options.SerializeToString())
        policy = options.Extensions[self._policy]
        enum = policy.DESCRIPTOR.fields_by_name[field].enum_type
        number = getattr(policy, field)
        return f"[{enum.values_by_number[number].name}](#{enum.name.lower()})" if number else ""


def main() -> None:
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    chosen = set(request.file_to_generate)
    files = [File(descriptor) for descriptor in request.proto_file if descriptor.name in chosen]
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    response.file.add(name="api.md", content="\n".join(_page(files, Policies(request.proto_file))).rstrip() + "\n")
    sys.stdout.buffer.write(response.SerializeToString())


def _page(files: list[File], policies: Policies) -> Iterator[str]:
    services = [(file, *found) for file in files for found in file.services.values()]
    yield INTRODUCTION
    for _, service, _ in services:
        methods = ", ".join(f"[{method.name}](#{method.name.lower()})" for method in service.method)
        yield f"- [{service.name}](#{service.name.lower()}): {methods}"
    yield "- [Types](#types)\n"
    asked: set[str] = set()
    for file, service, path in services:
        yield from _service(file, service, path, policies)
        asked.update(_name(each) for method in service.method for each in (method.input_type, method.output_type))
    yield "## Types\n"
    for file in files:
        for message, path in file.messages.values():
            if message.name not in asked:
                yield f"### {message.name}\n"
                yield from _message(file, message, path)
        for enum, path in file.enums.values():
            yield from _enum(file, enum, path)


def _service(file: File, service: ServiceDescriptorProto, path: Path, policies: Policies) -> Iterator[str]:
    yield f"## {service.name}\n\n{file.comment(path)}\n"
    for at, method in enumerate(service.method):
        yield f"### {method.name}\n\n{file.comment((*path, _SERVICE_METHOD, at))}\n"
        yield f"{_signature(method)}\n"
        access, cost = (policies.value(method, field) for field in ("access", "cost"))
        repeated = _repeated(method, file)
        yield f"May be repeated: {repeated}. Access: {access or _DEFAULT_ACCESS}.{cost and f' Cost: {cost}.'}\n"
        for name in (_name(method.input_type), _name(method.output_type)):
            message, where = file.messages[name]
            yield f"**{name}**{file.comment(where).removeprefix(name)}\n"
            yield from _fields(file, message, where)


def _signature(method: MethodDescriptorProto) -> str:
    asked = f"{'stream ' * method.client_streaming}{_name(method.input_type)}"
    answered = f"{'stream ' * method.server_streaming}{_name(method.output_type)}"
    return f"`rpc {method.name}({asked}) returns ({answered})`"


def _repeated(method: MethodDescriptorProto, file: File) -> str:
    request, _ = file.messages[_name(method.input_type)]
    match method.options.idempotency_level:
        case MethodOptions.NO_SIDE_EFFECTS:
            return "yes, it only reads"
        case MethodOptions.IDEMPOTENT:
            has_request_id = any(field.name == "request_id" for field in request.field)
            return "yes, with the same `request_id`" if has_request_id else "yes"
    return "no"


def _message(file: File, message: DescriptorProto, path: Path) -> Iterator[str]:
    yield f"{file.comment(path)}\n"
    yield from _fields(file, message, path)


def _fields(file: File, message: DescriptorProto, path: Path) -> Iterator[str]:
    entries = {nested.name: nested for nested in message.nested_type if nested.options.map_entry}
    if not message.field:
        return
    yield "| field | type | meaning |\n| --- | --- | --- |"
    for at, field in enumerate(message.field):
        comment = file.comment((*path, _MESSAGE_FIELD, at))
        yield f"| `{field.name}` | {_type(message, field, entries)} | {_cell(comment)} |"
    yield ""


def _type(message: DescriptorProto, field: FieldDescriptorProto, entries: dict[str, DescriptorProto]) -> str:
    if (entry := entries.get(_name(field.type_name))) is not None:
        key, value = (_type(entry, each, {}) for each in entry.field)
        return f"map of {key} to {value}"
    name = _named(field.type_name) if field.type_name else FieldDescriptorProto.Type.Name(field.type)[5:].lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {name}"
    if field.proto3_optional:
        return f"optional {name}"
    if field.HasField("oneof_index"):
        return f"{name}, one of *{message.oneof_decl[field.oneof_index].name}*"
    return name


def _enum(file: File, enum: EnumDescriptorProto, path: Path) -> Iterator[str]:
    yield f"### {enum.name}\n\n{file.comment(path)}\n"
    yield "| value | number | meaning |\n| --- | --- | --- |"
    for at, value in enumerate(enum.value):
        yield f"| `{value.name}` | {value.number} | {_cell(file.comment((*path, _ENUM_VALUE, at)))} |"
    yield ""


def _named(full_name: str) -> str:
    name = _name(full_name)
    return f"[{name}](#{name.lower()})" if full_name.startswith(".memoryd.") else f"`{full_name.lstrip('.')}`"


def _name(full_name: str) -> str:
    return full_name.rpartition(".")[2]


def _cell(comment: str) -> str:
    return " ".join(comment.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
