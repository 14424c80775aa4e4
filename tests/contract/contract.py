"""The contract as descriptors, with their comments."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor, FileDescriptor, MethodDescriptor
from grpc_tools import protoc

ROOT = Path(__file__).parents[2]
PROTOS = ROOT / "protos"
GOOGLEAPIS = ROOT / "third_party/googleapis"
PACKAGE = "memoryd.v1"


class Described(Protocol):
    """A descriptor that has a comment: of a message, a field, a oneof, a service or a method."""

    @property
    def full_name(self) -> str: ...


class Contract(NamedTuple):
    """The messages and methods of a set of protos. ``comments`` has those of all descriptors, by their full names."""

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

    def comment(self, described: Described) -> str:
        """Return the comment of a descriptor, as one line."""
        return " ".join(self.comments.get(described.full_name, "").split())

    def summary(self, described: Described) -> str:
        """Return the first paragraph of the comment of a descriptor, as one line."""
        return " ".join(self.comments.get(described.full_name, "").partition("\n\n")[0].split())


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
        comments.update(_comments(file))
    return Contract(tuple(pool.FindFileByName(name) for name in names), comments)


def _comments(file: descriptor_pb2.FileDescriptorProto) -> Iterator[tuple[str, str]]:
    by_path = {tuple(location.path): location.leading_comments for location in file.source_code_info.location}
    # Paths consist of the numbers of fields in descriptor.proto, and of places in their lists.
    for at, message in enumerate(file.message_type):
        name = f"{file.package}.{message.name}"
        yield name, by_path.get((4, at), "")
        for number, members in ((2, message.field), (8, message.oneof_decl)):
            for place, member in enumerate(members):
                yield f"{name}.{member.name}", by_path.get((4, at, number, place), "")
    for at, service in enumerate(file.service):
        name = f"{file.package}.{service.name}"
        yield name, by_path.get((6, at), "")
        for place, method in enumerate(service.method):
            yield f"{name}.{method.name}", by_path.get((6, at, 2, place), "")
