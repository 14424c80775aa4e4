"""The recipe of the image: the Dockerfile with all that it copies, and nothing else."""

from scripts.releasing import archive
from scripts.releasing.part import Part
from scripts.releasing.release import Release


def build(release: Release) -> None:
    """Pack the context that `docker build` is given, by .dockerignore."""
    lines = (release.source / ".dockerignore").read_text("utf-8").splitlines()
    names = ["Dockerfile", ".dockerignore", *(line[1:] for line in lines if line.startswith("!"))]
    left_out = tuple(f"{line}/" for line in lines if not line.startswith(("!", "*")))
    files = archive.files_of(release.source, names)
    kept = {name: file for name, file in files.items() if not name.startswith(left_out)}
    archive.write(release.folder("image") / f"memoryd-image-{release.version}.tar.gz", kept, release.epoch)


def commands(release: Release) -> list[str]:
    return [f"scripts/image IMAGE:{release.version} --push   # from the tag {release.tag}"]


PART = Part("image", build, commands)
