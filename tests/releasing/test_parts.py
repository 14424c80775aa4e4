"""The parts of a release that need no compiler, built of this tree, and what is said about all of them."""

import re
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from scripts import version
from scripts.releasing import archive
from scripts.releasing.__main__ import main, publication
from scripts.releasing.parts import PARTS, chart, go, image, java, npm, python
from scripts.releasing.release import Release, prepare
from tests.daemon import Daemon

from memoryd_server import __version__


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of this tree, for which nothing is built yet."""
    folder = tmp_path_factory.mktemp("release")
    return prepare(version.ROOT, __version__, folder / "build", folder / "dist", is_quick=True)


def test_a_folder_of_something_else_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("x")
    done = CliRunner().invoke(main, ["--rehearse", "--only", "go", "--dist", str(tmp_path)])
    assert (done.exit_code, "would be emptied" in done.output) == (2, True)
    assert (tmp_path / "thesis.md").exists()


@pytest.mark.whole
@pytest.mark.timeout(1800)
def test_what_is_built_twice_is_the_same(release: Release) -> None:
    parts = [go, image, python, *([chart] if shutil.which("go") else [])]
    builds = []
    for _ in range(2):
        for part in parts:
            part.build(release)
        builds.append(archive.checksums(release.dist))
        check_python(release)
        shutil.rmtree(release.dist)
    assert builds[0] == builds[1]
    assert {name.partition("/")[0] for name in builds[0]} == {"image", "python", *(["chart"] if chart in parts else [])}


@pytest.mark.whole
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
def test_the_package_of_npm_is_used_by_either_kind_of_modules(release: Release, tmp_path: Path) -> None:
    npm.build(release)
    with tarfile.open(npm.packed(release)) as package:
        names = package.getnames()
    assert {"package/LICENSE", "package/NOTICE", "package/README.md"} <= set(names)
    assert not [name for name in names if "/tests/" in name or "/conformance/" in name]
    daemon = Daemon(tmp_path)
    daemon.start()
    try:
        assert "A window seat on the night train is booked." in npm.run_sample(release, "assistant", daemon.address)
    finally:
        daemon.close()


def check_python(release: Release) -> None:
    """Each distribution has the licenses, and a page whose links work in an index."""
    for path in (release.dist / "python").glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            names = {Path(name).name: name for name in wheel.namelist() if ".dist-info/" in name}
            metadata = wheel.read(names["METADATA"]).decode()
        assert {"LICENSE", "NOTICE"} <= set(names)
        assert re.findall(r"\]\((?!https?://|#)[^)]*\.md", metadata) == []
        assert f"/blob/v{release.version}/" in metadata


@pytest.mark.whole
def test_the_image_recipe_is_what_the_dockerfile_copies(release: Release) -> None:
    image.build(release)
    (path,) = (release.dist / "image").iterdir()
    with tarfile.open(path) as recipe:
        names = recipe.getnames()
    assert {"Dockerfile", "front/Cargo.toml", "clients/python/pyproject.toml"} <= set(names)
    assert [name for name in names if name.startswith(("clients/python/samples/", "tests/", "docs/"))] == []


def test_a_copy_has_the_protos_and_the_licenses_in_the_crate(release: Release) -> None:
    crate = release.source / "clients" / "rust"
    assert (crate / "protos" / "memoryd" / "v1" / "agent.proto").is_file()
    assert (crate / "third_party" / "googleapis" / "google" / "rpc" / "status.proto").is_file()
    assert (crate / "LICENSE").read_bytes() == (version.ROOT / "LICENSE").read_bytes()


def test_a_go_module_of_a_later_major_version_must_say_so_in_its_path(release: Release) -> None:
    go.build(release)
    later = Release("2.0.0", release.source, release.dist, release.epoch)
    with pytest.raises(ValueError, match="/clients/go/v2"):
        go.build(later)


def test_the_pom_has_what_maven_central_asks_for(tmp_path: Path) -> None:
    java.check(version.ROOT / java.AT)
    for name in ("pom.xml", "client/pom.xml"):
        text = (version.ROOT / java.AT / name).read_text("utf-8")
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(re.sub(r"<scm.*</scm>", "", text, flags=re.DOTALL), "utf-8")
    with pytest.raises(ValueError, match="lacks scm/url"):
        java.check(tmp_path)


def test_each_command_that_publishes_names_the_version(tmp_path: Path) -> None:
    release = Release("1.2.3", tmp_path / "source", tmp_path / "dist", 0)
    commands = publication(release, list(PARTS.values()))
    assert commands[0].startswith("gpg ")
    assert "git tag --sign clients/go/v1.2.3 --message 'memoryd 1.2.3'" in commands
    text = "\n".join(commands)
    for word in ("twine upload", "npm publish", "cargo publish", "helm push", "scripts/image", "Maven Central"):
        assert word in text
