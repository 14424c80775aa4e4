"""The agent frameworks that the Python client has adapters for, each tested in an environment of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.daemon import COMMAND

ROOT = Path(__file__).parents[4]
HERE = Path(__file__).parent
CLIENT = ROOT / "clients" / "python"
TOOLS = ("hypothesis", "mypy", "pytest", "pytest-asyncio", "pytest-timeout", "types-grpcio", "types-protobuf")

ENDS = {"lowest": "lowest-direct", "newest": "highest"}
"""The resolutions of uv for both ends of the bounds in pyproject.toml."""


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework: the client's extra, the client's package that adapts it, and a module that it has itself."""

    extra: str
    package: str
    module: str

    @property
    def folder(self) -> Path:
        """The folder of its tests."""
        return HERE / self.package

    @property
    def lock(self) -> Path:
        """The file of the versions that it is tested with."""
        return HERE / "locks" / f"{self.package}.txt"


FRAMEWORKS = {
    framework.package: framework
    for framework in (
        Framework("anthropic", "anthropic", "anthropic"),
        Framework("openai-agents", "openai_agents", "agents"),
        Framework("google-adk", "google_adk", "google.adk"),
        Framework("pydantic-ai", "pydantic_ai", "pydantic_ai"),
        Framework("agent-framework", "agent_framework", "agent_framework"),
        Framework("llama-index", "llama_index", "llama_index"),
    )
}


class Environment:
    """A virtual environment with the client and one framework. What a command prints is shown when it fails."""

    def __init__(self, folder: Path, framework: Framework) -> None:
        self._framework = framework
        self._python = folder / "bin" / "python"
        run(_uv(), "venv", "--quiet", "--python", sys.executable, folder)

    def install_locked(self) -> None:
        """Install the versions of the lock."""
        self._install("--no-deps", "-r", self._framework.lock)

    def install(self, end: str) -> None:
        """Install the lowest or the newest versions that the client allows, and the newest tools."""
        extra = f"{CLIENT}[{self._framework.extra}]"
        self._install("--resolution", ENDS[end], "-r", CLIENT / "pyproject.toml", "--extra", self._framework.extra)
        self._install("--resolution", "highest", *TOOLS, extra)

    def check_types(self) -> None:
        """Check the adapter's types against the framework's."""
        run(
            self._python, "-m", "mypy", "--package", f"memoryd.{self._framework.package}", environment=self._variables()
        )

    def test(self) -> str:
        """Run the adapter's tests, and return what pytest printed."""
        flags = ("-q", "-p", "no:cacheprovider", "-W", "default")
        return run(self._python, "-m", "pytest", *flags, self._framework.folder, environment=self._variables())

    def _install(self, *arguments: str | Path) -> None:
        run(_uv(), "pip", "install", "--quiet", "--python", self._python, *arguments)

    def _variables(self) -> dict[str, str]:
        return {
            **os.environ,
            "MEMORYD_TEST_COMMAND": str(COMMAND),
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, CLIENT))),
        }


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    """Run a command in the repository, and return what it printed. Raises AssertionError with that if it failed."""
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}{done.stderr[-6000:]}"
    return done.stdout


def write_lock(framework: Framework) -> None:
    """Write the newest versions that the client allows into the lock."""
    tools = "\n".join(TOOLS)
    command = [_uv(), "pip", "compile", "--quiet", "--python", sys.executable, "--universal", "--no-annotate"]
    command += ["--no-header", "--extra", framework.extra, "--output-file", framework.lock]
    done = subprocess.run(
        [*command, CLIENT / "pyproject.toml", "-"], input=tools, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def _uv() -> Path:
    return Path(sys.executable).with_name("uv")
