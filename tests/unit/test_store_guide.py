"""The guide to adding a store shows the toy store as it is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "contributing" / "adding-a-store.md"
SOURCES = "\n".join(
    path.read_text("utf-8") for path in sorted((ROOT / "tests" / "toy_store").iterdir()) if path.is_file()
)
SHOWN = re.findall(r"```(?:python|toml)\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("shown", SHOWN)
def test_what_the_guide_shows_is_what_is_tested(shown: str) -> None:
    assert shown in SOURCES


def test_the_guide_shows_the_store_its_factory_its_registration_and_its_tests() -> None:
    assert len(SHOWN) == 4
