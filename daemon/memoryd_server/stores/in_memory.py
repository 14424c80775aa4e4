"""The reference store: a few dictionaries. It is gone with the process, and what it does is what the others must do."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Collection

from memoryd_server.ports.store import (
    AgentHead,
    Commit,
    JournalCompacted,
    JournalPage,
    JournalRow,
    Record,
    RecordKey,
    RevisionConflict,
    StoredAgent,
)


class InMemoryStore:
    """Implements ``ports.store.Store`` without files, threads or waiting."""

    backend = "in_memory"

    def __init__(self) -> None:
        self.store_id = ""
        self._heads: dict[str, AgentHead] = {}
        self._records: dict[str, dict[RecordKey, Record]] = {}
        self._journal: list[JournalRow] = []
        self._end_position = 0

    async def open(self) -> None:
        """Give the data an identity."""
        self.store_id = secrets.token_hex(16)

    async def close(self) -> None:
        """Nothing is waiting, and nothing is kept."""

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        """Carry the commit out at once; see the port."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        agent_id = commit.head.agent_id
        head = self._heads.get(agent_id)
        revision = head.revision if head else 0
        if revision != commit.expected_revision:
            future.set_exception(RevisionConflict(agent_id, revision))
            return future
        self._heads[agent_id] = commit.head
        self._change_records(commit)
        if commit.journal is not None:
            self._end_position += 1
            self._journal.append(
                JournalRow(
                    position=self._end_position,
                    agent_id=agent_id,
                    base_revision=commit.expected_revision,
                    revision=commit.head.revision,
                    commit_time=commit.head.update_time,
                    data=commit.journal,
                )
            )
        future.set_result(self._end_position)
        return future

    def _change_records(self, commit: Commit) -> None:
        records = self._records.setdefault(commit.head.agent_id, {})
        if commit.drop_records:
            records.clear()
        for key in commit.deletes:
            records.pop(key, None)
        for record in commit.puts:
            records[RecordKey(record.kind, record.key)] = record

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """See the port."""
        return self._heads.get(agent_id)

    async def load(self, agent_id: str) -> StoredAgent | None:
        """See the port."""
        head = self._heads.get(agent_id)
        return self._stored(head) if head else None

    def _stored(self, head: AgentHead) -> StoredAgent:
        return StoredAgent(head, tuple(self._records[head.agent_id].values()))

    def _active_heads(self) -> list[AgentHead]:
        return sorted(
            (head for head in self._heads.values() if not head.ended), key=lambda head: head.agent_id.encode()
        )

    async def list_agents(self, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
        """See the port."""
        after = after_agent_id.encode()
        found = (h for h in self._active_heads() if h.agent_id.startswith(prefix) and h.agent_id.encode() > after)
        return [head for head, _ in zip(found, range(limit), strict=False)]

    async def due_agents(self, now: int, limit: int) -> list[str]:
        """See the port."""
        due = [(h.next_deadline, h.agent_id) for h in self._heads.values() if h.next_deadline is not None]
        return [agent_id for deadline, agent_id in sorted(due)[:limit] if deadline <= now]

    async def scan(self) -> AsyncGenerator[StoredAgent, None]:
        """See the port."""
        for agent in [self._stored(head) for head in self._active_heads()]:
            yield agent

    async def journal_end(self) -> int:
        """See the port."""
        return self._end_position

    async def journal_start(self) -> int:
        """See the port."""
        return self._end_position - len(self._journal) + 1

    async def read_journal(self, after: int, limit: int, agent_ids: Collection[str] | None = None) -> JournalPage:
        """See the port."""
        pruned_position = self._end_position - len(self._journal)
        if after < pruned_position:
            raise JournalCompacted(self._oldest_revision(*agent_ids) if agent_ids and len(agent_ids) == 1 else None)
        wanted = self._journal[after - pruned_position :]
        if agent_ids is not None:
            wanted = [row for row in wanted if row.agent_id in agent_ids]
        rows = wanted[:limit]
        end_position = rows[-1].position if len(wanted) > limit else self._end_position
        return JournalPage(tuple(rows), end_position, complete=end_position == self._end_position)

    def _rows_of(self, agent_id: str) -> list[JournalRow]:
        return [row for row in self._journal if row.agent_id == agent_id]

    def _oldest_revision(self, agent_id: str) -> int | None:
        rows = self._rows_of(agent_id)
        if rows:
            return rows[0].base_revision + 1
        head = self._heads.get(agent_id)
        return head.revision + 1 if head else None

    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """See the port."""
        return [row for row in self._rows_of(agent_id)[-limit:] if row.commit_time >= since_time]

    async def locate(self, agent_id: str, revision: int) -> int:
        """See the port."""
        head = self._heads.get(agent_id)
        if head is None or head.revision <= revision:
            return self._end_position
        oldest_revision = self._oldest_revision(agent_id)
        if oldest_revision is not None and revision + 1 < oldest_revision:
            raise JournalCompacted(oldest_revision)
        return next(row.position - 1 for row in self._rows_of(agent_id) if row.revision > revision)

    async def prune_journal(self, rows_max: int, since_time: int) -> int:
        """See the port."""
        dropped = 0
        while dropped < len(self._journal) and (
            len(self._journal) - dropped > rows_max or self._journal[dropped].commit_time < since_time
        ):
            dropped += 1
        del self._journal[:dropped]
        if dropped:
            told = {row.agent_id for row in self._journal}
            for agent_id in [h.agent_id for h in self._heads.values() if h.ended and h.agent_id not in told]:
                del self._heads[agent_id], self._records[agent_id]
        return dropped
