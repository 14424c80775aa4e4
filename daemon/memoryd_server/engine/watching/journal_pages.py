"""Pages of the journal, which watchers that catch up read together: each is read and decoded once for all of them."""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoryd_server.engine.agents.journal import Published, published
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX
from memoryd_server.ports.store import Store


class Page(NamedTuple):
    """Commits in the order of their positions; see ``ports.store.JournalPage``."""

    commits: list[Published]
    end_position: int
    complete: bool


class _Place(NamedTuple):
    shard: int
    after: int
    agent_ids: frozenset[str] | None


class JournalPages:
    """Keeps at most ``bytes_max`` bytes of pages, and only while a watcher catches up.

    Pages of a shared store are not kept, since other daemons may erase what they contain. They are still read once for
    all that want them at the same time.
    """

    def __init__(self, store: Store, bytes_max: int) -> None:
        self._store = store
        self._bytes_max = bytes_max
        self._pages: OrderedDict[_Place, Page] = OrderedDict()
        self._size_bytes = 0
        self._reads: dict[_Place, asyncio.Task[Page]] = {}
        self._readers = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep pages during a with block."""
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1
            if not self._readers:
                self.forget()

    def forget(self) -> None:
        """Drop all pages, because what they contain was erased, or because nobody reads."""
        self._pages.clear()
        self._reads.clear()
        self._size_bytes = 0

    async def read(self, after: int, agent_ids: Collection[str] | None, shard: int, end: int) -> Page:
        """Return the page after a position. One that ends before ``end``, although complete, is read again.

        Raises JournalCompacted, and what the store raises.
        """
        place = _Place(shard, after, None if agent_ids is None else frozenset(agent_ids))
        page = self._pages.get(place)
        while page is None or (page.complete and page.end_position < end):
            reading = self._reads.get(place)
            # One that began earlier may have been before the row at ``end``.
            is_own = reading is None
            if reading is None:
                reading = self._reads[place] = asyncio.create_task(self._read(place))
                # Its failure may find nobody who waits for it any more.
                reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            # The others that wait need the page, too.
            page = await asyncio.shield(reading)
            if is_own:
                break
        return page

    async def _read(self, place: _Place) -> Page:
        this = asyncio.current_task()
        try:
            found = await self._store.read_journal(place.after, JOURNAL_READ_COMMITS_MAX, place.agent_ids, place.shard)
        finally:
            is_current = self._reads.get(place) is this
            if is_current:
                del self._reads[place]
        page = Page([published(row) for row in found.rows], found.end_position, found.complete)
        if is_current and self._readers and self._store.sharing is None:
            self._keep(place, page)
        return page

    def _keep(self, place: _Place, page: Page) -> None:
        self._drop(place)
        self._pages[place] = page
        self._size_bytes += _size_of(page)
        while self._size_bytes > self._bytes_max:
            self._drop(next(iter(self._pages)))

    def _drop(self, place: _Place) -> None:
        page = self._pages.pop(place, None)
        if page is not None:
            self._size_bytes -= _size_of(page)


def _size_of(page: Page) -> int:
    return sum(commit.size_bytes for commit in page.commits)
