"""The reference store: a few dictionaries, which end with the process. Its behaviour is that required of other stores.

It may be shared: then several engines use the same object, as several daemons would use a server.
"""

import asyncio
import functools
import secrets
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence

import msgspec
from typing_extensions import override

from memoryd_server.domain.error import HistoryLost
from memoryd_server.ports.durability import Durability
from memoryd_server.ports.store import (
    NEVER,
    NO_RECORDS,
    AgentHead,
    AgentQuery,
    Commit,
    CommitPoint,
    FollowingRows,
    JournalCompacted,
    JournalPage,
    JournalRow,
    ListedAgent,
    Record,
    RecordKey,
    RevisionConflict,
    Sharing,
    Store,
    StoredAgent,
    Tally,
    fitting_rows,
)
from memoryd_server.ports.store_factory import StoreFactory, StoreOptions, StoreSource
from memoryd_server.stores.shard import shard_of


class _Journal:
    """The retained rows of one shard, and the point of its last commit."""

    def __init__(self) -> None:
        self.rows: list[JournalRow] = []
        self.end = NEVER

    @property
    def pruned_position(self) -> int:
        return self.end.position - len(self.rows)

    def follows(self, point: CommitPoint) -> bool:
        """Return False if a point is known not to be in this journal. A pruned point is assumed to have been there."""
        if self.pruned_position < point.position <= self.end.position:
            return self.rows[point.position - self.pruned_position - 1].point == point
        return point.position <= self.end.position

    def prune(self, rows_max: int, since_time: int) -> int:
        dropped = 0
        while dropped < len(self.rows) and (
            len(self.rows) - dropped > rows_max or self.rows[dropped].commit_time < since_time
        ):
            dropped += 1
        del self.rows[:dropped]
        return dropped


class InMemoryStore(Store, Sharing):
    """Implements ``ports.store.Store`` and ``ports.store.Sharing`` in memory, without files or threads."""

    backend = "in_memory"

    def __init__(self, shard_count: int = 1, *, is_shared: bool = False) -> None:
        self.store_id = ""
        self.shard_count = shard_count
        self.sharing: Sharing | None = self if is_shared else None
        self.shard_groups: Sequence[Sequence[int]] = (range(shard_count),)
        self._heads: dict[str, AgentHead] = {}
        self._points: dict[str, CommitPoint] = {}
        self._records: dict[str, dict[RecordKey, Record]] = {}
        self._journals = [_Journal() for _ in range(shard_count)]
        self._committed: asyncio.Future[None] | None = None
        self._is_restoring = False

    @override
    async def open(self) -> None:
        """Set the store's id."""
        self.store_id = self.store_id or secrets.token_hex(16)

    @override
    async def close(self) -> None:
        """Do nothing: no commit is pending, and nothing is durable."""

    @override
    def shard_of(self, agent_id: str) -> int:
        return shard_of(agent_id, self.shard_count)

    def _journal_of(self, agent_id: str) -> _Journal:
        return self._journals[self.shard_of(agent_id)]

    @override
    def commit(self, commit: Commit) -> asyncio.Future[int]:
        """Carry the commit out at once; see the port."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        agent_id = commit.head.agent_id
        head = self._heads.get(agent_id)
        revision = head.revision if head else 0
        is_expected = self.sharing is None or self._points.get(agent_id, NEVER) == commit.expected_point
        if revision != commit.expected_revision or not is_expected:
            future.set_exception(RevisionConflict(agent_id))
            return future
        self._heads[agent_id] = commit.head
        self._change_records(commit)
        journal = self._journal_of(agent_id)
        if commit.journal is not None:
            self._append(journal, commit, commit.journal)
        future.set_result(journal.end.position)
        return future

    def _append(self, journal: _Journal, commit: Commit, data: bytes) -> None:
        agent_id = commit.head.agent_id
        journal.end = CommitPoint(journal.end.position + 1, commit.nonce)
        row = JournalRow(
            position=journal.end.position,
            agent_id=agent_id,
            base_revision=commit.expected_revision,
            revision=commit.head.revision,
            commit_time=commit.head.update_time,
            data=data,
            shard=self.shard_of(agent_id),
            nonce=commit.nonce,
            base_point=self._points.get(agent_id, NEVER),
        )
        journal.rows.append(row)
        if self.sharing is not None:
            self._points[agent_id] = row.point
        if self._committed is not None and not self._committed.done():
            self._committed.set_result(None)

    def _change_records(self, commit: Commit) -> None:
        records = self._records.setdefault(commit.head.agent_id, {})
        if commit.drop_records:
            records.clear()
        for key in commit.deletes:
            records.pop(key, None)
        for record in commit.puts:
            records[RecordKey(record.kind, record.key)] = record

    @override
    async def load_head(self, agent_id: str) -> AgentHead | None:
        return self._heads.get(agent_id)

    @override
    async def load(self, agent_id: str) -> StoredAgent | None:
        head = self._heads.get(agent_id)
        return self._stored(head) if head else None

    def _stored(self, head: AgentHead) -> StoredAgent:
        records = tuple(self._records[head.agent_id].values())
        return StoredAgent(head, records, self._points.get(head.agent_id, NEVER))

    @override
    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        def record_of(head: AgentHead) -> Record | None:
            return None if query.record is None else self._records[head.agent_id].get(query.record)

        return [ListedAgent(head, record_of(head)) for head in query.page_of(self._heads.values())]

    @override
    async def totals(self) -> Tally:
        return functools.reduce(Tally.plus, (head.tally for head in self._heads.values()), NO_RECORDS)

    @override
    async def due_agents(self, now: int, limit: int, shards: Collection[int] | None = None) -> list[str]:
        due = [
            (head.next_deadline, head.agent_id)
            for head in self._heads.values()
            if head.next_deadline is not None and (shards is None or self.shard_of(head.agent_id) in shards)
        ]
        return [agent_id for deadline, agent_id in sorted(due)[:limit] if deadline <= now]

    @override
    async def scan(self) -> AsyncGenerator[StoredAgent, None]:
        for agent in [self._stored(head) for head in AgentQuery(len(self._heads)).page_of(self._heads.values())]:
            yield agent

    @override
    async def journal_end(self, shard: int = 0) -> int:
        return self._journals[shard].end.position

    @override
    async def journal_start(self, shard: int = 0) -> int:
        return self._journals[shard].pruned_position + 1

    @override
    async def read_journal(
        self, after: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        journal = self._journals[shard]
        if after < journal.pruned_position:
            raise JournalCompacted(self._oldest_revision(*agent_ids) if agent_ids and len(agent_ids) == 1 else None)
        wanted = journal.rows[after - journal.pruned_position :]
        if agent_ids is not None:
            wanted = [row for row in wanted if row.agent_id in agent_ids]
        rows, is_cut = fitting_rows(wanted[:limit])
        end_position = rows[-1].position if is_cut or len(wanted) > limit else journal.end.position
        return JournalPage(tuple(rows), end_position, complete=end_position == journal.end.position)

    @override
    async def read_journal_back(
        self, before: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        journal = self._journals[shard]
        wanted = [row for row in reversed(journal.rows) if row.position < before]
        if agent_ids is not None:
            wanted = [row for row in wanted if row.agent_id in agent_ids]
        rows, _ = fitting_rows(wanted[:limit])
        complete = len(rows) == len(wanted)
        return JournalPage(tuple(rows), journal.pruned_position + 1 if complete else rows[-1].position, complete)

    def _rows_of(self, agent_id: str) -> list[JournalRow]:
        return [row for row in self._journal_of(agent_id).rows if row.agent_id == agent_id]

    def _oldest_revision(self, agent_id: str) -> int | None:
        rows = self._rows_of(agent_id)
        if rows:
            return rows[0].base_revision + 1
        head = self._heads.get(agent_id)
        return head.revision + 1 if head else None

    @override
    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        return [row for row in self._rows_of(agent_id)[-limit:] if row.commit_time >= since_time]

    @override
    async def locate(self, agent_id: str, revision: int) -> int:
        head = self._heads.get(agent_id)
        if head is None or head.revision <= revision:
            return self._journal_of(agent_id).end.position
        oldest_revision = self._oldest_revision(agent_id)
        if oldest_revision is not None and revision + 1 < oldest_revision:
            raise JournalCompacted(oldest_revision)
        return next(row.position - 1 for row in self._rows_of(agent_id) if row.revision > revision)

    @override
    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        pruned = 0
        for shard in range(self.shard_count) if shards is None else shards:
            dropped = self._journals[shard].prune(-(-rows_max // self.shard_count), since_time)
            if dropped:
                self._forget_ended(shard)
            pruned += dropped
        return pruned

    @override
    async def rewrite_journal(self, agent_id: str, rows: Mapping[int, bytes]) -> int:
        journal = self._journal_of(agent_id)
        rewritten = 0
        for index, row in enumerate(journal.rows):
            if row.position in rows and row.agent_id == agent_id:
                journal.rows[index] = msgspec.structs.replace(row, data=rows[row.position])
                rewritten += 1
        return rewritten

    def _forget_ended(self, shard: int) -> None:
        with_rows = {row.agent_id for row in self._journals[shard].rows}
        for agent_id in [h.agent_id for h in self._heads.values() if h.ended and h.agent_id not in with_rows]:
            if self.shard_of(agent_id) == shard:
                del self._heads[agent_id], self._records[agent_id]
                self._points.pop(agent_id, None)

    @override
    def changed(self, agent_id: str, known: CommitPoint, *, settle: bool = False) -> asyncio.Future[bool]:
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        future.set_result(self._points.get(agent_id, NEVER) != known)
        return future

    @override
    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        point = self._points.get(agent_id, NEVER)
        rows = {row.point: row for row in self._rows_of(agent_id)}
        pruned_position = self._journal_of(agent_id).pruned_position
        since: list[JournalRow] = []
        while point != known:
            if point.position <= known.position and known.position > pruned_position:
                raise HistoryLost(agent_id)
            if point not in rows:
                return None
            since.append(rows[point])
            point = rows[point].base_point
        return since[::-1]

    @override
    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        found = self._rows_after(after)
        if found:
            return found
        self._committed = self._committed or asyncio.get_running_loop().create_future()
        await asyncio.wait((self._committed,), timeout=wait_s)
        if self._committed is not None and self._committed.done():
            self._committed = None
        return self._rows_after(after)

    def _rows_after(self, after: Mapping[int, CommitPoint]) -> FollowingRows:
        if not all(self._journals[shard].follows(point) for shard, point in after.items()):
            raise HistoryLost
        compacted = [shard for shard, point in after.items() if point.position < self._journals[shard].pruned_position]
        if compacted:
            raise JournalCompacted(shards=compacted)
        return FollowingRows(
            row for shard, point in after.items() for row in self._journals[shard].rows if row.position > point.position
        )

    @override
    async def nonce_at(self, shard: int, position: int) -> int | None:
        return next((row.nonce for row in self._journals[shard].rows if row.position == position), None)

    @override
    async def journal_points(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        return {shard: self._journals[shard].end for shard in shards}

    @override
    async def unavailable_shards(self, wait_s: float) -> list[int]:
        return []

    @override
    async def duties(self) -> Collection[int]:
        return range(self.shard_count)

    @override
    async def is_restoring(self) -> bool:
        return self._is_restoring

    @override
    async def note_restoring(self, is_restoring: bool) -> None:
        self._is_restoring = is_restoring

    @override
    async def daemon_count(self) -> int:
        """Return 0: no other process can use the store."""
        return 0


class InMemoryFactory(StoreFactory):
    """Makes stores of the scheme ``memory``."""

    is_shared = False
    durabilities: tuple[Durability, ...] = ("memory",)

    @override
    def directory(self, options: StoreOptions) -> None:
        """Return None: there are no files."""
        return

    @override
    def new_store(self, options: StoreOptions) -> Store:
        """Return an empty store."""
        if options.url.partition(":")[2]:
            raise ValueError("must be the scheme alone: an in-memory store has no location")
        return InMemoryStore()

    @override
    def new_source(self, options: StoreOptions) -> StoreSource:
        """Raise ValueError: another process cannot read this store."""
        raise ValueError("is an in-memory store, which ends with its process: take a snapshot of it instead")
