import pytest
from tests.unit.engine.world import World

from memoryd_server.domain.entries.entry import ROOT, EntryCondition, EntryType
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.error import InvalidPageToken, PageTokenExpired, RecordNotFound, ScopeDisposed
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.engine.agents.listing import Page, PageRequest
from memoryd_server.engine.agents.token import PagePoint, decode_page, digest, encode_page
from memoryd_server.engine.entries.working_memory import EntryQuery, ReadEntry, ScopeQuery
from memoryd_server.engine.limit import LISTING_PINNED_NS_MAX, LISTINGS_PINNED_MAX

LISTING = digest("listing")


async def page(world: World, size: int, token: str = "", query: EntryQuery | None = None) -> Page[ReadEntry]:
    return await world.memory.list_entries("a", query or EntryQuery(ROOT), PageRequest(LISTING, size, token))


def keys(listed: Page[ReadEntry]) -> list[str]:
    return [each.entry.key for each in listed.items]


async def test_pages_stay_at_the_revision_of_the_first_while_the_agent_changes() -> None:
    async with World() as world:
        await world.fill(["c", "a", "d", "b", "e"])
        first = await page(world, 2)
        await world.do(RemoveEntry(ROOT, "d"))
        await world.set("a2")
        second = await page(world, 2, first.next_page_token)
        third = await page(world, 2, second.next_page_token)
        assert [keys(each) for each in (first, second, third)] == [["a", "b"], ["c", "d"], ["e"]]
        assert {(each.total_count, each.revision) for each in (first, second, third)} == {(5, 1)}
        assert third.next_page_token == ""
        assert keys(await page(world, 9)) == ["a", "a2", "b", "c", "e"]


async def test_a_page_ends_at_its_maximum_of_bytes() -> None:
    async with World() as world:
        for key in ("a", "b", "c"):
            await world.set(key, f'"{"x" * (PAGE_BYTES_MAX // 2)}"')
        first = await page(world, 100)
        assert keys(first) == ["a", "b"]
        assert keys(await page(world, 100, first.next_page_token)) == ["c"]


async def test_a_listing_of_an_older_revision_expires() -> None:
    async with World() as world:
        await world.fill(["a", "b"])
        first = await page(world, 1)
        await world.set("c")
        world.clock.now += LISTING_PINNED_NS_MAX
        assert keys(await page(world, 1, first.next_page_token)) == ["b"]
        world.clock.now += 1
        with pytest.raises(PageTokenExpired):
            await page(world, 1, first.next_page_token)


async def test_an_expired_listing_continues_if_the_agent_has_not_changed() -> None:
    async with World() as world:
        await world.fill(["a", "b"])
        first = await page(world, 1)
        world.clock.now += LISTING_PINNED_NS_MAX + 1
        assert keys(await page(world, 1, first.next_page_token)) == ["b"]


async def test_an_expired_listing_skips_no_entry_when_another_has_expired() -> None:
    async with World() as world:
        await world.set("a", ttl_ns=SECOND_NS)
        await world.fill(["b", "c"])
        first = await page(world, 1)
        world.clock.now += LISTING_PINNED_NS_MAX + 1
        with pytest.raises(PageTokenExpired):
            await page(world, 1, first.next_page_token)


async def test_a_second_listing_at_the_same_revision_does_not_disturb_the_first() -> None:
    async with World() as world:
        await world.set("a", ttl_ns=SECOND_NS)
        await world.fill(["b", "c"])
        first = await page(world, 1)
        world.clock.now += SECOND_NS
        again = await page(world, 1)
        assert keys(again) == ["b"]
        assert keys(await page(world, 9, first.next_page_token)) == ["b", "c"]
        assert keys(await page(world, 9, again.next_page_token)) == ["c"]


async def test_expired_entries_are_never_served_from_a_kept_listing() -> None:
    async with World() as world:
        await world.set("a")
        await world.set("b", ttl_ns=SECOND_NS)
        first = await page(world, 1)
        world.clock.now += SECOND_NS
        assert keys(await page(world, 9, first.next_page_token)) == []


async def test_the_number_of_kept_listings_is_limited() -> None:
    async with World() as world:
        await world.fill(["a", "b"])
        oldest = await page(world, 1)
        for _ in range(LISTINGS_PINNED_MAX):
            await world.set("a")
            await page(world, 1)
        with pytest.raises(PageTokenExpired):
            await page(world, 1, oldest.next_page_token)


async def test_a_page_token_of_another_listing_or_of_an_ended_agent_is_refused() -> None:
    async with World() as world:
        await world.fill(["a", "b"])
        first = await page(world, 1)
        other = PageRequest(digest("other"), 1, first.next_page_token)
        with pytest.raises(InvalidPageToken):
            await world.memory.list_entries("a", EntryQuery(ROOT), other)
        world.clock.now += LISTING_PINNED_NS_MAX + 1
        await world.do(EndAgent())
        with pytest.raises(PageTokenExpired):
            await page(world, 1, first.next_page_token)


async def test_a_query_returns_the_entries_that_match_all_its_filters() -> None:
    async with World() as world:
        await world.fill(["ka", "kb", "l"])
        await world.do(CreateScope("s", ROOT, "scope"))
        await world.set("kb", "2", scope_id="scope")
        inherited = EntryQuery(
            "scope", True, RecordFilter(condition=EntryCondition(("k",), frozenset({EntryType.FACT})))
        )
        listed = await page(world, 9, query=inherited)
        assert [(each.entry.key, each.entry.scope_id) for each in listed.items] == [("ka", ROOT), ("kb", "scope")]
        assert keys(await page(world, 9, query=EntryQuery("scope"))) == ["kb"]
        assert (
            keys(await page(world, 9, query=EntryQuery(ROOT, filter=RecordFilter(all_tags=frozenset({"no such"})))))
            == []
        )
        insights = EntryQuery(ROOT, filter=RecordFilter(condition=EntryCondition(types=frozenset({EntryType.INSIGHT}))))
        assert keys(await page(world, 9, query=insights)) == []


async def test_listing_a_missing_scope_is_refused_and_does_not_count_as_a_read() -> None:
    async with World() as world:
        await world.set("a")
        assert (await page(world, 9)).items[0].access_count == 0
        assert (await page(world, 9)).items[0].access_count == 0
        with pytest.raises(RecordNotFound):
            await page(world, 9, query=EntryQuery("unknown"))


async def test_scopes_are_listed_in_the_order_of_their_creation() -> None:
    async with World() as world:
        for scope_id, parent in (("z", ROOT), ("y", "z"), ("x", ROOT)):
            await world.do(CreateScope("name", parent, scope_id))
        await world.set("k", scope_id="y", ttl_ns=SECOND_NS)

        async def listed(parent: str | None) -> list[tuple[str, int]]:
            views = await world.memory.list_scopes("a", ScopeQuery(parent), PageRequest(LISTING, 9, ""))
            return [(view.scope.scope_id, view.entry_count) for view in views.items]

        assert await listed(None) == [("z", 0), ("y", 1), ("x", 0)]
        assert await listed(ROOT) == [("z", 0), ("x", 0)]
        assert await listed("z") == [("y", 1)]
        world.clock.now += SECOND_NS
        first = await world.memory.list_scopes("a", ScopeQuery(), PageRequest(digest("other"), 1, ""))
        await world.do(DisposeScope("z"))
        rest = await world.memory.list_scopes("a", ScopeQuery(), PageRequest(digest("other"), 9, first.next_page_token))
        assert [view.scope.scope_id for view in rest.items] == ["y", "x"]
        with pytest.raises(ScopeDisposed):
            await listed("z")


async def test_a_disposed_scope_is_returned_as_disposed() -> None:
    async with World() as world:
        await world.do(CreateScope("name", ROOT, "s"))
        await world.set("k", scope_id="s")
        view, revision = await world.memory.get_scope("a", "s")
        assert (view.scope.disposed, view.entry_count, revision) == (False, 1, 2)
        await world.do(DisposeScope("s"))
        view, revision = await world.memory.get_scope("a", "s")
        assert (view.scope.disposed, view.entry_count, revision) == (True, 0, 3)
        with pytest.raises(RecordNotFound):
            await world.memory.get_scope("a", "unknown")


async def test_a_new_listing_does_not_count_expired_entries() -> None:
    async with World() as world:
        await world.set("a", ttl_ns=SECOND_NS)
        await world.fill(["b", "c"])
        assert (await page(world, 1)).total_count == 3
        world.clock.now += SECOND_NS
        begun = await page(world, 1)
        assert (keys(begun), begun.total_count) == (["b"], 2)
        assert keys(await page(world, 1, begun.next_page_token)) == ["c"]


async def test_a_forged_token_past_the_end_is_refused() -> None:
    async with World() as world:
        await world.fill(["a", "b"])
        point = decode_page(LISTING, (await page(world, 1)).next_page_token)
        with pytest.raises(InvalidPageToken):
            await page(world, 1, encode_page(LISTING, PagePoint(point.first, point.second + 1)))
