"""The front end, which is compiled: its source archive, and a wheel for the machine that runs this.

The wheel is for all versions of Python. Those for other machines are built there, with `--only front`.
"""

import os
import sys
from pathlib import Path

from scripts.releasing import archive
from scripts.releasing.part import Part
from scripts.releasing.parts import python
from scripts.releasing.release import Release


def build(release: Release) -> None:
    folder = release.folder("python")
    copy = release.copy("front")
    release.run(
        *(
            "maturin",
            "build",
            "--quiet",
            "--release",
            "--strip",
            "--sdist",
            "--interpreter",
            sys.executable,
            "--out",
            folder,
        ),
        at=copy / "front",
        CARGO_TARGET_DIR=str(release.source.parent / "target"),
        # The paths of this machine, which messages of panics have.
        RUSTFLAGS=f"--remap-path-prefix={copy}=. --remap-path-prefix={cargo_home()}=cargo",
    )
    archive.normalize(folder / f"memoryd_front-{release.version}.tar.gz", release.epoch)
    python.check(release)


def cargo_home() -> str:
    """Return the folder in which cargo keeps the sources of crates."""
    return os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")


PART = Part("front", build, lambda release: [], ("cargo",))
