"""The adapters of the TypeScript client with their frameworks, in an environment of their own."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.clients.typescript.frameworks import CLIENT, ROOT, lowest, packed, report_of


@pytest.mark.whole
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("npm") is None and "CI" not in os.environ, reason="npm is not installed")
def test_adapters_pass_their_tests_and_fit_the_types_of_their_frameworks(tmp_path: Path) -> None:
    assert " passed" in report_of(packed(tmp_path), tmp_path / "frameworks")


def test_the_lowest_versions_are_those_that_the_package_allows() -> None:
    peers = json.loads((ROOT / CLIENT / "package.json").read_text("utf-8"))["peerDependencies"]
    assert {name: f"^{lowest()[name]}" for name in peers} == peers
