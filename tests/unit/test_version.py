"""Everything that is released together has one version, which one command sets."""

import shutil
from pathlib import Path

import pytest
from scripts import version

from memoryd_server import __version__


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files that have the version."""
    for path in version.PLACES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(version.ROOT / path, tmp_path / path)
    monkeypatch.setattr(version, "ROOT", tmp_path)
    return tmp_path


def test_all_files_have_the_version_of_the_daemon() -> None:
    assert version.versions() == {path: {__version__} for path in version.PLACES}


def test_the_version_is_set_in_all_files_and_in_nothing_else(copied: Path) -> None:
    before = {path: (copied / path).read_text() for path in version.PLACES}
    version.set_version("12.0.345")
    assert version.versions() == {path: {"12.0.345"} for path in version.PLACES}
    version.set_version(__version__)
    assert {path: (copied / path).read_text() for path in version.PLACES} == before


def test_a_file_that_was_forgotten_is_named(copied: Path) -> None:
    cargo = copied / "front" / "Cargo.toml"
    cargo.write_text(cargo.read_text().replace(f'version = "{__version__}"', 'version = "9.9.9"'))
    with pytest.raises(SystemExit, match=r"front/Cargo.toml: 9.9.9"):
        version.main([])


@pytest.mark.parametrize("text", ["1.2", "v1.2.3", "1.2.3rc1", ""])
def test_what_is_no_version_changes_nothing(copied: Path, text: str) -> None:
    with pytest.raises(ValueError, match="is not a version"):
        version.set_version(text)
    assert version.versions() == {path: {__version__} for path in version.PLACES}


def test_a_place_that_is_missing_changes_nothing(copied: Path) -> None:
    (copied / "front" / "pyproject.toml").write_text("")
    with pytest.raises(ValueError, match="0 times instead of 1"):
        version.set_version("1.2.3")
    assert __version__ in (copied / version.SOURCE).read_text()
