"""A snapshot repository in a dictionary."""

import itertools
from collections.abc import AsyncGenerator, AsyncIterator

import msgspec

from memoryd_server.domain.error import SnapshotExists, SnapshotNotFound
from memoryd_server.ports.snapshot import AUTOMATIC_TRIGGERS, SnapshotInfo
from memoryd_server.ports.store import StoredAgent


class DictionaryRepository:
    """The part of ``ports.snapshot.SnapshotRepository`` that the engine's tests need."""

    def __init__(self) -> None:
        self.snapshots: dict[str, tuple[SnapshotInfo, tuple[StoredAgent, ...]]] = {}
        self.failure: Exception | None = None
        self._numbers = itertools.count()

    async def open(self) -> None:
        pass

    async def create(self, info: SnapshotInfo, agents: AsyncIterator[StoredAgent]) -> SnapshotInfo:
        if self.failure is not None:
            raise self.failure
        held = tuple([agent async for agent in agents])
        snapshot_id = info.snapshot_id or f"snapshot-{next(self._numbers)}"
        if snapshot_id in self.snapshots:
            raise SnapshotExists(snapshot_id)
        created = msgspec.structs.replace(info, snapshot_id=snapshot_id, agent_count=len(held))
        self.snapshots[snapshot_id] = (created, held)
        return created

    async def get(self, snapshot_id: str) -> SnapshotInfo:
        if snapshot_id not in self.snapshots:
            raise SnapshotNotFound(snapshot_id)
        return self.snapshots[snapshot_id][0]

    async def list(self) -> tuple[SnapshotInfo, ...]:
        return tuple(reversed([info for info, _ in self.snapshots.values()]))

    async def delete(self, snapshot_id: str) -> None:
        await self.get(snapshot_id)
        del self.snapshots[snapshot_id]

    async def read(self, snapshot_id: str) -> AsyncGenerator[StoredAgent, None]:
        await self.get(snapshot_id)
        for agent in self.snapshots[snapshot_id][1]:
            yield agent

    async def export(self, snapshot_id: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        yield (await self.get(snapshot_id)).snapshot_id.encode()

    async def import_(self, snapshot_id: str, chunks: AsyncIterator[bytes], sha256: str = "") -> SnapshotInfo:
        known = b"".join([chunk async for chunk in chunks]).decode()
        info, held = self.snapshots[known]
        self.snapshots[snapshot_id] = (msgspec.structs.replace(info, snapshot_id=snapshot_id), held)
        return self.snapshots[snapshot_id][0]

    async def prune(self, keep: int) -> int:
        automatic = [each.snapshot_id for each in await self.list() if each.trigger in AUTOMATIC_TRIGGERS]
        for snapshot_id in automatic[keep:]:
            await self.delete(snapshot_id)
        return len(automatic[keep:])
