"""A LangGraph agent that is killed together with its daemon, and continues."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

pytestmark = pytest.mark.whole

AGENT = Path(__file__).with_name("langgraph_agent.py")


def run(daemon: Daemon, question: str, *, thread: str = "talk", fatal_step: str = "none") -> tuple[int, str]:
    command = [sys.executable, AGENT, daemon.address, thread, question, fatal_step]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    return done.returncode, done.stdout.strip() or done.stderr


@pytest.mark.parametrize("fatal_step", ["learn", "answer"])
def test_an_agent_continues_after_it_and_its_daemon_were_killed(daemon: Daemon, fatal_step: str) -> None:
    tea = "remember Ada likes tea"
    assert run(daemon, tea) == (0, f"heard ['{tea}'], know ['Ada likes tea']")
    code, _ = run(daemon, "remember Bob likes coffee", fatal_step=fatal_step)
    assert code == -signal.SIGKILL
    daemon.kill()
    daemon.start()
    code, answered = run(daemon, "-")
    assert (code, answered.split(", know ")[0]) == (0, f"heard ['{tea}', 'remember Bob likes coffee']")
    # An interrupted step runs again, and so do its puts.
    assert "'Ada likes tea'" in answered
    assert "'Bob likes coffee'" in answered
    code, answered = run(daemon, "What do you know?", thread="another")
    assert (code, answered.split(", know ")[0]) == (0, "heard ['What do you know?']")
    assert "'Bob likes coffee'" in answered
