"""The crate of the Rust client, which contains the protos that its build reads."""

import shutil
import tarfile

from scripts.releasing.part import Part
from scripts.releasing.release import Release

NEEDED = (
    "LICENSE",
    "README.md",
    "build.rs",
    "protos/memoryd/v1/agent.proto",
    "third_party/googleapis/google/rpc/status.proto",
)


def build(release: Release) -> None:
    """Package it and, unless it must be quick, compile it from the package alone, as its users do."""
    target = release.source.parent / "target"
    verify = ("--no-verify",) if release.is_quick else ()
    manifest = ("--manifest-path", release.source / "clients/rust/Cargo.toml")
    release.run("cargo", "package", "--quiet", "--package", "memoryd", *manifest, *verify, CARGO_TARGET_DIR=str(target))
    name = f"memoryd-{release.version}"
    packed = shutil.copy(target / "package" / f"{name}.crate", release.folder("crate"))
    with tarfile.open(packed) as crate:
        names = set(crate.getnames())
    if lacking := [each for each in NEEDED if f"{name}/{each}" not in names]:
        raise ValueError(f"{name}.crate lacks {', '.join(lacking)}")


def commands(release: Release) -> list[str]:
    # cargo publishes no finished package: it makes the same one again.
    return [f"cargo publish --package memoryd --manifest-path {release.source}/clients/rust/Cargo.toml"]


PART = Part("crate", build, commands, ("cargo",))
