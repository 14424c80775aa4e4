"""A daemon at one moment, and what changed since the moment before."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoryd_server.ops.cli.top.scrape import NOTHING, Scrape, scrape
from memoryd_server.ops.limit import TOP_AGENTS_MAX

if TYPE_CHECKING:
    from memoryd import AgentInfo, Client, ServerComponent


@dataclass(frozen=True)
class AgentRow:
    """An agent. ``changes_per_s`` are its commits; None if the sample before had no such agent."""

    agent_id: str
    revision: int
    changes_per_s: float | None
    record_count: int
    storage_bytes: int
    update_time: datetime


@dataclass(frozen=True)
class Sample:
    """A daemon at ``time``. Rates are those since the sample before; None if they are not known.

    ``agents`` are the TOP_AGENTS_MAX that changed last. ``calls_per_s``, ``watch_lag_commits`` and ``memory_bytes``
    come from the daemon's metrics.
    """

    time: datetime
    address: str
    version: str
    state: str
    backend: str
    start_time: datetime
    usage: Mapping[str, int]
    limits: Mapping[str, int]
    changes_per_s: float | None
    calls_per_s: float | None
    watch_lag_commits: float | None
    memory_bytes: float | None
    agents: tuple[AgentRow, ...]
    components: "tuple[ServerComponent, ...]" = ()


class Sampler:
    """Takes samples of a daemon. ``metrics`` is the address of its metrics; empty for none."""

    def __init__(self, client: "Client", metrics: str) -> None:
        self._client = client
        self._metrics = metrics
        self._revisions: dict[str, int] = {}
        self._calls: float | None = None
        self._time: datetime | None = None

    def take(self) -> Sample:
        """Return the daemon as it is now. Raises MemorydError."""
        now, server, scraped = datetime.now(UTC), self._client.server_info(), self._scrape()
        seconds = (now - self._time).total_seconds() if self._time else 0.0
        rows = tuple(self._rows(seconds))
        calls_per_s = None
        if seconds and scraped.call_count is not None and self._calls is not None:
            # A restarted daemon counts from the beginning.
            calls_per_s = max(0.0, scraped.call_count - self._calls) / seconds
        self._time, self._calls = now, scraped.call_count
        self._revisions = {row.agent_id: row.revision for row in rows}
        rates = [row.changes_per_s for row in rows if row.changes_per_s is not None]
        return Sample(
            time=now,
            address=self._client.target,
            version=server.version,
            state=server.state,
            backend=server.backend,
            start_time=server.start_time,
            usage=server.usage,
            limits={name: server.limits[name] for name in server.usage if name in server.limits},
            changes_per_s=sum(rates) if seconds else None,
            calls_per_s=calls_per_s,
            watch_lag_commits=scraped.watch_lag_commits,
            memory_bytes=scraped.memory_bytes,
            agents=rows,
            components=server.components,
        )

    def _rows(self, seconds: float) -> "list[AgentRow]":
        changed_last = self._client.agents(order="update_time_descending")
        rows = (self._row(each, seconds) for each in itertools.islice(changed_last, TOP_AGENTS_MAX))
        return [row for row in rows if row is not None]

    def _row(self, found: "AgentInfo", seconds: float) -> AgentRow | None:
        from memoryd.errors import AgentNotFound

        try:
            stats = self._client.agent(found.agent_id).stats()
        except AgentNotFound:
            return None  # it ended meanwhile
        before = self._revisions.get(found.agent_id)
        return AgentRow(
            found.agent_id,
            found.revision,
            (found.revision - before) / seconds if seconds and before is not None else None,
            sum(stats.record_counts.values()),
            stats.storage_bytes,
            found.update_time,
        )

    def _scrape(self) -> Scrape:
        if not self._metrics:
            return NOTHING
        try:
            return scrape(self._metrics)
        except (OSError, ValueError):
            return NOTHING
