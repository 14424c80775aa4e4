"""The crate in a project that has nothing else, with the lowest and with the newest versions of its dependencies."""

import os
import re
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import version
from scripts.releasing.parts import crate
from scripts.releasing.release import prepare
from tests.daemon import Daemon

from memoryd_server import __version__

MANIFEST = """
[package]
name = "newcomer"
version = "0.0.0"
edition = "2024"

[dependencies]
memoryd = {{ path = "{crate}" }}
serde_json = "1"
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}

# Without a build script these are resolved, but not compiled.
[build-dependencies]
{pins}

[profile.dev]
debug = false
"""


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of the crate, as a registry would have it."""
    folder = tmp_path_factory.mktemp("crate")
    release = prepare(version.ROOT, __version__, folder / "build", folder / "dist", is_quick=True)
    crate.build(release)
    with tarfile.open(release.dist / "crate" / f"memoryd-{__version__}.crate") as package:
        package.extractall(folder, filter="data")
    return folder / f"memoryd-{__version__}"


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what is compiled: of the dependencies of dependencies, most have one version with both bounds."""
    return tmp_path_factory.mktemp("target")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    folder = tmp_path / "daemon"
    folder.mkdir()
    daemon = Daemon(folder)
    daemon.start()
    yield daemon
    daemon.close()


@pytest.mark.whole
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")
@pytest.mark.parametrize("bound", ["lowest", "newest"])
def test_an_empty_project_runs_the_sample_of_the_crate(
    packaged: Path, daemon: Daemon, target: Path, tmp_path: Path, bound: str
) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    shutil.copy(packaged / "examples" / "first_steps.rs", project / "src" / "main.rs")
    pins = [f'{name} = "={lowest}"' for name, lowest in lowest_of(packaged).items()] if bound == "lowest" else []
    (project / "Cargo.toml").write_text(MANIFEST.format(crate=packaged, pins="\n".join(pins)), "utf-8")
    done = subprocess.run(
        ["cargo", "run", "--quiet", "--jobs", "2"],
        cwd=project,
        env={**os.environ, "MEMORYD_ADDRESS": daemon.address, "CARGO_TARGET_DIR": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "entries removed" in done.stdout
    if bound == "lowest":
        assert lowest_of(packaged).items() <= resolved_in(project)


def lowest_of(packaged: Path) -> dict[str, str]:
    """Return the lowest versions that the crate and its build require, by the names of packages."""
    manifest = tomllib.loads((packaged / "Cargo.toml").read_text("utf-8"))
    tables = (manifest["dependencies"], manifest["build-dependencies"])
    return {name: re.sub("^[^0-9]*", "", each["version"]) for table in tables for name, each in table.items()}


def resolved_in(project: Path) -> set[tuple[str, str]]:
    """Return the packages that a project uses, with their versions."""
    lock = tomllib.loads((project / "Cargo.lock").read_text("utf-8"))
    return {(each["name"], each["version"]) for each in lock["package"]}
