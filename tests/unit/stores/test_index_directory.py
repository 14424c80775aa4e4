import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from memoryd_server.ports.saved_indexes import SavedIndex
from memoryd_server.stores import index_directory
from memoryd_server.stores.index_directory import IndexDirectory

AGENT = "agent/with\nany characters ü" + "x" * 200


def writing(data: bytes) -> Callable[[BinaryIO], None]:
    def write(file: BinaryIO) -> None:
        file.write(data)

    return write


def opened(directory: Path) -> IndexDirectory:
    made = IndexDirectory(directory / "indexes" / "memories")
    made.open()
    return made


def save(indexes: IndexDirectory, data: bytes = b"data", revision: int = 1, agent_id: str = AGENT) -> int:
    return indexes.write(indexes.begin(agent_id), revision, writing(data))


def read(indexes: IndexDirectory, agent_id: str = AGENT) -> bytes | None:
    with indexes.read(agent_id) as file:
        return None if file is None else file.read()


def files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


def test_what_is_saved_is_read_also_after_a_start(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    assert read(indexes) is None
    assert save(indexes) > len(b"data")
    save(indexes, b"of another", agent_id="b")
    for each in (indexes, opened(tmp_path)):
        assert (read(each), read(each, "b"), read(each, "c")) == (b"data", b"of another", None)
    (first, _) = files(tmp_path)
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700


def test_a_later_file_replaces_an_earlier_one(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    for revision, data in ((1, b"one"), (7, b"seven"), (7, b"seven again"), (5, b"restored")):
        save(indexes, data, revision)
        assert (read(indexes), len(files(tmp_path))) == (data, 1)
    assert read(opened(tmp_path)) == b"restored"


def test_a_removal_withdraws_what_is_being_saved(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    save(indexes)
    draft = indexes.begin(AGENT)

    def remove_meanwhile(file: BinaryIO) -> None:
        file.write(b"secret")
        file.flush()
        indexes.remove(AGENT)
        assert files(tmp_path) == []

    assert indexes.write(draft, 2, remove_meanwhile) == 0
    assert indexes.write(draft, 2, writing(b"secret")) == 0
    assert (files(tmp_path), read(indexes), read(opened(tmp_path))) == ([], None, None)
    assert save(indexes, b"new")
    assert read(indexes) == b"new"


def test_a_failed_write_leaves_the_former_file_and_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    indexes = opened(tmp_path)
    save(indexes, b"former")

    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError("no space left")

    assert indexes.write(indexes.begin(AGENT), 2, fail) == 0
    assert "no space left" in str([record.__dict__.get("error") for record in caplog.records])
    assert (read(indexes), len(files(tmp_path))) == (b"former", 1)


def test_nothing_is_saved_on_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes = opened(tmp_path)
    system = os.statvfs(tmp_path)
    size, free = system.f_blocks * system.f_frsize, system.f_bavail * system.f_frsize
    monkeypatch.setattr(index_directory, "INDEX_FREE_BYTES_MIN", free * 2)
    monkeypatch.setattr(index_directory, "INDEX_FREE_SHARE_MIN", 2 * free / size)
    assert (save(indexes), files(tmp_path)) == (0, [])
    monkeypatch.setattr(index_directory, "INDEX_FREE_SHARE_MIN", free / size / 2)
    assert save(indexes)


def test_unknown_and_unfinished_files_are_removed_at_a_start(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    save(indexes)
    directory = files(tmp_path)[0].parent
    for name in ("0123.abc.part", "0123.index", "notes.txt", "0123.x.index"):
        (directory / name).write_bytes(b"?")
    assert read(opened(tmp_path)) == b"data"
    assert len(files(tmp_path)) == 1


def test_a_file_of_another_agent_under_the_name_is_not_read(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    save(indexes, agent_id="a")
    (mine,) = files(tmp_path)
    save(indexes, b"other", agent_id="b")
    (other,) = set(files(tmp_path)) - {mine}
    other.replace(mine)
    assert read(indexes, "a") is None


@pytest.mark.parametrize("content", [b"", b"x" * 100_000, b'"\xff"\n', b"7\n"])
def test_a_file_without_the_line_of_its_agent_is_not_read(tmp_path: Path, content: bytes) -> None:
    indexes = opened(tmp_path)
    save(indexes)
    files(tmp_path)[0].write_bytes(content)
    assert read(indexes) is None
    assert read(opened(tmp_path)) is None


def test_a_file_that_cannot_be_read_fails_no_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes = opened(tmp_path)
    save(indexes)

    def fail(_file: BinaryIO) -> str:
        raise OSError("input/output error")

    monkeypatch.setattr(index_directory, "_agent_of", fail)
    assert read(indexes) is None


def test_files_that_are_neither_written_nor_confirmed_grow_old(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    save(indexes, revision=3)
    (path,) = files(tmp_path)
    long_ago = time.time() - 1_000
    os.utime(path, (long_ago, long_ago))
    assert indexes.older_than(2_000) == []
    assert indexes.older_than(500) == [SavedIndex(AGENT, 3)]
    indexes.confirm(AGENT, 4)
    assert indexes.older_than(500) == []
    assert indexes.older_than(-500) == [SavedIndex(AGENT, 4)]
    assert read(opened(tmp_path)) == b"data"
    indexes.confirm("unknown", 1)


def test_all_files_are_removed_to_make_room(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    for number in range(3):
        save(indexes, agent_id=str(number))
    indexes.remove_all()
    assert (files(tmp_path), read(indexes, "1")) == ([], None)


def test_a_directory_that_cannot_be_used_fails_no_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "indexes").write_text("no directory")
    indexes = opened(tmp_path)
    assert (save(indexes), read(indexes), indexes.older_than(0)) == (0, None, [])
    indexes.confirm(AGENT, 1)
    indexes.remove(AGENT)
    indexes.remove_all()
    assert {record.message for record in caplog.records} == {"saved indexes cannot be used"}


def test_a_file_that_vanished_is_as_if_it_had_never_been(tmp_path: Path) -> None:
    indexes = opened(tmp_path)
    save(indexes)
    files(tmp_path)[0].unlink()
    assert read(indexes) is None
    assert save(indexes, b"new")
    assert read(indexes) == b"new"
