"""The metrics of the engine's machinery: the store, the cache, watches, snapshots and the embedder."""

from memoryd_server.ports.instrument import Counter, Gauge, Histogram, Instrument


class EngineTelemetry:
    """Counts and times of the engine. The gauges that cost a look are as old as the last ``Engine.measure``."""

    def __init__(self) -> None:
        self.commit_duration = Histogram(
            "agents.memory.store.commit_duration", "From submitting a commit to the store until it is acknowledged"
        )
        self.transaction_duration = Histogram(
            "agents.memory.store.transaction_duration", "One transaction of the embedded store, its fsync included"
        )
        self.roundtrip_duration = Histogram(
            "agents.memory.store.roundtrip_duration", "One question to all servers of a shared store"
        )
        self.store_available = Gauge("agents.memory.store.available", "Whether the store responds (1)")
        self.commands_waiting = Gauge("agents.memory.commands_waiting", "Commands that wait for their agent's writer")
        self.journal_rows = Gauge("agents.memory.journal.rows", "Commits that the journal retains")
        self.journal_written = Counter("agents.memory.journal.written", "Data of the journal's new rows", "By")
        self.cache_agents = Gauge("agents.memory.cache.agents", "Agents that are loaded")
        self.cache_size = Gauge("agents.memory.cache.size", "Estimated memory of the agents that are loaded", "By")
        self.cache_loads = Counter("agents.memory.cache.loads_total", "Agents that were loaded from the store")
        self.cache_evictions = Counter("agents.memory.cache.evictions_total", "Agents that were evicted")
        self.watches_parked = Gauge(
            "agents.memory.watch.parked", "Watches, or groups of watches in step, that read from the journal"
        )
        self.watch_lag = Gauge("agents.memory.watch.lag_commits", "Commits that wait for the watch with the most")
        self.watch_messages = Counter("agents.memory.watch.messages_total", "Messages that were sent to watches")
        self.snapshot_time = Gauge(
            "agents.memory.snapshot.last_success_time", "Unix time of the newest snapshot of all agents; 0: none", "s"
        )
        self.snapshot_duration = Histogram("agents.memory.snapshot.duration", "Taking a snapshot of all agents")
        self.snapshot_failures = Counter("agents.memory.snapshot.failures_total", "Snapshots that failed")
        self.embedder_available = Gauge(
            "agents.memory.embedder.available", "Whether the embedder's last call succeeded (1), or there is none"
        )
        self.embedder_failures = Counter("agents.memory.embedder.failures_total", "Calls of the embedder that failed")
        self.store_available.set(1)
        self.embedder_available.set(1)

    def instruments(self) -> tuple[Instrument, ...]:
        """Return all metrics."""
        return tuple(vars(self).values())
