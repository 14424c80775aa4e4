"""A copy of the project with a worked example of the guides."""

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

from tests.new_kind.change import ROOT, Example, changes

FOLDERS = (
    "protos",
    "third_party/googleapis",
    "daemon",
    "clients/python",
    "tests/integration",
    "tests/nursery",
    "tests/unit/domain",
    "tests/valkey",
    "tests/web",
    "tests/toy_store",
)
FILES = (
    "pyproject.toml",
    ".importlinter",
    "buf.yaml",
    "tests/conftest.py",
    "tests/daemon.py",
    "tests/in_process.py",
    "tests/port.py",
    "tests/schedule.py",
    "tests/wait.py",
    "tests/unit/test_tidy.py",
)
COPIED_BYTES_MAX = 1 << 18
TYPES_KNOWN = ".mypy_cache"
# The last are those that Python is about to rename.
NOT_COPIED = shutil.ignore_patterns("*.egg-info", "build", "*.pyc.*")


def build(tree: Path, example: Example) -> None:
    """Copy what the example needs of the project, apply it, and generate the stubs of its protos."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=NOT_COPIED, copy_function=_copy)
    for file in FILES:
        shutil.copy2(ROOT / file, tree / file)
    # It saves mypy most of its time; what is missing, or being written just now, mypy finds out again.
    with contextlib.suppress(shutil.Error, FileNotFoundError):
        shutil.copytree(ROOT / TYPES_KNOWN, tree / TYPES_KNOWN)
    for change in changes(example).values():
        path = tree / change.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(change.after, "utf-8")
    _generate(tree, example)


def _copy(source: str, target: str) -> None:
    """Link what is large, such as the tables of embedders: nothing changes it."""
    if Path(source).stat().st_size > COPIED_BYTES_MAX:
        Path(target).symlink_to(source)
    else:
        shutil.copy2(source, target)


def _generate(tree: Path, example: Example) -> None:
    """Python's stubs of the protos that changed, as scripts/generate makes them."""
    protos = [path.removeprefix("protos/") for path in changes(example) if path.endswith(".proto")]
    out = tree / "clients" / "python"
    protoc = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={tree / 'protos'}"]
    protoc += [f"--proto_path={tree / 'third_party/googleapis'}", f"--python_out={out}"]
    protoc += [f"--pyi_out={out}", f"--grpc_python_out={out}"]
    subprocess.run([*protoc, *protos], check=True)
