import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

import memoryd

MEMORYD = Path(sys.executable).with_name("memoryd")


def on_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """Run ``memoryd`` on a terminal, and return the exit code and all output."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [MEMORYD, *arguments],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment},
    )
    os.close(terminal)
    seen = b""
    deadline = time.monotonic() + WAIT_S_MAX
    try:
        while select.select([controller], [], [], max(0.0, deadline - time.monotonic()))[0]:
            try:
                seen += os.read(controller, 65536)
            except OSError:
                # A terminal nobody writes to any more.
                return process.wait(WAIT_S_MAX), seen.decode()
        raise AssertionError(f"still running after {WAIT_S_MAX} s: {seen!r}")
    finally:
        process.kill()
        process.wait()
        os.close(controller)


@pytest.fixture
def address(shared_daemon: Daemon) -> str:
    return shared_daemon.address


def test_a_terminal_has_colour_unless_it_is_not_wanted(agent: memoryd.Agent, address: str) -> None:
    agent.set("user", {"name": "Ada"})
    code, seen = on_terminal("ls", agent.agent_id, "--address", address, NO_COLOR="")
    assert code == 0
    assert "\x1b[" in seen
    _, seen = on_terminal("ls", agent.agent_id, "--address", address, NO_COLOR="1")
    assert "\x1b" not in seen
    assert '{"name":"Ada"}' in seen


def test_a_value_cannot_write_to_the_terminal(agent: memoryd.Agent, address: str) -> None:
    agent.set("trick", "\x9b31m\u202e")
    for arguments in (["get", agent.agent_id, "trick"], ["ls", agent.agent_id]):
        _, seen = on_terminal(*arguments, "--address", address, NO_COLOR="1")
        assert r"\u009b31m\u202e" in seen
        assert "\x9b" not in seen


def test_a_fragment_cannot_write_to_the_terminal_and_keeps_its_lines(agent: memoryd.Agent, address: str) -> None:
    fragment_id = agent.fragments.create("one\ntwo\x1b[31m").fragment.fragment_id
    _, seen = on_terminal("fragment", "get", agent.agent_id, fragment_id, "--address", address, NO_COLOR="1")
    assert seen.splitlines() == ["one", r"two\u001b[31m"]


def test_a_transfer_shows_its_progress_to_a_person(agent: memoryd.Agent, address: str, tmp_path: Path) -> None:
    agent.set("k", 1)
    name = f"of-{agent.agent_id}"
    agent.create_snapshot(name)
    code, seen = on_terminal("snapshot", "export", name, str(tmp_path / "file"), "--address", address, NO_COLOR="")
    assert code == 0
    assert "━" in seen
    assert "was written: 1 record" in seen


def test_making_vectors_shows_its_progress_to_a_person(agent: memoryd.Agent, address: str) -> None:
    agent.memories.remember("x", user_id="ada", embedding=[1, 0])
    code, seen = on_terminal(
        "memory", "reembed", agent.agent_id, "--replace-client-embeddings", "--address", address, NO_COLOR=""
    )
    assert (code, "━" in seen, "1/1" in seen) == (0, True, True)


def test_a_memory_cannot_write_to_the_terminal(agent: memoryd.Agent, address: str) -> None:
    memory_id = agent.memories.remember("a trick\x1b[31m", user_id="ada", tags=["\u202etag"]).memory_id
    for arguments in (["memory", "get", agent.agent_id, memory_id], ["recall", agent.agent_id, "trick", "--all-users"]):
        _, seen = on_terminal(*arguments, "--address", address, NO_COLOR="1")
        assert r"trick\u001b[31m" in seen
        assert not {"\x1b", "\u202e"} & set(seen)


def test_who_reads_no_further_ends_it_without_a_word(agent: memoryd.Agent, address: str) -> None:
    with agent.batch() as batch:
        for number in range(1_000):
            batch.set(f"key-{number:04}", "x" * 1_000)
    process = subprocess.Popen(
        [MEMORYD, "ls", agent.agent_id, "--address", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout as out, process.stderr as err:
        assert out.readline().startswith(b"key-0000\t")
        out.close()
        assert err.read() == b""
    assert process.wait(WAIT_S_MAX) == 1
