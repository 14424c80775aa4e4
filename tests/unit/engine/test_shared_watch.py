"""Watches and listings of events through several engines over one store of several shards."""

import asyncio
from collections.abc import Collection

import msgspec
import pytest
from tests.unit.engine.shared_store import SharedStore, agents_of_all_shards, sharing
from tests.unit.engine.world import Watcher, World, keys_of, until

from memoryd_server.domain.agent.event import EventFilter, EventSelection, EventSpan
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import (
    HistoryLost,
    InvalidPageToken,
    InvalidResumeToken,
    RevisionCompacted,
    RevisionInFuture,
)
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, encode_event_page, encode_resume
from memoryd_server.engine.limit import WATCH_QUEUE_COMMITS_MAX
from memoryd_server.engine.watching.events import EventListing
from memoryd_server.engine.watching.watch_step import WatchPhase
from memoryd_server.ports.store import CommitPoint

SHORT_NS = 1_000_000
LISTING = b"listing."
ALL = EventSelection()


def token(world: World, watch: Watcher) -> str:
    assert watch.last.point is not None
    return encode_resume(world.store.store_id, watch.last.point)


def positions(point: ResumePoint | None) -> dict[int, int]:
    """Return each shard's position, which must be at the end of a commit."""
    assert point is not None
    assert not any(each.offset for each in point.shards)
    return {each.shard: each.position for each in point.shards}


def after(revision: int, selection: EventSelection) -> EventSelection:
    return msgspec.structs.replace(selection, span=EventSpan(revision))


async def next_events(watch: Watcher, count: int) -> list[tuple[str, str]]:
    """Return agent and key of the next events, of which there must be exactly ``count``."""
    found: list[tuple[str, str]] = []
    while len(found) < count:
        step = await watch.next()
        found += [(each.commit.agent_id, event.subject.key) for each in step.slices for event in each.events]
    assert len(found) == count
    return found


def keys_by_agent(found: list[tuple[str, str]]) -> dict[str, list[str]]:
    by_agent: dict[str, list[str]] = {}
    for agent_id, key in found:
        by_agent.setdefault(agent_id, []).append(key)
    return by_agent


async def test_a_watch_yields_the_commits_of_both_engines_in_order_and_once() -> None:
    async with sharing(SharedStore()) as (a, b), b.watch("a") as watch, a.watch("a") as other:
        keys = [f"k{number}" for number in range(60)]
        for number, key in enumerate(keys):
            await (a, b)[number % 2].set(key)
        assert await watch.keys(60) == await other.keys(60) == keys
        assert watch.last.revision == 60
        await a.set("end")
        assert await watch.keys(1) == ["end"]


async def test_concurrent_commits_are_published_in_the_order_of_their_revisions() -> None:
    async with sharing(SharedStore(), 3) as worlds, worlds[0].watch("a") as watch, worlds[1].watch() as every:
        await asyncio.gather(*(worlds[number % 3].set(f"k{number}") for number in range(60)))
        for each in (watch, every):
            revisions: list[int] = []
            while len(revisions) < 60:
                step = await each.next()
                revisions += [event.revision for one in step.slices for event in one.events]
            assert revisions == list(range(1, 61))


async def test_a_watch_by_a_prefix_covers_every_shard() -> None:
    store = SharedStore()
    names = ["team-", "other-", "tea"]
    async with sharing(store) as (a, b), b.watch("team-*") as watch:
        agent_ids = [f"{name}{number}" for number in range(20) for name in names]
        assert len({store.shard_of(agent_id) for agent_id in agent_ids if agent_id.startswith("team-")}) > 1
        await asyncio.gather(*(a.set("k", agent_id=agent_id) for agent_id in agent_ids))
        wanted = {agent_id: ["k"] for agent_id in agent_ids if agent_id.startswith("team-")}
        assert keys_by_agent(await next_events(watch, 20)) == wanted
        token = encode_resume(store.store_id, watch.last.point)
        await a.set("later", agent_id="team-new")
        await a.set("later", agent_id="other-new")
        assert await next_events(watch, 1) == [("team-new", "later")]
        async with a.watch("team-*", resume_token=token) as resumed:
            assert await next_events(resumed, 1) == [("team-new", "later")]
        async with a.watch("team-*", "nobody", include_initial_state=True) as initial:
            found = keys_by_agent(await next_events(initial, 21))
            assert found == wanted | {"team-new": ["later"]}


async def test_a_watch_of_all_agents_covers_every_shard() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch() as watch:
        agent_ids = agents_of_all_shards(store)
        keys = [f"k{number}" for number in range(10)]
        for key in keys:
            await asyncio.gather(*(a.set(key, agent_id=agent_id) for agent_id in agent_ids))
        assert keys_by_agent(await next_events(watch, 40)) == dict.fromkeys(agent_ids, keys)
        await b.set("end", agent_id=agent_ids[-1])
        assert await next_events(watch, 1) == [(agent_ids[-1], "end")]


async def test_a_watch_does_not_yield_commits_from_before_it_began() -> None:
    """Their rows are received only afterwards."""
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch() as every:
        store.gates["await_rows"].clear()
        await a.set("before", agent_id="a")
        await b.set("before", agent_id="b")
        late = [b.watch("a"), b.watch("b"), b.watch()]
        for watch in late:
            await watch.__aenter__()
        assert [watch.last.revision for watch in late] == [1, 1, 0]
        store.gates["await_rows"].set()
        assert len(await next_events(every, 2)) == 2
        for agent_id in ("a", "b"):
            await a.set("after", agent_id=agent_id)
        assert await late[0].keys(1) == await late[1].keys(1) == ["after"]
        assert sorted(await next_events(late[2], 2)) == [("a", "after"), ("b", "after")]
        for watch in late:
            await watch.__aexit__()


async def test_a_watch_does_not_repeat_commits_from_while_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch("a") as other:
        await a.set("before")
        journal_points = store.journal_points

        async def and_commit(shards: Collection[int]) -> dict[int, CommitPoint]:
            points = await journal_points(shards)
            await a.set("meanwhile")
            return points

        store.gates["await_rows"].clear()
        monkeypatch.setattr(store, "journal_points", and_commit)
        async with b.watch("a") as watch:
            assert watch.last.revision == 2
            monkeypatch.undo()
            await a.set("after")
            store.gates["await_rows"].set()
            assert await watch.keys(1) == ["after"]
            assert await other.keys(3) == ["before", "meanwhile", "after"]


async def test_the_initial_state_has_commits_of_the_other_engine_and_later_ones_follow_once() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch():
        assert await b.value("k0") is None
        store.gates["await_rows"].clear()
        await a.set("k0")
        async with b.watch("a", include_initial_state=True) as one, b.watch(include_initial_state=True) as every:
            for watch in (one, every):
                assert keys_of(await watch.next()) == ["k0"]
                assert (await watch.next()).phase is WatchPhase.INITIAL_STATE_COMPLETE
            await a.set("k1")
            store.gates["await_rows"].set()
            assert await one.keys(1) == await every.keys(1) == ["k1"]
            await b.set("k2")
            assert await one.keys(1) == await every.keys(1) == ["k2"]


async def test_a_resume_token_of_one_engine_is_accepted_by_the_other() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        agent_ids = agents_of_all_shards(store)
        tokens = []
        async with a.watch() as watch:
            for number in range(12):
                await (a, b)[number % 2].set(f"k{number}", agent_id=agent_ids[number % 4])
                assert await watch.keys(1) == [f"k{number}"]
                tokens.append(token(a, watch))
        for number, each in enumerate(tokens):
            async with b.watch(resume_token=each) as resumed:
                rest = [(agent_ids[later % 4], f"k{later}") for later in range(number + 1, 12)]
                assert sorted(await next_events(resumed, len(rest))) == sorted(rest)


async def test_a_resume_token_is_accepted_by_an_engine_that_is_behind_it() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), a.watch("a") as watch, b.watch("b"):
        await a.set("k")
        await watch.keys(1)
        store.gates["await_rows"].clear()
        await a.set("l")
        known = ResumePoint((ShardPoint(store.shard_of("a"), 3),))
        behind = b.engine.hub.points[store.shard_of("a")].position
        assert behind < 2
        async with b.watch("a", resume_token=encode_resume(store.store_id, known)) as resumed:
            assert resumed.last.revision == 2
            await b.set("m")
            store.gates["await_rows"].set()
            assert await resumed.keys(1) == ["m"]


async def test_a_resume_token_of_too_few_shards_or_of_the_future_is_refused() -> None:
    store = SharedStore()
    async with sharing(store) as (a, _):
        shard = store.shard_of("a")
        await a.set("k")
        of_one_shard = encode_resume(store.store_id, ResumePoint((ShardPoint(shard, 1),)))
        with pytest.raises(InvalidResumeToken):
            await a.watch(resume_token=of_one_shard).next()
        async with a.watch("a", resume_token=of_one_shard) as watch:
            assert await watch.keys(1) == ["k"]
        of_the_future = encode_resume(store.store_id, ResumePoint((ShardPoint(shard, 3),)))
        with pytest.raises(HistoryLost):
            await a.watch("a", resume_token=of_the_future).next()


async def test_a_resume_token_of_all_agents_is_accepted_for_some() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        async with a.watch() as watch:
            opened = token(a, watch)
        agent_ids = agents_of_all_shards(store)
        for agent_id in agent_ids:
            await a.set("k", agent_id=agent_id)
        async with b.watch(*agent_ids[:2], resume_token=opened) as resumed:
            assert sorted(await next_events(resumed, 2)) == [(agent_id, "k") for agent_id in sorted(agent_ids[:2])]


async def test_progress_advances_past_filtered_events_in_every_shard() -> None:
    store = SharedStore()
    keys_with_z = EventSelection((EventFilter(key_prefix="z"),))
    async with sharing(store) as (a, b), b.watch(selection=keys_with_z, progress_interval_ns=SHORT_NS) as watch:
        agent_ids = agents_of_all_shards(store)
        for agent_id in (*agent_ids, *agent_ids[1:]):
            await a.set("k", agent_id=agent_id)
        await a.value("k", agent_ids[0])
        await a.cache.record_accesses()
        end = dict.fromkeys(range(4), 3)
        while positions(watch.last.point) != end:
            assert (await watch.next()).phase is WatchPhase.PROGRESS
        await store.prune_journal(0, 0)
        async with a.watch(resume_token=token(b, watch)) as resumed:
            await b.set("z", agent_id=agent_ids[0])
            assert await resumed.keys(1) == ["z"]


async def test_the_point_of_a_message_has_every_shard_at_its_last_event() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch() as watch:
        agent_ids = agents_of_all_shards(store)
        for count, agent_id in enumerate(agent_ids, start=1):
            await a.set("k", agent_id=agent_id)
            await next_events(watch, 1)
            assert watch.last.point is not None
            assert sum(each.position - 1 for each in watch.last.point.shards) == count


async def test_a_message_advances_past_filtered_events_of_other_shards() -> None:
    store = SharedStore()
    keys_with_z = EventSelection((EventFilter(key_prefix="z"),))
    async with sharing(store) as (a, b), b.watch(selection=keys_with_z) as watch:
        agent_ids = agents_of_all_shards(store)
        await a.set("k", agent_id=agent_ids[1])
        await until(lambda: b.engine.hub.points[1].position == 1)
        await a.set("z", agent_id=agent_ids[0])
        assert keys_of(await watch.next()) == ["z"]
        assert watch.last.point is not None
        assert [each.position for each in watch.last.point.shards] == [2, 2, 1, 1]


async def test_a_slow_watcher_of_all_shards_is_parked_and_misses_no_event() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), b.watch() as watch:
        agent_ids = agents_of_all_shards(store)
        count = WATCH_QUEUE_COMMITS_MAX // 4 + 50
        keys = [f"k{number}" for number in range(count)]
        for key in keys:
            await asyncio.gather(*(a.set(key, agent_id=agent_id) for agent_id in agent_ids))
        await until(lambda: [point.position for point in b.engine.hub.points] == [count] * 4)
        assert keys_by_agent(await next_events(watch, 4 * count)) == dict.fromkeys(agent_ids, keys)
        await a.set("end", agent_id=agent_ids[2])
        assert await watch.keys(1) == ["end"]


async def test_expiry_and_end_at_one_engine_are_published_at_the_other() -> None:
    async with sharing(SharedStore()) as (a, b), b.watch("a") as watch:
        await a.set("k", ttl_ns=1)
        a.clock.now += 1
        await a.engine.maintenance.expire()
        await a.do(EndAgent())
        types: list[EventType] = []
        while len(types) < 3:
            types += [event.type for each in (await watch.next()).slices for event in each.events]
        assert types == [EventType.ENTRY_SET, EventType.ENTRY_REMOVED, EventType.AGENT_ENDED]


@pytest.mark.parametrize("size", [1, 3, 100])
async def test_a_listing_of_events_covers_all_shards_and_ends_where_a_watch_can_resume(size: int) -> None:
    store = SharedStore()
    async with sharing(store) as worlds:
        agent_ids = agents_of_all_shards(store)
        for number in range(5):
            for agent_id in agent_ids:
                await worlds[number % 2].set(f"k{number}", agent_id=agent_id)
        await worlds[0].fill(["of", "one", "revision"], agent_id=agent_ids[1])
        found: list[tuple[str, str]] = []
        page_token, pages = "", 0
        while pages == 0 or page_token:
            page = await worlds[pages % 2].engine.events.page(EventListing(ALL), PageRequest(LISTING, size, page_token))
            assert len(page.events) <= size
            found += [(agent_id, event.subject.key) for agent_id, event in page.events]
            page_token, pages = page.next_page_token, pages + 1
        expected = {agent_id: [f"k{number}" for number in range(5)] for agent_id in agent_ids}
        expected[agent_ids[1]] += ["of", "one", "revision"]
        assert keys_by_agent(found) == expected
        assert positions(page.point) == {shard: 7 if shard == 1 else 6 for shard in range(4)}
        async with worlds[1].watch(resume_token=encode_resume(store.store_id, page.point)) as watch:
            await worlds[0].set("next", agent_id=agent_ids[3])
            assert await watch.keys(1) == ["next"]


async def test_a_watch_can_resume_after_every_page() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        agent_ids = agents_of_all_shards(store)
        everything = [(agent_id, f"k{number}") for agent_id in agent_ids for number in range(2)]
        for agent_id, key in everything:
            await a.set(key, agent_id=agent_id)
        page_token = ""
        for listed in range(1, 8):
            page = await a.engine.events.page(EventListing(ALL), PageRequest(LISTING, 1, page_token))
            page_token = page.next_page_token
            async with b.watch(resume_token=encode_resume(store.store_id, page.point)) as watch:
                assert sorted(await next_events(watch, 8 - listed)) == sorted(everything[listed:])


async def test_events_are_listed_after_a_revision_of_the_other_engine() -> None:
    async with sharing(SharedStore()) as (a, b):
        assert await b.value("k") is None
        for number in range(4):
            await a.set(f"k{number}")
        selection = EventSelection((EventFilter(AgentPatterns.of({"a"})),))
        page = await b.engine.events.page(EventListing(after(2, selection)), PageRequest(LISTING, 10, ""))
        assert [event.subject.key for _, event in page.events] == ["k2", "k3"]
        with pytest.raises(RevisionInFuture):
            await b.engine.events.page(EventListing(after(5, selection)), PageRequest(LISTING, 10, ""))


async def test_a_page_token_for_shards_that_are_not_listed_is_refused() -> None:
    store = SharedStore()
    async with sharing(store) as (a, _):
        foreign = encode_event_page(LISTING, ResumePoint((ShardPoint(9, 1),)))
        with pytest.raises(InvalidPageToken):
            await a.engine.events.page(EventListing(ALL), PageRequest(LISTING, 10, foreign))


async def test_a_watch_whose_position_in_one_shard_was_pruned_raises() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        async with b.watch() as watch:
            opened = token(b, watch)
        await a.set("k", agent_id=agents_of_all_shards(store)[2])
        await store.prune_journal(0, 0)
        async with b.watch(resume_token=opened) as resumed:
            with pytest.raises(RevisionCompacted):
                await resumed.next()


async def test_a_watch_of_root_entries_yields_those_of_both_engines() -> None:
    selection = EventSelection((EventFilter(AgentPatterns.of({"a"}), scope_ids=frozenset({ROOT})),))
    async with sharing(SharedStore()) as (a, b), b.watch(selection=selection) as watch:
        await a.do(CreateScope("scope", ROOT, "s"))
        await a.set("hidden", scope_id="s")
        await b.set("k")
        assert await watch.keys(1) == ["k"]
