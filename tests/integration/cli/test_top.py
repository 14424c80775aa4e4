import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_one_sample_is_an_object_for_a_script(command: Command, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    code, out, _ = command("top", "--once", "--interval", "1ms", "--json", "--metrics", "127.0.0.1:1")
    sample = json.loads(out)
    assert (code, sample["state"], sample["calls_per_s"]) == (0, "serving", None)
    (row,) = [each for each in sample["agents"] if each["agent_id"] == agent.agent_id]
    assert (row["record_count"], row["changes_per_s"]) == (1, 0.0)
    assert "concurrent_watches" in sample["usage"]
    assert agent.agent_id in command("top", "--once", "--interval", "1ms", "--order", "records")[1]


def test_a_pipe_gets_no_live_table(command: Command) -> None:
    code, _, err = command("top")
    assert (code, "add --once" in err) == (2, True)


def test_the_key_q_leaves_the_live_table(shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    parent, child = pty.openpty()
    command = [str(Path(sys.executable).with_name("memoryd")), "top", "--address", shared_daemon.address]
    environment = {**os.environ, "COLUMNS": "100", "LINES": "30", "TERM": "xterm"}
    with subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        seen = b""
        while agent.agent_id.encode() not in seen:
            seen += os.read(parent, 65_536)
        os.write(parent, b"aq")
        try:
            while os.read(parent, 65_536):
                pass
        except OSError:
            pass  # Linux's way to say that the terminal was closed
        assert process.wait(WAIT_S_MAX) == 0
    os.close(parent)
