"""The comparison of a readable copy with the agent that it is imported into: what is new, the same, or different."""

import enum
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memoryd_server.ops.cli.agent.transfer.record import Record, read_forgotten, read_records, read_text
from memoryd_server.ops.cli.agent.transfer.write import Writes, writes_of

if TYPE_CHECKING:
    from memoryd.sync.channel import Channel

ScopeKey = tuple[str, str, int]
"""A scope below its parent: the parent's id, the name, and how many before it have the same name."""


class Verdict(enum.Enum):
    """Result of comparing a record of a copy with the agent's. EXPIRED is a new one that would have ended before."""

    NEW = "new"
    SAME = "same"
    DIFFERENT = "different"
    EXPIRED = "expired"


class Known(NamedTuple):
    """A record of the agent. A forgotten memory has no digest."""

    digest: bytes
    fixed: tuple[str, ...]
    document: Any = None


@dataclass
class Target:
    """The records of the agent that is imported into: digests, and no contents."""

    agent_id: str
    revision: int = 0
    known: dict[tuple[Any, ...], Known] = field(default_factory=dict)
    fragments: Counter[bytes] = field(default_factory=Counter)
    scopes: dict[ScopeKey, str] = field(default_factory=dict)
    agent: Any = None

    def add(self, record: Record, scope_count: Counter[tuple[str, str]]) -> None:
        """Add a record of the agent."""
        message = record.message
        if record.kind == "scope":
            self.scopes[_scope_key(message.parent_scope_id, message.name, scope_count)] = message.scope_id
        elif record.kind == "fragment":
            self.fragments[fragment_digest(record)] += 1
        else:
            writes = writes_of(record)
            kept = message if record.kind == "document" else None
            self.known[record.key] = Known(writes.digest, writes.fixed, kept)
        if record.kind == "agent":
            self.agent = message

    @property
    def gives_entries_an_expiry(self) -> bool:
        """True if the agent has a default time to live of entries."""
        return self.agent is not None and self.agent.defaults.HasField("entry_ttl")


def read_target(channel: "Channel", agent_id: str) -> Target:
    """Return what an agent has; nothing for one that does not exist. Raises CallFailed."""
    target, scope_count = Target(agent_id), Counter[tuple[str, str]]()
    for revision, records in read_records(channel, agent_id):
        target.revision = revision
        for record in records:
            target.add(record, scope_count)
    for memory in read_forgotten(channel, agent_id) if target.revision else ():
        target.known["memory", memory.memory_id] = Known(b"", (memory.user_id, memory.project_id))
    return target


def _scope_key(parent_id: str, name: str, scope_count: Counter[tuple[str, str]]) -> ScopeKey:
    scope_count[parent_id, name] += 1
    return (parent_id, name, scope_count[parent_id, name])


def fragment_digest(record: Record) -> bytes:
    """Return what tells fragments apart, which have no ids of their writers'."""
    return writes_of(record).digest + bytes([record.message.flushed])


class Compared(NamedTuple):
    """A record of a copy with the ids of the agent's scopes, its writes, and what is to be done."""

    record: Record
    verdict: Verdict
    writes: Writes
    known: Known | None = None


class Comparison:
    """One pass over a copy, in its order.

    A copy's scope is the agent's of the same name below the same parent; of several, the one that is as many behind the
    first. Until ``create_scope`` gives the id of one that is to be created, its entries have an id that no scope has.
    """

    def __init__(self, channel: "Channel", target: Target, now: datetime) -> None:
        self._channel = channel
        self._target = target
        self._now = now
        self._fragments = Counter(target.fragments)
        self._scope_count: Counter[tuple[str, str]] = Counter()
        self._scope_ids = {"": ""}

    def compare(self, record: Record) -> Compared:
        """Return what is to be done with the next record of the copy. Raises ValueError, CallFailed."""
        message = record.message
        match record.kind:
            case "scope":
                return self._scope(record)
            case "fragment":
                if self._fragments[digest := fragment_digest(record)]:
                    self._fragments[digest] -= 1
                    return Compared(record, Verdict.SAME, writes_of(record))
            case "entry":
                message.scope_id = self._scope_of(message.scope_id)
        writes, known = writes_of(record), self._target.known.get(record.key)
        if known is None:
            return Compared(record, Verdict.EXPIRED if self._has_expired(record) else Verdict.NEW, writes)
        return Compared(record, self._verdict(record, writes, known), writes, known)

    def create_scope(self, copied_id: str, scope_id: str) -> None:
        """Note the id that a scope of the copy has in the agent."""
        self._scope_ids[copied_id] = scope_id

    def _scope(self, record: Record) -> Compared:
        scope = record.message
        parent_id = self._scope_of(scope.parent_scope_id)
        key = _scope_key(parent_id, scope.name, self._scope_count)
        there = self._target.scopes.get(key)
        scope.parent_scope_id = parent_id
        self._scope_ids[scope.scope_id] = there or f"new {scope.scope_id}"
        return Compared(record, Verdict.SAME if there else Verdict.NEW, writes_of(record))

    def _scope_of(self, copied_id: str) -> str:
        if copied_id not in self._scope_ids:
            raise ValueError(f"scope {copied_id!r} is not in a line above")
        return self._scope_ids[copied_id]

    def _verdict(self, record: Record, writes: Writes, known: Known) -> Verdict:
        digest = known.digest
        if known.document is not None:
            text = read_text(self._channel, self._target.agent_id, known.document)
            digest = writes_of(Record("document", known.document, text or "")).digest
        return Verdict.SAME if digest == writes.digest else Verdict.DIFFERENT

    def _has_expired(self, record: Record) -> bool:
        message = record.message
        if record.kind not in ("entry", "fragment", "memory") or not message.HasField("expire_time"):
            return False
        lasts = record.kind == "fragment" and message.flushed
        expired: bool = message.expire_time.ToDatetime(UTC) <= self._now
        return expired and not lasts
