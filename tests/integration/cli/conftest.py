"""The command as a person or a script has it, against a real daemon."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.daemon import Daemon
from tests.integration.cli.process import Process
from tests.wait import PATIENT

import memoryd
from memoryd_server.ops.cli.main import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in [name for name in os.environ if name.startswith("MEMORYD_")]:
        monkeypatch.delenv(name)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def agent_id() -> str:
    return f"agent-{uuid4().hex[:8]}"


@pytest.fixture
def agent(shared_daemon: Daemon, agent_id: str) -> Iterator[memoryd.Agent]:
    """The agent of the test, by the Python client."""
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        yield client.agent(agent_id)


@pytest.fixture
def command(shared_daemon: Daemon, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs ``memoryd`` in this process, in a pipe; returns its exit code, output and errors."""
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs ``memoryd`` as on a terminal of 80 columns without colour; returns the text on the terminal."""

    def run(*arguments: str) -> str:
        for name, value in {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "COLUMNS": "80"}.items():
            monkeypatch.setenv(name, value)
        code, out, err = command(*arguments)
        assert (code, err) == (0, "")
        return "\n".join(line.rstrip() for line in out.splitlines())

    return run


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts ``memoryd`` as a process of its own; it is killed at the end of the test."""
    started: list[Process] = []

    def run(*arguments: str, address: str) -> Process:
        started.append(Process(tmp_path / f"process-{len(started)}", arguments, address))
        return started[-1]

    yield run
    for process in started:
        process.close()
