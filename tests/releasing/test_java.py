"""The jar of the Java client in an empty project, which has it and nothing else of this repository."""

import os
import shutil
import subprocess
from pathlib import Path
from string import Template

import pytest
from scripts import version
from scripts.releasing.parts import java
from scripts.releasing.release import Release, prepare
from tests.daemon import Daemon

from memoryd_server import __version__

POM = Template(Path(__file__).with_name("empty_project.xml").read_text("utf-8"))
SAMPLE = "io.memoryd.samples.FirstSteps"
ENDS = {
    "lowest": {"grpc": "1.75.0", "jackson": "2.18.0", "protobuf": "4.36.2", "transport": "grpc-okhttp"},
    "newest": {"grpc": "1.83.1", "jackson": "2.22.4", "protobuf": "4.36.2", "transport": "grpc-netty-shaded"},
}
"""The versions that a program may have beside the client, and its transport. Those of "newest" are then updated."""
UPDATE = ("org.codehaus.mojo:versions-maven-plugin:2.18.0:update-properties", "-DgenerateBackupPoms=false")
FINISHED = ("-DallowMajorUpdates=false", "-Dmaven.version.ignore=(?i).*[.-](alpha|beta|rc|m|pr)[.-]?[0-9]*")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of this tree with the packages of Java."""
    folder = tmp_path_factory.mktemp("release")
    release = prepare(version.ROOT, __version__, folder / "build", folder / "dist", is_quick=True)
    java.build(release)
    return release


@pytest.mark.whole
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("mvn") is None, reason="there is no Maven")
@pytest.mark.parametrize("end", ENDS)
def test_an_empty_project_runs_the_first_steps(release: Release, tmp_path: Path, end: str) -> None:
    source = Path("src", "main", "java", *SAMPLE.split(".")).with_suffix(".java")
    (tmp_path / source).parent.mkdir(parents=True)
    shutil.copy(version.ROOT / java.AT / "samples" / source, tmp_path / source)
    folders = {"packages": (release.dist / "java").as_uri(), "downloads": (Path.home() / ".m2" / "repository").as_uri()}
    pom = POM.substitute(ENDS[end], **folders, version=release.version)
    (tmp_path / "pom.xml").write_text(pom, "utf-8")
    if end == "newest":
        maven(tmp_path, *UPDATE, *FINISHED)
    maven(tmp_path, "package")
    libraries = {path.name.rpartition("-")[0] for path in (tmp_path / "target" / "lib").iterdir()}
    assert libraries & {"grpc-netty-shaded", "grpc-okhttp"} == {ENDS[end]["transport"]}
    daemon = Daemon(tmp_path)
    daemon.start()
    try:
        printed = run(tmp_path, "java", "-cp", "target/classes:target/lib/*", SAMPLE, address=daemon.address)
    finally:
        daemon.close()
    assert "greeting: Good morning, Ada" in printed


def maven(folder: Path, *goals: str) -> None:
    # A repository of its own, so that no client of another build is found.
    run(folder, "mvn", "-q", "-B", f"-Dmaven.repo.local={folder / 'repository'}", *goals)


def run(folder: Path, *command: str, address: str = "") -> str:
    """Run a command in a folder, and return what it prints."""
    environment = {**os.environ, "MEMORYD_ADDRESS": address}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
