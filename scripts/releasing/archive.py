"""Archives whose bytes depend on their content alone, and checksums."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

CHECKSUMS = "SHA256SUMS"


def normalize(path: Path, epoch: int) -> None:
    """Write a .tar.gz again: sorted, at one time, of no user. Tools write the time of the build into theirs."""
    with tarfile.open(path) as source:
        members = [(member, source.extractfile(member)) for member in source.getmembers()]
        files = {member.name: (member.mode, file.read()) for member, file in members if file is not None}
    write(path, files, epoch)


def write(path: Path, files: dict[str, tuple[int, bytes]], epoch: int) -> None:
    """Write files, by their names in the archive, with their modes, as a .tar.gz."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as target:
        for name, (mode, content) in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), epoch, 0o755 if mode & 0o100 else 0o644
            target.addfile(member, io.BytesIO(content))
    path.write_bytes(gzip.compress(packed.getvalue(), 6, mtime=epoch))


def files_of(folder: Path, names: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    """Return the files of a folder with these names, or below them, by their paths in it."""
    found = (
        path for name in names for path in ((folder / name).rglob("*") if (folder / name).is_dir() else [folder / name])
    )
    return {str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) for path in found if path.is_file()}


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, by its path in it, without the list of checksums."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def write_checksums(folder: Path) -> None:
    """Write the checksums of a folder into it, as ``shasum -a 256 --check`` reads them."""
    lines = (f"{digest}  {name}\n" for name, digest in checksums(folder).items())
    (folder / CHECKSUMS).write_text("".join(lines), "utf-8")
