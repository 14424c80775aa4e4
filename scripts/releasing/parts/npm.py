"""The package of npm."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

from scripts.releasing.part import Part
from scripts.releasing.release import Release

AT = "clients/typescript"
USER = "user@0.0.0"
PROGRAM = """import { connect, NotFound, type Agent } from "memoryd";
import * as page from "memoryd/browser";
import { MessageRole } from "memoryd/v1";

const client = connect();
const agent: Agent = client.agent("a").user("ada");
if (![agent.notes, NotFound, MessageRole.USER].every(Boolean)) throw new Error("the package lacks something");
client.close();
page.connect({ target: "http://127.0.0.1:7600" }).close();
"""
OPTIONS = {
    "strict": True,
    "skipLibCheck": True,
    "target": "ES2022",
    "lib": ["ES2022", "ESNext.Disposable"],
    "types": [],
}
RESOLUTIONS = (
    {"module": "Node16", "moduleResolution": "Node16"},
    {"module": "ESNext", "moduleResolution": "Bundler", "noEmit": True},
)
"""The two ways by which TypeScript finds packages. What is compiled by the first is run."""


def build(release: Release) -> None:
    """Build and pack it, use it where it is installed alone, and write its components.

    It is used by either kind of modules, with the lowest and the newest versions of its dependencies.
    """
    quiet = ("--silent", "--no-audit", "--no-fund")
    release.run("npm", "ci", *quiet, at=AT)
    release.run("npm", "run", "build", "--silent", at=AT)
    release.run("npm", "pack", "--silent", "--pack-destination", release.folder("npm"), at=AT)
    user = user_of(release)
    name, _, version = USER.partition("@")
    for kind in ("commonjs", "module"):
        # The newest versions come last: they are the components.
        for dependencies in (lowest(release), ()):
            shutil.rmtree(user, ignore_errors=True)
            user.mkdir()
            (user / "program.ts").write_text(PROGRAM, "utf-8")
            about = {"private": True, "name": name, "version": version, "type": kind}
            (user / "package.json").write_text(json.dumps(about), "utf-8")
            release.run("npm", "install", *quiet, packed(release), *dependencies, at=user)
            for resolution in RESOLUTIONS:
                options = {"compilerOptions": {**OPTIONS, **resolution}, "files": ["program.ts"]}
                (user / "tsconfig.json").write_text(json.dumps(options), "utf-8")
                release.run("node", release.source / AT / "node_modules" / "typescript" / "bin" / "tsc", at=user)
            release.run("node", "program.js", at=user)
    write_sbom(release, user)


def run_sample(release: Release, name: str, address: str) -> str:
    """Run a sample in the project of the last user, with a daemon, and return what it prints."""
    user = user_of(release)
    # Without the types of Node.js, which the user's project does not have.
    flags = ("--noCheck", "--ignoreConfig", "--module", "Node16", "--target", "ES2022", "--outDir", user)
    compiler = release.source / AT / "node_modules" / "typescript" / "bin" / "tsc"
    shutil.copy(release.source / AT / "samples" / f"{name}.ts", user)
    release.run("node", compiler, *flags, f"{name}.ts", at=user)
    return release.run("node", f"{name}.js", at=user, MEMORYD_ADDRESS=address)


def user_of(release: Release) -> Path:
    """Return the folder of the project that uses the package."""
    return release.source.parent / "npm"


def lowest(release: Release) -> tuple[str, ...]:
    """Return the lowest versions of the dependencies that the package allows."""
    package = json.loads((release.source / AT / "package.json").read_text("utf-8"))
    return tuple(f"{name}@{allowed.removeprefix('^')}" for name, allowed in package["dependencies"].items())


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
