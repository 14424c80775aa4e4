import asyncio
import contextlib

import pytest
from tests.unit.engine.world import World, settle

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.engine.watching.journal_pages import JournalPages, Page
from memoryd_server.ports.store import JournalPage, JournalRow


class Reads:
    """A store whose reads of the journal a test counts, and may hold or let fail."""

    def __init__(self, rows: tuple[JournalRow, ...], *, shared: bool = False) -> None:
        self.rows = rows
        self.count = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Exception | None = None
        self.sharing = object() if shared else None

    async def read_journal(self, after: int, limit: int, agent_ids: object, shard: int) -> JournalPage:
        self.count += 1
        found = self.rows
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        rows = found[after : after + 2]
        return JournalPage(rows, rows[-1].position, complete=rows[-1] is found[-1])


async def rows() -> tuple[JournalRow, ...]:
    async with World() as world:
        for index in range(6):
            await world.set(f"k{index}")
        return (await world.store.read_journal(0, 10)).rows


def pages(store: Reads, bytes_max: int = 1_000_000) -> JournalPages:
    return JournalPages(store, bytes_max)  # type: ignore[arg-type]


def positions(page: Page) -> list[int]:
    return [each.position for each in page.commits]


async def test_a_page_is_read_and_decoded_once_for_all_who_catch_up() -> None:
    store = Reads(await rows())
    kept = pages(store)
    with kept.reading():
        store.gate.clear()
        reads = [asyncio.create_task(kept.read(0, None, 0, 6)) for _ in range(10)]
        await settle()
        store.gate.set()
        found = await asyncio.gather(*reads)
        later = await kept.read(0, None, 0, 6)
        assert store.count == 1
        assert all(page is later for page in found)
        assert positions(later) == [1, 2]
        assert positions(await kept.read(0, {"a"}, 0, 6)) == [1, 2]
        assert store.count == 2


async def test_who_needs_more_than_an_earlier_read_can_have_reads_again() -> None:
    every = await rows()
    store = Reads(every[:1])
    kept = pages(store)
    with kept.reading():
        store.gate.clear()
        early = asyncio.create_task(kept.read(0, None, 0, 1))
        await settle()
        late = [asyncio.create_task(kept.read(0, None, 0, 2)) for _ in range(5)]
        await settle()
        assert store.count == 1
        store.gate.set()
        await early
        store.rows = every[:2]
        assert [positions(await each) for each in late] == [[1, 2]] * 5
        assert store.count == 2


async def test_pages_are_kept_only_while_someone_catches_up() -> None:
    store = Reads(await rows())
    kept = pages(store)
    await kept.read(0, None, 0, 6)
    with kept.reading():
        await kept.read(0, None, 0, 6)
        with kept.reading():
            await kept.read(0, None, 0, 6)
        await kept.read(0, None, 0, 6)
        assert store.count == 2
    with kept.reading():
        await kept.read(0, None, 0, 6)
    assert store.count == 3


async def test_what_was_erased_is_read_again_also_if_it_was_being_read() -> None:
    store = Reads(await rows())
    kept = pages(store)
    with kept.reading():
        await kept.read(0, None, 0, 6)
        kept.forget()
        store.gate.clear()
        early = asyncio.create_task(kept.read(0, None, 0, 6))
        await settle()
        kept.forget()
        store.gate.set()
        await early
        await kept.read(0, None, 0, 6)
    assert store.count == 3


async def test_pages_of_a_shared_store_are_not_kept() -> None:
    store = Reads(await rows(), shared=True)
    kept = pages(store)
    with kept.reading():
        await kept.read(0, None, 0, 6)
        await kept.read(0, None, 0, 6)
    assert store.count == 2


async def test_the_last_page_is_read_again_once_there_is_more() -> None:
    store = Reads(await rows())
    kept = pages(store)
    with kept.reading():
        assert (await kept.read(4, None, 0, 6)).complete
        await kept.read(4, None, 0, 6)
        assert store.count == 1
        await kept.read(4, None, 0, 7)
        assert store.count == 2


async def test_the_oldest_pages_make_room() -> None:
    every = await rows()
    store = Reads(every)
    kept = pages(store, bytes_max=sum(len(row.data) for row in every[:4]))
    with kept.reading():
        for after in (0, 2, 4, 4, 2, 0):
            await kept.read(after, None, 0, 6)
    assert store.count == 4


async def test_one_who_leaves_takes_the_page_from_nobody() -> None:
    store = Reads(await rows())
    kept = pages(store)
    with kept.reading():
        store.gate.clear()
        leaving, staying = (asyncio.create_task(kept.read(0, None, 0, 6)) for _ in range(2))
        await settle()
        leaving.cancel()
        await settle()
        store.gate.set()
        assert positions(await staying) == [1, 2]
        with contextlib.suppress(asyncio.CancelledError):
            await leaving


async def test_a_failure_is_everybodys_and_the_next_read_tries_again() -> None:
    store = Reads(await rows())
    kept = pages(store)
    with kept.reading():
        store.failure = StoreUnavailable()
        failed = await asyncio.gather(*(kept.read(0, None, 0, 6) for _ in range(2)), return_exceptions=True)
        assert [type(each) for each in failed] == [StoreUnavailable, StoreUnavailable]
        store.failure = None
        assert positions(await kept.read(0, None, 0, 6)) == [1, 2]
        store.failure = StoreUnavailable()
        with pytest.raises(StoreUnavailable):
            await kept.read(2, None, 0, 6)
