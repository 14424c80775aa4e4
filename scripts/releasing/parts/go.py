"""The Go module: a tag of the repository."""

import re

from scripts.releasing.part import Part
from scripts.releasing.readiness import tags
from scripts.releasing.release import Release

MODULE = "github.com/memoryd/memoryd/clients/go"


def build(release: Release) -> None:
    """Raise ValueError if Go would not find the module by its tag: from version 2 on, its path ends with that."""
    major = int(release.version.partition(".")[0])
    path = MODULE if major < 2 else f"{MODULE}/v{major}"
    (found,) = re.findall(r"^module (\S+)$", (release.source / "clients/go/go.mod").read_text("utf-8"), re.MULTILINE)
    if found != path:
        raise ValueError(f"clients/go/go.mod: the module is {found}, and of version {release.version} must be {path}")


def commands(release: Release) -> list[str]:
    whole, go = tags(release.version)
    return [f"git tag --sign {tag} --message 'memoryd {release.version}'" for tag in (whole, go)] + [
        f"git push origin {whole} {go}"
    ]


PART = Part("go", build, commands)
