import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.ops.cli.main import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in [name for name in os.environ if name.startswith(("MEMORYD_", "XDG_DATA_HOME"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs ``memoryd`` with arguments; returns its exit code, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run
