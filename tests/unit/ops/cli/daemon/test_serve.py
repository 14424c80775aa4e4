import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvloop

from memoryd_server.ops import composition
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.supervisor import Worker

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def process_as_before() -> Iterator[None]:
    mask = os.umask(0o022)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    os.umask(mask)
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("memoryd").setLevel(logging.NOTSET)


@pytest.fixture
def composed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Settings]:
    """The settings that the composition was run with; it answers 3."""
    seen: list[Settings] = []
    monkeypatch.setenv("MEMORYD_DATA_DIR", str(tmp_path / "data"))

    async def run(
        settings: Settings, directory: DataDirectory, worker: Worker | None, settings_file: Path | None
    ) -> int:
        assert (directory.path, worker, settings_file) == (settings.storage.data_dir, None, None)
        assert isinstance(asyncio.get_running_loop(), uvloop.Loop)
        logging.getLogger("memoryd").debug("composed", extra={"count": 1})
        seen.append(settings)
        return 3

    monkeypatch.setattr(composition, "run", run)
    return seen


def test_the_composition_runs_with_the_settings_and_its_answer_is_the_exit_code(
    command: Command, composed: list[Settings]
) -> None:
    code, _, _ = command("serve", "--durability", "memory")
    assert code == 3
    assert composed[0].storage.durability == "memory"


def test_logging_is_as_the_settings_say(command: Command, composed: list[Settings]) -> None:
    _, _, err = command("serve", "--log-level", "debug", "--log-format", "json")
    assert '"message": "composed", "count": 1' in err


def test_what_the_daemon_writes_is_for_its_owner_only(command: Command, composed: list[Settings]) -> None:
    command("serve")
    assert os.umask(0o077) == 0o077


def test_settings_that_are_refused_start_nothing(command: Command, composed: list[Settings]) -> None:
    assert command("serve", "--listen", "0.0.0.0:0")[0] == 1
    assert composed == []
