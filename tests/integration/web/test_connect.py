"""The clients of Connect and of gRPC-Web that others have written, in JavaScript and Go, against a daemon."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.rpc import error_details_pb2
from tests.daemon import Daemon
from tests.integration.contract import METHODS

CLIENTS = Path(__file__).parents[2] / "web"
BUILD_S_MAX = 900.0

pytestmark = [pytest.mark.whole, pytest.mark.timeout(2 * BUILD_S_MAX)]


def files() -> bytes:
    """Return the files of the contract, and of the details of errors, each behind those that it imports."""
    known: dict[str, FileDescriptorProto] = {}

    def add(file: Any) -> None:
        if file.name not in known:
            for each in file.dependencies:
                add(each)
            known[file.name] = FileDescriptorProto.FromString(file.serialized_pb)

    for file in (error_details_pb2.DESCRIPTOR, *(method.descriptor.containing_service.file for method in METHODS)):
        add(file)
    return FileDescriptorSet(file=known.values()).SerializeToString()


def run(*commands: list[str], at: Path, **variables: str) -> None:
    for command in commands:
        done = subprocess.run(
            command,
            cwd=at,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=BUILD_S_MAX,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("npm") is None and "CI" not in os.environ, reason="npm is not installed")
def test_clients_in_javascript_call_by_all_protocols(door: str, served: Daemon, tmp_path: Path) -> None:
    folder = tmp_path / "connect"
    shutil.copytree(CLIENTS / "connect", folder)
    (folder / "files.binpb").write_bytes(files())
    install, test = ["npm", "ci", "--no-audit", "--no-fund"], ["node", "--test"]
    version = "2" if door == "front" else "1.1"
    variables = {"MEMORYD_ADDRESS": served.address, "MEMORYD_FILES": "files.binpb", "MEMORYD_HTTP_VERSION": version}
    run(install, test, at=folder, **variables)


@pytest.mark.skipif(shutil.which("go") is None and "CI" not in os.environ, reason="Go is not installed")
def test_the_client_in_go_calls_by_all_protocols(door: str, served: Daemon) -> None:
    if door == "python":
        pytest.skip("it calls over HTTP/2, too")
    command = ["go", "test", "-count=1", "-p", "2", "./..."]
    run(command, at=CLIENTS / "connect_go", MEMORYD_ADDRESS=served.address)
