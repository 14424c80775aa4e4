"""Each adapter with its framework, in an environment of their own."""

import os
from pathlib import Path

import pytest
from tests.clients.python.frameworks.framework import FRAMEWORKS, Environment

pytestmark = [
    pytest.mark.whole,
    pytest.mark.timeout(1800),
    pytest.mark.skipif("MEMORYD_TRANSPORT" in os.environ, reason="an adapter does not depend on the transport"),
]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_adapter_passes_its_tests_and_fits_the_types_of_its_framework(name: str, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment", FRAMEWORKS[name])
    environment.install_locked()
    assert " passed" in environment.test()
    environment.check_types()
