"""Every scenario, over the Python stubs."""

from pathlib import Path

import pytest
from tests.daemon import Daemon

from conformance.player import play

SCENARIOS = sorted((Path(__file__).parents[3] / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_it_passes(shared_daemon: Daemon, path: Path) -> None:
    assert play(shared_daemon.address, str(path)) is None
