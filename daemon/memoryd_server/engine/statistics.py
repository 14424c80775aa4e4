"""How much an agent's memory holds."""

import msgspec

from memoryd_server.domain.entry import ROOT
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.state import AgentState


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


def statistics_of(state: AgentState, now: int, limits: Limits) -> AgentStatistics:
    """The figures of a state at a time."""
    live = [entry for scope_id in (ROOT, *state.scopes) for entry in state.live_entries(scope_id, now)]
    fragments = list(state.fragments.oldest_first(now))
    times = [entry.update_time for entry in live]
    return AgentStatistics(
        entry_count=len(live),
        root_entry_count=state.live_count(ROOT, now),
        scope_count=len(state.scopes),
        size_bytes=sum(entry.size_bytes for entry in live) + sum(fragment.size_bytes for fragment in fragments),
        size_bytes_max=limits.storage_bytes_per_agent,
        oldest_time=min(times, default=None),
        newest_time=max(times, default=None),
        fragment_count=len(fragments),
    )
