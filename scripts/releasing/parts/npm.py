"""The package of npm."""

import json
from datetime import UTC, datetime
from pathlib import Path

from scripts.releasing.part import Part
from scripts.releasing.release import Release

AT = "clients/typescript"
IMPORT = "import('memoryd').then(({connect}) => connect().close()); import('memoryd/v1')"
USER = "user@0.0.0"


def build(release: Release) -> None:
    """Build and pack it, import it where it is installed alone, and write its components."""
    quiet = ("--silent", "--no-audit", "--no-fund")
    release.run("npm", "ci", *quiet, at=AT)
    release.run("npm", "run", "build", "--silent", at=AT)
    release.run("npm", "pack", "--silent", "--pack-destination", release.folder("npm"), at=AT)
    user = release.source.parent / "npm"
    user.mkdir(exist_ok=True)
    name, _, version = USER.partition("@")
    (user / "package.json").write_text(json.dumps({"private": True, "name": name, "version": version}), "utf-8")
    release.run("npm", "install", *quiet, packed(release), at=user)
    release.run("node", "--input-type=module", "--eval", IMPORT, at=user)
    write_sbom(release, user)


def write_sbom(release: Release, user: Path) -> None:
    """Write what was installed for a user as CycloneDX, as the components of the package instead of the user's."""
    sbom = json.loads(release.run("npm", "sbom", "--sbom-format", "cyclonedx", at=user))
    del sbom["serialNumber"]
    (package,) = (each for each in sbom["components"] if each["name"] == "memoryd")
    # The folder of this machine that it was installed from.
    addresses = [each for each in package["externalReferences"] if each["type"] != "distribution"]
    sbom["metadata"]["component"] = {**package, "externalReferences": addresses}
    sbom["metadata"]["timestamp"] = datetime.fromtimestamp(release.epoch, UTC).isoformat()
    sbom["components"].remove(package)
    sbom["dependencies"] = [each for each in sbom["dependencies"] if each["ref"] != USER]
    target = release.folder("sbom") / f"memoryd-npm-{release.version}.cdx.json"
    target.write_text(json.dumps(sbom, indent=2) + "\n", "utf-8")


def packed(release: Release) -> str:
    """Return the path of the package."""
    return str(release.dist / "npm" / f"memoryd-{release.version}.tgz")


def commands(release: Release) -> list[str]:
    return [f"npm publish {packed(release)}"]


PART = Part("npm", build, commands, ("node", "npm"))
