"""The Go module as a user gets it: in a module of the user's own, from a proxy, with a daemon."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.releasing.parts.go import MODULE
from scripts.version import ROOT
from tests.daemon import Daemon

from memoryd_server import __version__

VERSION = f"v{__version__}"
FOLDER = ROOT / "clients" / "go"

pytestmark = [
    pytest.mark.whole,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("go") is None, reason="there is no Go"),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a user whose proxy has this tree as the module's version, and an empty cache of modules."""
    folder = tmp_path_factory.mktemp("go")
    publish(folder / "proxy")
    # What was downloaded before is not downloaded again.
    downloaded = Path(go(FOLDER, {}, "env", "GOMODCACHE").strip(), "cache", "download")
    proxies = [f"file://{folder / 'proxy'}", f"file://{downloaded}", go(FOLDER, {}, "env", "GOPROXY").strip()]
    return {
        "GOPROXY": ",".join(proxies),
        "GONOSUMDB": MODULE,
        "GOMODCACHE": str(folder / "modules"),
        "GOFLAGS": "-mod=mod -modcacherw -trimpath -p=2",
        "GOWORK": "off",
    }


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that keeps nothing."""
    daemon = Daemon(tmp_path, "--durability", "memory")
    daemon.start()
    yield daemon
    daemon.close()


@pytest.mark.parametrize("dependencies", ["lowest", "newest"])
@pytest.mark.parametrize("sample", ["first_steps", "near_cache"])
def test_an_empty_module_gets_it_and_runs_a_sample(
    environment: dict[str, str], daemon: Daemon, tmp_path: Path, dependencies: str, sample: str
) -> None:
    program = tmp_path / "program"
    shutil.copytree(FOLDER / "examples" / sample, program)
    go(program, environment, "mod", "init", "example.com/program")
    # Go chooses the lowest versions that are required.
    go(program, environment, "get", f"{MODULE}/memoryd@{VERSION}")
    if dependencies == "newest":
        go(program, environment, "get", "-u", "./...")
    assert f"{MODULE} {VERSION}" in (program / "go.mod").read_text()
    go(program, environment, "vet", "./...")
    go(program, {**environment, "MEMORYD_ADDRESS": daemon.address}, "run", ".")


def publish(proxy: Path) -> None:
    """Write the module into the folder of a proxy, as the tag of a version gives it."""
    at = proxy / MODULE / "@v"
    at.mkdir(parents=True)
    (at / "list").write_text(f"{VERSION}\n")
    (at / f"{VERSION}.info").write_text(f'{{"Version": "{VERSION}"}}')
    shutil.copy(FOLDER / "go.mod", at / f"{VERSION}.mod")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=FOLDER, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(at / f"{VERSION}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in listed.stdout.rstrip("\0").split("\0"):
            archive.write(FOLDER / name, f"{MODULE}@{VERSION}/{name}")
        # The license of the repository is that of a module without one.
        archive.write(ROOT / "LICENSE", f"{MODULE}@{VERSION}/LICENSE")


def go(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    """Run the command of Go in a folder, and return what it prints. Fails with its errors."""
    done = subprocess.run(
        ["go", *arguments], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"go {' '.join(arguments)}:\n{done.stdout}{done.stderr}"
    return done.stdout
