"""A defect of the front end ends the daemon with one line that says so, and nothing acknowledged is lost."""

import importlib.util
import re
import signal
import sys
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.faults.killing import write_and_kill
from tests.integration.seed import seeded

ROUNDS = 3
LINE = (
    r"^memoryd: the front end failed at src/\S+:\d+: .+; the daemon ends; start it again: nothing acknowledged is lost$"
)

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("memoryd_front") is None, reason="memoryd-front is not installed"
)


class FailingDaemon(Daemon):
    """A daemon whose front end fails instead of being killed."""

    command = (sys.executable, Path(__file__).with_name("failing_front.py"))

    def kill(self) -> None:
        """Let the front end fail."""
        assert self._end(signal.SIGUSR1) == -signal.SIGABRT


@pytest.mark.whole
@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_nothing_acknowledged_is_lost_when_the_front_end_fails(tmp_path: Path, durability: str) -> None:
    daemon = FailingDaemon(tmp_path, "--transport", "front", "--durability", durability)
    try:
        write_and_kill(daemon, seeded(), ROUNDS)
    finally:
        daemon.close()
    lines = re.findall(LINE, daemon.log, re.MULTILINE)
    assert len(lines) == ROUNDS
    assert "panicked" not in daemon.log
