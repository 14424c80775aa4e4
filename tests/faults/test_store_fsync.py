"""A disk that fails to sync: the write is refused, reads succeed, and nothing acknowledged is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.machine import Faults
from tests.wait import WAIT_S_MAX

from memoryd_server.stores.sqlite.durability import Durability

HERE = Path(__file__).parent


@pytest.mark.parametrize("durability", Durability)
def test_a_failed_fsync_refuses_the_write_and_loses_nothing(tmp_path: Path, durability: Durability) -> None:
    environment = os.environ | Faults(tmp_path).environment
    command = [sys.executable, HERE / "fsync_victim.py", tmp_path / "data", durability]
    victim = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert victim.returncode == 0, victim.stderr
