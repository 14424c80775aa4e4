"""The front end in the environment of the scripts: where there is Rust, where there is none, and once there is."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

ROOT = Path(__file__).parents[2]
PINS = ("requirements.txt", "scripts/plugins/requirements.txt", "pyproject.toml", "clients/python/pyproject.toml")
PYTHON = """#!/bin/sh
echo "$*" >> {calls}
case "$*" in *install*./front*) exit {status} ;; esac
"""


class Tree:
    """A tree whose environment is complete but for the front end. Its Python notes what it is asked to do."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._calls = root / "calls"
        for name in (*PINS, "front/Cargo.toml", "front/src/lib.rs", "front/src/door/json/wire.rs"):
            self.write(name, name)
        pins = "".join((root / name).read_text() for name in PINS)
        self.write(".venv/requirements.installed", pins)
        for tool in ("bash", "cat", "cmp"):
            found = shutil.which(tool)
            assert found is not None
            (root / "bin").mkdir(exist_ok=True)
            (root / "bin" / tool).symlink_to(found)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add_cargo(self) -> None:
        self.write("bin/cargo", "#!/bin/sh\n").chmod(0o700)

    def source(self, *, builds: bool = True) -> tuple[list[str], list[str]]:
        """Return the lines that were written, and what pip was asked to do."""
        python = PYTHON.format(calls=self._calls, status=0 if builds else 1)
        self.write(".venv/bin/python", python).chmod(0o700)
        self._calls.write_text("")
        command = ["bash", "-euo", "pipefail", "-c", f". {ROOT}/scripts/environment"]
        environment = {"PATH": str(self.root / "bin"), "HOME": os.environ.get("HOME", "/")}
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=WAIT_S_MAX, check=True
        )
        assert done.stdout == ""
        asked = [line.split()[2] for line in self._calls.read_text().splitlines()]
        return done.stderr.splitlines(), asked


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_the_front_end_is_built_once_and_says_how_long_that_takes(tree: Tree) -> None:
    tree.add_cargo()
    lines, asked = tree.source()
    assert (len(lines), asked) == (1, ["install"])
    assert "about a minute" in lines[0]
    assert tree.source() == ([], [])
    for changed in ("front/src/lib.rs", "front/src/door/json/wire.rs"):
        tree.write(changed, "changed")
        assert tree.source()[1] == ["install"]


def test_without_rust_one_line_says_so_and_no_older_front_end_stays(tree: Tree) -> None:
    lines, asked = tree.source()
    assert (len(lines), asked) == (1, ["uninstall"])
    assert "no cargo" in lines[0]
    assert tree.source() == ([], [])


def test_the_front_end_is_built_once_rust_is_there(tree: Tree) -> None:
    tree.source()
    tree.add_cargo()
    assert tree.source()[1] == ["install"]


def test_a_build_that_fails_says_so_each_time_and_no_older_front_end_stays(tree: Tree) -> None:
    tree.add_cargo()
    for _ in range(2):
        lines, asked = tree.source(builds=False)
        assert asked == ["install", "uninstall"]
        assert "cannot be built" in lines[-1]
