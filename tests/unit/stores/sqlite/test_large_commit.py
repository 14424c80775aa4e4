"""Large commits, which are carried out in steps: whole to every reader, also after a crash, and passed by others."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from memoryd_server.domain.error import StorageFull
from memoryd_server.ports.store import AgentHead, Commit, Record, RecordKey, RevisionConflict
from memoryd_server.stores.sqlite import writer
from memoryd_server.stores.sqlite.agent_query import load
from memoryd_server.stores.sqlite.commits import ahead, behind, schedule
from memoryd_server.stores.sqlite.commits.ahead import Ahead
from memoryd_server.stores.sqlite.commits.behind import Behind
from memoryd_server.stores.sqlite.commits.group import Group
from memoryd_server.stores.sqlite.row import Tail
from memoryd_server.stores.sqlite.schema import connect_reader
from memoryd_server.stores.sqlite.store import SqliteStore

Step = tuple[Tail, int]
EachStep = Callable[[Callable[[], None]], list[int]]
BEFORE = {("entry", "kept"): b"before", ("entry", "replaced"): b"before", ("entry", "deleted"): b"before"}
NEW = {("note", f"{number}"): b"new" for number in range(10)}
AFTER = {("entry", "kept"): b"before", ("entry", "replaced"): b"after", **NEW}


def head(revision: int, count: int, agent_id: str = "a") -> AgentHead:
    return AgentHead(agent_id, revision, 1, 1, count)


def records(contents: dict[tuple[str, str], bytes]) -> tuple[Record, ...]:
    return tuple(Record(*name, data) for name, data in contents.items())


LARGE = Commit(
    head(2, len(AFTER)),
    1,
    records({("entry", "replaced"): b"after", **NEW}),
    deletes=(RecordKey("entry", "deleted"),),
    journal=b"large",
)
REMOVAL = Commit(
    head(3, 1),
    2,
    records({("entry", "kept"): b"last"}),
    deletes=(RecordKey("entry", "replaced"), *(RecordKey(*name) for name in NEW)),
    journal=b"removal",
)
MOST = {("entry", "kept"): b"last", ("document", "a"): b"new"}
EXCHANGE = Commit(
    head(3, 4 + len(MOST)),
    2,
    records({**MOST, **{("document", f"b{number}"): b"new" for number in range(4)}}),
    deletes=REMOVAL.deletes,
    journal=b"exchange",
)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "LARGE_COMMIT_ROWS_MIN", 10)
    for each in (ahead, behind):
        monkeypatch.setattr(each, "STEP_ROWS_MAX", 3)


@pytest.fixture
def each_step(monkeypatch: pytest.MonkeyPatch) -> EachStep:
    """Return what sets a function that is called after each step. It returns the sizes of the steps in pages."""
    carry_out, pages = {each: each.carry_out for each in (Ahead, Behind)}, list[int]()

    def set_function(function: Callable[[], None]) -> list[int]:
        def carried_out(self: Ahead | Behind, connection: sqlite3.Connection, tail: Tail) -> Step:
            step = carry_out[type(self)](self, connection, tail)  # type: ignore[arg-type]
            pages.append(step[1])
            function()
            return step

        for each in carry_out:
            monkeypatch.setattr(each, "carry_out", carried_out)
        return pages

    return set_function


async def begun(directory: Path) -> SqliteStore:
    store = SqliteStore(directory)
    await store.open()
    await store.commit(Commit(head(1, len(BEFORE)), 0, records(BEFORE), journal=b"first"))
    return store


async def contents(store: SqliteStore) -> dict[tuple[str, str], bytes]:
    stored = await store.load("a")
    assert stored is not None
    return {(each.kind, each.key): each.data for each in stored.records}


def rows(directory: Path) -> list[tuple[int, str, str]]:
    with closing(sqlite3.connect(directory / "memoryd.db")) as connection:
        return connection.execute("SELECT agent_key, kind, key FROM record ORDER BY kind, key").fetchall()


def result_of(commit: Commit, before: dict[tuple[str, str], bytes]) -> dict[tuple[str, str], bytes]:
    kept = {name: data for name, data in before.items() if RecordKey(*name) not in commit.deletes}
    return {**kept, **{(each.kind, each.key): each.data for each in commit.puts}}


CASES = {
    # The naming, then ten new rows by three. The row that replaces another and the one that is deleted are not ahead.
    "rows written": (LARGE, 5, 0),
    # Ten rows by three. The one of another kind is deleted, and the one that replaces another written, by the commit.
    "rows deleted": (REMOVAL, 0, 4),
    "rows written and others deleted": (EXCHANGE, 3, 4),
}


async def prepared(directory: Path, commit: Commit) -> tuple[SqliteStore, dict[tuple[str, str], bytes]]:
    """Return a store in which the commit can be made, and the contents before it."""
    store = await begun(directory)
    if commit is LARGE:
        return store, BEFORE
    await store.commit(LARGE)
    return store, AFTER


def sorted_rows(names: Iterable[tuple[str, str]]) -> list[tuple[int, str, str]]:
    return sorted(((1, *name) for name in names), key=lambda row: row[1:])


@pytest.mark.parametrize(("commit", "ahead", "behind"), CASES.values(), ids=CASES)
async def test_to_every_reader_a_large_commit_is_there_as_a_whole_or_not(
    tmp_path: Path, each_step: EachStep, commit: Commit, ahead: int, behind: int
) -> None:
    store, before = await prepared(tmp_path, commit)
    after, seen = result_of(commit, before), list[dict[tuple[str, str], bytes]]()

    def look() -> None:
        with closing(connect_reader(tmp_path / "memoryd.db")) as connection:
            stored = load(connection, "a")
        assert stored is not None
        seen.append({(each.kind, each.key): each.data for each in stored.records})

    each_step(look)
    await store.commit(commit)
    assert seen == [before] * ahead + [after] * behind
    assert await contents(store) == after
    await store.close()
    assert rows(tmp_path) == sorted_rows(after)


@pytest.mark.whole
@pytest.mark.parametrize(("commit", "ahead", "behind"), CASES.values(), ids=CASES)
async def test_what_a_crash_leaves_of_a_large_commit_is_gone_before_the_next_write(
    tmp_path: Path, each_step: EachStep, commit: Commit, ahead: int, behind: int
) -> None:
    store, before = await prepared(tmp_path / "data", commit)
    after, copies = result_of(commit, before), list[Path]()

    def copy() -> None:
        copies.append(tmp_path / f"copy-{len(copies)}")
        shutil.copytree(tmp_path / "data", copies[-1])

    each_step(copy)
    await store.commit(commit)
    await store.close()
    assert len(copies) == ahead + behind
    for number, each in enumerate(tuple(copies)):
        found = before if number < ahead else after
        crashed = SqliteStore(each)
        await crashed.open()
        assert await contents(crashed) == found
        await crashed.commit(Commit(head(1, 0, "b"), 0, journal=b"other"))
        assert rows(each) == sorted_rows(found)
        if found is before:
            await crashed.commit(commit)
            assert await contents(crashed) == after
        await crashed.close()


@pytest.mark.parametrize(("commit", "ahead", "behind"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk I/O error"), OSError(28, "no space"), StorageFull()])
async def test_a_commit_of_which_a_step_fails_is_carried_out_nevertheless(
    tmp_path: Path, each_step: EachStep, commit: Commit, ahead: int, behind: int, error: Exception
) -> None:
    for failing in range(ahead + behind):
        store, before = await prepared(tmp_path / f"{failing}", commit)
        left = [failing]

        def fail(left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == -1:
                raise error

        each_step(fail)
        await store.commit(commit)
        each_step(lambda: None)
        await store.commit(Commit(head(1, 0, "b"), 0, journal=b"other"))
        assert await contents(store) == result_of(commit, before)
        await store.close()
        assert rows(tmp_path / f"{failing}") == sorted_rows(result_of(commit, before))


async def test_rows_between_which_others_are_stored_are_written_and_deleted_by_the_commit(
    tmp_path: Path, each_step: EachStep
) -> None:
    store = await begun(tmp_path)
    steps = each_step(lambda: None)
    await store.commit(Commit(head(2, 4), 1, records({("note", "5-"): b""}), journal=b"between"))
    await store.commit(Commit(head(3, 4 + len(NEW)), 2, records(NEW), journal=b"large"))
    deletes = tuple(RecordKey(*name) for name in NEW)
    await store.commit(Commit(head(4, 4), 3, deletes=deletes, journal=b"removal"))
    assert steps == []
    assert await contents(store) == {**BEFORE, ("note", "5-"): b""}
    await store.close()


async def test_a_row_that_is_stored_in_the_place_of_a_deleted_one_that_is_not_stays(tmp_path: Path) -> None:
    store, _ = await prepared(tmp_path, REMOVAL)
    await store.commit(Commit(head(3, len(AFTER) + 1), 2, records({("note", "5-"): b"stays"}), journal=b"between"))
    deletes = (*(RecordKey("note", f"{number}") for number in range(10)), RecordKey("note", "4-"))
    await store.commit(Commit(head(4, 3), 3, deletes=deletes, journal=b"removal"))
    assert await contents(store) == {
        ("entry", "kept"): b"before",
        ("entry", "replaced"): b"after",
        ("note", "5-"): b"stays",
    }
    await store.close()


async def test_rows_that_are_deleted_and_written_again_are_written_by_the_commit(
    tmp_path: Path, each_step: EachStep
) -> None:
    store, _ = await prepared(tmp_path, REMOVAL)
    steps = each_step(lambda: None)
    again = {("note", "3-"): b"again"}
    await store.commit(Commit(head(3, 2), 2, records(again), deletes=REMOVAL.deletes, journal=b"again"))
    assert steps == []
    assert await contents(store) == {("entry", "kept"): b"before", **again}
    await store.close()


async def test_commits_of_others_are_written_between_the_steps(tmp_path: Path, each_step: EachStep) -> None:
    store = await begun(tmp_path)
    loop = asyncio.get_running_loop()
    small: list[asyncio.Future[int]] = []

    def submit() -> None:
        number = len(small)
        small.append(store.commit(Commit(head(1, 0, f"small-{number}"), 0, journal=b"small")))

    def submit_and_wait() -> None:
        async def submitted() -> None:
            submit()

        asyncio.run_coroutine_threadsafe(submitted(), loop).result()

    each_step(submit_and_wait)
    later = Commit(head(3, len(AFTER)), 2, journal=b"later")
    large, last = store.commit(LARGE), store.commit(later)
    position = await large
    # The group that is written after the last step may have the last one, too.
    assert sum(each.result() < position for each in small if each.done()) >= 4
    assert await last > position
    await asyncio.gather(*small)
    assert await contents(store) == AFTER
    await store.close()


async def test_a_failure_of_another_commit_does_not_take_part_of_a_large_one_along(
    tmp_path: Path, each_step: EachStep
) -> None:
    store = await begun(tmp_path)

    def fail() -> None:
        store._writer._failed(sqlite3.OperationalError("disk I/O error"))

    assert each_step(fail) == []
    await store.commit(LARGE)
    assert await contents(store) == AFTER
    await store.close()
    assert rows(tmp_path) == sorted_rows(AFTER)


async def test_a_commit_whose_rows_cannot_be_looked_up_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    store = await begun(tmp_path)
    monkeypatch.setattr(writer, "behind_of", failing)
    await store.commit(LARGE)
    assert await contents(store) == AFTER
    await store.close()
    assert rows(tmp_path) == sorted_rows(AFTER)


async def test_a_conflict_leaves_nothing(tmp_path: Path) -> None:
    store = await begun(tmp_path)
    with pytest.raises(RevisionConflict):
        await store.commit(Commit(head(6, len(AFTER)), 5, LARGE.puts, journal=b"conflict"))
    assert await contents(store) == BEFORE
    await store.commit(LARGE)
    await store.close()
    assert rows(tmp_path) == sorted_rows(AFTER)


@pytest.mark.parametrize("commit", [commit for commit, *_ in CASES.values()], ids=CASES)
async def test_a_commit_that_is_refused_between_its_steps_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: Commit
) -> None:
    store, before = await prepared(tmp_path, commit)
    with monkeypatch.context() as patched:
        patched.setattr(writer, "Group", _Refusing)
        with pytest.raises(RevisionConflict):
            await store.commit(commit)
    assert await contents(store) == before
    next_ = Commit(head(commit.expected_revision + 1, len(before)), commit.expected_revision, journal=b"next")
    await store.commit(next_)
    assert await contents(store) == before
    await store.close()
    assert rows(tmp_path) == sorted_rows(before)


class _Refusing(Group):
    def add(self, commit: Commit) -> int:
        raise RevisionConflict(commit.head.agent_id)


async def test_a_new_agent_and_one_that_begins_again_are_written_whole(tmp_path: Path, each_step: EachStep) -> None:
    store = await begun(tmp_path)
    steps = each_step(lambda: None)
    await store.commit(Commit(head(1, len(NEW), "b"), 0, records(NEW), journal=b"new"))
    await store.commit(Commit(head(2, len(NEW)), 1, records(NEW), journal=b"again", drop_records=True))
    assert steps == []
    assert await contents(store) == NEW
    await store.close()
