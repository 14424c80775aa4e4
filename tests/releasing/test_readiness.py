"""A tree that cannot be released is refused, with every reason."""

import subprocess
from pathlib import Path

import pytest
from scripts import version
from scripts.releasing.readiness import UNRELEASED, git, obstacles

VERSION = "1.2.3"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that is ready to be released as 1.2.3."""
    for path in version.PLACES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((version.ROOT / path).read_text("utf-8"), "utf-8")
    now = next(iter(version.versions()[version.SOURCE]))
    for path in version.PLACES:
        (tmp_path / path).write_text((tmp_path / path).read_text("utf-8").replace(now, VERSION), "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## {VERSION} (2026-12-31)\n\n- A change.\n\n## 1.2.2 (2026-12-01)\n"
    )
    for name in ("README.md", "SECURITY.md"):
        (tmp_path / name).write_text("# memoryd\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def commit(tree: Path) -> None:
    git(tree, "add", "--all")
    git(tree, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "All")


def test_a_tree_with_all_that_a_release_needs_has_no_obstacle(tree: Path) -> None:
    assert list(obstacles(tree, VERSION)) == []


@pytest.mark.parametrize("name", ["README.md", "forgotten.py"])
def test_changes_that_are_not_committed_are_an_obstacle(tree: Path, name: str) -> None:
    (tree / name).write_text("changed")
    assert list(obstacles(tree, VERSION)) == [f"the tree has changes that are not committed: {name}"]


@pytest.mark.parametrize("tag", [f"v{VERSION}", f"clients/go/v{VERSION}"])
def test_a_tag_that_exists_is_an_obstacle(tree: Path, tag: str) -> None:
    git(tree, "tag", tag)
    assert list(obstacles(tree, VERSION)) == [f"the tag {tag} exists: a version is released once"]


def test_each_file_of_another_version_is_an_obstacle(tree: Path) -> None:
    (tree / "front/Cargo.toml").write_text('version = "1.2.2"\n')
    commit(tree)
    (found,) = obstacles(tree, VERSION)
    assert found == f"front/Cargo.toml has the version 1.2.2: run python scripts/version.py {VERSION}"
    assert len(list(obstacles(tree, "1.3.0"))) == len(version.PLACES) + 1


@pytest.mark.parametrize("heading", ["Unreleased", VERSION, f"{VERSION} (soon)"])
def test_a_changelog_without_the_version_and_its_date_is_an_obstacle(tree: Path, heading: str) -> None:
    (tree / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n\n- A change.\n")
    commit(tree)
    (found,) = obstacles(tree, VERSION)
    assert found.startswith("CHANGELOG.md has no section")


def test_a_page_that_says_that_there_is_no_release_is_an_obstacle(tree: Path) -> None:
    (tree / "README.md").write_text(f"# memoryd\n\n{UNRELEASED}.\n")
    commit(tree)
    assert list(obstacles(tree, VERSION)) == [f'README.md says "{UNRELEASED}"']


def test_the_pages_say_so_in_the_words_that_are_looked_for() -> None:
    is_released = bool(
        subprocess.run(["git", "tag", "--list", "v*"], cwd=version.ROOT, check=True, capture_output=True).stdout
    )
    for name in ("README.md", "SECURITY.md"):
        assert (UNRELEASED in (version.ROOT / name).read_text("utf-8")) != is_released
