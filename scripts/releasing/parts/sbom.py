"""The components of the daemon as CycloneDX, read from an environment that the wheels were installed into."""

import json
import sys

from scripts.releasing.part import Part
from scripts.releasing.release import Release

EXTRAS = "mcp,otlp"


def build(release: Release) -> None:
    """Install the wheels with the pinned versions of what they require, run them, and write what is there."""
    environment = release.source.parent / "environment"
    release.run("uv", "venv", "--quiet", "--clear", "--python", sys.executable, environment)
    wheels = {path.name.partition("-")[0]: path for path in (release.dist / "python").glob("*.whl")}
    if missing := {"memoryd", "memoryd_server", "memoryd_front"} - set(wheels):
        raise ValueError(f"there is no wheel of {', '.join(sorted(missing))}: build the parts front and python first")
    wanted = [f"{wheels['memoryd_server']}[{EXTRAS}]", wheels["memoryd"], wheels["memoryd_front"]]
    install = ("uv", "pip", "install", "--quiet", "--python", environment, "--constraint", "requirements.txt")
    release.run(*install, *wanted)
    check(release)
    # Where they were installed from, which is a folder of this machine.
    for path in environment.glob("lib/python*/site-packages/*/direct_url.json"):
        path.unlink()
    target = release.folder("sbom") / f"memoryd-server-{release.version}.cdx.json"
    about = ("--pyproject", release.source / "pyproject.toml", "--mc-type", "application")
    output = ("--output-reproducible", "--output-format", "JSON", "--output-file", target)
    release.run_tool("cyclonedx-py", "environment", *about, *output, environment)
    found = {component["name"] for component in json.loads(target.read_text("utf-8"))["components"]}
    if lacking := {"grpcio", "memoryd", "memoryd-front"} - found:
        raise ValueError(f"{target.name} lacks {', '.join(sorted(lacking))}")


def check(release: Release) -> None:
    """Raise CommandError or ValueError if what was installed does not run, or is of another version."""
    programs = release.source.parent / "environment" / "bin"
    said = release.run(programs / "memoryd", "--version", at="/").split()
    if release.version not in said:
        raise ValueError(f"memoryd --version prints {' '.join(said)}, not {release.version}")
    release.run(programs / "python", "-W", "error", "-c", "import memoryd.aio, memoryd.sync, memoryd_front", at="/")


PART = Part("sbom", build, lambda release: [])
