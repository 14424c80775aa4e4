"""Runs a sample of a framework as a user does."""

import subprocess
import sys
from pathlib import Path

from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

SAMPLES = Path(__file__).parents[4] / "clients" / "python" / "samples" / "frameworks"


def run_sample(name: str, daemon: Daemon) -> str:
    """Run a sample, and return what it printed."""
    environment = {"MEMORYD_ADDRESS": daemon.address, "PYTHONPATH": str(SAMPLES.parents[1])}
    done = subprocess.run(
        [sys.executable, SAMPLES / name],
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
