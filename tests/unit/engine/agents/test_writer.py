import asyncio
import logging

import pytest
from tests.unit.engine.store import HeldStore
from tests.unit.engine.world import ManualClock, draft, request, settle, until

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import EntryRemoved, RemoveEntry, SetEntry
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import (
    Overloaded,
    RecordExists,
    RequestIdReused,
    RevisionMismatch,
    StorageFull,
    StoreUnavailable,
)
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import REQUESTS_REMEMBERED_NS_MAX, Limits
from memoryd_server.engine.agents import writer as writer_module
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.request_window import RequestWindow
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.agents.writer import AgentWriter, Stored
from memoryd_server.engine.limit import WRITE_BATCH_COMMANDS_MAX
from memoryd_server.ports.engine_telemetry import EngineTelemetry
from memoryd_server.ports.store import NEVER, Commit, RevisionConflict

MUST_NOT_EXIST = Precondition(must_not_exist=True)


class Desk:
    """A writer, with all that it calls recorded."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.store = HeldStore()
        self.clock = ManualClock()
        self.published: list[Published] = []
        self.changes: list[tuple[int, int]] = []
        self.failures = 0
        self.writer = AgentWriter(
            Stored(AgentState("a"), RequestWindow(), NEVER),
            store=self.store,
            clock=self.clock,
            tiers=Tiers(limits or Limits()),
            telemetry=EngineTelemetry(),
            publish=self.published.append,
            on_change=lambda before, after, *_: self.changes.append((before.revision, after.revision)),
            on_failure=self._note_failure,
            on_conflict=self._note_failure,
        )

    def _note_failure(self, _: AgentWriter) -> None:
        self.failures += 1

    def set(self, key: str, precondition: Precondition | None = None) -> "asyncio.Future[object]":
        return self.writer.submit(SetEntry(ROOT, draft(key), f"id of {key}", "", precondition))

    async def hold(self) -> None:
        """Block the commit of a first command, so that further ones are queued."""
        self.store.holds = True
        self.first = self.set("first")
        await until(lambda: self.store.waiting)


async def test_waiting_commands_are_committed_as_one_unit() -> None:
    desk = Desk()
    await desk.hold()
    answers = [desk.set(key) for key in ("k", "l", "m")]
    desk.store.release()
    await until(lambda: desk.store.waiting)
    assert await desk.first
    assert not any(answer.done() for answer in answers)
    assert desk.writer.state.revision == 1
    desk.store.release()
    assert [(await answer).revision for answer in answers] == [2, 3, 4]
    assert [(each.base_revision, each.revision) for each in desk.published] == [(0, 1), (1, 4)]
    assert desk.changes == [(0, 1), (1, 4)]
    assert [commit.expected_revision for commit in desk.store.commits] == [0, 1]


async def test_a_batch_is_bounded() -> None:
    desk = Desk()
    await desk.hold()
    answers = [desk.set(f"k{number}") for number in range(WRITE_BATCH_COMMANDS_MAX + 1)]
    desk.store.holds = False
    desk.store.release()
    await asyncio.gather(*answers)
    assert [len(commit.puts) for commit in desk.store.commits] == [1, WRITE_BATCH_COMMANDS_MAX, 1]


@pytest.mark.parametrize(("limit", "commits"), [(2, 1), (1, 0)])
async def test_a_large_batch_is_encoded_in_another_turn_than_it_is_decided_in(
    monkeypatch: pytest.MonkeyPatch, limit: int, commits: int
) -> None:
    monkeypatch.setattr(writer_module, "CHANGES_ENCODED_AT_ONCE_MAX", limit)
    desk = Desk()
    answers = [desk.set(key) for key in ("k", "l")]
    await asyncio.sleep(0)
    assert len(desk.store.commits) == commits
    assert not desk.writer.idle
    await asyncio.gather(*answers)
    assert [len(commit.puts) for commit in desk.store.commits] == [2]


async def test_a_change_is_not_visible_before_it_is_committed() -> None:
    desk = Desk()
    await desk.hold()
    await settle()
    assert (desk.writer.state.revision, desk.published, desk.first.done()) == (0, [], False)
    assert not desk.writer.idle
    desk.store.release()
    await desk.first
    assert desk.writer.idle


async def test_a_change_is_visible_and_published_before_it_returns() -> None:
    desk = Desk()
    seen = []
    desk.set("k").add_done_callback(lambda _: seen.append((desk.writer.state.revision, len(desk.published))))
    await until(lambda: seen)
    assert seen == [(1, 1)]


async def test_a_full_store_refuses_the_batch_and_later_ones_succeed() -> None:
    desk = Desk()
    await desk.hold()
    behind = desk.set("behind")
    desk.store.fail(StorageFull())
    with pytest.raises(StorageFull):
        await desk.first
    assert (desk.writer.state.revision, desk.failures) == (0, 0)
    await until(lambda: desk.store.waiting)
    desk.store.release()
    assert (await behind).revision == 1


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (StoreUnavailable(), StoreUnavailable),
        (RevisionConflict("a"), StoreUnavailable),
        (OSError("a defect"), StoreUnavailable),
    ],
)
async def test_a_failed_commit_refuses_all_waiting_commands_and_reloads_the_agent(
    failure: Exception, expected: type[Exception]
) -> None:
    desk = Desk()
    await desk.hold()
    desk.store.release()
    batch = [desk.set("k"), desk.set("first", MUST_NOT_EXIST)]
    await until(lambda: desk.store.waiting)
    behind = desk.set("behind")
    cancelled = desk.set("cancelled")
    cancelled.cancel()
    desk.store.fail(failure)
    for answer in (*batch, behind):
        with pytest.raises(expected):
            await answer
    assert (desk.failures, desk.writer.state.revision, len(desk.published)) == (1, 1, 1)


async def test_an_error_that_a_store_raises_at_once_is_a_failed_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()

    def refuse(_: Commit) -> asyncio.Future[int]:
        raise OSError

    monkeypatch.setattr(desk.store, "commit", refuse)
    with pytest.raises(StoreUnavailable):
        await desk.set("k")
    assert desk.failures == 1
    assert desk.writer.idle


async def test_a_refusal_waits_for_the_commits_that_it_depends_on() -> None:
    desk = Desk()
    await desk.hold()
    set_k, refused = desk.set("k"), desk.set("k", MUST_NOT_EXIST)
    unchanged = desk.writer.submit(RemoveEntry(ROOT, "not there"))
    desk.store.release()
    await until(lambda: desk.store.waiting)
    await settle()
    assert not refused.done()
    assert not unchanged.done()
    desk.store.release()
    assert (await set_k).revision == 2
    with pytest.raises(RecordExists):
        await refused
    assert await unchanged == EntryRemoved(False, 2)


async def test_a_command_without_effect_returns_without_a_commit() -> None:
    desk = Desk()
    assert await desk.writer.submit(RemoveEntry(ROOT, "k")) == EntryRemoved(False, 0)
    assert desk.store.commits == []


async def test_a_command_that_is_cancelled_before_its_decision_is_not_applied() -> None:
    desk = Desk()
    await desk.hold()
    cancelled, kept = desk.set("cancelled"), desk.set("kept")
    cancelled.cancel()
    desk.store.release()
    await until(lambda: desk.store.waiting)
    desk.store.release()
    assert (await kept).revision == 2
    assert set(desk.writer.state.part(WORKING_MEMORY).entries[ROOT]) == {"first", "kept"}


async def test_a_command_that_is_cancelled_after_its_decision_is_applied() -> None:
    desk = Desk()
    await desk.hold()
    desk.first.cancel()
    desk.store.release()
    await until(lambda: desk.published)
    assert set(desk.writer.state.part(WORKING_MEMORY).entries[ROOT]) == {"first"}


async def test_commands_above_the_maximum_of_the_queue_are_refused_at_once() -> None:
    desk = Desk(Limits(queued_commands_per_agent=2))
    await desk.hold()
    waiting = [desk.set("k"), desk.set("l")]
    with pytest.raises(Overloaded) as refused:
        await desk.set("m")
    assert refused.value.metadata == {"limit": "queued_commands_per_agent", "value": "2"}
    desk.store.holds = False
    desk.store.release()
    assert [(await answer).revision for answer in waiting] == [2, 3]


async def test_a_defect_in_one_decision_fails_only_its_command() -> None:
    desk = Desk()
    before, defect, after = desk.set("k"), desk.writer.submit("no command"), desk.set("l")  # type: ignore[arg-type]
    assert [(await before).revision, (await after).revision] == [1, 2]
    with pytest.raises(AttributeError):
        await defect


async def test_ending_drops_all_records_and_a_later_command_of_the_batch_creates_the_agent_again() -> None:
    desk = Desk()
    await desk.hold()
    desk.store.holds = False
    answers = [desk.set("k"), desk.writer.submit(EndAgent()), desk.set("l")]
    desk.store.release()
    await asyncio.gather(*answers)
    commit = desk.store.commits[-1]
    assert (commit.drop_records, [put.key for put in commit.puts]) == (True, ["/l"])
    assert (commit.head.ended, commit.head.record_count, commit.head.revision) == (False, 1, 4)
    stored = await desk.store.load("a")
    assert stored is not None
    assert [record.key for record in stored.records] == ["/l"]


async def test_the_head_of_an_ended_agent_is_marked_as_ended() -> None:
    desk = Desk()
    await desk.set("k")
    await desk.writer.submit(EndAgent())
    head = desk.store.commits[-1].head
    assert (head.ended, head.record_count, head.revision, head.next_deadline) == (True, 0, 2, None)
    assert (head.create_time, head.update_time) == (desk.clock.now, desk.clock.now)


async def test_a_repeated_request_id_returns_the_first_result_within_a_batch() -> None:
    desk = Desk()
    setting = SetEntry(ROOT, draft("k"), "id")
    in_one_batch = [desk.writer.submit(setting, request("r")) for _ in range(3)]
    first, *others = [(await answer).remembered for answer in in_one_batch]
    assert others == [first, first]
    assert await desk.writer.submit(setting, request("r")) == first
    assert desk.writer.state.revision == 1


async def test_the_same_request_id_with_another_body_is_refused() -> None:
    desk = Desk()
    setting = SetEntry(ROOT, draft("k"), "id")
    answers = [desk.writer.submit(setting, request("r", body)) for body in (b"1", b"2")]
    await answers[0]
    with pytest.raises(RequestIdReused) as refused:
        await answers[1]
    assert refused.value.metadata == {"request_id": "r"}
    with pytest.raises(RequestIdReused):
        await desk.writer.submit(setting, request("r", b"3"))


async def test_a_request_without_effect_is_kept_for_its_repetition() -> None:
    desk = Desk()
    removing = RemoveEntry(ROOT, "k")
    assert await desk.writer.submit(removing, request("r")) == EntryRemoved(False, 0)
    await desk.set("k")
    assert await desk.writer.submit(removing, request("r")) == EntryRemoved(False, 0)
    assert desk.writer.state.revision == 1


async def test_a_refused_or_failed_request_can_be_repeated() -> None:
    desk = Desk()
    setting = SetEntry(ROOT, draft("k"), "id", "", Precondition(expected_revision=1))
    with pytest.raises(RevisionMismatch):
        await desk.writer.submit(setting, request("r"))
    await desk.set("k")
    desk.store.holds = True
    failed = desk.writer.submit(setting, request("r"))
    await until(lambda: desk.store.waiting)
    desk.store.fail(StorageFull())
    with pytest.raises(StorageFull):
        await failed
    desk.store.holds = False
    assert (await desk.writer.submit(setting, request("r"))).revision == 2


async def test_a_request_id_expires() -> None:
    desk = Desk()
    setting = SetEntry(ROOT, draft("k"), "id")
    await desk.writer.submit(setting, request("r"))
    desk.clock.now += REQUESTS_REMEMBERED_NS_MAX
    assert (await desk.writer.submit(setting, request("r"))).revision == 1
    desk.clock.now += 1
    assert (await desk.writer.submit(setting, request("r"))).revision == 2


async def test_a_wait_for_a_key_ends_with_a_commit_that_touches_it_in_any_scope() -> None:
    desk = Desk()
    waits = asyncio.create_task(desk.writer.wait_for(WORKING_MEMORY.name, 1e9, "k"))
    await settle()
    assert not desk.writer.idle
    await desk.set("other")
    await settle()
    assert not waits.done()
    await desk.writer.submit(CreateScope("s", ROOT, "scope"))
    await desk.writer.submit(ReserveEntry("scope", "k", "t", 1_000))
    await waits
    assert desk.writer.idle


async def test_a_wait_for_a_key_ends_with_its_timeout_or_its_task() -> None:
    desk = Desk()
    await desk.writer.wait_for(WORKING_MEMORY.name, 0, "k")
    waits = asyncio.create_task(desk.writer.wait_for(WORKING_MEMORY.name, 1e9, "k"))
    await settle()
    waits.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waits
    assert desk.writer.idle


async def test_reads_of_deleted_entries_are_no_longer_counted() -> None:
    desk = Desk()
    for key in ("k", "l", "m"):
        await desk.set(key)
        desk.writer.accesses.note(f"entry//{key}", f"id of {key}", desk.clock.now)
    await desk.writer.submit(RemoveEntry(ROOT, "k"))
    assert list(desk.writer.accesses.counts) == ["entry//l", "entry//m"]
    await desk.writer.submit(SetEntry(ROOT, draft("l"), "another id", "", None))
    assert list(desk.writer.accesses.counts) == ["entry//l", "entry//m"]
    await desk.writer.submit(EndAgent())
    assert not desk.writer.accesses


async def test_an_unknown_failure_is_logged_without_the_written_values(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    await desk.hold()
    with caplog.at_level(logging.WARNING):
        desk.store.fail(OSError("disk"))
        with pytest.raises(StoreUnavailable):
            await desk.first
    assert [record.message for record in caplog.records] == ["commit failed", "agent is loaded again"]
