"""The release notes are the section of the version, with links that work anywhere."""

import pytest
from scripts.pages import link
from scripts.releasing import notes

CHANGELOG = """# Changelog

## Unreleased

## 1.2.0 (2026-12-31)

### Added

- [Backups](docs/operations/backup.md#restore), as in [the field](https://example.org), and `[x](y.md)`.

## 1.1.0 (2026-11-30)

- An older change.
"""


def test_they_are_the_section_of_the_version_alone() -> None:
    section = notes.section(CHANGELOG, "1.2.0")
    assert section.startswith("### Added\n")
    assert "older" not in section
    assert notes.section(CHANGELOG, "1.1.0") == "- An older change.\n"


@pytest.mark.parametrize("title", ["1.3.0", "1.2", "1x2.0", "Unreleased"])
def test_a_version_without_changes_has_none(title: str) -> None:
    with pytest.raises(ValueError, match="has no section"):
        notes.section(CHANGELOG, title)


def test_they_are_of_what_is_unreleased_until_the_version_has_a_section() -> None:
    changelog = CHANGELOG.replace("## Unreleased\n", "## Unreleased\n\n- A new change.\n")
    assert notes.render(changelog, "1.3.0", "v1.3.0") == "- A new change.\n"
    with pytest.raises(ValueError, match="Unreleased"):
        notes.render(CHANGELOG, "1.3.0", "v1.3.0")


def test_their_links_lead_to_the_repository_at_the_tag() -> None:
    rendered = notes.render(CHANGELOG, "1.2.0", "v1.2.0")
    assert f"[Backups]({link.SOURCE}/blob/v1.2.0/docs/operations/backup.md#restore)" in rendered
    assert "(https://example.org)" in rendered
    assert "`[x](y.md)`" in rendered
