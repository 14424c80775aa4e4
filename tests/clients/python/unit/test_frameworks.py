"""The error of each adapter where its framework is not installed."""

import subprocess
import sys

import pytest
from tests.clients.python.frameworks.framework import FRAMEWORKS
from tests.wait import WAIT_S_MAX


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_without_its_extra_an_adapter_says_what_to_install(name: str) -> None:
    framework = FRAMEWORKS[name]
    program = f"import sys; sys.modules[{framework.module!r}] = None; import memoryd.{name}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=WAIT_S_MAX, check=False
    )
    assert done.returncode == 1
    assert f"ImportError: memoryd.{name} needs " in done.stderr
    assert f"pip install 'memoryd[{framework.extra}]'" in done.stderr


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_adapter_has_tests_and_a_lock(name: str) -> None:
    framework = FRAMEWORKS[name]
    assert list(framework.folder.glob("test_*.py"))
    assert framework.lock.is_file()
