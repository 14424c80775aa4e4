"""A proto file as the plugins of protoc read it."""

from collections.abc import Iterator

from google.protobuf.descriptor_pb2 import FileDescriptorProto

# The numbers of fields in descriptor.proto, which make up the paths of comments.
_FILE_MESSAGE, _FILE_ENUM, _FILE_SERVICE = 4, 5, 6
MESSAGE_FIELD, MESSAGE_ENUM, ENUM_VALUE, SERVICE_METHOD = 2, 4, 2, 2

Path = tuple[int, ...]


class File:
    """A proto file with its comments."""

    def __init__(self, descriptor: FileDescriptorProto) -> None:
        self._comments: dict[Path, str] = {
            tuple(location.path): location.leading_comments for location in descriptor.source_code_info.location
        }
        self.messages = {each.name: (each, (_FILE_MESSAGE, at)) for at, each in enumerate(descriptor.message_type)}
        self.enums = {each.name: (each, (_FILE_ENUM, at)) for at, each in enumerate(descriptor.enum_type)}
        for message, path in self.messages.values():
            for at, each in enumerate(message.enum_type):
                self.enums[f"{message.name}.{each.name}"] = (each, (*path, MESSAGE_ENUM, at))
        self.services = {each.name: (each, (_FILE_SERVICE, at)) for at, each in enumerate(descriptor.service)}

    def comments(self) -> Iterator[tuple[str, str]]:
        """Yield the comment of each message, field, service, method, enum and value, by its name within the package."""
        for kinds, member, members in (
            (self.messages, MESSAGE_FIELD, "field"),
            (self.services, SERVICE_METHOD, "method"),
            (self.enums, ENUM_VALUE, "value"),
        ):
            for name, (descriptor, path) in kinds.items():
                yield name, self.comment(path)
                for at, each in enumerate(getattr(descriptor, members)):
                    yield f"{name}.{each.name}", self.comment((*path, member, at))

    def comment(self, path: Path) -> str:
        """Return the paragraphs of a comment, each on one line."""
        lines = [line.strip() for line in self._comments.get(path, "").splitlines()]
        paragraphs = "\n".join(lines).strip().split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
