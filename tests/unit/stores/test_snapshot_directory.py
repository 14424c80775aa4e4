import asyncio
import hashlib
import logging
import stat
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pyrage
import pytest

from memoryd_server.domain.error import (
    DataDamaged,
    InvalidField,
    QuotaExceeded,
    SnapshotDamaged,
    SnapshotExists,
    SnapshotLocked,
    SnapshotNotFound,
    TooLarge,
)
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.snapshot import SnapshotInfo, SnapshotTrigger, check_snapshot_id, make_snapshot_id
from memoryd_server.ports.store import AgentHead, Record, StoredAgent
from memoryd_server.stores.snapshot_directory import SnapshotDirectory
from memoryd_server.stores.snapshot_incoming import IncomingFile
from memoryd_server.stores.snapshot_key import SnapshotKey
from memoryd_server.stores.snapshot_source import SnapshotSource

LIMITS = Limits()
CREATE_TIME = 1_795_300_806_123_456_789


def make_agent(agent_id: str, *records: Record, revision: int = 7) -> StoredAgent:
    head = AgentHead(agent_id, revision, create_time=1, update_time=2, record_count=len(records), next_deadline=3)
    return StoredAgent(head, records)


def make_info(
    snapshot_id: str = "", agent_id: str = "", trigger: SnapshotTrigger = "request", create_time: int = CREATE_TIME
) -> SnapshotInfo:
    return SnapshotInfo(snapshot_id=snapshot_id, agent_id=agent_id, create_time=create_time, trigger=trigger)


async def stream(items: Iterable[StoredAgent]) -> AsyncIterator[StoredAgent]:
    for item in items:
        yield item


async def pieces(data: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def read(directory: SnapshotDirectory, snapshot_id: str) -> list[StoredAgent]:
    return [agent async for agent in directory.read(snapshot_id)]


async def export(directory: SnapshotDirectory, snapshot_id: str) -> bytes:
    return b"".join([chunk async for chunk in directory.export(snapshot_id)])


def make_key() -> SnapshotKey:
    return SnapshotKey(str(pyrage.x25519.Identity.generate()))


@pytest.fixture(params=["plain", "encrypted"])
def key(request: pytest.FixtureRequest) -> SnapshotKey | None:
    return None if request.param == "plain" else make_key()


@pytest.fixture
async def directory(tmp_path: Path, key: SnapshotKey | None) -> SnapshotDirectory:
    directory = SnapshotDirectory(tmp_path / "snapshots", key, LIMITS)
    await directory.open()
    return directory


@pytest.fixture
async def plain(tmp_path: Path) -> SnapshotDirectory:
    directory = SnapshotDirectory(tmp_path / "plain", None, LIMITS)
    await directory.open()
    return directory


ONE = make_agent("one", Record("entry", "k", b"\x01value"), Record("scope", "s", b"\x01"))


@pytest.mark.parametrize(
    "agents",
    [
        pytest.param([], id="empty"),
        pytest.param([make_agent("bare")], id="an agent without records"),
        pytest.param([ONE, make_agent("zwei ü", Record("entry", "k", b""))], id="two"),
        pytest.param([make_agent(f"a{n}", Record("entry", "k", b"%d" % n)) for n in range(1_000)], id="many"),
        pytest.param(
            [ONE, make_agent("big", *(Record("entry", f"k{n}", bytes([n]) * 700_000) for n in range(20))), ONE],
            id="big",
        ),
    ],
)
async def test_a_snapshot_is_read_as_it_was_written(directory: SnapshotDirectory, agents: list[StoredAgent]) -> None:
    info = await directory.create(make_info("first"), stream(agents))

    assert await read(directory, "first") == agents
    assert info.agent_count == len(agents)
    assert info.record_count == sum(len(agent.records) for agent in agents)
    assert await directory.get("first") == info


async def test_a_snapshot_of_one_agent_states_its_revision_and_size(
    directory: SnapshotDirectory, key: SnapshotKey | None, tmp_path: Path
) -> None:
    info = await directory.create(make_info("first", agent_id="one"), stream([ONE]))

    file = tmp_path / "snapshots" / ("first.snapshot" if key is None else "first.snapshot.age")
    assert info == SnapshotInfo(
        snapshot_id="first",
        agent_id="one",
        create_time=CREATE_TIME,
        trigger="request",
        revision=7,
        size_bytes=file.stat().st_size,
        agent_count=1,
        record_count=2,
        encrypted=key is not None,
        sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        format_version=1,
    )
    file.with_name(f"{file.name}.info").unlink()
    assert await SnapshotDirectory(file.parent, key, Limits()).get("first") == info


async def test_files_are_for_their_owner_alone(directory: SnapshotDirectory, tmp_path: Path) -> None:
    await directory.create(make_info("first"), stream([ONE]))

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "snapshots").iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "snapshots").stat().st_mode) == 0o700


async def test_a_generated_id_contains_the_time(plain: SnapshotDirectory) -> None:
    info = await plain.create(make_info(), stream([ONE]))

    assert make_snapshot_id(CREATE_TIME, "3fa2c1") == "20261121t224006.123z-3fa2c1"
    assert info.snapshot_id.startswith("20261121t224006.123z-")
    assert await read(plain, info.snapshot_id) == [ONE]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a", "a/b", "/etc/passwd", ".hidden", "-a", "A", "ä", "a b", "a\n", "a\0", "a" * 101]
)
async def test_an_invalid_name_is_refused_by_every_operation(plain: SnapshotDirectory, name: str) -> None:
    with pytest.raises(InvalidField) as caught:
        check_snapshot_id(name)
    assert caught.value.field == "snapshot_id"
    for call in (plain.get(name), plain.delete(name), read(plain, name), export(plain, name)):
        with pytest.raises(InvalidField):
            await call
    if name:
        with pytest.raises(InvalidField):
            await plain.create(make_info(name), stream([]))
        with pytest.raises(InvalidField):
            await plain.import_(name, pieces(b""))


@pytest.mark.parametrize("name", ["a", "0", "a..b", "a" * 100, "x.snapshot", "x.snapshot.age", "x.snapshot.info"])
async def test_a_valid_name_is_kept(directory: SnapshotDirectory, name: str) -> None:
    await directory.create(make_info(name), stream([ONE]))

    assert [info.snapshot_id for info in await directory.list()] == [name]
    assert await read(directory, name) == [ONE]


async def test_a_snapshot_that_is_deleted_while_all_are_listed_is_left_out(
    plain: SnapshotDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for snapshot_id in ("kept", "gone"):
        await plain.create(make_info(snapshot_id), stream([]))
    iterdir = Path.iterdir

    def then_delete(directory: Path) -> list[Path]:
        found = list(iterdir(directory))
        for path in found:
            if path.name.startswith("gone"):
                path.unlink()
        return found

    monkeypatch.setattr(Path, "iterdir", then_delete)
    assert [info.snapshot_id for info in await plain.list()] == ["kept"]


async def test_a_missing_snapshot_is_not_found(plain: SnapshotDirectory) -> None:
    for call in (plain.get("x"), plain.delete("x"), read(plain, "x"), export(plain, "x")):
        with pytest.raises(SnapshotNotFound):
            await call


async def test_an_existing_id_is_refused_and_its_file_is_kept(plain: SnapshotDirectory, tmp_path: Path) -> None:
    await plain.create(make_info("first"), stream([ONE]))
    data = await export(plain, "first")
    encrypting = SnapshotDirectory(tmp_path / "plain", make_key(), LIMITS)

    for repository in (plain, encrypting):
        with pytest.raises(SnapshotExists):
            await repository.create(make_info("first"), stream([]))
        with pytest.raises(SnapshotExists):
            await repository.import_("first", pieces(data))
    assert await read(plain, "first") == [ONE]


async def test_one_of_two_concurrent_creations_of_an_id_succeeds(directory: SnapshotDirectory, tmp_path: Path) -> None:
    answers = await asyncio.gather(
        *(directory.create(make_info("first"), stream([make_agent(f"a{n}")])) for n in range(4)), return_exceptions=True
    )

    winners = [n for n, answer in enumerate(answers) if isinstance(answer, SnapshotInfo)]
    assert len(winners) == 1
    assert sum(isinstance(answer, SnapshotExists) for answer in answers) == 3
    assert await read(directory, "first") == [make_agent(f"a{winners[0]}")]
    assert len(list((tmp_path / "snapshots").iterdir())) == 2


async def test_a_snapshot_that_is_deleted_as_soon_as_it_has_its_name_was_created(
    plain: SnapshotDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = IncomingFile.keep
    monkeypatch.setattr(IncomingFile, "keep", lambda self, path: (keep(self, path), path.unlink()))
    assert (await plain.create(make_info("s"), stream([make_agent("a")]))).size_bytes
    assert await plain.list() == ()


async def test_the_newest_is_listed_first(plain: SnapshotDirectory) -> None:
    for name, create_time in (("b", 2), ("a", 2), ("z", 1), ("c", 3)):
        await plain.create(make_info(name, create_time=create_time), stream([]))

    assert [info.snapshot_id for info in await plain.list()] == ["c", "b", "a", "z"]


async def test_a_deleted_snapshot_leaves_no_file(directory: SnapshotDirectory, tmp_path: Path) -> None:
    await directory.create(make_info("first"), stream([ONE]))

    await directory.delete("first")

    assert await directory.list() == ()
    assert list((tmp_path / "snapshots").iterdir()) == []


async def test_a_snapshot_that_is_deleted_while_it_is_read_is_read_to_its_end(directory: SnapshotDirectory) -> None:
    agents = [make_agent(f"a{n}", Record("entry", "k", b"x" * 500_000)) for n in range(10)]
    await directory.create(make_info("first"), stream(agents))

    reading = directory.read("first")
    first = await anext(reading)
    await directory.delete("first")

    assert [first, *[agent async for agent in reading]] == agents


async def test_a_reader_may_stop_early(directory: SnapshotDirectory) -> None:
    agents = [make_agent(f"a{n}", Record("entry", "k", b"x" * 500_000)) for n in range(10)]
    await directory.create(make_info("first"), stream(agents))

    reading = directory.read("first")
    assert await anext(reading) == agents[0]
    await reading.aclose()

    assert await read(directory, "first") == agents


@pytest.mark.parametrize("snapshot_id", ["other", ""])
async def test_an_exported_file_is_imported_as_it_is(
    directory: SnapshotDirectory, key: SnapshotKey | None, tmp_path: Path, snapshot_id: str
) -> None:
    agents = [ONE, make_agent("two", *(Record("entry", str(n), bytes(500_000)) for n in range(3)))]
    info = await directory.create(make_info("first", trigger="shutdown"), stream(agents))
    data = await export(directory, "first")
    second = SnapshotDirectory(tmp_path / "second", key, LIMITS)
    await second.open()

    imported = await second.import_(snapshot_id, pieces(data))

    assert imported.snapshot_id == snapshot_id or imported.snapshot_id == "first"
    assert (imported.trigger, imported.size_bytes, imported.encrypted) == ("shutdown", len(data), info.encrypted)
    assert await read(second, imported.snapshot_id) == agents
    assert await export(second, imported.snapshot_id) == data


async def test_the_chunks_of_an_export_are_bounded(plain: SnapshotDirectory) -> None:
    noise = b"".join(bytes([n % 251, n * 7 % 256, n * n % 253]) for n in range(1_000_000))
    await plain.create(make_info("first"), stream([make_agent("one", Record("entry", "k", noise))]))

    chunks = [chunk async for chunk in plain.export("first")]

    assert max(len(chunk) for chunk in chunks) <= 1024 * 1024


async def test_an_import_without_an_id_gets_a_new_one_if_its_own_is_taken_or_malformed(
    plain: SnapshotDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await plain.create(make_info("first"), stream([ONE]))
    data = await export(plain, "first")
    assert (await plain.import_("", pieces(data))).snapshot_id.startswith("20261121t224006.123z-")
    await plain.delete("first")
    assert (await plain.import_("", pieces(data))).snapshot_id == "first"
    monkeypatch.setattr(SnapshotSource, "info", lambda self, reader: make_info("../first"))
    assert (await plain.import_("", pieces(data))).snapshot_id.startswith("20261121t224006.123z-")


async def test_an_import_over_the_limit_is_refused(plain: SnapshotDirectory, tmp_path: Path) -> None:
    info = await plain.create(make_info("first"), stream([ONE]))
    data = await export(plain, "first")
    for bytes_max, fits in ((info.size_bytes, True), (info.size_bytes - 1, False)):
        second = SnapshotDirectory(tmp_path / str(fits), None, Limits(snapshot_bytes=bytes_max))
        await second.open()
        if fits:
            await second.import_("first", pieces(data, 10))
        else:
            with pytest.raises(TooLarge) as caught:
                await second.import_("first", pieces(data, 10))
            assert caught.value.metadata == {"limit": "snapshot_bytes", "value": str(bytes_max)}
            assert list((tmp_path / str(fits)).iterdir()) == []


async def test_an_agent_over_the_limit_is_refused_before_it_is_fully_read(
    plain: SnapshotDirectory, tmp_path: Path
) -> None:
    agent = make_agent("big", *(Record("entry", str(n), bytes(1000)) for n in range(30)))
    await plain.create(make_info("first"), stream([ONE, agent]))
    small = SnapshotDirectory(tmp_path / "plain", None, Limits(storage_bytes_per_agent=10_000))

    with pytest.raises(QuotaExceeded, match="storage_bytes_per_agent"):
        await read(small, "first")


async def test_an_encrypted_snapshot_is_locked_without_its_key(tmp_path: Path) -> None:
    mine, other = make_key(), make_key()
    directory = SnapshotDirectory(tmp_path, mine, LIMITS)
    await directory.create(make_info("first"), stream([ONE]))
    data = await export(directory, "first")
    (tmp_path / "first.snapshot.age.info").unlink()

    for key in (None, other):
        locked = SnapshotDirectory(tmp_path, key, LIMITS)
        for call in (
            locked.get("first"),
            locked.get("first"),
            read(locked, "first"),
            locked.import_("x", pieces(data)),
        ):
            with pytest.raises(SnapshotLocked):
                await call
        assert await locked.list() == ()
        assert await export(locked, "first") == data
    assert await read(directory, "first") == [ONE]


async def test_a_locked_snapshot_is_listed_from_its_summary(tmp_path: Path) -> None:
    info = await SnapshotDirectory(tmp_path, make_key(), LIMITS).create(make_info("first"), stream([ONE]))

    assert await SnapshotDirectory(tmp_path, None, LIMITS).list() == (info,)


async def test_an_encrypted_file_opens_to_the_plain_format(tmp_path: Path) -> None:
    identity = pyrage.x25519.Identity.generate()
    directory = SnapshotDirectory(tmp_path, SnapshotKey(str(identity)), LIMITS)
    await directory.create(make_info("first"), stream([ONE]))

    opened = pyrage.decrypt(await export(directory, "first"), [identity])

    info = await SnapshotDirectory(tmp_path, None, LIMITS).import_("opened", pieces(opened))
    assert not info.encrypted
    assert await read(directory, "opened") == [ONE]


@pytest.mark.parametrize("change", ["missing", "damaged", "stale", "foreign"])
async def test_a_summary_that_does_not_match_its_file_is_created_again(
    directory: SnapshotDirectory, key: SnapshotKey | None, tmp_path: Path, change: str
) -> None:
    info = await directory.create(make_info("first"), stream([ONE]))
    other = await directory.create(make_info("other"), stream([]))
    (summary,) = (tmp_path / "snapshots").glob("first.*.info")
    (foreign,) = (tmp_path / "snapshots").glob("other.*.info")
    whole = summary.read_bytes()
    if change == "missing":
        summary.unlink()
    elif change == "damaged":
        summary.write_bytes(whole.replace(b'"agent_count":1', b'"agent_count":2'))
    elif change == "stale":
        summary.with_suffix("").touch()
    else:
        summary.write_bytes(foreign.read_bytes())

    again = SnapshotDirectory(tmp_path / "snapshots", key, LIMITS)
    assert await again.list() == (other, info)
    assert summary.read_bytes() == whole or change == "stale"


async def test_an_unreadable_file_is_omitted_from_the_list_and_logged(
    plain: SnapshotDirectory, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    info = await plain.create(make_info("first"), stream([ONE]))
    (tmp_path / "plain" / "broken.snapshot").write_bytes(b"memoryd snapshot\n")
    (tmp_path / "plain" / "Not an id.snapshot").write_bytes(b"")
    (tmp_path / "plain" / "notes.txt").write_bytes(b"")

    with caplog.at_level(logging.WARNING):
        assert await plain.list() == (info,)
    (record,) = caplog.records
    assert (record.message, vars(record)["file"]) == ("snapshot not listed", "broken.snapshot")
    with pytest.raises(SnapshotDamaged):
        await plain.get("broken")


async def test_leftovers_are_removed_at_open(plain: SnapshotDirectory, tmp_path: Path) -> None:
    await plain.create(make_info("first"), stream([ONE]))
    (tmp_path / "plain" / ".incoming-0123456789abcdef").write_bytes(b"half")
    (tmp_path / "plain" / "gone.snapshot.info").write_bytes(b"")

    await SnapshotDirectory(tmp_path / "plain", None, LIMITS).open()

    assert sorted(path.name for path in (tmp_path / "plain").iterdir()) == ["first.snapshot", "first.snapshot.info"]


async def test_pruning_deletes_only_the_oldest_automatic_snapshots(plain: SnapshotDirectory) -> None:
    triggers: list[SnapshotTrigger] = ["request", "shutdown", "periodic", "end_agent", "periodic", "shutdown"]
    for n, trigger in enumerate(triggers):
        await plain.create(make_info(f"s{n}", trigger=trigger, create_time=n), stream([]))

    assert await plain.prune(2) == 2
    assert [info.snapshot_id for info in await plain.list()] == ["s5", "s4", "s3", "s0"]
    assert await plain.prune(0) == 2
    assert [info.snapshot_id for info in await plain.list()] == ["s3", "s0"]


async def test_a_failing_source_leaves_nothing_behind(directory: SnapshotDirectory, tmp_path: Path) -> None:
    async def failing() -> AsyncIterator[StoredAgent]:
        for n in range(300):
            yield make_agent(f"a{n}", Record("entry", "k", bytes(10_000)))
        raise DataDamaged("the store")

    with pytest.raises(DataDamaged):
        await directory.create(make_info("first"), failing())
    assert list((tmp_path / "snapshots").iterdir()) == []


async def test_a_cancelled_creation_leaves_nothing_behind(directory: SnapshotDirectory, tmp_path: Path) -> None:
    waiting = asyncio.Event()

    async def endless() -> AsyncIterator[StoredAgent]:
        for n in range(300):
            yield make_agent(f"a{n}", Record("entry", "k", bytes(10_000)))
        waiting.set()
        await asyncio.Event().wait()

    creation = asyncio.create_task(directory.create(make_info("first"), endless()))
    await waiting.wait()
    creation.cancel()

    with pytest.raises(asyncio.CancelledError):
        await creation
    assert list((tmp_path / "snapshots").iterdir()) == []


@pytest.mark.parametrize(
    "agents",
    [
        pytest.param([StoredAgent(AgentHead("one", 1, 1, 1, record_count=1), ())], id="a missing record"),
        pytest.param([make_agent("one", Record("entry", "k", b""), Record("entry", "k", b""))], id="a record twice"),
        pytest.param([make_agent("two")], id="another agent"),
        pytest.param([make_agent("one"), make_agent("two")], id="one agent more"),
        pytest.param([], id="no agent"),
    ],
)
async def test_an_inconsistent_image_is_not_written(
    directory: SnapshotDirectory, tmp_path: Path, agents: list[StoredAgent]
) -> None:
    with pytest.raises(DataDamaged):
        await directory.create(make_info("first", agent_id="one"), stream(agents))
    assert list((tmp_path / "snapshots").iterdir()) == []


async def test_writing_a_snapshot_does_not_block_the_event_loop(directory: SnapshotDirectory) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    agents = [make_agent(f"a{n}", Record("entry", "k", bytes(1_000_000))) for n in range(4)]
    await directory.create(make_info("first"), stream(agents))
    await read(directory, "first")
    ticking.cancel()

    assert ticks > 20
