"""The chart of Helm."""

from scripts.releasing import archive
from scripts.releasing.part import Part
from scripts.releasing.release import Release

TOOLS = "tests/deployment/tools"


def build(release: Release) -> None:
    folder = release.folder("chart")
    helm = ("go", "tool", "helm")
    chart = release.source / "deploy/helm/memoryd"
    release.run(*helm, "lint", "--strict", chart, at=TOOLS)
    release.run(*helm, "package", chart, "--destination", folder, at=TOOLS)
    archive.normalize(folder / f"memoryd-{release.version}.tgz", release.epoch)


def commands(release: Release) -> list[str]:
    return [f"helm push {release.dist}/chart/memoryd-{release.version}.tgz oci://REGISTRY"]


PART = Part("chart", build, commands, ("go",))
