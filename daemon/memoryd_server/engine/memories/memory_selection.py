"""The selection of memories by a filter: by an index if there are many, else one by one."""

from collections.abc import Sequence

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import MEMORY_SHAPE, Memory, min_salience_of
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import salience_of
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.indexes.memory_indexes import MemorySelectors
from memoryd_server.engine.limit import SCANNED_MEMORIES_MAX
from memoryd_server.ports.retrieval import MemorySelector, WithRecalls, as_stored


class MemorySelection:
    """Selects memories of all agents."""

    def __init__(self, selectors: MemorySelectors, policy: MemoryPolicy) -> None:
        self._selectors = selectors
        self._policy = policy

    async def select(
        self,
        state: AgentState,
        chosen: RecordFilter,
        order: ListOrder,
        now: int,
        *,
        with_recalls: WithRecalls = as_stored,
        forgotten_only: bool = False,
    ) -> tuple[Sequence[Memory], AgentState]:
        """Return the memories that a filter keeps, in an order, and the state that they are of: the given one or later.

        Either only forgotten memories are selected, or all others. A minimum salience is compared with that of memories
        ``with_recalls``. The agent must be loaded.
        """
        memories = state.part(MEMORIES)
        if forgotten_only or len(memories) <= SCANNED_MEMORIES_MAX:
            scanned = await offload(len(memories), lambda: _scanned(memories, chosen, order, now, forgotten_only))
            return self._salient(scanned, chosen, memories, now, with_recalls), state

        def work(index: MemorySelector) -> Sequence[Memory]:
            return [each for each in index.select(chosen, order) if each.is_live(now)]

        found, state = await self._selectors.use(state, work)
        return self._salient(found, chosen, state.part(MEMORIES), now, with_recalls), state

    def salience(self, memory: Memory, memories: LongTermMemory, now: int) -> float:
        """Return the salience of a memory."""
        return salience_of(memory, memories.link_strength(memory.memory_id), now, self._policy.salience)

    def _salient(
        self,
        found: Sequence[Memory],
        chosen: RecordFilter,
        memories: LongTermMemory,
        now: int,
        with_recalls: WithRecalls,
    ) -> Sequence[Memory]:
        minimum = min_salience_of(chosen)
        if not minimum:
            return found
        return [each for each in found if self.salience(with_recalls(each), memories, now) >= minimum]


def _scanned(
    memories: LongTermMemory, chosen: RecordFilter, order: ListOrder, now: int, forgotten_only: bool
) -> Sequence[Memory]:
    matcher = Matcher(chosen, MEMORY_SHAPE)
    kept = (each for each in memories.live(now) if each.is_forgotten is forgotten_only and matcher.keeps(each))
    # Memories of one batch have one time: their sequences have the order of the batch.
    by_id = order in (ListOrder.ID, ListOrder.ID_DESCENDING)
    return arranged(kept, order, lambda each: each.memory_id if by_id else each.sequence)
