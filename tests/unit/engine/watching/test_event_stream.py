import asyncio
import contextlib

import pytest
from tests.unit.domain.sample import image
from tests.unit.engine.world import World, draft, keys_of, settle

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, MergeScope
from memoryd_server.domain.error import (
    DataDamaged,
    Draining,
    ForeignResumeToken,
    InvalidResumeToken,
    RevisionCompacted,
    RevisionInFuture,
    StoreUnavailable,
)
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, ExpireRecords, RestoreAgent
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, encode_resume
from memoryd_server.engine.limit import WATCH_QUEUE_COMMITS_MAX
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchStep
from memoryd_server.ports.store import AgentHead, Commit, CommitPoint

SHORT_NS = 1_000_000
LARGE_VALUE = f'"{"x" * (PAGE_BYTES_MAX // 2)}"'
KEYS_WITH_A = EventSelection((EventFilter(AgentPatterns.of({"a"}), key_prefix="a"),))


def token(world: World, step: WatchStep) -> str:
    assert step.point is not None
    return encode_resume(world.store.store_id, step.point)


def at(position: int, offset: int = 0) -> ResumePoint:
    """Return a point of a store with one shard."""
    return ResumePoint((ShardPoint(0, position, offset),))


async def prune(world: World, rows_max: int) -> None:
    await world.store.prune_journal(rows_max, 0)


async def test_a_watch_opens_at_once_and_yields_later_events() -> None:
    async with World() as world:
        await world.set("before")
        async with world.watch("a") as watch:
            assert watch.last.revision == 1
            await world.set("k")
            step = await watch.next()
            assert (step.phase, keys_of(step), step.revision) == (WatchPhase.LIVE, ["k"], 2)


async def test_an_empty_initial_state_is_complete() -> None:
    async with World() as world, world.watch("a", include_initial_state=True) as watch:
        step = await watch.next()
        assert (step.phase, step.slices, step.revision) == (WatchPhase.INITIAL_STATE_COMPLETE, (), 0)
        await world.set("k")
        assert await watch.keys(1) == ["k"]


async def test_the_initial_state_has_parents_first_and_only_live_entries() -> None:
    async with World() as world:
        await world.do(CreateScope("outer", ROOT, "z"))
        await world.do(CreateScope("inner", "z", "y"))
        for scope_id in ("y", ROOT, "z"):
            await world.set("k", scope_id=scope_id)
        await world.set("expired", ttl_ns=SECOND_NS)
        world.clock.now += SECOND_NS
        async with world.watch("a", include_initial_state=True) as watch:
            step = await watch.next()
            assert (step.phase, step.point, step.revision) == (WatchPhase.INITIAL_STATE, None, 6)
            found = [
                (event.type, event.subject.scope_id, event.revision) for each in step.slices for event in each.events
            ]
            created, was_set = EventType.SCOPE_CREATED, EventType.ENTRY_SET
            assert found == [
                (was_set, "", 4),
                (created, "z", 1),
                (was_set, "z", 5),
                (created, "y", 2),
                (was_set, "y", 3),
            ]
            assert {event.cause for event in step.slices[0].events} == {EventCause.INITIAL_STATE}
            assert (await watch.next()).phase is WatchPhase.INITIAL_STATE_COMPLETE


async def test_events_follow_the_initial_state_without_gap_or_duplicate_during_writes() -> None:
    """A write between any steps of the initial state is yielded exactly once."""
    for moment in range(30):
        async with World() as world:
            await world.set("k0")
            watch = world.watch("a", include_initial_state=True)
            reading = asyncio.create_task(watch.next())
            for _ in range(moment):
                await asyncio.sleep(0)
            writing = asyncio.create_task(world.set("k1"))
            await reading
            await world.set("k2")
            found: list[str] = []
            while len(found) < 3:
                found += keys_of(await watch.next())
            await writing
            await world.set("end")
            assert sorted(found) + await watch.keys(1) == ["k0", "k1", "k2", "end"]
            await watch.__aexit__()


async def test_the_initial_state_of_all_agents_is_yielded_agent_by_agent() -> None:
    async with World() as world:
        for agent_id in ("b", "a", "c"):
            await world.set(f"of {agent_id}", agent_id=agent_id)
        await world.do(EndAgent(), "c")
        async with world.watch(include_initial_state=True) as watch:
            assert await watch.keys(2) == ["of a", "of b"]
            step = await watch.next()
            assert (step.phase, step.revision) == (WatchPhase.INITIAL_STATE_COMPLETE, 0)
            await world.set("k", agent_id="new")
            assert await watch.keys(1) == ["k"]


async def test_a_watch_of_named_agents_yields_no_events_of_others() -> None:
    async with World() as world, world.watch("a", "b", include_initial_state=True) as watch:
        assert (await watch.next()).phase is WatchPhase.INITIAL_STATE_COMPLETE
        for agent_id in ("a", "c", "b"):
            await world.set(f"of {agent_id}", agent_id=agent_id)
        assert await watch.keys(2) == ["of a", "of b"]


async def test_waiting_commits_are_yielded_in_one_step_and_large_ones_in_several() -> None:
    async with World() as world, world.watch("a") as watch:
        for number in range(10):
            await world.set(f"k{number}")
        assert keys_of(await watch.next()) == [f"k{number}" for number in range(10)]
        for number in range(3):
            await world.set(f"large{number}", LARGE_VALUE)
        assert [keys_of(await watch.next()) for _ in range(3)] == [["large0"], ["large1"], ["large2"]]


async def test_a_large_revision_is_split_and_marked_and_can_be_resumed_at_every_part() -> None:
    async with World() as world, world.watch("a") as watch:
        await world.set("before")
        await world.fill(["k0", "k1", "k2"], LARGE_VALUE)
        await world.set("after")
        steps = [await watch.next() for _ in range(5)]
        assert [keys_of(step) for step in steps] == [["before"], ["k0"], ["k1"], ["k2"], ["after"]]
        assert [step.revision for step in steps] == [1, 1, 1, 2, 3]
        assert [step.revision_continues for step in steps] == [False, True, True, False, False]
        for index, step in enumerate(steps):
            async with world.watch("a", resume_token=token(world, step)) as resumed:
                assert resumed.last.revision == step.revision
                found = [keys_of(await resumed.next()) for _ in steps[index + 1 :]]
                assert found == [keys_of(each) for each in steps[index + 1 :]]


async def test_a_large_revision_without_selected_events_is_skipped() -> None:
    async with World() as world, world.watch(selection=KEYS_WITH_A) as watch:
        await world.fill(["k0", "k1", "k2"], LARGE_VALUE)
        await world.set("a")
        assert await watch.keys(1) == ["a"]


async def test_a_watch_can_be_resumed_inside_a_commit_of_several_revisions() -> None:
    async with World() as world:
        await world.set("k0")
        world.held.holds = True
        first = asyncio.create_task(world.set("k1"))
        await settle()
        others = [asyncio.create_task(world.set(f"k{number}")) for number in (2, 3, 4)]
        await settle()
        world.held.holds = False
        world.held.release()
        await asyncio.gather(first, *others)
        assert await world.store.journal_end() == 3
        everything = [f"k{number}" for number in range(5)]
        for revision in range(5):
            async with world.watch("a", after_revision=revision) as watch:
                assert watch.last.revision == revision
                assert await watch.keys(5 - revision) == everything[revision:]
                assert watch.last.revision == 5
        for offset in range(3):
            resumed = encode_resume(world.store.store_id, at(3, offset))
            async with world.watch("a", resume_token=resumed) as watch:
                assert watch.last.revision == 2 + offset
                assert await watch.keys(3 - offset) == everything[2 + offset :]


async def test_a_slow_watcher_is_parked_and_catches_up_without_gap_or_duplicate() -> None:
    async with World() as world, world.watch("a") as watch, world.watch() as every:
        keys = [f"k{number}" for number in range(WATCH_QUEUE_COMMITS_MAX + 300)]
        for key in keys:
            await world.set(key)
        await world.set("other", agent_id="b")
        assert await watch.keys(len(keys)) == keys
        assert await every.keys(len(keys) + 1) == [*keys, "other"]
        await world.set("end")
        assert await watch.keys(1) == await every.keys(1) == ["end"]


async def test_a_watcher_that_is_parked_again_while_it_catches_up_misses_no_event() -> None:
    async with World() as world, world.watch("a") as watch:
        keys = [f"k{number}" for number in range(3 * WATCH_QUEUE_COMMITS_MAX)]
        found: list[str] = []
        for number, key in enumerate(keys):
            await world.set(key)
            if number % 500 == 499:
                found += keys_of(await watch.next())
        assert found + await watch.keys(len(keys) - len(found)) == keys


async def test_a_watcher_that_falls_behind_the_journal_gets_the_oldest_revision() -> None:
    async with World() as world, world.watch("a") as watch:
        for number in range(WATCH_QUEUE_COMMITS_MAX + 2):
            await world.set(f"k{number}")
        await prune(world, 10)
        with pytest.raises(RevisionCompacted) as behind:
            await watch.next()
        assert behind.value.metadata == {"oldest_revision": str(WATCH_QUEUE_COMMITS_MAX + 2 - 9)}


async def test_pruning_does_not_affect_a_watcher_that_is_up_to_date() -> None:
    async with World() as world, world.watch("a") as watch:
        await world.set("k")
        await prune(world, 0)
        assert await watch.keys(1) == ["k"]
        await world.set("l")
        assert await watch.keys(1) == ["l"]


async def test_a_point_that_was_pruned_or_is_in_the_future_is_refused() -> None:
    async with World() as world:
        async with world.watch("a") as watch:
            opened = token(world, watch.last)
        for number in range(5):
            await world.set(f"k{number}")
        await prune(world, 2)
        for start in ({"after_revision": 2}, {"resume_token": opened}):
            with pytest.raises(RevisionCompacted) as compacted:
                await world.watch("a", **start).next()
            assert compacted.value.metadata == {"oldest_revision": "4"}
        async with world.watch(resume_token=opened) as of_all_agents:
            with pytest.raises(RevisionCompacted) as of_all:
                await of_all_agents.next()
        assert of_all.value.metadata == {}
        async with world.watch("a", after_revision=3) as watch:
            assert await watch.keys(2) == ["k3", "k4"]
        for start in ({"after_revision": 6}, {"resume_token": encode_resume(world.store.store_id, at(7))}):
            with pytest.raises(RevisionInFuture) as future:
                await world.watch("a", **start).next()
            assert future.value.metadata == {"revision": "5"}
        async with world.watch("a", after_revision=5) as watch:
            await world.set("next")
            assert await watch.keys(1) == ["next"]


async def test_a_foreign_or_malformed_resume_token_is_refused() -> None:
    async with World() as world:
        with pytest.raises(ForeignResumeToken):
            await world.watch(resume_token=encode_resume("another", at(1))).next()
        with pytest.raises(InvalidResumeToken):
            await world.watch(resume_token="AAAA").next()


async def test_progress_advances_past_filtered_events() -> None:
    async with World() as world, world.watch(selection=KEYS_WITH_A, progress_interval_ns=SHORT_NS) as watch:
        await world.set("b")
        await world.set("c", agent_id="other")
        step = await watch.next()
        while step.point != at(3):
            assert step.phase is WatchPhase.PROGRESS
            step = await watch.next()
        assert (step.slices, step.revision) == ((), 1)
        await prune(world, 0)
        async with world.watch("a", resume_token=token(world, step)) as resumed:
            await world.set("a")
            assert await resumed.keys(1) == ["a"]


async def test_progress_on_commit_is_sent_for_each_commit_of_which_nothing_is_selected() -> None:
    async with World() as world, world.watch(selection=KEYS_WITH_A, progress_on_commit=True) as watch:
        await world.set("b")
        step = await watch.next()
        assert (step.phase, step.revision, step.point) == (WatchPhase.PROGRESS, 1, at(2))
        await world.set("a")
        await world.set("other", agent_id="b")
        step = await watch.next()
        assert (step.phase, keys_of(step), step.revision) == (WatchPhase.LIVE, ["a"], 2)
        await world.set("c")
        assert (await watch.next()).revision == 3
        async with world.watch(selection=KEYS_WITH_A, after_revision=0, progress_on_commit=True) as late:
            found = [await late.next(), await late.next()]
        assert [(each.phase, each.revision) for each in found] == [(WatchPhase.LIVE, 2), (WatchPhase.PROGRESS, 3)]


async def test_progress_is_sent_only_when_a_watcher_is_up_to_date() -> None:
    async with World() as world, world.watch("a", progress_interval_ns=1) as watch:
        keys = [f"k{number}" for number in range(WATCH_QUEUE_COMMITS_MAX + 1)]
        for key in keys:
            await world.set(key)
        found: list[str] = []
        while len(found) < len(keys):
            step = await watch.next()
            assert step.phase is WatchPhase.LIVE
            found += keys_of(step)
        assert (await watch.next()).phase is WatchPhase.PROGRESS
        assert found == keys


async def test_progress_never_passes_what_was_dropped_while_a_watch_waited_for_room() -> None:
    async with World() as world, world.watch("a", progress_interval_ns=1) as watch:
        memory = world.engine.hub.memory
        with contextlib.closing(memory.flow("another connection")) as other:
            other.hold(memory.unsent_bytes_max)
            await world.set("k", LARGE_VALUE)
            waits = asyncio.create_task(watch.next())
            await settle()
            (subscription,) = world.engine.hub._by_agent["a"]
            subscription.park()
        while not keys_of(await waits):
            assert watch.last.point == at(1)
            waits = asyncio.create_task(watch.next())
        assert keys_of(watch.last) == ["k"]


async def test_progress_of_a_watch_of_several_agents_has_no_revision() -> None:
    async with World() as world, world.watch(progress_interval_ns=SHORT_NS) as watch:
        await world.set("k")
        assert (await watch.next()).revision == 0
        assert (await watch.next()).revision == 0


async def test_a_drained_watch_yields_waiting_events_then_progress_then_ends() -> None:
    async with World() as world, world.watch("a") as watch, world.watch() as silent:
        await world.set("k")
        world.engine.hub.close()
        assert await watch.keys(1) == ["k"]
        step = await watch.next()
        assert (step.phase, step.point) == (WatchPhase.PROGRESS, at(2))
        with pytest.raises(Draining):
            await watch.next()
        await silent.keys(1)
        assert (await silent.next()).phase is WatchPhase.PROGRESS


async def test_a_waiting_watch_is_woken_by_the_drain() -> None:
    async with World() as world, world.watch("a") as watch:
        waits = asyncio.create_task(watch.next())
        await settle()
        world.engine.hub.close()
        assert (await waits).phase is WatchPhase.PROGRESS


async def test_a_watch_that_catches_up_is_ended_by_the_drain() -> None:
    async with World() as world:
        for number in range(3):
            await world.set(f"k{number}")
        async with world.watch("a", after_revision=0) as watch:
            world.engine.hub.close()
            with pytest.raises(Draining):
                await watch.next()


async def test_a_watch_that_ends_leaves_no_subscription() -> None:
    async with World() as world:
        async with world.watch("a") as one, world.watch() as every:
            assert (one.last.phase, every.last.phase) == (WatchPhase.OPENED, WatchPhase.OPENED)
        world.held.load_failure = StoreUnavailable()
        with pytest.raises(StoreUnavailable):
            await world.watch("not loaded").next()
        assert (world.engine.hub._by_prefix, world.engine.hub._by_agent) == ({}, {})


async def test_every_deletion_of_an_entry_is_an_event_with_its_cause() -> None:
    async with World() as world, world.watch("a") as watch:
        await world.set("e", ttl_ns=SECOND_NS)
        await world.do(CreateScope("s", ROOT, "s"))
        await world.set("k", scope_id="s")
        await world.do(MergeScope("s", True, True, "m"))
        world.clock.now += SECOND_NS
        await world.do(ExpireRecords())
        await world.set("k")
        await world.do(ClearAgent())
        await world.do(RestoreAgent(image(), "snapshot"))
        await world.do(EndAgent())
        step = await watch.next()
        causes = [(event.type.name, event.cause.name) for each in step.slices for event in each.events]
        assert causes[3:] == [
            ("ENTRY_SET", "MERGE"),
            ("SCOPE_DISPOSED", "REQUEST"),
            ("ENTRY_REMOVED", "EXPIRY"),
            ("ENTRY_SET", "REQUEST"),
            ("ENTRIES_CLEARED", "REQUEST"),
            ("AGENT_RESTORED", "RESTORE"),
            ("AGENT_ENDED", "REQUEST"),
        ]


async def test_a_commit_without_events_advances_the_revision_of_a_watch() -> None:
    async with World() as world, world.watch("a", progress_interval_ns=SHORT_NS) as watch:
        await world.do(ReserveEntry(ROOT, "k", "t", SECOND_NS))
        step = await watch.next()
        while step.point != at(2):
            step = await watch.next()
        assert (step.phase, step.revision) == (WatchPhase.PROGRESS, 1)


async def test_only_durable_events_are_yielded() -> None:
    async with World() as world, world.watch("a", progress_interval_ns=SHORT_NS) as watch:
        world.held.holds = True
        failing = asyncio.create_task(world.do(SetEntry(ROOT, draft("k"), "id")))
        await settle()
        assert (await watch.next()).phase is WatchPhase.PROGRESS
        world.held.fail(StoreUnavailable())
        with pytest.raises(StoreUnavailable):
            await failing
        world.held.holds = False
        await world.set("l")
        while not keys_of(watch.last):
            await watch.next()
        assert keys_of(watch.last) == ["l"]


async def test_a_damaged_journal_row_ends_only_the_watches_that_read_it() -> None:
    async with World() as world:
        await world.held.commit(Commit(AgentHead("a", 1, 1, 1), 0, journal=b"\x03damaged"))
        world.engine.hub.points = [CommitPoint(1, 0)]
        async with world.watch("a", after_revision=0) as damaged:
            with pytest.raises(DataDamaged):
                await damaged.next()
        async with world.watch("b", after_revision=0) as other:
            await world.set("k", agent_id="b")
            assert await other.keys(1) == ["k"]


async def test_a_resumed_watch_of_one_agent_begins_at_its_last_yielded_revision() -> None:
    async with World() as world:
        points = []
        async with world.watch("b", "a") as watch:
            for agent_id in ("a", "b", "a", "b"):
                await world.set("k", agent_id=agent_id)
                points.append(token(world, await watch.next()))
        for point, revision in zip(points, (1, 1, 2, 2), strict=True):
            async with world.watch("a", resume_token=point) as resumed:
                assert resumed.last.revision == revision
