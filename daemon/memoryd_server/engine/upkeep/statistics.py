"""How much an agent's memory holds."""

from collections import Counter

import msgspec

from memoryd_server.domain.agent.kind import CONVERSATION
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.memory import MemoryStatus


class AgentStatistics(msgspec.Struct, frozen=True):
    """Figures of one agent. Times are ns since the Unix epoch, None when there is no entry."""

    entry_count: int
    root_entry_count: int
    scope_count: int
    size_bytes: int
    size_bytes_max: int
    oldest_time: int | None
    newest_time: int | None
    fragment_count: int
    memory_count: int
    forgotten_count: int
    archived_count: int
    superseded_count: int
    link_count: int
    embedding_backlog: int
    record_counts: dict[str, int]
    context_tokens: int
    context_tokens_max: int


def statistics_of(state: AgentState, now: int, limits: Limits, *, embeds: bool) -> AgentStatistics:
    """The figures of a state at a time. ``embeds`` is whether memories without a vector are to get one."""
    live = [entry for scope_id in (ROOT, *state.scopes) for entry in state.live_entries(scope_id, now)]
    fragments = list(state.fragments.oldest_first(now))
    memories = state.memories
    statuses = Counter(None if memory.is_forgotten else memory.status for memory in memories.live(now))
    times = [entry.update_time for entry in live]
    return AgentStatistics(
        entry_count=len(live),
        root_entry_count=state.live_count(ROOT, now),
        scope_count=len(state.scopes),
        size_bytes=sum(entry.size_bytes for entry in live)
        + sum(fragment.size_bytes for fragment in fragments)
        + memories.size_bytes(now)
        + sum(each.size_bytes for each in state.collections.values()),
        size_bytes_max=limits.storage_bytes_per_agent,
        oldest_time=min(times, default=None),
        newest_time=max(times, default=None),
        fragment_count=len(fragments),
        memory_count=statuses.total() - statuses[None],
        forgotten_count=statuses[None],
        archived_count=statuses[MemoryStatus.ARCHIVED],
        superseded_count=statuses[MemoryStatus.SUPERSEDED],
        link_count=memories.link_count,
        embedding_backlog=len(memories) - len(memories.embeddings) if embeds else 0,
        record_counts={name: len(each) for name, each in sorted(state.collections.items())},
        context_tokens=_context_tokens(state),
        context_tokens_max=limits.context_tokens,
    )


def _context_tokens(state: AgentState) -> int:
    """Of the conversation that changed last."""
    latest = max(state.collection(CONVERSATION), key=lambda each: each.revision, default=None)
    return 0 if latest is None else latest.token_count
