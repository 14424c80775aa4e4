"""The version of everything that is released together: prints it, or sets it everywhere.

python scripts/version.py             prints the version; fails if a place has another one
python scripts/version.py VERSION     sets it in all places
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = "daemon/memoryd_server/__init__.py"
"""The file whose version counts; all others follow it."""

NUMBER = r"\d+\.\d+\.\d+"
_TOML, _POM = r'^version = "(@)"$', r"<artifactId>memoryd[a-z-]*</artifactId>\s+<version>(@)</version>"
# Rendered from the chart, which may repeat it.
ANY = 0
_KUBERNETES = r'(?:app\.kubernetes\.io/version: "|image: memoryd:)(@)"?$'
PLACES = {
    SOURCE: (r'^__version__ = "(@)"$', 1),
    "Dockerfile": (r"^ARG VERSION=(@)$", 1),
    "pyproject.toml": (r'^(?:version = "|  "memoryd==)(@)",?$', 2),
    "clients/python/pyproject.toml": (_TOML, 1),
    "clients/python/memoryd/protocol/version.py": (r'^VERSION = "(@)"$', 1),
    "front/pyproject.toml": (_TOML, 1),
    "front/Cargo.toml": (_TOML, 1),
    "clients/rust/Cargo.toml": (_TOML, 1),
    "clients/rust/conformance/Cargo.toml": (_TOML, 1),
    "clients/typescript/package.json": (r'^  "version": "(@)",$', 1),
    "clients/typescript/package-lock.json": (r'"name": "memoryd",\n\s+"version": "(@)",$', 2),
    "clients/go/memoryd/version.go": (r'^const version = "(@)"$', 1),
    "clients/typescript/src/version.ts": (r'^export const VERSION = "(@)";$', 1),
    "clients/java/client/src/main/java/io/memoryd/client/Version.java": (r'String VERSION = "(@)";$', 1),
    "clients/go/README.md": (r"^go get \S+v(@)$", 1),
    "clients/java/README.md": (_POM, 1),
    "clients/rust/README.md": (r'^memoryd = "(@)"', 1),
    "clients/java/pom.xml": (_POM, 1),
    "clients/java/client/pom.xml": (_POM, 1),
    "clients/java/samples/pom.xml": (_POM, 1),
    "clients/java/conformance/pom.xml": (_POM, 1),
    "deploy/helm/memoryd/Chart.yaml": (r"^(?:version|appVersion): (@)$", 2),
    "deploy/kubernetes/embedded.yaml": (_KUBERNETES, ANY),
    "deploy/kubernetes/shared.yaml": (_KUBERNETES, ANY),
    "deploy/kubernetes/sidecar.yaml": (_KUBERNETES, ANY),
    "clients/cpp/CMakeLists.txt": (r"^project\(memoryd VERSION (@) ", 1),
}
"""The pattern of the version in each file, and how often it is there; ANY is at least once. That of Go is a tag,
`clients/go/vVERSION`."""


def found(path: str, root: Path | None = None) -> list[re.Match[str]]:
    """Return the places of the version in a file. Raises ValueError if there are not as many as there must be."""
    pattern, count = PLACES[path]
    text = ((root or ROOT) / path).read_text("utf-8")
    matches = list(re.finditer(pattern.replace("@", NUMBER), text, re.MULTILINE))
    if len(matches) != (count or max(1, len(matches))):
        raise ValueError(f"{path} has the version {len(matches)} times instead of {count or 'at least once'}")
    return matches


def versions(root: Path | None = None) -> dict[str, set[str]]:
    """Return the versions that each file has, of this tree or of the one at ``root``. Raises ValueError."""
    return {path: {match[1] for match in found(path, root)} for path in PLACES}


def set_version(version: str) -> None:
    """Write a version to all files, once all of them are known to have one. Raises ValueError."""
    if not re.fullmatch(NUMBER, version):
        raise ValueError(f"{version} is not a version such as 1.2.3")
    places = {path: found(path) for path in PLACES}
    for path, matches in places.items():
        text = (ROOT / path).read_text("utf-8")
        for match in reversed(matches):
            text = text[: match.start(1)] + version + text[match.end(1) :]
        (ROOT / path).write_text(text, "utf-8")


def main(arguments: list[str]) -> None:
    """Run the command."""
    try:
        if arguments:
            set_version(*arguments)
        different = {path: each for path, each in versions().items() if each != versions()[SOURCE]}
    except (TypeError, ValueError) as error:
        sys.exit(f"scripts/version.py: {error}")
    if different:
        sys.exit("".join(f"{path}: {' '.join(sorted(each))}\n" for path, each in different.items()))
    print(*versions()[SOURCE])


if __name__ == "__main__":
    main(sys.argv[1:])
