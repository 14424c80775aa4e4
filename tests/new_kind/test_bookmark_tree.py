"""The proof of docs/adding-a-kind.md: a tree with the kind that it shows passes that kind's tests, and every check.

HM-13.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.new_kind.change import FIELD, KIND, ROOT, changes
from tests.new_kind.tree import build

# The tests that every kind must pass, in addition to its own.
COMMON = (
    *(
        f"tests/unit/domain/{name}.py"
        for name in ("agent/test_decide", "lifecycle/test_record", "lifecycle/test_replay")
    ),
    "tests/unit/test_tidy.py",
)
CHECKS = (
    "ruff check .",
    "ruff format --check .",
    "mypy",
    "lint-imports --no-cache",
    "buf lint",
    "buf format --diff --exit-code protos",
    f"buf breaking protos --against {ROOT}/protos",
)

# Without mypy's cache, on a machine that has much else to do.
pytestmark = [pytest.mark.whole, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def tree_with_field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with the field that docs/contributing/adding-a-field.md adds."""
    built = tmp_path_factory.mktemp("new_field")
    build(built, FIELD)
    return built


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with the toy kind."""
    built = tmp_path_factory.mktemp("new_kind")
    build(built, KIND)
    return built


def run(tree: Path, program: str, *arguments: str) -> None:
    """Run a program of the tree's packages there. Fails with what it printed when it does."""
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'daemon'}{os.pathsep}{tree / 'clients' / 'python'}"}
    done = subprocess.run(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"


def test_the_kind_is_served_reported_expired_restored_counted_and_cleared(tree: Path) -> None:
    own = [path for path in changes(KIND) if Path(path).name.startswith("test_")]
    run(tree, "pytest", "-q", "-n0", *own, *COMMON)


@pytest.mark.parametrize("check", CHECKS)
def test_the_tree_passes(tree: Path, check: str) -> None:
    run(tree, *check.split())


def test_the_field_is_written_read_reported_merged_and_restored(tree_with_field: Path) -> None:
    own = [path for path in changes(FIELD) if Path(path).name.startswith("test_")]
    run(tree_with_field, "pytest", "-q", "-n0", *own, "tests/unit/domain/lifecycle", "tests/unit/domain/test_field.py")


@pytest.mark.parametrize("check", ["ruff check .", "ruff format --check .", "mypy", "buf lint"])
def test_the_tree_with_the_field_passes(tree_with_field: Path, check: str) -> None:
    run(tree_with_field, *check.split())
