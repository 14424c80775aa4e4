"""Damaged files of the embedded store: each read returns exactly what was written, or is refused."""

import asyncio
import random
import shutil
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from sys import maxsize
from typing import TypeVar

import pytest

from memoryd_server.domain.error import DataDamaged, SchemaTooNew
from memoryd_server.ports.store import AgentHead, AgentQuery, Commit, JournalRow, Record, RecordKey, Store, StoredAgent
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.inspection.inspection import SqliteInspection
from memoryd_server.stores.sqlite.log import log_file
from memoryd_server.stores.sqlite.log.frame import FRAME_BYTES, HEADER_BYTES, encode_frames, read_frames
from memoryd_server.stores.sqlite.mark import Mark, _encode, read_mark
from memoryd_server.stores.sqlite.store import SqliteStore

_R = TypeVar("_R")

LEAF_OF_INDEX = 0x0A
"""The first byte of such a page of SQLite. Records are in an index."""
FILES = ("memoryd.db", "memoryd.db-wal", "memoryd.mark")
AGENTS = [f"agent-{number}" for number in range(12)]


@dataclass(frozen=True)
class Truth:
    """The files that a killed process left, and their content as the reference store has it."""

    directory: Path
    store_id: str
    agents: dict[str, StoredAgent]
    rows: tuple[JournalRow, ...]


def history(rng: random.Random, commits: int) -> list[Commit]:
    """Return commits that put, delete and drop records of all sizes, for several agents."""
    held: dict[str, set[RecordKey]] = {agent_id: set() for agent_id in AGENTS}
    revisions = dict.fromkeys(AGENTS, 0)
    made = []
    for number in range(commits):
        agent_id = rng.choice(AGENTS)
        drop = rng.random() < 0.02
        deletes = set() if drop else {key for key in held[agent_id] if rng.random() < 0.05}
        puts = {RecordKey("entry", f"key-{rng.randrange(40)}") for _ in range(rng.randrange(6))} - deletes
        held[agent_id] = (set() if drop else held[agent_id] - deletes) | puts
        revision = revisions[agent_id]
        revisions[agent_id] += 1
        deadline = None if number % 3 else number
        head = AgentHead(agent_id, revision + 1, 1, number, len(held[agent_id]), deadline)
        records = tuple(Record(k.kind, k.key, rng.randbytes(rng.choice((10, 200, 9_000)))) for k in sorted_keys(puts))
        journal = rng.randbytes(rng.choice((10, 300, 5_000)))
        made.append(Commit(head, revision, records, tuple(sorted_keys(deletes)), journal, drop))
    return made


def sorted_keys(keys: set[RecordKey]) -> list[RecordKey]:
    return sorted(keys, key=lambda key: key.key)


async def replay(store: Store, commits: list[Commit]) -> None:
    for start in range(0, len(commits), 7):
        await asyncio.gather(*map(store.commit, commits[start : start + 7]))


async def make_truth(directory: Path) -> Truth:
    """Make the files of a killed process: half of the history is in the main file, the rest only in the log."""
    commits = history(random.Random(7), 400)
    reference = InMemoryStore()
    await reference.open()
    await replay(reference, commits)
    live = directory / "live"
    store = SqliteStore(live, Durability.JOURNALED)
    await store.open()
    await replay(store, commits[:200])
    await store.close()
    killed = directory / "killed"
    killed.mkdir()
    with pytest.MonkeyPatch.context() as patched:
        # The log is not copied: on a slow machine, the files would be those of a process that was killed meanwhile.
        patched.setattr(log_file, "LOG_IDLE_PAGES_MIN", maxsize)
        store = SqliteStore(live, Durability.JOURNALED)
        await store.open()
        await replay(store, commits[200:])
        for name in FILES:
            shutil.copy(live / name, killed)
        await store.close()
    assert (killed / "memoryd.db-wal").stat().st_size > 100_000
    agents = {agent.head.agent_id: agent async for agent in reference.scan()}
    return Truth(killed, store.store_id, agents, (await reference.read_journal(0, 10_000)).rows)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    return asyncio.run(make_truth(tmp_path_factory.mktemp("truth")))


@contextmanager
def copied(truth: Truth, tmp_path: Path) -> Iterator[Path]:
    """A copy of the files, for one round. It is removed, since a store reserves 32 MB of disk and rounds are many."""
    directory = tmp_path / "copy"
    shutil.copytree(truth.directory, directory)
    yield directory
    shutil.rmtree(directory)


async def unless_damaged(read: Awaitable[_R]) -> _R | None:
    """Return the result of a read, or None if it was refused as damaged."""
    try:
        return await read
    except DataDamaged:
        return None


def same_agent(found: StoredAgent | None, expected: StoredAgent) -> bool:
    return found is None or (found.head == expected.head and set(found.records) == set(expected.records))


async def verify_agents(store: SqliteStore, truth: Truth) -> None:
    """Assert that each read is exact or refused, and that no existing agent is reported as missing."""
    assert store.store_id == truth.store_id
    for agent_id, expected in truth.agents.items():
        with suppress(DataDamaged):
            found = await store.load(agent_id)
            assert found is not None
            assert same_agent(found, expected)
    listed = await unless_damaged(store.list_agents(AgentQuery(100)))
    heads = None if listed is None else [each.head for each in listed]
    assert heads in (None, [truth.agents[agent_id].head for agent_id in sorted(truth.agents)])
    with suppress(DataDamaged):
        scanned = [agent async for agent in store.scan()]
        assert len(scanned) == len(truth.agents)
        assert all(same_agent(agent, truth.agents[agent.head.agent_id]) for agent in scanned)
    due = await unless_damaged(store.due_agents(300, 100))
    assert due is None or set(due) == {
        a.head.agent_id
        for a in truth.agents.values()
        if a.head.next_deadline is not None and a.head.next_deadline <= 300
    }


async def verify_journal(store: SqliteStore, truth: Truth) -> None:
    for after in range(0, len(truth.rows), 64):
        page = await unless_damaged(store.read_journal(after, 64))
        assert page is None or page.rows == truth.rows[after : after + 64]
    for agent_id in truth.agents:
        own = tuple(row for row in truth.rows if row.agent_id == agent_id)
        page = await unless_damaged(store.read_journal(0, 1_000, {agent_id}))
        assert page is None or page.rows == own
        recent = await unless_damaged(store.recent_journal(agent_id, 0, 10))
        assert recent is None or tuple(recent) == own[-10:]
        middle = own[len(own) // 2]
        position = await unless_damaged(store.locate(agent_id, middle.base_revision))
        assert position is None or position == middle.position - 1


async def outcome(directory: Path, truth: Truth) -> str:
    """Open the files, verify every read, and write once; return whether the files were opened or refused."""
    store = SqliteStore(directory, Durability.JOURNALED)
    try:
        await store.open()
    except (DataDamaged, SchemaTooNew):
        return "refused"
    try:
        await verify_agents(store, truth)
        await verify_journal(store, truth)
        with suppress(DataDamaged):
            await store.commit(Commit(AgentHead("new", 1, 1, 1), 0, journal=b"new"))
    finally:
        await store.close()
    return "opened"


def flip(content: bytearray, rng: random.Random) -> str:
    place = rng.randrange(len(content))
    content[place] ^= 1 << rng.randrange(8)
    return f"flipped at {place}"


def flip_early(content: bytearray, rng: random.Random) -> str:
    place = rng.randrange(min(len(content), 8192))
    content[place] = rng.randrange(256)
    return f"overwritten at {place}"


def cut(content: bytearray, rng: random.Random) -> str:
    place = rng.randrange(len(content))
    del content[place:]
    return f"cut at {place}"


def erase(content: bytearray, rng: random.Random) -> str:
    place = rng.randrange(len(content)) // 4096 * 4096
    content[place : place + 4096] = bytes(len(content[place : place + 4096]))
    return f"erased the page at {place}"


DAMAGES: tuple[Callable[[bytearray, random.Random], str], ...] = (flip, flip_early, cut, erase)


@pytest.mark.whole
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "rounds", [6, pytest.param(400, marks=[pytest.mark.faults, pytest.mark.timeout(1_800)])], ids=["few", "many"]
)
async def test_a_damaged_file_is_recovered_exactly_or_refused(
    truth: Truth, tmp_path: Path, name: str, rounds: int
) -> None:
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    for number in range(rounds):
        for damage in DAMAGES:
            with copied(truth, tmp_path) as directory:
                content = bytearray((directory / name).read_bytes())
                what = damage(content, rng)
                (directory / name).write_bytes(content)
                try:
                    await outcome(directory, truth)
                except BaseException as error:
                    error.add_note(f"seed {seed}, round {number}: {name} {what}")
                    raise


async def inspect(directory: Path, truth: Truth) -> set[str]:
    """Assert that an inspection names all agents, and that what it calls whole is exact. Return the whole ones."""
    inspection = SqliteInspection(directory)
    await inspection.open()
    try:
        found = {agent.agent_id: agent.stored async for agent in inspection.agents()}
        whole = {agent_id: stored for agent_id, stored in found.items() if stored is not None}
        if not inspection.loss:
            assert truth.agents.keys() >= whole.keys()
            assert truth.agents.keys() <= found.keys() or "" in found
            assert all(same_agent(stored, truth.agents[agent_id]) for agent_id, stored in whole.items())
        return set(whole)
    finally:
        await inspection.close()


@pytest.mark.whole
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "rounds", [6, pytest.param(400, marks=[pytest.mark.faults, pytest.mark.timeout(1_800)])], ids=["few", "many"]
)
async def test_an_inspection_finds_all_damage_and_changes_nothing(
    truth: Truth, tmp_path: Path, name: str, rounds: int
) -> None:
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    for number in range(rounds):
        for damage in DAMAGES:
            with copied(truth, tmp_path) as directory:
                content = bytearray((directory / name).read_bytes())
                what = damage(content, rng)
                (directory / name).write_bytes(content)
                before = {each: (directory / each).read_bytes() for each in FILES}
                try:
                    with suppress(DataDamaged, SchemaTooNew):
                        await inspect(directory, truth)
                    assert {each: (directory / each).read_bytes() for each in FILES} == before
                except BaseException as error:
                    error.add_note(f"seed {seed}, round {number}: {name} {what}")
                    raise


async def test_all_agents_are_whole_without_damage(truth: Truth, tmp_path: Path) -> None:
    shutil.copytree(truth.directory, tmp_path / "copy")
    assert await inspect(tmp_path / "copy", truth) == truth.agents.keys()


@pytest.mark.parametrize(
    "every", [90, pytest.param(9, marks=[pytest.mark.whole, pytest.mark.timeout(1_800)])], ids=["few", "many"]
)
async def test_agents_are_served_in_spite_of_a_damaged_page_in_the_log(
    truth: Truth, tmp_path: Path, every: int
) -> None:
    log = (truth.directory / "memoryd.db-wal").read_bytes()
    served = whole = 0
    frames = read_frames(log)
    for place in range(0, len(frames) - 1, every):
        with copied(truth, tmp_path) as directory:
            content = bytearray(log)
            start = HEADER_BYTES + place * FRAME_BYTES + 24 + 100
            content[start : start + 512] = bytes(byte ^ 0xFF for byte in content[start : start + 512])
            (directory / "memoryd.db-wal").write_bytes(content)
            whole += len(await inspect(directory, truth))
            if await outcome(directory, truth) == "opened":
                served += 1
                assert (directory / "memoryd.db-wal.damaged-1").read_bytes() == content
    assert served > len(frames) // (2 * every)
    assert whole > served


@pytest.mark.whole
async def test_a_flipped_bit_in_a_page_of_the_log_loses_nothing(truth: Truth, tmp_path: Path) -> None:
    log = (truth.directory / "memoryd.db-wal").read_bytes()
    rng = random.Random(4)
    for _ in range(12):
        with copied(truth, tmp_path) as directory:
            content = bytearray(log)
            place = rng.randrange(len(read_frames(log)) - 1)
            # Not a word's highest byte, where several places may explain the difference.
            at = HEADER_BYTES + place * FRAME_BYTES + 24 + rng.randrange(1024) * 4 + rng.randrange(2)
            content[at] ^= 1 << rng.randrange(8)
            (directory / "memoryd.db-wal").write_bytes(content)
            assert await inspect(directory, truth) == truth.agents.keys()
            assert await outcome(directory, truth) == "opened"


def stale_frames(log: bytes) -> bytes:
    """Return what a failed transaction may have left behind the end of a log: earlier records, and the last tail."""
    frames = read_frames(log)
    first = {number: frame.page or b"" for frame in reversed(frames) for number in frame.numbers}
    tail = max(number for number, frame in enumerate(frames) if frame.numbers == (2,))
    pages = [(number, page) for number, page in first.items() if page[0] == LEAF_OF_INDEX and b"entry" in page]
    salts = struct.unpack(">2I", log[16:24])
    # The chain is another one: the frame that these follow has been overwritten.
    return encode_frames([*pages, (2, frames[tail].page or b"")], frames[-1].pages_total, salts, (1, 2))


def move_to_an_earlier_boot(mark: Path) -> None:
    """Make the mark one that was written before the machine was started again, some commits before its last ones."""
    found = read_mark(mark)
    assert found is not None
    earlier = found._replace(sequence=found.sequence + 1, boot_id=b"an earlier boot!", synced_generation=1)
    mark.write_bytes(_encode(earlier).ljust(2048, b"\0") * 2)


def is_mended(directory: Path) -> bool:
    return any(directory.glob("*.damaged-*"))


async def opened(directory: Path, truth: Truth, is_of_this_boot: bool) -> str:
    """Return "refused", "mended" or "opened", having asserted that a store that opens has everything."""
    found = SqliteStore(directory, Durability.JOURNALED)
    try:
        await found.open()
    except DataDamaged:
        return "refused"
    try:
        # What SQLite recovers itself may end at the damage, if the mark of an earlier boot asks for no more.
        if is_of_this_boot:
            scanned = {agent.head.agent_id: agent async for agent in found.scan()}
            assert scanned.keys() == truth.agents.keys()
            assert all(same_agent(agent, truth.agents[agent_id]) for agent_id, agent in scanned.items())
            await verify_journal(found, truth)
    finally:
        await found.close()
    return "mended" if is_mended(directory) else "opened"


@pytest.mark.whole
@pytest.mark.parametrize("is_of_this_boot", [True, False])
async def test_what_a_failed_transaction_left_is_never_read(
    truth: Truth, tmp_path: Path, is_of_this_boot: bool
) -> None:
    log = (truth.directory / "memoryd.db-wal").read_bytes()
    frames = read_frames(log)
    stale = stale_frames(log)
    outcomes = []
    for place in range(0, len(frames) - 1, len(frames) // 12):
        with copied(truth, tmp_path) as directory:
            content = bytearray(log[: HEADER_BYTES + len(frames) * FRAME_BYTES] + stale)
            content[HEADER_BYTES + place * FRAME_BYTES + 24 + 100] ^= 1
            (directory / "memoryd.db-wal").write_bytes(content)
            if not is_of_this_boot:
                move_to_an_earlier_boot(directory / "memoryd.mark")
            outcomes.append(await opened(directory, truth, is_of_this_boot))
    assert ("mended" in outcomes) is is_of_this_boot


async def test_undamaged_files_of_a_killed_process_open(truth: Truth, tmp_path: Path) -> None:
    shutil.copytree(truth.directory, tmp_path / "copy")
    assert await outcome(tmp_path / "copy", truth) == "opened"


@pytest.mark.parametrize("name", ["memoryd.db", "memoryd.db-wal"])
async def test_a_missing_file_is_refused_until_the_loss_is_accepted(truth: Truth, tmp_path: Path, name: str) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(truth.directory, directory)
    (directory / name).unlink()
    for _ in range(2):
        with pytest.raises(DataDamaged, match=r"delete memoryd\.mark to accept"):
            await SqliteStore(directory).open()
    (directory / "memoryd.mark").unlink()
    store = SqliteStore(directory)
    await store.open()
    assert await store.journal_end() < len(truth.rows)
    assert (store.store_id == truth.store_id) == (name != "memoryd.db")
    await store.close()


async def test_a_refused_open_leaves_the_files_unchanged(truth: Truth, tmp_path: Path) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(truth.directory, directory)
    log = directory / "memoryd.db-wal"
    log.write_bytes(log.read_bytes()[:20_000])
    before = {name: (directory / name).read_bytes() for name in FILES}
    with pytest.raises(DataDamaged):
        await SqliteStore(directory).open()
    assert {name: (directory / name).read_bytes() for name in FILES} == before


async def test_a_log_that_vanished_during_a_checkpoint_is_refused(truth: Truth, tmp_path: Path) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(truth.directory, directory)
    store = SqliteStore(directory)
    await store.open()
    await store.close()
    path = directory / "memoryd.mark"
    found = read_mark(path)
    assert found is not None
    mark = Mark(path, found, store.store_id, found.generation)
    mark.backfill(running=True)
    mark.close()
    for _ in range(2):
        with pytest.raises(DataDamaged, match="the log was lost"):
            await SqliteStore(directory).open()


async def test_a_database_from_a_backup_is_refused_beside_a_newer_mark(truth: Truth, tmp_path: Path) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(truth.directory, directory)
    store = SqliteStore(directory)
    await store.open()
    await store.close()
    shutil.copytree(directory, tmp_path / "backup")
    store = SqliteStore(directory)
    await store.open()
    await store.commit(Commit(AgentHead("new", 1, 1, 1), 0, journal=b"new"))
    await store.close()
    shutil.copy(tmp_path / "backup" / "memoryd.db", directory)
    with pytest.raises(DataDamaged, match="lacks acknowledged commits"):
        await SqliteStore(directory).open()
