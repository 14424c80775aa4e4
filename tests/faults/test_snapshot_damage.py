"""A damaged snapshot is refused, wherever the damage is, and never read as something else."""

import resource
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pyrage
import pytest

from memoryd_server.domain.error import SchemaTooNew, SnapshotDamaged, SnapshotLocked, StorageFull
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.ports.store import AgentHead, Record, StoredAgent
from memoryd_server.stores.snapshot_directory import SnapshotDirectory
from memoryd_server.stores.snapshot_key import SnapshotKey

AGENTS = [
    StoredAgent(
        AgentHead("one", 7, 1, 2, record_count=2), (Record("entry", "k", b"value"), Record("scope", "s", b"x"))
    ),
    StoredAgent(AgentHead("two", 9, 1, 2, record_count=1), (Record("entry", "k", b"another"),)),
]
INFO = SnapshotInfo(snapshot_id="s", agent_id="", create_time=5, trigger="request")


async def agents() -> AsyncIterator[StoredAgent]:
    for agent in AGENTS:
        yield agent


async def noise() -> AsyncIterator[StoredAgent]:
    for n in range(64):
        data = b"".join(pow(n * 9973 + i, 3, 2**61 - 1).to_bytes(8) for i in range(8_000))
        yield StoredAgent(AgentHead(f"a{n}", 1, 1, 1, record_count=1), (Record("entry", "k", data),))


async def one_piece(data: bytes) -> AsyncIterator[bytes]:
    yield data


def files(path: Path) -> list[Path]:
    return sorted(path.iterdir())


@pytest.fixture(params=["plain", "encrypted"])
async def directory(request: pytest.FixtureRequest, tmp_path: Path) -> SnapshotDirectory:
    key = None if request.param == "plain" else SnapshotKey(str(pyrage.x25519.Identity.generate()))
    directory = SnapshotDirectory(tmp_path, key, Limits())
    await directory.open()
    await directory.create(INFO, agents())
    return directory


async def assert_always_refused(
    directory: SnapshotDirectory, path: Path, spoil: Callable[[bytes], Iterator[bytes]]
) -> None:
    (file,) = (file for file in files(path) if not file.name.endswith(".info"))
    whole = file.read_bytes()
    for number, spoiled in enumerate(spoil(whole)):
        file.write_bytes(spoiled)
        with pytest.raises((SnapshotDamaged, SnapshotLocked, SchemaTooNew)):
            pytest.fail(f"case {number} gave {await anext(directory.read('s'))}")
    file.write_bytes(whole)
    assert [agent async for agent in directory.read("s")] == AGENTS


@pytest.mark.whole
async def test_a_cut_is_noticed_at_every_byte(directory: SnapshotDirectory, tmp_path: Path) -> None:
    await assert_always_refused(directory, tmp_path, lambda whole: (whole[:end] for end in range(len(whole))))


BIT_OF_EACH_END = [pytest.param(mask, marks=pytest.mark.faults) for mask in (0x01, 0x80)]


@pytest.mark.whole
@pytest.mark.parametrize("mask", [0xFF, *BIT_OF_EACH_END])
async def test_a_flip_is_noticed_at_every_byte(directory: SnapshotDirectory, tmp_path: Path, mask: int) -> None:
    def flips(whole: bytes) -> Iterator[bytes]:
        for place in range(len(whole)):
            yield whole[:place] + bytes([whole[place] ^ mask]) + whole[place + 1 :]

    await assert_always_refused(directory, tmp_path, flips)


async def test_appended_bytes_are_noticed(directory: SnapshotDirectory, tmp_path: Path) -> None:
    await assert_always_refused(
        directory, tmp_path, lambda whole: (whole + tail for tail in (b"\0", b"\n", bytes(200_000), whole))
    )


async def test_swapped_and_zeroed_pieces_are_noticed(directory: SnapshotDirectory, tmp_path: Path) -> None:
    def pieces(whole: bytes) -> Iterator[bytes]:
        for start in range(0, len(whole) - 16, 8):
            yield whole[:start] + bytes(8) + whole[start + 8 :]
            yield whole[:start] + whole[start + 8 : start + 16] + whole[start : start + 8] + whole[start + 16 :]

    await assert_always_refused(directory, tmp_path, pieces)


async def test_a_damaged_import_is_not_kept(directory: SnapshotDirectory, tmp_path: Path) -> None:
    whole = b"".join([chunk async for chunk in directory.export("s")])
    before = files(tmp_path)
    for spoiled in (b"", whole[:-1], whole + b"\0", whole[: len(whole) // 2] + b"?" + whole[len(whole) // 2 + 1 :]):
        with pytest.raises(SnapshotDamaged):
            await directory.import_("t", one_piece(spoiled))
    assert files(tmp_path) == before


@pytest.fixture
def small_disk() -> Iterator[None]:
    """A disk on which no file can grow beyond 200,000 bytes."""
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_disk")
async def test_a_full_disk_leaves_nothing_behind(directory: SnapshotDirectory, tmp_path: Path) -> None:
    before = files(tmp_path)

    with pytest.raises(StorageFull):
        await directory.create(SnapshotInfo("t", "", 5, "request"), noise())
    with pytest.raises(StorageFull):
        await directory.import_("t", one_piece(bytes(300_000)))

    assert files(tmp_path) == before
    assert [agent async for agent in directory.read("s")] == AGENTS
