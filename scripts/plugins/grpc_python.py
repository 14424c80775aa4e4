"""A plugin of protoc that generates gRPC's Python stubs: grpcio-tools has its generator only built into its protoc.

The stubs of grpcio-tools refuse every gRPC that is older than it. What they call has been there for long: these refuse
only what is older than the client's own lower bound, which scripts/dependencies tries.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet

GENERATED = re.compile(r"^GRPC_GENERATED_VERSION = '.*'$", re.MULTILINE)


def main() -> None:
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    with_services = [file.name for file in request.proto_file if file.service and file.name in request.file_to_generate]
    with tempfile.TemporaryDirectory() as directory:
        descriptors = Path(directory) / "descriptors"
        descriptors.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        command = [sys.executable, "-m", "grpc_tools.protoc", f"--descriptor_set_in={descriptors}"]
        subprocess.run([*command, f"--grpc_python_out={directory}", *with_services], check=True)
        for path in sorted(Path(directory).rglob("*_pb2_grpc.py")):
            response.file.add(name=str(path.relative_to(directory)), content=_for_oldest(path.read_text("utf-8")))
    sys.stdout.buffer.write(response.SerializeToString())


def _for_oldest(stub: str) -> str:
    """Return a stub that needs no newer gRPC than the client does."""
    project = tomllib.loads(Path("clients/python/pyproject.toml").read_text("utf-8"))["project"]
    (oldest,) = (each.removeprefix("grpcio>=") for each in project["dependencies"] if each.startswith("grpcio>="))
    changed, count = GENERATED.subn(f"GRPC_GENERATED_VERSION = '{oldest.partition(',')[0]}'", stub)
    assert count == 1
    return changed


if __name__ == "__main__":
    main()
