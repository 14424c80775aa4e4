"""The error of an environment with the wrong packages. tests/unit/test_metadata.py is about the right ones."""

import re
import subprocess
import sys

import pytest

from memoryd import dependency

# What comes with protobuf itself is imported before: it fits.
PROTOBUF = (
    "import sys, google.rpc.error_details_pb2 as _"
    "\nfrom google.protobuf import descriptor_pb2, duration_pb2, field_mask_pb2, runtime_version"
    "\nfrom google.protobuf import struct_pb2, timestamp_pb2"
)
WRONG = {
    "an older protobuf": f"{PROTOBUF}\nruntime_version.MAJOR = 5",
    "a protobuf without versions": f"{PROTOBUF}\ndel sys.modules['google.protobuf'].runtime_version"
    "\nsys.modules['google.protobuf.runtime_version'] = None",
    "an older gRPC": "import grpc\ngrpc.__version__ = '1.60.0'",
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("use", ["memoryd.connect()", "import memoryd.aio", "import memoryd.sync.client"])
def test_an_environment_with_wrong_packages_says_which_are_required(wrong: str, use: str) -> None:
    program = f"{wrong}\nimport memoryd\n{use}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert re.fullmatch(
        r"ImportError: memoryd does not run with this environment's packages \(.*grpcio \d.*protobuf \d.*\):"
        r" pip install .*'grpcio<2,>=1.*'.*'protobuf<8,>=6.*'",
        last,
    ), done.stderr


def test_the_messages_alone_say_so_too() -> None:
    program = f"{WRONG['an older protobuf']}\nfrom memoryd.v1 import note_pb2"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: memoryd does not run with this environment's packages ("
    )


def test_a_package_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependency, "requires", lambda _: ["memoryd-of-nobody>=2", "pytest; extra == 'more'"])
    assert str(dependency.mismatch()) == (
        "memoryd does not run with this environment's packages (no memoryd-of-nobody):"
        " pip install 'memoryd-of-nobody>=2'"
    )
