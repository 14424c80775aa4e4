"""Stores that several engines share, and that a test can delay, make fail or set back."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

from tests.unit.engine.world import ManualClock, World

from memoryd_server.ports.retrieval import Embedder
from memoryd_server.ports.store import (
    Commit,
    CommitPoint,
    FollowingRows,
    JournalRow,
    Record,
    RecordKey,
    RevisionConflict,
    StoredAgent,
)
from memoryd_server.stores.in_memory import InMemoryStore

SHARD_COUNT = 4


class Image(NamedTuple):
    """The content of the store at one time."""

    heads: dict[str, object]
    points: dict[str, CommitPoint]
    records: dict[str, dict[RecordKey, Record]]
    journals: list[tuple[list[JournalRow], CommitPoint]]


class SharedStore(InMemoryStore):
    """The reference store, shared. ``asked`` counts the calls by name.

    If ``failure`` is set, the calls in ``failing`` raise it and do nothing; all calls if ``failing`` is empty.

    While the gate of a call is closed, the call is executed but does not return. The next ``conflicts`` commits are
    refused, as if another engine had been faster. If ``loses_answer`` is true, the next commit is applied, and fails
    with an uncertain conflict, as if its reply had been lost and it had been sent again.
    """

    def __init__(self, shard_count: int = SHARD_COUNT) -> None:
        super().__init__(shard_count, is_shared=True)
        self.asked: Counter[str] = Counter()
        self.failure: Exception | None = None
        self.failing: Collection[str] = ()
        self.conflicts = 0
        self.loses_answer = False
        self.duty: Collection[int] = range(shard_count)
        self.settled = 0
        self.gates = {name: _open_gate() for name in ("changed", "load", "rows_since", "await_rows")}

    def _ask(self, name: str) -> None:
        self.asked[name] += 1
        if self.failure is not None and (not self.failing or name in self.failing):
            raise self.failure

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        self._ask("commit")
        if self.loses_answer:
            self.loses_answer = False
            super().commit(commit)
            return _failed(RevisionConflict(commit.head.agent_id, is_certain=False))
        if self.conflicts:
            self.conflicts -= 1
            return _failed(RevisionConflict(commit.head.agent_id))
        return super().commit(commit)

    def changed(self, agent_id: str, known: CommitPoint, *, settle: bool = False) -> asyncio.Future[bool]:
        self.settled += settle
        return asyncio.ensure_future(self._changed(agent_id, known))

    async def _changed(self, agent_id: str, known: CommitPoint) -> bool:
        self._ask("changed")
        answer = super().changed(agent_id, known).result()
        await self.gates["changed"].wait()
        return answer

    async def load(self, agent_id: str) -> StoredAgent | None:
        self._ask("load")
        stored = await super().load(agent_id)
        await self.gates["load"].wait()
        return stored

    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        self._ask("rows_since")
        rows = await super().rows_since(agent_id, known)
        await self.gates["rows_since"].wait()
        return rows

    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        self._ask("await_rows")
        rows = await super().await_rows(after, wait_s)
        await self.gates["await_rows"].wait()
        return rows

    async def journal_points(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        self._ask("journal_points")
        return await super().journal_points(shards)

    async def duties(self) -> Collection[int]:
        return self.duty

    def image(self) -> Image:
        """Return the current content, for ``go_back``."""
        records = {agent_id: dict(each) for agent_id, each in self._records.items()}
        journals = [(list(journal.rows), journal.end) for journal in self._journals]
        return Image(dict(self._heads), dict(self._points), records, journals)

    def go_back(self, image: Image) -> None:
        """Lose all later commits, as a failover to a replica does that had not received them."""
        self._heads, self._points, self._records = dict(image.heads), dict(image.points), image.records  # type: ignore[arg-type]
        for journal, (rows, end) in zip(self._journals, image.journals, strict=True):
            journal.rows, journal.end = rows, end
        if self._committed is not None and not self._committed.done():
            self._committed.set_result(None)


class SlowStore(SharedStore):
    """A shared store that executes each call, and returns, only after some turns of the event loop."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    async def _pass(self) -> None:
        for _ in range(self._chance.choice((0, 0, 1, 3, 10))):
            await asyncio.sleep(0)

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        return asyncio.ensure_future(self._commit(super().commit, commit))

    async def _commit(self, apply: Callable[[Commit], asyncio.Future[int]], commit: Commit) -> int:
        await self._pass()
        position = await apply(commit)
        await self._pass()
        return position

    async def _changed(self, agent_id: str, known: CommitPoint) -> bool:
        await self._pass()
        changed = await super()._changed(agent_id, known)
        await self._pass()
        return changed

    async def load(self, agent_id: str) -> StoredAgent | None:
        await self._pass()
        stored = await super().load(agent_id)
        await self._pass()
        return stored

    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        await self._pass()
        rows = await super().rows_since(agent_id, known)
        await self._pass()
        return rows

    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        rows = await super().await_rows(after, wait_s)
        await self._pass()
        return rows


def _failed(failure: Exception) -> asyncio.Future[int]:
    refused: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    refused.set_exception(failure)
    return refused


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


@asynccontextmanager
async def sharing(store: SharedStore, count: int = 2, embedders: Sequence[Embedder] = ()) -> AsyncIterator[list[World]]:
    """Yield ``count`` engines over one store, with one clock, and with an embedder each if they are given."""
    clock = ManualClock()
    worlds = [
        World(store, clock=clock, name=f"{name}-", embedder=embedder)
        for name, embedder in zip("ABC"[:count], embedders or [None] * count, strict=True)
    ]
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(world) for world in worlds]


def agents_of_all_shards(store: SharedStore) -> list[str]:
    """Return one agent of each shard, in order of the shards."""
    found: dict[int, str] = {}
    number = 0
    while len(found) < store.shard_count:
        found.setdefault(store.shard_of(f"agent-{number}"), f"agent-{number}")
        number += 1
    return [found[shard] for shard in range(store.shard_count)]
