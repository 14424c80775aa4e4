import errno
from pathlib import Path

import pytest

from memoryd_server.domain.error import StorageFull, StoreUnavailable
from memoryd_server.stores.upload_directory import UploadDirectory


@pytest.fixture
async def uploads(tmp_path: Path) -> UploadDirectory:
    directory = UploadDirectory(tmp_path / "uploads")
    await directory.open()
    return directory


async def test_a_file_is_private_and_exists_until_its_block_ends(uploads: UploadDirectory, tmp_path: Path) -> None:
    assert (tmp_path / "uploads").stat().st_mode & 0o777 == 0o700
    async with uploads.receive() as file:
        await file.write(b"one ")
        await file.write(b"two")
        await file.finish()
        assert file.path.read_bytes() == b"one two"
        assert file.path.stat().st_mode & 0o777 == 0o600
        async with uploads.receive() as other:
            assert other.path != file.path
    assert not list((tmp_path / "uploads").iterdir())


@pytest.mark.parametrize("finishes", [True, False])
async def test_a_file_is_deleted_when_its_block_fails(uploads: UploadDirectory, tmp_path: Path, finishes: bool) -> None:
    async def work() -> None:
        async with uploads.receive() as file:
            await file.write(b"text")
            if finishes:
                await file.finish()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()
    assert not list((tmp_path / "uploads").iterdir())


async def test_leftover_files_are_deleted_at_opening_unless_the_directory_is_shared(
    uploads: UploadDirectory, tmp_path: Path
) -> None:
    async with uploads.receive() as file:
        left = file.path.with_name(f"{file.path.name}0")
        left.write_bytes(b"left")
    await UploadDirectory(tmp_path / "uploads", is_only_user=False).open()
    assert left.exists()
    await UploadDirectory(tmp_path / "uploads").open()
    assert not left.exists()


@pytest.mark.parametrize(
    ("number", "refusal"), [(errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (errno.EIO, StoreUnavailable)]
)
async def test_an_error_of_the_disk_becomes_a_refusal(
    uploads: UploadDirectory, monkeypatch: pytest.MonkeyPatch, number: int, refusal: type[Exception]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, "no")

    async with uploads.receive() as file:
        with monkeypatch.context() as patched:
            patched.setattr("memoryd_server.stores.snapshot_incoming.IncomingFile.write", fail)
            with pytest.raises(refusal):
                await file.write(b"text")
    monkeypatch.setattr("memoryd_server.stores.snapshot_incoming.IncomingFile.open", fail)
    with pytest.raises(refusal):
        async with uploads.receive():
            pytest.fail("there is no file")


async def test_a_directory_that_cannot_be_created_is_an_unavailable_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreUnavailable):
        await UploadDirectory(tmp_path / "file" / "uploads").open()
