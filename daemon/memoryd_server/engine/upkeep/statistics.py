"""The figures of an agent's memory: sizes, counts and times."""

from collections import Counter

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import Limits


class AgentStatistics(msgspec.Struct, frozen=True):
    """Figures of one agent. Times are in ns since the Unix epoch; None if there is no entry.

    ``counts`` has the figures that parts report, by name; ``record_counts`` the number of records of each collection.
    """

    size_bytes: int
    size_bytes_max: int
    oldest_time: int | None
    newest_time: int | None
    counts: dict[str, int]
    record_counts: dict[str, int]
    context_tokens_max: int


def statistics_of(state: AgentState, now: int, limits: Limits) -> AgentStatistics:
    """Return the figures of a state at a time."""
    each = [part.statistics(state.part(part), now) for part in PARTS]
    counts, record_counts = Counter[str](), Counter[str]()
    for figures in each:
        counts.update(figures.counts)
        record_counts.update(figures.record_counts)
    return AgentStatistics(
        size_bytes=sum(figures.size_bytes for figures in each),
        size_bytes_max=limits.storage_bytes_per_agent,
        oldest_time=min((one.oldest_time for one in each if one.oldest_time is not None), default=None),
        newest_time=max((one.newest_time for one in each if one.newest_time is not None), default=None),
        counts=dict(counts),
        record_counts=dict(sorted(record_counts.items())),
        context_tokens_max=limits.context_tokens,
    )
