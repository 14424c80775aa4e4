"""Files that are read again when they have changed."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX, until

from memoryd_server.ops.followed_files import FollowedFiles, Mark, files_followed, marks_of


class Looks:
    """Counts how often files were looked at."""

    def __init__(self) -> None:
        self._count = 0

    def marks_of(self, files: Iterable[Path]) -> Mapping[Path, Mark | None]:
        self._count += 1
        return marks_of(files)

    async def more(self, times: int = 5) -> None:
        """Wait until they were looked at several times more."""
        enough = self._count + times
        await asyncio.to_thread(until, lambda: self._count >= enough, "the files were looked at")


@pytest.fixture(autouse=True)
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    looks = Looks()
    monkeypatch.setattr("memoryd_server.ops.followed_files.FILES_LOOK_S", 0.001)
    monkeypatch.setattr("memoryd_server.ops.followed_files.marks_of", looks.marks_of)
    return looks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o660)
    return path


class Reader:
    """Counts how often files were read again. The first times, it raises the failures."""

    def __init__(self, *failures: Exception) -> None:
        self.count = 0
        self._failures = [*failures]
        self._read = asyncio.Event()

    async def renew(self) -> None:
        self.count += 1
        self._read.set()
        if self._failures:
            raise self._failures.pop(0)

    async def again(self) -> None:
        async with asyncio.timeout(WAIT_S_MAX):
            await self._read.wait()
        self._read.clear()


def write(file: Path, text: str = "new text") -> None:
    file.write_text(text)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": write,
    "mode": lambda file: file.chmod(0o600),
    "removal": lambda file: file.unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_a_changed_file_is_read_once(looks: Looks, file: Path, change: Callable[[Path], object]) -> None:
    reader = Reader()
    async with files_followed([FollowedFiles((file,), reader.renew)], marks_of([file])):
        await looks.more()
        assert reader.count == 0
        change(file)
        await reader.again()
        await looks.more()
    assert reader.count == 1


async def test_a_file_that_changed_before_it_was_followed_is_read(file: Path) -> None:
    reader, read = Reader(), marks_of([file])
    write(file)
    async with files_followed([FollowedFiles((file,), reader.renew)], read):
        await reader.again()


async def test_files_are_followed_after_a_reader_has_failed(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    failing, other = Reader(RecursionError("too deep")), Reader()
    followed = [FollowedFiles((file,), reader.renew) for reader in (failing, other)]
    async with files_followed(followed, marks_of([file])):
        for text in ("1", "22"):
            write(file, text)
            await failing.again()
            await other.again()
    assert "too deep" in caplog.text
