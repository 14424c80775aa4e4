"""Search indexes that are saved, so that the first search after a start need not read every item again."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.engine.indexes.agent_indexes import AgentIndex, AgentIndexes, IndexedPart
from memoryd_server.engine.limit import SAVED_CHANGES_MIN, SAVED_CHANGES_SHARE, SAVED_INTERVAL_S, SAVED_ITEMS_MIN
from memoryd_server.ports.retrieval import IndexedMemory, MemoryIndex, UnusableIndex
from memoryd_server.ports.saved_indexes import SavedIndexes
from memoryd_server.ports.store import Store

log = logging.getLogger("memoryd.indexes")

P = TypeVar("P")


class SavedAgentIndexes(AgentIndexes[P, MemoryIndex]):
    """Indexes of a part of each agent that are saved once they have grown, and when their agents leave memory.

    A saved index is never relied on: each item that it has is compared with the agent's. Without ``saved``, nothing is.
    """

    def __init__(
        self, new_index: Callable[[], MemoryIndex], part: IndexedPart[P], saved: SavedIndexes | None = None
    ) -> None:
        super().__init__(new_index, part)
        self._saved = saved
        self._saving: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Find what earlier daemons saved."""
        if self._saved is not None:
            await asyncio.to_thread(self._saved.open)

    async def save_all(self) -> None:
        """Save the indexes that changed, as far as that takes no long computation first."""
        for agent_id in list(self._indexes):
            self._begin_saving(self._indexes.pop(agent_id))
        while self._saving:
            await asyncio.wait(self._saving)

    async def forget(self, agent_id: str) -> None:
        """Remove an agent's saved index, of which something is to be erased."""
        if self._saved is None:
            return
        await asyncio.to_thread(self._saved.remove, agent_id)
        kept = self._indexes.get(agent_id)
        if kept is not None and kept.index is not None:
            kept.unsaved_count = len(kept.index)

    def make_room(self) -> None:
        """Remove all saved indexes: the disk is full."""
        if self._saved is not None:
            with contextlib.suppress(RuntimeError):  # the threads are closed, and the daemon ends
                self._threads.submit(self._saved.remove_all)

    async def retire(self, store: Store, age_s: float) -> None:
        """Save again, or remove, what was saved longer ago than this, if its agent has changed since.

        It may have words of items that were removed.
        """
        if self._saved is None:
            return
        for each in await asyncio.to_thread(self._saved.older_than, age_s):
            head, kept = await store.load_head(each.agent_id), self._indexes.get(each.agent_id)
            if head is not None and not head.ended and head.revision == each.revision:
                await asyncio.to_thread(self._saved.confirm, each.agent_id, each.revision)
            elif kept is not None and self._is_ready(kept):
                self._begin_saving(kept)
            else:
                await asyncio.to_thread(self._saved.remove, each.agent_id)

    def note_gone(self, state: AgentState) -> None:
        """Drop the index of an agent that was evicted, and save it if it changed."""
        kept = self._indexes.pop(state.agent_id, None)
        if kept is not None:
            self._begin_saving(kept)

    def _note_updated(self, kept: AgentIndex[P, MemoryIndex]) -> None:
        assert kept.index is not None
        is_due = kept.unsaved_count >= max(SAVED_CHANGES_MIN, len(kept.index) * SAVED_CHANGES_SHARE)
        if is_due and asyncio.get_running_loop().time() - kept.save_time >= SAVED_INTERVAL_S:
            self._begin_saving(kept)

    def _filled(self, kept: AgentIndex[P, MemoryIndex], items: Sequence[IndexedMemory]) -> MemoryIndex:
        if self._saved is None or len(items) < SAVED_ITEMS_MIN:
            return super()._filled(kept, items)
        agent_id = kept.latest.agent_id
        with self._saved.read(agent_id) as file:
            if file is None:
                return super()._filled(kept, items)
            try:
                index = self._new_index()
                kept.unsaved_count = index.load(file, items)
                log.debug("saved index loaded", extra={"agent_id": agent_id, "changed": kept.unsaved_count})
            except Exception as error:  # noqa: BLE001 - whatever is wrong with the file, the items are there
                log.log(
                    logging.INFO if isinstance(error, UnusableIndex) else logging.WARNING,
                    "saved index not used",
                    extra={"agent_id": agent_id, "error": str(error)},
                )
                return super()._filled(kept, items)
            return index

    def _begin_saving(self, kept: AgentIndex[P, MemoryIndex]) -> None:
        if self._saved is None or not self._is_ready(kept):
            return
        kept.save_time = asyncio.get_running_loop().time()
        saving = asyncio.create_task(self._save(kept), name=f"save index of {kept.latest.agent_id}")
        self._saving.add(saving)
        saving.add_done_callback(self._saving.discard)

    def _is_ready(self, kept: AgentIndex[P, MemoryIndex]) -> bool:
        """Return True if an index is large enough to be saved, and lacks few of the agent's changes."""
        changed = kept.changed_ids
        if kept.index is None or changed is None:
            return False
        return len(kept.index) >= SAVED_ITEMS_MIN and len(changed) <= SAVED_CHANGES_MIN

    async def _save(self, kept: AgentIndex[P, MemoryIndex]) -> None:
        assert self._saved is not None
        saved, agent_id = self._saved, kept.latest.agent_id
        # Before the items are chosen: what is erased from now on must not be saved.
        draft = saved.begin(agent_id)

        def write(index: MemoryIndex, state: AgentState) -> int:
            if not kept.unsaved_count:
                saved.confirm(agent_id, state.revision)
                return 0
            # Also if it fails: the next attempt is made after as many changes.
            kept.unsaved_count = 0
            return saved.write(draft, state.revision, index.save)

        try:
            size, _ = await self._use(kept, write)
        except Exception:
            log.exception("index not saved", extra={"agent_id": agent_id})
        else:
            log.debug("index saved", extra={"agent_id": agent_id, "bytes": size})
