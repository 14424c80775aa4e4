"""An agent, the numbers and sizes of its records, and the results of clearing it, ending it, and forgetting a user."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.erasure import ErasureReceipt, optional_receipt
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.model.record import RecordKind, counts_from
from memoryd.model.snapshot import Snapshot, snapshot_from
from memoryd.v1 import agent_pb2
from memoryd.v1 import agent_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class AgentDefaults:
    """Values for requests about an agent that lack them. None, and an empty model, are no default.

    ``entry_ttl`` and ``fragment_ttl`` are the times to live of entries and fragments without an expiry, in seconds or
    as a timedelta; ``context_max_tokens`` and ``model`` are for composed contexts.
    """

    entry_ttl: timedelta | float | None = None
    fragment_ttl: timedelta | float | None = None
    context_max_tokens: int | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """An agent. ``revision`` grows by one with each change. ``defaults`` is None if it has none.

    ``tier`` is the name of the tier that says what the agent may use; empty for none.
    """

    agent_id: str
    revision: int
    create_time: datetime
    update_time: datetime
    display_name: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    defaults: AgentDefaults | None = None
    tier: str = ""


@dataclass(frozen=True, slots=True)
class AgentStats:
    """The numbers and sizes of an agent's records. Times are those of last changes, None when there is no record.

    ``record_counts`` has the number of records by kind; kinds without records are absent. Its memories are those of any
    status that are not forgotten. ``unembedded_memory_count`` counts those that wait for a vector of the server's
    embedder.
    """

    record_counts: Mapping[RecordKind, int]
    root_entry_count: int
    oldest_entry_time: datetime | None
    newest_entry_time: datetime | None
    archived_memory_count: int
    superseded_memory_count: int
    forgotten_memory_count: int
    unembedded_memory_count: int
    storage_bytes: int
    storage_bytes_max: int
    context_token_count: int
    context_token_count_max: int

    def count(self, kind: RecordKind | str) -> int:
        """Return the number of records of a kind."""
        return self.record_counts.get(RecordKind(kind), 0)


@dataclass(frozen=True, slots=True)
class Cleared:
    """The result of clearing an agent: the number of removed records by kind, and the agent's revision.

    ``receipt`` is that of the erasure; None if there was none.
    """

    cleared: Mapping[RecordKind, int]
    revision: int
    receipt: ErasureReceipt | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of ending an agent: the number of removed records by kind, and the agent's last revision.

    ``snapshot`` is its last snapshot; None unless one was requested. ``deleted`` is false if the agent did not exist.
    ``receipt`` is that of the erasure; None if there was none.
    """

    cleared: Mapping[RecordKind, int]
    snapshot: Snapshot | None
    revision: int
    deleted: bool = True
    receipt: ErasureReceipt | None = None


@dataclass(frozen=True, slots=True)
class ForgottenUser:
    """The result of forgetting a user: the number of removed records by kind, and the agent's revision.

    ``snapshot_ids`` are the snapshots that may still contain records of the user: delete them, or let them be replaced.
    They are at most 1,000, newest first, and such as the caller has access to; ``snapshot_count`` is that of all.
    ``receipt`` says the same, and how many rows of the journal were rewritten.
    """

    deleted: Mapping[RecordKind, int]
    snapshot_ids: tuple[str, ...]
    snapshot_count: int
    revision: int
    receipt: ErasureReceipt | None = None


def agent_from(message: agent_pb2.Agent) -> AgentInfo:
    """Return the agent of a message."""
    return AgentInfo(
        message.agent_id,
        message.revision,
        datetime_from(message.create_time),
        datetime_from(message.update_time),
        message.display_name,
        tuple(message.tags),
        metadata_from(message.metadata),
        defaults_from(message.defaults) if message.HasField("defaults") else None,
        message.tier,
    )


def defaults_from(message: agent_pb2.AgentDefaults) -> AgentDefaults:
    """Return the defaults of a message."""
    return AgentDefaults(
        message.entry_ttl.ToTimedelta() if message.HasField("entry_ttl") else None,
        message.fragment_ttl.ToTimedelta() if message.HasField("fragment_ttl") else None,
        message.context_max_tokens if message.HasField("context_max_tokens") else None,
        message.model,
    )


def stats_from(message: agent_pb2.AgentStats) -> AgentStats:
    """Return the statistics of a message."""
    return AgentStats(
        record_counts=counts_from(message.record_counts),
        root_entry_count=message.root_entry_count,
        oldest_entry_time=datetime_in(message, "oldest_entry_time"),
        newest_entry_time=datetime_in(message, "newest_entry_time"),
        archived_memory_count=message.archived_memory_count,
        superseded_memory_count=message.superseded_memory_count,
        forgotten_memory_count=message.forgotten_memory_count,
        unembedded_memory_count=message.unembedded_memory_count,
        storage_bytes=message.storage_bytes,
        storage_bytes_max=message.storage_bytes_max,
        context_token_count=message.context_token_count,
        context_token_count_max=message.context_token_count_max,
    )


def cleared_from(message: pb.ClearAgentResponse) -> Cleared:
    """Return the result of clearing an agent."""
    return Cleared(counts_from(message.cleared), message.revision, optional_receipt(message))


def ended_from(message: pb.EndAgentResponse) -> Ended:
    """Return the result of ending an agent."""
    snapshot = snapshot_from(message.snapshot) if message.HasField("snapshot") else None
    return Ended(counts_from(message.cleared), snapshot, message.revision, message.deleted, optional_receipt(message))


def forgotten_user_from(message: pb.ForgetUserResponse) -> ForgottenUser:
    """Return the result of forgetting a user."""
    return ForgottenUser(
        counts_from(message.deleted),
        tuple(message.snapshot_ids),
        message.snapshot_count,
        message.revision,
        optional_receipt(message),
    )
