"""The package of npm."""

import json
from datetime import UTC, datetime

from scripts.releasing.part import Part
from scripts.releasing.release import Release

AT = "clients/typescript"
IMPORT = "import('memoryd').then(({connect}) => connect().close()); import('memoryd/v1')"


def build(release: Release) -> None:
    """Build and pack it, and import it where it is installed alone."""
    quiet = ("--silent", "--no-audit", "--no-fund")
    release.run("npm", "ci", *quiet, at=AT)
    release.run("npm", "run", "build", "--silent", at=AT)
    release.run("npm", "pack", "--silent", "--pack-destination", release.folder("npm"), at=AT)
    user = release.source.parent / "npm"
    user.mkdir(exist_ok=True)
    (user / "package.json").write_text(json.dumps({"private": True}), "utf-8")
    release.run("npm", "install", *quiet, "--omit", "dev", "--no-save", packed(release), at=user)
    release.run("node", "--input-type=module", "--eval", IMPORT, at=user)
    write_sbom(release)


def write_sbom(release: Release) -> None:
    """Write the components of the package as CycloneDX. npm gives them the time, a random number and a folder's name."""
    sbom = json.loads(release.run("npm", "sbom", "--omit", "dev", "--sbom-format", "cyclonedx", at=AT))
    del sbom["serialNumber"]
    sbom["metadata"]["timestamp"] = datetime.fromtimestamp(release.epoch, UTC).isoformat()
    sbom["metadata"]["component"]["name"] = "memoryd"
    target = release.folder("sbom") / f"memoryd-npm-{release.version}.cdx.json"
    target.write_text(json.dumps(sbom, indent=2) + "\n", "utf-8")


def packed(release: Release) -> str:
    """Return the path of the package."""
    return str(release.dist / "npm" / f"memoryd-{release.version}.tgz")


def commands(release: Release) -> list[str]:
    return [f"npm publish {packed(release)}"]


PART = Part("npm", build, commands, ("node", "npm"))
