from pathlib import Path

import pytest

from memoryd_server.domain.error import DataDamaged
from memoryd_server.stores.sqlite import mark as module
from memoryd_server.stores.sqlite.mark import Mark, MarkState, read_mark

STORE_ID = "ab" * 16


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memoryd.mark"


def read(path: Path) -> MarkState:
    found = read_mark(path)
    assert found is not None
    return found


def test_a_missing_mark_has_no_state(path: Path) -> None:
    assert read_mark(path) is None


def test_a_mark_has_the_acknowledged_generations_before_it_is_closed(path: Path) -> None:
    mark = Mark(path, None, STORE_ID, 4)
    for generation in range(5, 9):
        mark.acknowledge(generation, synced=generation < 7)
        found = read(path)
        assert (found.generation, found.synced_generation) == (generation, min(generation, 6))
    mark.backfill(running=True)
    assert read(path).backfilling
    mark.backfill(running=False)
    assert not read(path).backfilling
    mark.close()
    assert read(path).store_id.hex() == STORE_ID


def test_a_mark_continues_the_sequence_of_the_existing_one(path: Path) -> None:
    first = Mark(path, None, STORE_ID, 4)
    first.acknowledge(7, synced=True)
    first.close()
    found = read(path)
    second = Mark(path, found, STORE_ID, 7)
    second.close()
    assert read(path) == found._replace(sequence=found.sequence + 1)


def test_only_synced_generations_are_required_after_a_reboot(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = Mark(path, None, STORE_ID, 0)
    mark.acknowledge(5, synced=True)
    mark.acknowledge(9, synced=False)
    mark.close()
    assert read(path).required_generation == 9
    monkeypatch.setattr(module, "_boot_id", lambda: b"another boot id.")
    assert read(path).required_generation == 5


def test_only_synced_generations_are_required_without_a_boot_id(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BOOT_ID", path.with_name("missing"))
    mark = Mark(path, None, STORE_ID, 0)
    mark.acknowledge(9, synced=False)
    mark.close()
    assert read(path).required_generation == 0


def test_a_torn_slot_leaves_the_previous_one(path: Path) -> None:
    mark = Mark(path, None, STORE_ID, 0)
    mark.acknowledge(5, synced=True)
    newer = read(path)
    mark.close()
    content = bytearray(path.read_bytes())
    content[newer.sequence % 2 * 2048 + 30] ^= 1
    path.write_bytes(content)
    assert read(path).sequence == newer.sequence - 1


@pytest.mark.parametrize("content", [b"", b"x" * 4096, bytes(4096), b"memoryd mark 1\0\0".ljust(4096, b"\0")])
def test_a_file_that_is_no_mark_is_refused_and_named(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(DataDamaged, match=r"delete memoryd\.mark"):
        read_mark(path)
