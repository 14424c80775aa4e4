"""One release while it is built: a copy of the tree, and the folder that the packages are written to."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.pages import link
from scripts.releasing.readiness import git, tags

TOOLS = Path(__file__).with_name("requirements.txt")
LICENSES = ("LICENSE", "NOTICE")
LICENSED = (
    "clients/java/client/src/main/resources/META-INF",
    "clients/python",
    "clients/rust",
    "clients/typescript",
    "deploy/helm/memoryd",
    "front",
)
"""The folders of packages that contain the licenses, beside the root."""

READMES = ("README.md", "clients/python", "clients/rust", "clients/typescript", "deploy/helm/memoryd", "front")
"""The pages that a registry shows."""

PROTOS = ("protos", "third_party/googleapis")


class CommandError(Exception):
    """A tool failed; the message has its output."""


@dataclass(frozen=True)
class Release:
    """A release of ``version``, built from the copy of the tree in ``source`` into ``dist``.

    ``epoch`` is the time of its commit in seconds since 1970, which is the time of all files in it. ``is_quick`` leaves
    out what takes minutes: compiling a crate again as its user does, and installing wheels.
    """

    version: str
    source: Path
    dist: Path
    epoch: int
    is_quick: bool = False

    @property
    def tag(self) -> str:
        """The tag of the version."""
        return tags(self.version)[0]

    def folder(self, name: str) -> Path:
        """Return a folder of ``dist``, which is created."""
        path = self.dist / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def copy(self, name: str) -> Path:
        """Return a new copy of the tree, for a build that leaves files in its source: others must not pack them."""
        path = self.source.parent / name
        shutil.rmtree(path, ignore_errors=True)
        return shutil.copytree(self.source, path)

    def run(self, *command: str | Path, at: str | Path = ".", **variables: str) -> str:
        """Run a tool in a folder of the copy, and return what it prints. Raises CommandError."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORYD_", "PYTHON"))}
        environment |= {"SOURCE_DATE_EPOCH": str(self.epoch), "TZ": "UTC", "LC_ALL": "C.UTF-8", **variables}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        words = [str(word) for word in command]
        done = subprocess.run(
            words,
            cwd=self.source / at,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode != 0:
            raise CommandError(f"{' '.join(words)}: {(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def run_tool(self, *command: str | Path) -> str:
        """Run a tool of requirements.txt beside this file, in an environment of its own. Raises CommandError."""
        run = ("uv", "run", "--quiet", "--isolated", "--no-project", "--python", sys.executable)
        return self.run(*run, "--with-requirements", TOOLS, "--", *command, at="/")


def copy_tree(root: Path, target: Path) -> None:
    """Copy the files that git has of a tree, as they are, into an empty folder, and complete each package there.

    A package has the licenses, and its README leads to the repository at the tag of its version.
    """
    for name in git(root, "ls-files", "-z").split("\0"):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target / name)
    for folder in LICENSED:
        (target / folder).mkdir(parents=True, exist_ok=True)
        for name in LICENSES:
            shutil.copy(root / name, target / folder)
    for name in PROTOS:
        shutil.copytree(target / name, target / "clients" / "rust" / name)


def lead_links(source: Path, revision: str) -> None:
    """Lead the relative links of the pages that registries show to the repository."""
    for name in READMES:
        page = source / name if name.endswith(".md") else source / name / "README.md"
        path = str(page.relative_to(source))
        text = link.led(page.read_text("utf-8"), path, lambda target: link.at_source(target, revision))
        page.write_text(text, "utf-8")


def set_times(source: Path, epoch: int) -> None:
    """Give all files of a tree one time."""
    for path in source.rglob("*"):
        os.utime(path, (epoch, epoch))


def prepare(root: Path, version: str, build: Path, dist: Path, *, is_quick: bool = False) -> Release:
    """Return a release of the tree at ``root``, whose copy is made below ``build``, and whose ``dist`` is empty.

    ``build`` is emptied, too: by the times of its files, cargo would not notice that one has changed.
    """
    epoch = int(git(root, "log", "-1", "--format=%ct"))
    shutil.rmtree(build, ignore_errors=True)
    release = Release(version, build / "source", dist, epoch, is_quick)
    copy_tree(root, release.source)
    lead_links(release.source, release.tag)
    set_times(release.source, epoch)
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    return release


def missing(tools: Sequence[str]) -> list[str]:
    """Return those of the tools that are not installed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return [tool for tool in tools if shutil.which(tool, path=path) is None]
