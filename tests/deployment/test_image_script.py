"""`scripts/image`, with a docker of the test: no container engine is needed."""

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
DOCKER = """#!/bin/sh
case "$*" in
  "buildx imagetools inspect"*) echo "sha256:of-${6##*/}" ;;
  *) for each in "$@"; do echo "$each"; done > "$CALLED" ;;
esac
"""


def test_it_builds_for_both_architectures_from_base_images_by_digest(tmp_path: Path) -> None:
    docker = tmp_path / "docker"
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    called = tmp_path / "called"
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLED": str(called)}
    command = [REPOSITORY / "scripts" / "image", "example/memoryd:1", "--push"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    arguments = called.read_text().splitlines()
    assert arguments[arguments.index("--platform") + 1] == "linux/amd64,linux/arm64"
    assert arguments[arguments.index("--tag") + 1] == "example/memoryd:1"
    assert "DEBIAN=debian:bookworm-slim@sha256:of-debian:bookworm-slim" in arguments
    assert "RUST=rust:1-slim-bookworm@sha256:of-rust:1-slim-bookworm" in arguments
    assert arguments[-2:] == ["--push", "."]
    assert "debian:bookworm-slim is sha256:of-debian:bookworm-slim" in done.stdout
