"""A plugin of protoc that generates gRPC's Python stubs: grpcio-tools has its generator only built into its protoc."""

import subprocess
import sys
import tempfile
from pathlib import Path

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet


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
            response.file.add(name=str(path.relative_to(directory)), content=path.read_text("utf-8"))
    sys.stdout.buffer.write(response.SerializeToString())


if __name__ == "__main__":
    main()
