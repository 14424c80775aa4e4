"""The promises of pyproject.toml about dependencies and versions of Python. scripts/dependencies tries both ends."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from scripts.pages import link

ROOT = Path(__file__).parents[2]
STUBS = ROOT / "clients" / "python" / "memoryd" / "v1"
PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text("utf-8"))["project"]
    for path in (ROOT / "clients" / "python" / "pyproject.toml", ROOT / "pyproject.toml")
}
REQUIREMENTS = [
    Requirement(text)
    for project in PROJECTS.values()
    for texts in (project["dependencies"], *project["optional-dependencies"].values())
    for text in texts
]


def _pins(lock: Path) -> list[tuple[str, Version]]:
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", lock.read_text("utf-8"), re.MULTILINE)
    return [(canonicalize_name(name), Version(version)) for name, version in found]


PINS = _pins(ROOT / "requirements.txt")
"""The pinned packages: one twice, if it has another version on some platform."""
PINS += [
    (name, version)
    for lock in (ROOT / "tests/clients/python/frameworks/locks").glob("*.txt")
    for name, version in _pins(lock)
    if name not in dict(PINS)
]
"""Those of frameworks, which have environments of their own."""


def _lowest(name: str) -> Version:
    """Return the lower bound of a package that the client requires."""
    texts = PROJECTS["python"]["dependencies"]
    (required,) = (each for each in map(Requirement, texts) if each.name == name)
    (bound,) = (each for each in required.specifier if each.operator == ">=")
    return Version(bound.version)


def _stated(files: str, pattern: str) -> set[Version]:
    """Return the versions that stubs state. Each states one."""
    found = [re.findall(pattern, path.read_text("utf-8"), re.MULTILINE) for path in STUBS.glob(files)]
    return {Version(version) for (version,) in found}


def test_the_stubs_are_generated_for_the_lowest_protobuf_and_the_next_major_version() -> None:
    assert _stated("*_pb2.py", r"^# Protobuf Python Version: (\S+)$") == {_lowest("protobuf")}
    (required,) = (each for each in REQUIREMENTS if each.name == "protobuf" and _lowest("protobuf") in each.specifier)
    # protobuf promises that its next major version runs them, and no more than that.
    assert f"{_lowest('protobuf').major + 1}.999" in required.specifier
    assert f"{_lowest('protobuf').major + 2}.0" not in required.specifier


def test_the_stubs_of_services_accept_the_lowest_grpc() -> None:
    assert _stated("*_pb2_grpc.py", r"^GRPC_GENERATED_VERSION = '(.*)'$") == {_lowest("grpcio")}


@pytest.mark.parametrize("required", [each for each in REQUIREMENTS if each.name != "memoryd"], ids=str)
def test_what_is_required_has_a_lower_bound_and_a_pin_within_the_bounds(required: Requirement) -> None:
    assert {each.operator for each in required.specifier} & {">=", "=="}
    pins = [version for name, version in PINS if name == canonicalize_name(required.name)]
    assert pins
    assert [version for version in pins if version not in required.specifier] == []


@pytest.mark.parametrize("path", ["pyproject.toml", "clients/python/pyproject.toml", "front/pyproject.toml"])
def test_each_package_has_what_an_index_shows(path: str) -> None:
    project = tomllib.loads((ROOT / path).read_text("utf-8"))["project"]
    assert project["license"] == "Apache-2.0"
    assert project["readme"] == "README.md"
    assert {"authors", "classifiers", "description", "keywords"} <= set(project)
    assert set(project["urls"]) == {"Changelog", "Documentation", "Homepage", "Issues", "Source"}
    assert [url for url in project["urls"].values() if not f"{url}/".startswith(f"{link.SOURCE}/")] == []


@pytest.mark.parametrize("folder", ["clients/typescript", "console", "scripts/pages"])
def test_no_lock_file_names_the_registry_that_it_was_made_with(folder: str) -> None:
    assert '"resolved"' not in (ROOT / folder / "package-lock.json").read_text("utf-8")


def test_both_packages_are_tried_with_the_same_versions_of_python() -> None:
    stated = [(project["requires-python"], project["classifiers"]) for project in PROJECTS.values()]
    versions = [[each for each in classifiers if re.search(r":: \d\.\d+$", each)] for _, classifiers in stated]
    assert versions[0] == versions[1]
    assert versions[0][0].endswith(stated[0][0].removeprefix(">="))
