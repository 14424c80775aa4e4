"""A disk that fails to sync: the write is refused, reads succeed, and nothing acknowledged is lost."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.stores.sqlite.durability import Durability

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a failing fsync needs gcc and Linux")
    library = tmp_path_factory.mktemp("preloaded") / "fsync_failure.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, HERE / "fsync_failure.c", "-ldl"], check=True)
    return library


@pytest.mark.parametrize("durability", Durability)
def test_a_failed_fsync_refuses_the_write_and_loses_nothing(
    preloaded: Path, tmp_path: Path, durability: Durability
) -> None:
    environment = os.environ | {"LD_PRELOAD": str(preloaded), "FSYNC_FAILS": str(tmp_path / "fails")}
    command = [sys.executable, HERE / "fsync_victim.py", tmp_path / "data", durability]
    victim = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert victim.returncode == 0, victim.stderr
