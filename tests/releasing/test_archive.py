"""Archives depend on their content alone, and checksums can be checked by the usual tool."""

import hashlib
import os
import tarfile
from pathlib import Path

from scripts.releasing import archive


def packed(folder: Path, *, time: int, order: int) -> Path:
    """A .tar.gz of two files, as a tool writes it at some time."""
    for name in ("b", "a"):
        (folder / name).write_text(name)
        (folder / name).chmod(0o755 if name == "a" else 0o600)
        os.utime(folder / name, (time, time))
    path = folder / f"{time}.tar.gz"
    with tarfile.open(path, "w:gz") as target:
        for name in ("a", "b")[::order]:
            target.add(folder / name, f"x/{name}")
    return path


def test_what_was_packed_at_other_times_and_in_another_order_is_the_same_once_normalized(tmp_path: Path) -> None:
    first, second = packed(tmp_path, time=1_000, order=1), packed(tmp_path, time=2_000, order=-1)
    assert first.read_bytes() != second.read_bytes()
    for path in (first, second):
        archive.normalize(path, 3_000)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as source:
        found = [(each.name, each.mode, each.mtime, each.uid) for each in source.getmembers()]
    assert found == [("x/a", 0o755, 3_000, 0), ("x/b", 0o644, 3_000, 0)]


def test_the_checksums_are_those_of_all_files_but_their_own(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "a.whl").write_bytes(b"a")
    (tmp_path / "NOTES.md").write_bytes(b"b")
    for _ in range(2):
        archive.write_checksums(tmp_path)
    lines = (tmp_path / archive.CHECKSUMS).read_text().splitlines()
    digests = [hashlib.sha256(content).hexdigest() for content in (b"b", b"a")]
    assert lines == [f"{digests[0]}  NOTES.md", f"{digests[1]}  python/a.whl"]
