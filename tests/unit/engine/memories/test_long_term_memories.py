import asyncio

import pytest
from tests.unit.domain.sample import IDENTITY, memory_draft
from tests.unit.engine.remembering import (
    change,
    create,
    forget,
    found,
    get,
    link,
    listed,
    memories,
    purge,
    recall,
    remember,
    restore,
    rewrite,
    state,
)
from tests.unit.engine.world import NOW, World, request
from tests.unit.record_filters import of_links, of_memories

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import (
    HistoryCompacted,
    InvalidPageToken,
    PageTokenExpired,
    RecordExists,
    RecordNotFound,
    RequestIdReused,
    RevisionMismatch,
    StoreUnavailable,
)
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.domain.memories.memory import MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import EVERY_RECORD
from memoryd_server.engine.agents.listing import Page, PageRequest
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.limit import LISTING_PINNED_NS_MAX
from memoryd_server.engine.memories.long_term_memories import KnownMemory

ALL = of_memories()


def contents(page: Page[KnownMemory]) -> list[str]:
    return [known.memory.content for known in page.items]


async def test_an_unknown_agent_has_no_memories() -> None:
    async with World() as world:
        answer = await recall(world, "fox")
        assert (answer.found, answer.total, answer.revision) == ([], 0, 0)
        assert (await recall(world, "fox", read_time=NOW)).found == []
        page = await listed(world)
        assert (page.items, page.total_count, page.revision) == ([], 0, 0)
        assert (await memories(world).list_links("a", "", EVERY_RECORD, PageRequest(digest("q"), 10, ""))).items == []
        with pytest.raises(RecordNotFound):
            await get(world, "one")
        assert world.indexes == []


async def test_a_created_memory_is_found_by_the_next_recall() -> None:
    async with World() as world:
        for number in range(20):
            await remember(world, f"fox number n{number}")
            assert await found(world, f"n{number}") == [f"fox number n{number}"]
        assert len(world.indexes) == 1
        assert (await recall(world, "fox", limit=3)).total == 20
        assert len((await recall(world, "fox", limit=3)).found) == 3


async def test_concurrent_recalls_find_all_acknowledged_memories() -> None:
    async with World() as world:

        async def work(name: str) -> None:
            for number in range(10):
                await remember(world, f"{name}x{number}")
                assert await found(world, f"{name}x{number}") == [f"{name}x{number}"]

        await asyncio.gather(*(work(f"w{number}") for number in range(8)))
        assert len(state(world).part(MEMORIES)) == 80
        assert sorted(world.indexes[0].puts) == sorted(state(world).part(MEMORIES).memories)


async def test_a_recall_finds_the_current_content() -> None:
    async with World() as world:
        memory_id = await remember(world, "red fox")
        await rewrite(world, memory_id, "grey wolf")
        assert (await found(world, "fox"), await found(world, "wolf")) == ([], ["grey wolf"])
        await forget(world, memory_id)
        assert await found(world, "wolf") == []
        await restore(world, memory_id)
        assert await found(world, "wolf") == ["grey wolf"]
        await purge(world, memory_id)
        assert await found(world, "wolf") == []


async def test_an_agent_finds_only_its_own_memories() -> None:
    async with World() as world:
        await remember(world, "fox of a")
        await remember(world, "fox of b", agent="b")
        assert await found(world, "fox") == ["fox of a"]
        assert await found(world, "fox", agent="b") == ["fox of b"]


async def test_a_memory_of_a_failed_commit_is_not_found() -> None:
    async with World() as world:
        await remember(world, "one fox")
        assert await found(world, "fox") == ["one fox"]
        world.held.holds = True
        creating = asyncio.create_task(
            create(world, memory_draft("two foxes fox", allow_duplicates=True, skip_contradictions=True))
        )
        while not world.held.waiting:  # noqa: ASYNC110 - the store's list, not an event
            await asyncio.sleep(0)
        assert await found(world, "fox") == ["one fox"]
        world.held.fail(StoreUnavailable())
        with pytest.raises(StoreUnavailable):
            await creating
        world.held.holds = False
        assert await found(world, "fox") == ["one fox"]


async def test_a_result_with_links_and_vectors_fits_into_a_message() -> None:
    async with World() as world:
        half = "fox " + "x" * (PAGE_BYTES_MAX // 2)
        await create(
            world, *(memory_draft(f"{half}{n}", allow_duplicates=True, skip_contradictions=True) for n in range(3))
        )
        assert len((await recall(world, "fox")).found) == 2
        assert len((await listed(world)).items) == 2


async def test_vectors_count_towards_the_size_of_a_result() -> None:
    async with World() as world:
        vector = bytes(PAGE_BYTES_MAX // 2)
        drafts = [
            memory_draft(
                f"fox {n}",
                allow_duplicates=True,
                skip_contradictions=True,
                memory_id=f"{n:0128}",
                identity=IDENTITY,
                vector=vector,
            )
            for n in range(140)
        ]
        await create(world, *drafts)
        assert len((await recall(world, "fox")).found) == 10
        assert len((await recall(world, "fox", include_embedding=True)).found) == 2
        assert len((await listed(world, size=1_000)).items) == len(drafts)
        ids = [draft.memory_id for draft in drafts]
        got = await memories(world).get_many("a", ids, include_embedding=True)
        assert [each.memory.memory_id for each in got.memories] == ids[:2]
        assert (list(got.missing_ids), list(got.remaining_ids)) == ([], ids[2:])
        whole = await memories(world).get_many("a", ids)
        assert (len(whole.memories), list(whole.remaining_ids)) == (len(ids), [])


async def test_many_memories_are_returned_by_their_ids_and_count_as_accessed() -> None:
    async with World() as world:
        for memory_id in ("m1", "m2", "m3"):
            await remember(world, f"fox {memory_id}", memory_id=memory_id)
        await forget(world, "m2")
        got = await memories(world).get_many("a", ("m3", "unknown", "m2", "m1"))
        assert [each.memory.memory_id for each in got.memories] == ["m3", "m1"]
        assert (list(got.missing_ids), list(got.remaining_ids), got.revision) == (["unknown", "m2"], [], 4)
        assert [each.access_count for each in got.memories] == [1, 1]
        again = await memories(world).get_many("a", ("m2", "m1"), include_forgotten=True)
        assert [each.access_count for each in again.memories] == [1, 2]


async def test_a_memory_that_a_change_returned_has_no_content_once_it_is_purged() -> None:
    async with World() as world:
        memory_id = await remember(world, "red fox", memory_id="m")
        memory = state(world).part(MEMORIES).memories[memory_id]
        assert (await memories(world).known("a", memory)).memory == memory
        await purge(world, memory_id)
        assert (await memories(world).known("a", memory)).memory == memory.without_content()
        await remember(world, "another", memory_id="m")
        assert (await memories(world).known("a", memory)).memory.content == ""


async def test_only_reads_and_recalls_of_the_present_count_as_access() -> None:
    async with World() as world:
        memory_id = await remember(world, "red fox")
        world.clock.now += SECOND_NS
        known = await get(world, memory_id)
        assert (known.access_count, known.last_access_time) == (1, world.clock.now)
        await recall(world, "fox")
        world.clock.now += SECOND_NS
        await listed(world)
        await get(world, memory_id, read_time=world.clock.now)
        await recall(world, "fox", read_time=world.clock.now)
        (still,) = (await listed(world)).items
        assert (still.access_count, still.last_access_time) == (2, world.clock.now - SECOND_NS)
        assert len(world.held.commits) == 1
        await world.cache.record_accesses()
        (recorded,) = (await listed(world)).items
        assert (recorded.access_count, recorded.memory.access_count) == (2, 2)
        assert state(world).revision == 1


async def test_memories_that_are_omitted_from_a_result_are_not_counted_as_read() -> None:
    async with World() as world:
        await create(
            world,
            memory_draft("old fox"),
            memory_draft("new fox hole", allow_duplicates=True, skip_contradictions=True),
        )
        await recall(world, "fox", limit=1)
        assert sorted(known.access_count for known in (await listed(world)).items) == [0, 1]


async def test_an_expired_memory_is_not_returned_before_it_is_swept() -> None:
    async with World() as world:
        end = world.clock.now + SECOND_NS
        memory_id = await remember(world, "red fox", expire_time=end)
        assert await found(world, "fox") == ["red fox"]
        world.clock.now = end
        assert await found(world, "fox") == []
        assert (await listed(world)).items == []
        with pytest.raises(RecordNotFound):
            await get(world, memory_id)


async def test_a_recall_of_the_past_returns_the_memories_of_that_time() -> None:
    async with World() as world:
        first = await remember(world, "red fox")
        world.clock.now += SECOND_NS
        then = world.clock.now
        world.clock.now += SECOND_NS
        await rewrite(world, first, "grey wolf")
        second = await remember(world, "later fox")
        await forget(world, second)
        assert (await found(world, "fox"), await found(world, "wolf")) == ([], ["grey wolf"])
        assert await found(world, "fox", read_time=then) == ["red fox"]
        assert await found(world, "wolf", read_time=then) == []
        assert await found(world, "fox", read_time=NOW - 1) == []
        assert (await get(world, first, read_time=then)).memory.content == "red fox"
        assert (await get(world, first)).memory.content == "grey wolf"
        with pytest.raises(RecordNotFound):
            await get(world, second, read_time=then)


async def test_a_recall_of_the_past_uses_the_expiry_of_that_time() -> None:
    async with World() as world:
        memory_id = await remember(world, "red fox", expire_time=NOW + 5 * SECOND_NS)
        world.clock.now += SECOND_NS
        patch = MemoryPatch(expire_time=None)
        await change(world, UpdateMemory(memory_id, patch, MemoryPolicy()))
        world.clock.now += 10 * SECOND_NS
        assert await found(world, "fox", read_time=NOW) == ["red fox"]
        assert (await get(world, memory_id, read_time=NOW)).memory.expire_time == NOW + 5 * SECOND_NS


async def test_the_past_uses_current_vectors_only_for_unchanged_contents() -> None:
    async with World() as world:
        for content in ("red fox", "wolf"):
            await remember(world, content, identity=IDENTITY, vector=content.encode(), is_vector_given=True)
        world.clock.now += SECOND_NS
        (first, _) = sorted(state(world).part(MEMORIES).memories.values(), key=lambda each: each.sequence)
        await rewrite(world, first.memory_id, "blue whale")
        at = {"read_time": NOW, "filter": ALL}
        assert await found(world, "", vector=(IDENTITY, b"red fox"), **at) == []
        assert await found(world, "", vector=(IDENTITY, b"wolf"), **at) == ["wolf"]


async def test_later_links_are_not_followed_in_the_past() -> None:
    async with World() as world:
        first, second = await remember(world, "red fox"), await remember(world, "grey wolf")
        world.clock.now += SECOND_NS
        await link(world, first, second)
        await recall(world, "fox", read_time=NOW)
        assert [each.links for each in world.indexes[-1].held.values()] == [(), ()]
        await recall(world, "fox", read_time=NOW + SECOND_NS)
        held = world.indexes[-1].held
        assert (held[first].links, held[second].links) == (((second, 0.5),), ((first, 0.5),))


async def test_a_recall_before_the_retained_past_is_refused() -> None:
    async with World(memories=MemoryPolicy(versions_max=1)) as world:
        memory_id = await remember(world, "one fox")
        for content in ("two", "three"):
            world.clock.now += SECOND_NS
            await rewrite(world, memory_id, content)
        with pytest.raises(HistoryCompacted):
            await recall(world, "fox", read_time=NOW)
        with pytest.raises(HistoryCompacted):
            await get(world, memory_id, read_time=NOW)
        assert await found(world, "two", read_time=NOW + SECOND_NS) == ["two"]


async def test_pages_list_the_memories_of_the_first_pages_revision_newest_first() -> None:
    async with World() as world:
        for number in range(5):
            await remember(world, f"number {number}")
        page = await listed(world, size=2)
        assert (contents(page), page.total_count) == (["number 4", "number 3"], 5)
        await remember(world, "number 5")
        second = await listed(world, size=2, token=page.next_page_token)
        assert (contents(second), second.total_count, second.revision) == (["number 2", "number 1"], 5, 5)
        last = await listed(world, size=2, token=second.next_page_token)
        assert (contents(last), last.next_page_token) == (["number 0"], "")
        with pytest.raises(InvalidPageToken):
            await listed(world, size=2, token="nonsense")
        world.clock.now += LISTING_PINNED_NS_MAX + 1
        with pytest.raises(PageTokenExpired):
            await listed(world, size=2, token=page.next_page_token)


async def test_a_listing_returns_the_memories_that_match_its_filter() -> None:
    async with World() as world:
        first = await remember(world, "one", importance=0.9)
        second = await remember(world, "two", importance=0.1)
        third = await remember(world, "three", user_id="bob")
        await link(world, first, second, LinkType.SUPERSEDES)
        await forget(world, third)
        assert contents(await listed(world)) == ["one"]
        assert contents(await listed(world, ALL)) == ["two", "one"]
        assert contents(await listed(world, of_memories(statuses=frozenset({MemoryStatus.SUPERSEDED})))) == ["two"]
        assert contents(await listed(world, ALL, forgotten_only=True)) == ["three"]
        least = (await get(world, first)).salience
        assert contents(await listed(world, of_memories(min_salience=least))) == ["one"]
        assert (await get(world, third, include_forgotten=True)).memory.is_forgotten
        with pytest.raises(RecordNotFound):
            await get(world, third)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (ListOrder.ID, "a b c d"),
        (ListOrder.ID_DESCENDING, "d c b a"),
        (ListOrder.CREATE_TIME, "c d a b"),
        (ListOrder.CREATE_TIME_DESCENDING, "b a d c"),
        (ListOrder.UPDATE_TIME, "d a b c"),
        (ListOrder.UPDATE_TIME_DESCENDING, "c b a d"),
        (ListOrder.IMPORTANCE, "a c d b"),
        (ListOrder.IMPORTANCE_DESCENDING, "b d c a"),
    ],
)
async def test_memories_are_listed_in_the_order_that_is_asked_for(order: ListOrder, names: str) -> None:
    async with World() as world:
        await create(world, *(memory_draft(f"fox {name}", memory_id=name) for name in ("c", "d")))
        world.clock.now += SECOND_NS
        rated = {"a": 0.1, "b": 0.9}.items()
        await create(world, *(memory_draft(f"hen {name}", memory_id=name, importance=share) for name, share in rated))
        world.clock.now += SECOND_NS
        await rewrite(world, "c", "owl")
        page = await memories(world).list("a", ALL, PageRequest(digest("q"), 10, ""), order)
        assert [each.memory.memory_id for each in page.items] == names.split()


async def test_a_result_has_the_number_of_links_and_the_vector_on_request() -> None:
    async with World() as world:
        first = await remember(world, "one", identity=IDENTITY, vector=b"12345678", is_vector_given=True)
        second, third = await remember(world, "two"), await remember(world, "three")
        await link(world, first, second)
        await link(world, third, first)
        await link(world, first, second, LinkType.REINFORCES)
        known = await get(world, first)
        assert (known.link_count, known.embedding) == (3, None)
        assert (embedding := (await get(world, first, include_embedding=True)).embedding) is not None
        assert embedding.vector == b"12345678"
        assert known.salience > (await get(world, second)).salience


async def test_links_are_listed_by_their_ends_and_types() -> None:
    async with World() as world:
        first, second, third = [await remember(world, name, memory_id=name) for name in ("a1", "b1", "c1")]
        await link(world, second, third)
        await link(world, first, second, LinkType.DERIVED_FROM)
        await link(world, first, second)

        async def keys(memory_id: str, link_type: LinkType | None = None, size: int = 10, token: str = "") -> list[str]:
            page = await memories(world).list_links(
                "a", memory_id, of_links(link_type), PageRequest(digest("q"), size, token)
            )
            assert page.total_count >= len(page.items)
            return [each.key for each in page.items]

        assert await keys("") == ["a1/b1/1", "a1/b1/2", "b1/c1/1"]
        assert await keys(third) == ["b1/c1/1"]
        assert await keys(second, LinkType.RELATED) == ["a1/b1/1", "b1/c1/1"]
        assert await keys("", size=2) == ["a1/b1/1", "a1/b1/2"]
        newest = ListOrder.CREATE_TIME_DESCENDING
        page = await memories(world).list_links("a", "", EVERY_RECORD, PageRequest(digest("q"), 10, ""), newest)
        assert [each.key for each in page.items] == ["b1/c1/1", "a1/b1/2", "a1/b1/1"]
        found, revision = await memories(world).link("a", first, second, LinkType.DERIVED_FROM)
        assert (found.key, revision) == ("a1/b1/2", 6)
        with pytest.raises(RecordNotFound) as refused:
            await memories(world).link("a", second, first, LinkType.DERIVED_FROM)
        assert refused.value.metadata["kind"] == "memory_link"
        with pytest.raises(RecordNotFound):
            await keys("d1")


async def test_a_repeated_request_id_returns_the_first_result() -> None:
    async with World() as world:
        first = await create(
            world, memory_draft("one", allow_duplicates=True, skip_contradictions=True), write=request("r")
        )
        again = await create(
            world, memory_draft("one", allow_duplicates=True, skip_contradictions=True), write=request("r")
        )
        assert (first == again, len(state(world).part(MEMORIES))) == (True, 1)
        with pytest.raises(RequestIdReused):
            await create(world, memory_draft("two"), write=request("r", b"other"))


async def test_a_batch_is_one_revision_or_nothing() -> None:
    async with World() as world:
        with pytest.raises(RecordExists):
            await create(world, memory_draft("one", memory_id="m"), memory_draft("two", memory_id="m"))
        assert (await recall(world, "one")).found == []
        await create(world, memory_draft("one"), memory_draft("two"))
        assert state(world).revision == 1


async def test_a_change_with_a_failed_precondition_changes_nothing() -> None:
    async with World() as world:
        memory_id = await remember(world, "one")
        before = state(world)
        with pytest.raises(RevisionMismatch):
            await create(world, memory_draft("two"), write=Write(precondition=Precondition(expected_revision=7)))
        purging = PurgeMemory(memory_id, precondition=Precondition(expected_revision=7))
        with pytest.raises(RevisionMismatch):
            await change(world, purging)
        assert state(world) is before


async def test_a_duplicate_reinforces_and_a_contradiction_is_linked() -> None:
    async with World() as world:
        (first,) = await create(world, memory_draft("Ann lives in Oslo"))
        (again,) = await create(world, memory_draft("Ann lives in Oslo"))
        assert (again.outcome, again.memory_id) == (CreateMemoryOutcome.REINFORCED, first.memory_id)
        (moved,) = await create(world, memory_draft("Ann lives in Bergen"))
        assert (moved.outcome, moved.contradicts) == (CreateMemoryOutcome.CREATED, (first.memory_id,))
        (turn,) = await create(
            world, memory_draft("Ann lives in Oslo", allow_duplicates=True, skip_contradictions=True)
        )
        assert turn.outcome is CreateMemoryOutcome.CREATED
        counts = {name: counter.value for name, counter in world.telemetry.memories_created.items()}
        assert counts == {"semantic": 3, "episodic": 0, "procedural": 0, "working": 0}


async def test_memories_and_recalls_are_measured() -> None:
    async with World() as world:
        memory_id = await remember(world, "one")
        await remember(world, "two", agent="b")
        await recall(world, "one")
        assert sum(world.telemetry.recall_latency_ms.bucket_counts) == 1
        await purge(world, memory_id)
        await world.engine.measure()
        assert world.telemetry.memories.value == 1


async def test_statistics_count_memories_by_status() -> None:
    async with World() as world:
        first, second, third, fourth = [await remember(world, name) for name in ("one", "two", "three", "four")]
        await link(world, first, second, LinkType.SUPERSEDES)
        await forget(world, third)
        patch = MemoryPatch(status=MemoryStatus.ARCHIVED)
        await change(world, UpdateMemory(fourth, patch, MemoryPolicy()))
        figures, _ = await world.engine.agents.statistics("a")
        assert (figures.record_counts[RecordKind.MEMORY], figures.counts["forgotten_memories"]) == (3, 1)
        assert (
            figures.counts["archived_memories"],
            figures.counts["superseded_memories"],
            figures.record_counts[RecordKind.MEMORY_LINK],
        ) == (
            1,
            1,
            1,
        )
        assert figures.counts["unembedded_memories"] == 0
        assert figures.size_bytes == state(world).part(MEMORIES).size_bytes(world.clock.now)
