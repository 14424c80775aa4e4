import asyncio
from typing import Any

import msgspec
import pytest
from tests.unit.engine.shared_store import SharedStore
from tests.unit.engine.world import World

from memoryd_server.domain.agent.event import EventFilter, EventSelection, EventSpan
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import InvalidPageToken, RevisionCompacted, RevisionInFuture
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import digest, encode_resume
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX, PAGE_READS_MAX
from memoryd_server.engine.watching.backward_events import EventPage
from memoryd_server.engine.watching.events import EventListing
from memoryd_server.engine.watching.journal_time import CLOCK_SKEW_NS
from memoryd_server.ports.store import JournalPage

LISTING = digest("events")
ALL = EventSelection()
OF_A = EventSelection((EventFilter(AgentPatterns.of({"a"})),))


async def page(
    world: World,
    size: int,
    token: str = "",
    selection: EventSelection = ALL,
    after_revision: int = 0,
    *,
    newest_first: bool = False,
    span: EventSpan | None = None,
) -> EventPage:
    limited = msgspec.structs.replace(selection, span=span or EventSpan(after_revision))
    return await world.engine.events.page(EventListing(limited, newest_first), PageRequest(LISTING, size, token))


def keys(listed: EventPage) -> list[str]:
    return [event.subject.key for _, event in listed.events]


async def pages(
    world: World,
    size: int,
    selection: EventSelection = ALL,
    after_revision: int = 0,
    *,
    newest_first: bool = False,
    span: EventSpan | None = None,
) -> list[list[str]]:
    found, token = [], ""
    while True:
        listed = await page(world, size, token, selection, after_revision, newest_first=newest_first, span=span)
        found.append(keys(listed))
        token = listed.next_page_token
        if not token:
            return found


async def test_pages_of_any_size_have_each_event_once() -> None:
    async with World() as world:
        await world.fill(["a", "b", "c"])
        await world.set("d", agent_id="other")
        await world.fill(["e", "f"])
        everything = ["a", "b", "c", "d", "e", "f"]
        for size in range(1, 8):
            found = await pages(world, size)
            assert [key for each in found for key in each] == everything
            assert max(len(each) for each in found) <= size
        assert await pages(world, 2, OF_A) == [["a", "b"], ["c", "e"], ["f"]]
        assert await pages(world, 2, OF_A, after_revision=1) == [["e", "f"]]
        assert await pages(world, 2, OF_A, after_revision=2) == [[]]


async def test_the_newest_events_are_listed_first() -> None:
    async with World() as world:
        await world.fill(["a", "b", "c"])
        await world.set("d", agent_id="other")
        await world.fill(["e", "f"])
        reverse = ["f", "e", "d", "c", "b", "a"]
        for size in range(1, 8):
            found = await pages(world, size, newest_first=True)
            assert [key for each in found for key in each] == reverse
            assert max(len(each) for each in found) <= size
        assert await pages(world, 9, OF_A, newest_first=True) == [["f", "e", "c", "b", "a"]]
        patterns = EventSelection((EventFilter(AgentPatterns.of({"ot*", "b*"})),))
        assert await pages(world, 9, patterns, newest_first=True) == [["d"]]
        assert await pages(world, 9, patterns) == [["d"]]
        assert (await page(world, 9, newest_first=True)).point is None


async def test_a_span_of_revisions_is_listed_in_either_order() -> None:
    async with World() as world:
        await world.fill(["a", "b"])
        for key in ("c", "d", "e"):
            await world.set(key)
            await world.set(key, agent_id="other")
        for after, end, listed in ((0, 2, "abc"), (1, 3, "cd"), (2, 2, ""), (1, None, "cde"), (3, 2, "")):
            for size in (1, 2, 9):
                for newest_first in (False, True):
                    found = await pages(world, size, OF_A, newest_first=newest_first, span=EventSpan(after, end))
                    keys_listed = "".join(key for each in found for key in each)
                    assert keys_listed == (listed[::-1] if newest_first else listed)
        with pytest.raises(RevisionInFuture):
            await page(world, 1, selection=OF_A, span=EventSpan(0, 5))


async def test_a_span_of_times_is_listed_in_either_order() -> None:
    async with World() as world:
        begin = world.clock.now
        for number in range(20):
            world.clock.now = begin + number * CLOCK_SKEW_NS
            await world.set(f"k{number:02}", agent_id="a" if number % 2 else "b")
        everything = [f"k{number:02}" for number in range(20)]
        for start, end in ((5, 9), (None, 3), (17, None), (30, None), (None, -5), (4, 4)):
            span = EventSpan(
                start_time=None if start is None else begin + start * CLOCK_SKEW_NS,
                end_time=None if end is None else begin + end * CLOCK_SKEW_NS,
            )
            wanted = everything[0 if start is None else start : 20 if end is None else max(end, 0)]
            for size in (1, 3, 99):
                found = await pages(world, size, span=span)
                assert [key for each in found for key in each] == wanted
                reverse = await pages(world, size, newest_first=True, span=span)
                assert [key for each in reverse for key in each] == wanted[::-1]
                of_a = await pages(world, size, OF_A, newest_first=True, span=span)
                assert [key for each in of_a for key in each] == [key for key in wanted[::-1] if int(key[1:]) % 2]


async def test_a_span_of_revisions_ends_within_a_commit_of_several() -> None:
    async with World() as world:
        await world.set("a")
        await asyncio.gather(*(world.set(key) for key in "bcde"))
        assert len(await world.store.recent_journal("a", 0, 9)) == 2
        for end in range(1, 6):
            span = EventSpan(after_revision=1, end_revision=end)
            expected = list("bcde")[: end - 1]
            assert await pages(world, 9, OF_A, span=span) == [expected]
            assert await pages(world, 9, OF_A, newest_first=True, span=span) == [expected[::-1]]


async def test_a_span_of_times_has_what_a_slower_clock_commits_between() -> None:
    async with World() as world:
        begin = world.clock.now
        # Times at which daemons with other clocks commit, one after the other.
        for key, second in (("a", 0), ("b", 50), ("c", 20), ("d", 40)):
            world.clock.now = begin + second * SECOND_NS
            await world.set(key)
        for start, end, expected in (
            (30, None, ["b", "d"]),
            (None, 30, ["a", "c"]),
            (30, 45, ["d"]),
            (15, 45, ["c", "d"]),
        ):
            span = EventSpan(
                start_time=None if start is None else begin + start * SECOND_NS,
                end_time=None if end is None else begin + end * SECOND_NS,
            )
            assert await pages(world, 9, span=span) == [expected]
            assert await pages(world, 9, newest_first=True, span=span) == [expected[::-1]]


async def test_a_span_of_times_reads_little_of_a_long_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        begin = world.clock.now
        for number in range(3_000):
            world.clock.now = begin + number * CLOCK_SKEW_NS
            await world.set(f"k{number}", agent_id=str(number % 50))
        rows_read = 0
        for name in ("read_journal", "read_journal_back"):
            read = getattr(world.store, name)

            async def counted(*arguments: Any, _read: Any = read) -> JournalPage:
                nonlocal rows_read
                found: JournalPage = await _read(*arguments)
                rows_read += len(found.rows)
                return found

            monkeypatch.setattr(world.store, name, counted)
        span = EventSpan(start_time=begin + 2_000 * CLOCK_SKEW_NS, end_time=begin + 2_003 * CLOCK_SKEW_NS)
        for newest_first in (False, True):
            rows_read = 0
            found = await pages(world, 9, newest_first=newest_first, span=span)
            assert sorted(key for each in found for key in each) == ["k2000", "k2001", "k2002"]
            assert rows_read < 2 * JOURNAL_READ_COMMITS_MAX


async def test_the_newest_events_of_any_number_of_shards_are_listed() -> None:
    shards = 4 * PAGE_READS_MAX
    async with World(SharedStore(shards)) as world:
        agent_ids = [str(number) for number in range(3 * shards)]
        for agent_id in agent_ids:
            await world.set(agent_id, agent_id=agent_id)
        found = await pages(world, 5, newest_first=True)
        assert sorted(key for each in found for key in each) == sorted(agent_ids)


async def test_a_backward_listing_ends_at_its_maximum_of_bytes_and_at_what_was_pruned() -> None:
    async with World() as world:
        await world.fill([f"k{number}" for number in range(5)], f'"{"x" * (PAGE_BYTES_MAX // 2)}"')
        await world.set("last")
        found = await pages(world, 1_000, newest_first=True)
        assert [key for each in found for key in each] == ["last", "k4", "k3", "k2", "k1", "k0"]
        assert len(found) > 1
        first = await page(world, 1, newest_first=True)
        await world.store.prune_journal(1, 0)
        rest = await page(world, 9, first.next_page_token, newest_first=True)
        assert (keys(rest), rest.next_page_token) == ([], "")
        await world.set("later")
        await world.store.prune_journal(1, 0)
        with pytest.raises(RevisionCompacted):
            await page(world, 9, selection=OF_A, span=EventSpan(1), newest_first=True)


async def test_a_backward_page_token_is_bound_to_its_listing() -> None:
    async with World(SharedStore(4)) as world:
        await world.fill(["a", "b"])
        token = (await page(world, 1, newest_first=True)).next_page_token
        with pytest.raises(InvalidPageToken):
            await page(world, 1, token, OF_A, newest_first=True)


async def test_pages_cover_any_number_of_shards() -> None:
    shards = 4 * PAGE_READS_MAX
    async with World(SharedStore(shards)) as world:
        agent_ids = [str(number) for number in range(3 * shards)]
        for agent_id in agent_ids:
            await world.set(agent_id, agent_id=agent_id)
        found = await pages(world, 5)
        assert sorted(key for each in found for key in each) == sorted(agent_ids)


async def test_events_are_listed_with_their_agent_and_an_empty_journal_has_one_empty_page() -> None:
    async with World() as world:
        assert await pages(world, 5) == [[]]
        await world.set("k", agent_id="b")
        assert [(agent_id, event.subject.key) for agent_id, event in (await page(world, 5)).events] == [("b", "k")]


async def test_a_page_ends_at_its_maximum_of_bytes() -> None:
    async with World() as world:
        await world.fill([f"k{number}" for number in range(5)], f'"{"x" * (PAGE_BYTES_MAX // 2)}"')
        found = await pages(world, 1_000)
        assert [key for each in found for key in each] == [f"k{number}" for number in range(5)]
        assert len(found) > 1


async def test_a_large_commit_without_selected_events_is_skipped() -> None:
    async with World() as world:
        await world.fill([f"k{number}" for number in range(3)], f'"{"x" * PAGE_BYTES_MAX}"')
        await world.set("a")
        assert await pages(world, 5, EventSelection((EventFilter(key_prefix="a"),))) == [["a"]]


async def test_a_call_reads_a_limited_number_of_rows() -> None:
    async with World() as world:
        for number in range(JOURNAL_READ_COMMITS_MAX * (PAGE_READS_MAX + 1) + 1):
            world.held.commit(_empty_commit(number))
        await world.set("rare")
        found = await pages(world, 5, EventSelection((EventFilter(key_prefix="rare"),)))
        assert found == [[], ["rare"]]


def _empty_commit(number: int) -> object:
    from memoryd_server.engine.agents.journal import encode_row
    from memoryd_server.ports.store import AgentHead, Commit

    return Commit(AgentHead("many", number + 1, 1, 1), number, journal=encode_row((), ()))


async def test_a_watch_can_resume_after_any_page() -> None:
    async with World() as world:
        await world.fill(["a", "b", "c"])
        await world.set("d")
        token, left = "", ["a", "b", "c", "d"]
        while left:
            listed = await page(world, 1, token, OF_A)
            left = left[1:]
            async with world.watch("a", resume_token=encode_resume(world.store.store_id, listed.point)) as watch:
                assert await watch.keys(len(left)) == left
            token = listed.next_page_token


async def test_a_page_of_the_oldest_events_begins_again_when_these_are_pruned_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        for key in ("a", "b", "c", "d"):
            await world.set(key)
        first = await page(world, 1)
        read, prunings = world.store.read_journal, [2, 1]

        async def pruned_meanwhile(*arguments: Any) -> Any:
            if prunings:
                await world.store.prune_journal(prunings.pop(0), 0)
            return await read(*arguments)

        monkeypatch.setattr(world.store, "read_journal", pruned_meanwhile)
        assert keys(await page(world, 9)) == ["d"]
        with pytest.raises(RevisionCompacted):
            await page(world, 9, first.next_page_token)


async def test_a_page_of_pruned_or_future_events_is_refused() -> None:
    async with World() as world:
        for key in ("a", "b", "c", "d"):
            await world.set(key)
        first = await page(world, 1)
        first_of_a = await page(world, 1, selection=OF_A)
        await world.store.prune_journal(2, 0)
        assert await pages(world, 9) == [["c", "d"]]
        with pytest.raises(RevisionCompacted) as of_all:
            await page(world, 1, first.next_page_token)
        assert of_all.value.metadata == {}
        with pytest.raises(RevisionCompacted) as of_one:
            await page(world, 1, first_of_a.next_page_token, OF_A)
        assert of_one.value.metadata == {"oldest_revision": "3"}
        with pytest.raises(RevisionCompacted):
            await page(world, 1, "", OF_A, 1)
        with pytest.raises(RevisionInFuture) as future:
            await page(world, 1, "", OF_A, 5)
        assert future.value.metadata == {"revision": "4"}


async def test_a_page_token_of_another_listing_is_refused() -> None:
    async with World() as world:
        await world.do(CreateScope("s", "", "s"))
        with pytest.raises(InvalidPageToken):
            await page(world, 1, encode_resume(world.store.store_id, (await page(world, 1)).point))
