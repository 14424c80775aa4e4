"""The wheels as a user installs them: built as for a release, into an empty environment, with their extras."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.releasing.parts import python
from scripts.releasing.release import prepare
from tests.daemon import Daemon

from memoryd_server import __version__

REPOSITORY = Path(__file__).parents[2]
EXTRAS = {"memoryd_server": "mcp,testing", "memoryd": "langgraph"}

pytestmark = [pytest.mark.whole, pytest.mark.timeout(1800)]


def run(*command: str | Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "PYTHON"))}
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd="/", env=environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels by the names of their packages."""
    folder = tmp_path_factory.mktemp("wheels")
    release = prepare(REPOSITORY, __version__, folder, folder / "dist")
    python.build(release)
    return {path.name.partition("-")[0]: path for path in (folder / "dist" / "python").glob("*.whl")}


@pytest.fixture(scope="module")
def environment(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheels, their extras and what these require, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    wanted = [f"{path}[{EXTRAS[name]}]" for name, path in wheels.items()]
    run(folder / "bin" / "pip", "install", "--quiet", "--constraint", REPOSITORY / "requirements.txt", *wanted)
    return folder / "bin"


def test_there_is_a_wheel_for_the_daemon_and_one_for_the_client(wheels: dict[str, Path]) -> None:
    assert sorted(wheels) == sorted(EXTRAS)


def test_what_they_require_fits_together(environment: Path) -> None:
    run(environment / "pip", "check")


def test_the_installed_daemon_serves_what_the_installed_command_sets(environment: Path, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    daemon.command = (environment / "memoryd",)
    daemon.start()
    try:
        call = ("--address", daemon.address)
        run(environment / "memoryd", "set", *call, "assistant-1", "mood", '"curious"')
        assert run(environment / "memoryd", "get", *call, "assistant-1", "mood") == '"curious"\n'
        run(environment / "memoryd", "remember", *call, "assistant-1", "Ada prefers tea")
        assert "tea" in run(environment / "memoryd", "recall", *call, "assistant-1", "what does Ada drink?")
        assert daemon.stop() == 0
    finally:
        daemon.close()


@pytest.mark.parametrize("module", ["memoryd.langgraph", "memoryd_server.ops.cli.mcp.server", "memoryd_server.testing"])
def test_each_extra_brings_what_its_module_imports(environment: Path, module: str) -> None:
    run(environment / "python", "-c", f"import {module}")
