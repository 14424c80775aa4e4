"""The contract as descriptors, with the comments of its fields."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor, MethodDescriptor, OneofDescriptor
from grpc_tools import protoc

ROOT = Path(__file__).parents[2]
PROTOS = ROOT / "protos"
GOOGLEAPIS = ROOT / "third_party/googleapis"
PACKAGE = "memoryd.v1"


class Contract(NamedTuple):
    """The messages and methods of a set of protos. ``comments`` has those of fields and oneofs, by their full names."""

    files: tuple[FileDescriptor, ...]
    comments: dict[str, str]

    def methods(self) -> Iterator[MethodDescriptor]:
        """Yield all methods."""
        for file in self.files:
            for service in file.services_by_name.values():
                yield from service.methods

    def messages(self) -> Iterator[Descriptor]:
        """Yield all messages of the top level: there are no others."""
        for file in self.files:
            yield from file.message_types_by_name.values()

    def comment(self, field: FieldDescriptor | OneofDescriptor) -> str:
        """Return the comment of a field or a oneof, as one line."""
        return self.comments.get(field.full_name, "")


@cache
def contract() -> Contract:
    """Return the project's contract."""
    return read(PROTOS)


def read(protos: Path) -> Contract:
    """Return the contract that the protos below a folder define. Raises RuntimeError if they do not compile."""
    names = sorted(str(path.relative_to(protos)) for path in protos.glob("memoryd/v1/*.proto"))
    well_known = str(Path(protoc.__file__).parent / "_proto")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "contract.binpb")
        flags = [f"-I{protos}", f"-I{GOOGLEAPIS}", f"-I{well_known}", f"--descriptor_set_out={output}"]
        flags += ["--include_imports", "--include_source_info"]
        if protoc.main(["protoc", *flags, *names]):
            raise RuntimeError(f"the protos below {protos} do not compile")
        files = descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file
    pool = descriptor_pool.DescriptorPool()
    comments: dict[str, str] = {}
    for file in files:
        pool.Add(file)  # type: ignore[no-untyped-call]
        comments.update(_field_comments(file))
    return Contract(tuple(pool.FindFileByName(name) for name in names), comments)


def _field_comments(file: descriptor_pb2.FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for location in file.source_code_info.location:
        path = list(location.path)
        # The path of a field: 4 (messages), the message's index, 2 (fields), the field's index. That of a oneof has 8.
        if len(path) == 4 and path[0] == 4 and path[2] in (2, 8):
            message = file.message_type[path[1]]
            named = message.field[path[3]] if path[2] == 2 else message.oneof_decl[path[3]]
            yield f"{file.package}.{message.name}.{named.name}", " ".join(location.leading_comments.split())
