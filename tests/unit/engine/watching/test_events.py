import pytest
from tests.unit.engine.shared_store import SharedStore
from tests.unit.engine.world import World

from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import InvalidPageToken, RevisionCompacted, RevisionInFuture
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.token import digest, encode_resume
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX, PAGE_READS_MAX
from memoryd_server.engine.watching.events import EventPage

LISTING = digest("events")
ALL = EventSelection()
OF_A = EventSelection((EventFilter(frozenset({"a"})),))


async def page(
    world: World, size: int, token: str = "", selection: EventSelection = ALL, after_revision: int = 0
) -> EventPage:
    return await world.engine.events.page(selection, after_revision, PageRequest(LISTING, size, token))


def keys(listed: EventPage) -> list[str]:
    return [event.subject.key for _, event in listed.events]


async def pages(world: World, size: int, selection: EventSelection = ALL, after_revision: int = 0) -> list[list[str]]:
    found, token = [], ""
    while True:
        listed = await page(world, size, token, selection, after_revision)
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
