"""The slow tests of a file share what takes minutes to build, and are run by one worker."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.schedule import SHARE_NOTHING, scope_of

ROOT = Path(__file__).parents[2]
FILE = """
import os
import pytest

@pytest.mark.parametrize("number", range(4))
def test_numbered(number):
    with open({report!r}, "a") as report:
        print(os.environ["PYTEST_XDIST_WORKER"], file=report)
"""


def test_one_worker_runs_the_tests_of_a_file(tmp_path: Path) -> None:
    reports = [tmp_path / name for name in ("one", "two")]
    for report in reports:
        (tmp_path / f"test_{report.name}.py").write_text(FILE.format(report=str(report)))
    options = ("--import-mode=importlib", "-p", "tests.schedule", "-n", "2", "--dist", "loadfile")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, "-c", "/dev/null", tmp_path],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for report in reports:
        workers = report.read_text().split()
        assert len(workers) == 4
        assert len(set(workers)) == 1


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        ("tests/releasing/test_crate.py::test_a[lowest]", "tests/releasing/test_crate.py"),
        ("tests/attack/test_attacks.py::test_a[sets]", "tests/attack/test_attacks.py::test_a[sets]"),
    ],
)
def test_the_scope_of_a_test_is_its_file_unless_its_tests_share_nothing(test: str, scope: str) -> None:
    assert scope_of(test) == scope


@pytest.mark.parametrize("folder", SHARE_NOTHING)
def test_a_folder_whose_tests_share_nothing_is_there(folder: str) -> None:
    assert (ROOT / folder).is_dir()
