"""The figures of an agent's memory: sizes, counts and times."""

from collections import Counter

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.record_kind import RecordKind


class AgentStatistics(msgspec.Struct, frozen=True):
    """Figures of one agent. Times are in ns since the Unix epoch; None if there is no entry.

    ``record_counts`` has the numbers of live records, ``counts`` the other figures that parts report, by name.
    """

    size_bytes: int
    size_bytes_max: int
    oldest_time: int | None
    newest_time: int | None
    record_counts: dict[RecordKind, int]
    counts: dict[str, int]
    context_tokens_max: int


def statistics_of(state: AgentState, now: int, limits: Limits) -> AgentStatistics:
    """Return the figures of a state at a time."""
    each = [part.statistics(state.part(part), now) for part in PARTS]
    record_counts, counts = Counter[RecordKind](), Counter[str]()
    for figures in each:
        counts.update(figures.counts)
        record_counts.update(figures.record_counts)
    return AgentStatistics(
        size_bytes=sum(figures.size_bytes for figures in each),
        size_bytes_max=limits.storage_bytes_per_agent,
        oldest_time=min((one.oldest_time for one in each if one.oldest_time is not None), default=None),
        newest_time=max((one.newest_time for one in each if one.newest_time is not None), default=None),
        record_counts=dict(record_counts),
        counts=dict(counts),
        context_tokens_max=limits.context_tokens,
    )
