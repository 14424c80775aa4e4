"""An agent, the numbers and sizes of its records, and the results of clearing and ending it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.model.snapshot import Snapshot, snapshot_from
from memoryd.v1 import agent_pb2
from memoryd.v1 import agent_service_pb2 as pb


class MemoryKind(StrEnum):
    """A kind of records that an agent has. WORKING is its entries and scopes, LONG_TERM its memories."""

    UNSPECIFIED = "unspecified"
    WORKING = "working"
    FRAGMENT = "fragment"
    LONG_TERM = "long_term"
    NOTE = "note"
    PLAN = "plan"
    ENTITY = "entity"
    DOCUMENT = "document"
    CONTEXT = "context"


MEMORY_KIND = EnumWords(agent_pb2.MemoryKind, "MEMORY_KIND")


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """An agent. ``revision`` grows by one with each change."""

    agent_id: str
    revision: int
    create_time: datetime
    update_time: datetime


@dataclass(frozen=True, slots=True)
class AgentStats:
    """The numbers and sizes of an agent's records. Times are None when there is no entry.

    ``long_term_entry_count`` counts the memories that are not forgotten, of any status. ``embedding_backlog`` counts
    those that wait for a vector of the server's embedder. ``record_counts`` maps the name of each further kind, such as
    "note", to its number of records.
    """

    working_entry_count: int
    root_entry_count: int
    active_scope_count: int
    long_term_entry_count: int
    forgotten_entry_count: int
    storage_bytes_used: int
    storage_bytes_limit: int
    storage_percent_used: float
    oldest_entry_time: datetime | None
    newest_entry_time: datetime | None
    context_tokens_used: int
    context_tokens_max: int
    fragment_count: int
    archived_memory_count: int
    superseded_memory_count: int
    memory_link_count: int
    embedding_backlog: int
    record_counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cleared:
    """The result of clearing an agent: the number of removed records of each kind, and the agent's revision."""

    entries_cleared: int
    scopes_disposed: int
    fragments_cleared: int
    memories_cleared: int
    revision: int
    records_cleared: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of ending an agent. ``snapshot`` is its last snapshot; None unless one was requested."""

    entries_cleared: int
    scopes_disposed: int
    fragments_cleared: int
    memories_cleared: int
    snapshot: Snapshot | None
    revision: int
    records_cleared: int = 0


def agent_from(message: agent_pb2.Agent) -> AgentInfo:
    """Return the agent of a message."""
    return AgentInfo(
        message.agent_id, message.revision, datetime_from(message.create_time), datetime_from(message.update_time)
    )


def stats_from(message: agent_pb2.AgentStats) -> AgentStats:
    """Return the statistics of a message."""
    return AgentStats(
        working_entry_count=message.working_entry_count,
        root_entry_count=message.root_entry_count,
        active_scope_count=message.active_scope_count,
        long_term_entry_count=message.long_term_entry_count,
        forgotten_entry_count=message.forgotten_entry_count,
        storage_bytes_used=message.storage_bytes_used,
        storage_bytes_limit=message.storage_bytes_limit,
        storage_percent_used=message.storage_percent_used,
        oldest_entry_time=datetime_in(message, "oldest_entry_time"),
        newest_entry_time=datetime_in(message, "newest_entry_time"),
        context_tokens_used=message.context_tokens_used,
        context_tokens_max=message.context_tokens_max,
        fragment_count=message.fragment_count,
        archived_memory_count=message.archived_memory_count,
        superseded_memory_count=message.superseded_memory_count,
        memory_link_count=message.memory_link_count,
        embedding_backlog=message.embedding_backlog,
        record_counts=dict(message.record_counts),
    )


def cleared_from(message: pb.ClearAgentResponse) -> Cleared:
    """Return the result of clearing an agent."""
    return Cleared(
        message.entries_cleared,
        message.scopes_disposed,
        message.fragments_cleared,
        message.memories_cleared,
        message.revision,
        message.records_cleared,
    )


def ended_from(message: pb.EndAgentResponse) -> Ended:
    """Return the result of ending an agent."""
    snapshot = snapshot_from(message.snapshot) if message.HasField("snapshot") else None
    return Ended(
        message.entries_cleared,
        message.scopes_disposed,
        message.fragments_cleared,
        message.memories_cleared,
        snapshot,
        message.revision,
        message.records_cleared,
    )
