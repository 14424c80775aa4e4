import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd_server.ops.cli.client.session import Session
from memoryd_server.ops.cli.shell.editor import Completer
from memoryd_server.ops.cli.shell.line import words_of

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(command: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Runs lines in the shell, from a pipe."""

    def run(*lines: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
        return command("shell")

    return run


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("set k 1", ["set", "bot", "k", "1"]),
        ("note create T 'a b' # why", ["note", "create", "bot", "T", "a b"]),
        ("get bot k", ["get", "bot", "k"]),
        ("agent list", ["agent", "list"]),
        ("watch", ["watch"]),
        ("snapshot list", ["snapshot", "list"]),
        ("nonsense k", ["nonsense", "k"]),
        ("note", ["note"]),
        ("", []),
    ],
)
def test_the_agent_in_use_is_inserted_where_a_command_takes_one(line: str, words: list[str]) -> None:
    assert words_of(line, "bot") == words


def test_commands_run_over_one_connection(
    shell: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str | None] = []
    connect = memoryd.connect
    monkeypatch.setattr(memoryd, "connect", lambda *given, **options: opened.append("") or connect(*given, **options))
    code, out, err = shell(f"use {agent.agent_id}", "set k 1", "get k", "use", f"get {agent.agent_id} k", "exit", "x")
    assert (code, out, err) == (0, "k was created at revision 1\n1\n1\n", "")
    assert len(opened) == 1


@pytest.mark.whole
def test_a_line_with_an_option_of_the_connection_stays_with_the_daemon(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch, shared_daemon: Daemon
) -> None:
    agent.set("k", 1)
    monkeypatch.setenv("MEMORYD_ADDRESS", "127.0.0.1:1")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"get k --timeout {WAIT_S_MAX:.0f}s\ndiff\nget k --address [::1]:1"))
    code, out, err = command("shell", "--address", shared_daemon.address, agent.agent_id)
    assert (code, out) == (69, "1\nadded\tentry\tk\t\t1\n")
    assert "[::1]:1" in err


def test_a_failure_is_printed_and_the_next_command_runs(shell: Command, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    code, out, err = shell(f"get {agent.agent_id} x", 'get "', "shell", "help ls", f"get {agent.agent_id} k")
    assert (code, out.endswith("\n1\n")) == (2, True)
    assert "Usage: memoryd ls" in out
    assert "has no key 'x'" in err
    assert "no closing quotation" in err
    assert "this is the shell already" in err


@pytest.mark.usefixtures("command")
def test_words_are_completed_with_the_agent_in_use(shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    agent.set("color", "red")
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        completer = Completer(Session(client))
        assert completer.candidates("", "us") == ["use "]
        assert completer.candidates("", "sco") == ["scope "]
        assert completer.candidates("scope ", "d") == ["dispose "]
        assert f"{agent.agent_id} " in completer.candidates("use ", agent.agent_id[:-1])
        bound = Completer(Session(client, agent.agent_id))
        assert bound.candidates("get ", "c") == ["color "]
        assert bound.candidates('get "', "c") == []


def test_a_person_types_at_a_prompt_and_finds_the_lines_again(
    shared_daemon: Daemon, agent: memoryd.Agent, tmp_path: Path
) -> None:
    parent, child = pty.openpty()
    command = [str(Path(sys.executable).with_name("memoryd")), "shell", agent.agent_id]
    environment = {**os.environ, "MEMORYD_ADDRESS": shared_daemon.address, "XDG_STATE_HOME": str(tmp_path)}
    with subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        prompt, seen = f"memoryd {agent.agent_id}> ".encode(), b""
        for line in (b"set color 1\n", b"\x04"):
            while prompt not in seen:
                seen += os.read(parent, 65_536)
            seen = b""
            os.write(parent, line)
        assert process.wait(WAIT_S_MAX) == 0
    os.close(parent)
    assert agent.get("color") == 1
    history = tmp_path / "memoryd" / "history"
    assert history.read_text() == "set color 1\n"
    assert history.stat().st_mode & 0o777 == 0o600
