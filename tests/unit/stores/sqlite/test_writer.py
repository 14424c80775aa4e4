"""The writer, where the acceptance suite cannot test it: other processes at the file, and its limits."""

import asyncio
import errno
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest import mock

import pytest

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.ports.store import AgentHead, AgentQuery, Commit, Record, RecordKey, RevisionConflict
from memoryd_server.stores.sqlite import agent_query, writer
from memoryd_server.stores.sqlite.commits import schedule
from memoryd_server.stores.sqlite.commits.group import Group
from memoryd_server.stores.sqlite.log.log_file import LogFile
from memoryd_server.stores.sqlite.row import read_tail, tail_columns
from memoryd_server.stores.sqlite.store import SqliteStore


def change(agent_id: str, revision: int, *puts: Record) -> Commit:
    return Commit(AgentHead(agent_id, revision + 1, 1, 1, len(puts)), revision, puts, journal=b"row")


def set_generation(directory: Path, step: int) -> None:
    """Change the database's generation by ``step``, as another process or a restored file would."""
    with closing(sqlite3.connect(directory / "memoryd.db", isolation_level=None)) as other:
        tail = read_tail(other.execute("SELECT * FROM store").fetchone())
        columns = tail_columns(tail._replace(generation=tail.generation + step))
        other.execute("UPDATE store SET generation = ?, checksum = ?", (columns[1], columns[-1]))


async def test_more_agents_than_the_writer_caches_can_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_query, "HEADS_KNOWN_MAX", 8)
    monkeypatch.setattr(schedule, "GROUP_COMMITS_MAX", 4)
    store = SqliteStore(tmp_path)
    await store.open()
    for revision in range(3):
        await asyncio.gather(*(store.commit(change(f"a{number}", revision)) for number in range(30)))
    assert {each.head.revision for each in await store.list_agents(AgentQuery(100))} == {3}
    await store.close()


async def test_commits_pass_the_large_ones_of_other_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "LARGE_COMMIT_BYTES_MIN", 1_000)
    store = SqliteStore(tmp_path)
    await store.open()
    large = Record("entry", "k", b"x" * 1_000)
    commits = [change("a", 0, large), change("b", 0, large), change("a", 1), *(change(f"c{n}", 0) for n in range(3))]
    with queued_together(store):
        submitted = asyncio.gather(*map(store.commit, commits))
        await asyncio.sleep(0)
    # Those of the same agent stay in their order.
    assert await submitted == [4, 5, 6, 1, 2, 3]
    await store.close()


async def test_large_commits_are_written_however_many_others_are_queued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "LARGE_COMMIT_ROWS_MIN", 3)
    monkeypatch.setattr(schedule, "GROUP_COMMITS_MAX", 4)
    store = SqliteStore(tmp_path)
    await store.open()
    large = change("a", 0, *(Record("entry", f"{n}", b"") for n in range(3)))
    with queued_together(store):
        submitted = asyncio.gather(*map(store.commit, [large, *(change(f"b{n}", 0) for n in range(20))]))
        await asyncio.sleep(0)
    assert (await submitted)[0] == 5
    await store.close()


@contextmanager
def queued_together(store: SqliteStore) -> Iterator[None]:
    """Let the writer begin with what is submitted in the block once the block has ended."""
    may_go_on = threading.Event()
    thread = store._writer._schedule
    wait = thread._wait

    def wait_later(rest_s: Callable[[], float | None]) -> object:
        work = wait(rest_s)
        may_go_on.wait()
        return work

    thread._wait = wait_later  # type: ignore[assignment,method-assign]
    store._writer.submit(writer.Truncating(asyncio.get_running_loop().create_future()))
    try:
        yield
    finally:
        thread._wait = wait  # type: ignore[method-assign]
        may_go_on.set()


async def test_a_commit_that_cannot_be_written_fails_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    bad = change("b", 0, Record("entry", "\ud800", b""))
    outcomes = await asyncio.gather(*map(store.commit, (change("a", 0), bad, change("c", 0))), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [int, UnicodeEncodeError, int]
    assert await store.load_head("b") is None
    await store.close()


async def test_the_damaged_rows_of_one_agent_refuse_no_commit_of_another(tmp_path: Path) -> None:
    def put(agent_id: str, revision: int) -> Commit:
        return change(agent_id, revision, *(Record("entry", f"{n}", agent_id.encode() * 800) for n in range(12)))

    store = SqliteStore(tmp_path)
    await store.open()
    await asyncio.gather(*(store.commit(put(agent_id, 0)) for agent_id in "abcd"))
    await store.close()
    content = bytearray((tmp_path / "memoryd.db").read_bytes())
    pages = [content[start : start + 4096] for start in range(0, len(content), 4096)]
    number = next(
        n
        for n, page in enumerate(pages)
        if page.count(b"b" * 800) > 2 and b"a" * 800 not in page and b"c" * 800 not in page
    )
    content[number * 4096 : number * 4096 + 4096] = bytes(4096)
    (tmp_path / "memoryd.db").write_bytes(content)
    await store.open()
    outcomes = await asyncio.gather(*(store.commit(put(agent_id, 1)) for agent_id in "abcd"), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [int, DataDamaged, int, int]
    heads = await store.list_agents(AgentQuery(10))
    assert [each.head.revision for each in heads] == [2, 1, 2, 2]
    await store.close()


async def test_a_commit_of_another_process_is_detected_before_it_is_overwritten(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change("a", 0))
    set_generation(tmp_path, 1)
    with pytest.raises(StoreUnavailable):
        await store.commit(change("a", 1))
    with pytest.raises(RevisionConflict):
        await store.commit(change("a", 0))
    assert await store.commit(change("a", 1)) == 2
    await store.close()


async def test_an_older_database_is_refused_until_it_has_all_acknowledged_commits(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change("a", 0))
    set_generation(tmp_path, -1)
    with pytest.raises(StoreUnavailable):
        await store.commit(change("a", 1))
    for _ in range(2):
        with pytest.raises(DataDamaged, match="lost acknowledged commits"):
            await store.commit(change("a", 1))
    set_generation(tmp_path, 1)
    assert await store.commit(change("a", 1)) == 2
    await store.close()


async def test_a_failed_commit_that_was_written_is_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change("a", 0))
    write = Group.write

    def write_and_fail(group: Group, connection: sqlite3.Connection) -> None:
        write(group, connection)
        raise OSError(errno.EIO, "as when the result of a COMMIT is lost")

    with monkeypatch.context() as failing:
        failing.setattr(Group, "write", write_and_fail)
        with pytest.raises(StoreUnavailable):
            await store.commit(change("a", 1))
    with pytest.raises(RevisionConflict):
        await store.commit(change("a", 1))
    assert await store.commit(change("a", 2)) == 3
    await store.close()


async def test_a_store_is_failing_from_a_failed_write_until_one_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LOOK_S", 3_600)
    store, noted = SqliteStore(tmp_path), list[bool]()
    await store.open()
    assert store.room is not None
    store.room.observe_failures(noted.append)
    await store.commit(change("a", 0))
    with monkeypatch.context() as failing:
        failing.setattr(Group, "write", mock.Mock(side_effect=OSError(errno.EIO, "broken")))
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                await store.commit(change("a", 1))
    assert (noted, store.room.is_left) == ([True], True)
    await store.commit(change("a", 1))
    assert noted == [True, False]
    await store.close()


async def test_a_failing_store_is_tried_again_without_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LOOK_S", 0.001)
    store = SqliteStore(tmp_path)
    await store.open()
    assert store.room is not None
    tried, connect = asyncio.Event(), writer.connect_writer
    loop = asyncio.get_running_loop()

    def refuse(*_: object, **__: object) -> sqlite3.Connection:
        loop.call_soon_threadsafe(tried.set)
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(writer, "connect_writer", refuse)
    with monkeypatch.context() as failing:
        failing.setattr(Group, "write", mock.Mock(side_effect=OSError(errno.EIO, "broken")))
        with pytest.raises(StoreUnavailable):
            await store.commit(change("a", 0))
    await tried.wait()
    assert store.room.is_failing
    noted = asyncio.Event()
    store.room.observe_failures(lambda is_failing: None if is_failing else noted.set())
    monkeypatch.setattr(writer, "connect_writer", connect)
    await noted.wait()
    assert await store.commit(change("a", 0)) == 1
    await store.close()


async def test_a_store_whose_file_went_back_is_failing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    assert store.room is not None
    await store.commit(change("a", 0))
    set_generation(tmp_path, -1)
    for _ in range(2):
        with pytest.raises((DataDamaged, StoreUnavailable)):
            await store.commit(change("a", 1))
    assert store.room.is_failing
    set_generation(tmp_path, 1)
    await store.close()


async def test_a_log_that_could_not_be_copied_at_the_end_is_not_missed_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_midway(log_file: LogFile, _: int) -> bool:
        log_file._mark.backfill(running=True)
        raise OSError(errno.EIO, "broken")

    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change("a", 0))
    with monkeypatch.context() as failing:
        failing.setattr(LogFile, "truncate", fail_midway)
        await store.close()
    store = SqliteStore(tmp_path)
    await store.open()
    assert await store.commit(change("a", 1)) == 2
    await store.close()


async def test_closing_leaves_one_file_and_its_mark(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await asyncio.gather(*(store.commit(change("a", revision, Record("entry", "k", b"x"))) for revision in range(50)))
    scan = store.scan()
    assert (await anext(scan)).head.revision == 50
    await store.close()
    names = {path.name for path in tmp_path.iterdir()}  # noqa: ASYNC240 - a few names
    assert names == {"memoryd.db", "memoryd.mark", "memoryd.reserve"}
    await scan.aclose()  # type: ignore[attr-defined]


async def test_the_log_is_copied_while_commits_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryd_server.stores.sqlite.log.log_file.LOG_PAGES_MAX", 16)
    store = SqliteStore(tmp_path)
    await store.open()
    for revision in range(500):
        await store.commit(change("a", revision, Record("entry", f"{revision % 50}", b"x" * 3_000)))
    assert (tmp_path / "memoryd.db-wal").stat().st_size < 1_000_000
    await store.close()


async def test_pruning_ends_although_commits_continue(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open()
    await asyncio.gather(*(store.commit(change("a", revision)) for revision in range(600)))
    pruning = asyncio.create_task(store.prune_journal(0, 0))
    revision = 600
    while not pruning.done():
        await store.commit(change("a", revision))
        revision += 1
    assert 600 <= await pruning <= revision
    await store.close()


async def test_a_small_group_is_written_by_one_statement(tmp_path: Path) -> None:
    """After each further one, the thread would wait for the interpreter's lock."""
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(change("a", 0, Record("entry", "old", b"")))
    statements = list[str]()
    store._writer._connection.set_trace_callback(statements.append)
    head = AgentHead("a", 2, 1, 1, 1)
    put, delete = Record("entry", "new", b"value"), RecordKey("entry", "old")
    await store.commit(Commit(head, 1, (put,), deletes=(delete,), journal=b"row"))
    store._writer._connection.set_trace_callback(None)
    # Each step of the trigger is traced as the statement itself.
    assert len(set(statements)) == 1
    stored = await store.load("a")
    assert stored is not None
    assert stored.records == (put,)
    await store.close()
