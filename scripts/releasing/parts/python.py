"""The distributions of the daemon and of the Python client: a source archive and a wheel of each."""

import sys

from scripts.releasing import archive
from scripts.releasing.part import Part
from scripts.releasing.release import Release

SOURCES = (".", "clients/python")


def build(release: Release) -> None:
    """Build each wheel from its source archive, so that this is complete, and check what the index will show."""
    folder = release.folder("python")
    copy = release.copy("python")
    for source in SOURCES:
        arguments = ("--quiet", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder)
        release.run("uv", "build", *arguments, source, at=copy)
    for name in ("memoryd", "memoryd_server"):
        archive.normalize(folder / f"{name}-{release.version}.tar.gz", release.epoch)
    # uv leaves one in a folder that it creates.
    (folder / ".gitignore").unlink(missing_ok=True)
    check(release)


def check(release: Release) -> None:
    """Raise CommandError if the index would refuse a distribution, or not render its page."""
    folder = release.folder("python")
    release.run_tool("twine", "check", "--strict", *sorted(folder.glob("memoryd*")))


def commands(release: Release) -> list[str]:
    return [f"twine upload {release.dist}/python/*"]


PART = Part("python", build, commands)
