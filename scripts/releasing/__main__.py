"""The command of scripts/release."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
from scripts import version as versions
from scripts.releasing import archive, notes
from scripts.releasing.part import Part
from scripts.releasing.parts import PARTS
from scripts.releasing.readiness import obstacles
from scripts.releasing.release import CommandError, Release, missing, prepare

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "release"
DIST = ROOT / "dist"
NOTES = "NOTES.md"


@click.command()
@click.argument("version", required=False)
@click.option("--rehearse", "is_rehearsal", is_flag=True, help="Build the tree as it is, changes and tags regardless.")
@click.option("--only", "names", multiple=True, type=click.Choice(list(PARTS)), help="Build a part alone; repeatable.")
@click.option("--quick", "is_quick", is_flag=True, help="Do not compile the crate again from its package.")
@click.option("--twice", "is_twice", is_flag=True, help="Build everything twice, and list files that differ.")
@click.option(
    "--dist", type=click.Path(path_type=Path), default=DIST, help="Folder to write to, emptied first. [default: dist]"
)
def main(
    version: str | None, is_rehearsal: bool, names: Sequence[str], is_quick: bool, is_twice: bool, dist: Path
) -> None:
    """Build the release VERSION into dist, and print the commands that publish it. It publishes nothing itself."""
    if (version is None) != is_rehearsal:
        raise click.UsageError("name the version to release, or pass --rehearse")
    if dist != DIST and has_other_files(dist):
        raise click.BadParameter(f"{dist} has files of something else, and would be emptied", param_hint="--dist")
    version = version or next(iter(versions.versions()[versions.SOURCE]))
    if not is_rehearsal and (reasons := list(obstacles(ROOT, version))):
        sys.exit("".join(f"scripts/release: {reason}\n" for reason in reasons).rstrip())
    parts = [part for name, part in PARTS.items() if name in (names or PARTS)]
    for part in parts:
        if lacking := missing(part.tools):
            sys.exit(f"scripts/release: {part.name} needs {', '.join(lacking)}")
    try:
        release = build(version, parts, dist.absolute(), is_quick=is_quick)
        first = archive.checksums(release.dist)
        if is_twice:
            build(version, parts, dist.absolute(), is_quick=is_quick)
            report_differences(first, archive.checksums(release.dist))
    except (CommandError, ValueError) as error:
        sys.exit(f"scripts/release: {error}")
    if is_rehearsal:
        click.echo(f"{len(first)} files are in {dist}: a rehearsal, not to be published")
    else:
        click.echo(f"{len(first)} files are in {dist}. Nothing was published. These commands do, in this order:\n")
        click.echo("\n".join(publication(release, parts)))


def has_other_files(dist: Path) -> bool:
    """Return True for a folder that is neither empty nor has a release."""
    return dist.exists() and not (dist / archive.CHECKSUMS).is_file() and any(dist.iterdir())


def build(version: str, parts: Sequence[Part], dist: Path, *, is_quick: bool) -> Release:
    """Build the parts, the notes and the checksums. Raises CommandError or ValueError."""
    release = prepare(ROOT, version, BUILD, dist, is_quick=is_quick)
    for part in parts:
        began = time.monotonic()
        part.build(release)
        click.echo(f"{part.name}: {time.monotonic() - began:.0f} s", err=True)
    changelog = (release.source / "CHANGELOG.md").read_text("utf-8")
    (dist / NOTES).write_text(notes.render(changelog, version, release.tag), "utf-8")
    archive.write_checksums(dist)
    return release


def report_differences(first: dict[str, str], second: dict[str, str]) -> None:
    """Print the files that two builds made differently."""
    different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    for name in different:
        click.echo(f"differs when it is built again: {name}")
    click.echo(f"{len(first) - len(different)} of {len(first)} files are the same when they are built again")


def publication(release: Release, parts: Sequence[Part]) -> list[str]:
    """Return the commands that publish a release, each of which a person runs."""
    checksums = release.dist / archive.CHECKSUMS
    sign = f"gpg --armor --detach-sign {checksums}"
    page = (
        f"gh release create {release.tag} --verify-tag --notes-file {release.dist / NOTES} {checksums} {checksums}.asc"
    )
    return [sign, *(command for part in parts for command in part.commands(release)), page]


if __name__ == "__main__":
    main(prog_name="scripts/release")
