"""An agent for tests. It decides commands one after the other, and checks the invariants of each decision."""

import itertools
from typing import Any, cast

import immutables
import msgspec
from tests.unit.domain.mirror import Mirror, collected_parts

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.decide import Decision, decide
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.part import Access, ChangeKey, Changes, Records
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.conversations.conversation import ConversationMessage, MessageDraft
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft, EntryType
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.entries.working_memory import WorkingMemory
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.fragments.fragment import Fragment, FragmentDraft
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_change import CreateFragment, FragmentCreated
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.fragments.lease_change import FragmentsLeased, LeaseFragments
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords, RecordAccesses
from memoryd_server.domain.lifecycle.record import decode_record, encode, image_of, state_of
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.changes.link_change import LinkMemories, MemoriesLinked
from memoryd_server.domain.memories.changes.memory_change import MemoryChanged, MemoryPatch, RestoreMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, MemoriesCreated, MemoryCreated
from memoryd_server.domain.memories.changes.memory_removal import (
    ForgetMemory,
    MemoryForgotten,
    MemoryPurged,
    PurgeMemory,
)
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryDraft, MemoryType
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_subject import LinkSubject
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_record import plan_records
from memoryd_server.domain.values.message import MessagePart, MessageRole

NOW = 1_800_000_000 * SECOND_NS

IDENTITY = EmbeddingIdentity("model", "1", 2)

MUST_NOT_EXIST = Precondition(must_not_exist=True)


def at(revision: int) -> Precondition:
    """Return a precondition with this expected revision."""
    return Precondition(expected_revision=revision)


def draft(key: str, value_json: str = "1", expire_time: int | None = None, metadata_json: str = "") -> EntryDraft:
    """Return a draft of an entry."""
    size_bytes = len(key) + len(value_json) + len(metadata_json)
    return EntryDraft(
        key, value_json, size_bytes, "Type", EntryType.INSIGHT, 0.25, ("tag",), metadata_json, expire_time
    )


_message_numbers = itertools.count(1)


def message_draft(
    content: str,
    role: MessageRole = MessageRole.USER,
    importance: float = 0.5,
    token_count: int = 2,
    *,
    message_id: str = "",
    parts: tuple[MessagePart, ...] = (),
) -> MessageDraft:
    """Return a draft of a message, with an id of its own."""
    message_id = message_id or f"m{next(_message_numbers)}"
    return MessageDraft(message_id, role, content, parts, "", "", importance, None, len(content), token_count)


def message(
    number: int,
    content: str = "x",
    role: MessageRole = MessageRole.USER,
    importance: float = 0.5,
    token_count: int = 1,
    *,
    name: str = "",
    parts: tuple[MessagePart, ...] = (),
) -> ConversationMessage:
    """Return a message of the conversation "c"."""
    return ConversationMessage(
        "c", number, f"m{number}", role, content, parts, name, "", importance, token_count, number, 1, len(content)
    )


def fragment_draft(content: str, expire_time: int | None, confidence: float | None = None) -> FragmentDraft:
    """Return a draft of a fragment."""
    return FragmentDraft(content, expire_time, len(content), confidence=confidence)


def memory_draft(content: str, user_id: str = "ann", **fields: object) -> MemoryDraft:
    """Return a draft of a memory."""
    return MemoryDraft(content, user_id, MemoryType.SEMANTIC, **fields)  # type: ignore[arg-type]


def place_of(event: Event) -> tuple[str, str]:
    """Return the scope and the key of an event's subject, empty where it has none."""
    return getattr(event.subject, "scope_id", ""), getattr(event.subject, "key", "")


def memory_of(event: Event) -> str:
    """Return the memory that an event is about, or at which its link begins; empty if there is none."""
    subject = event.subject
    memory_id: str = subject.link.from_id if isinstance(subject, LinkSubject) else getattr(subject, "memory_id", "")
    return memory_id


class Agent:
    """One agent's state, its clock, and the events that were emitted since ``events`` was last emptied."""

    def __init__(self, limits: Limits | None = None, policy: MemoryPolicy | None = None) -> None:
        self.limits = limits or Limits()
        self.policy = policy or MemoryPolicy()
        self.state = AgentState("a")
        self.now = NOW
        self.events: list[Event] = []
        self.decision: Decision
        self._numbers = itertools.count(1)
        self._ids = (f"id{number}" for number in itertools.count(1))

    def do(self, requested: Command[R], author: Author = NOBODY, precondition: Precondition | None = None) -> R:
        """Decide a command, continue with the resulting state, and return the result."""
        decision = decide(self.state, requested, self.now, self.limits, author, precondition)
        check_decision(self.state, decision)
        self.decision, self.state = decision, decision.state
        self.events.extend(decision.events)
        return cast("R", decision.result)

    def take_events(self) -> list[tuple[str, str, str, str]]:
        """Return the type, cause, scope and key of the collected events, and empty the collection."""
        taken, self.events = self.events, []
        return [(event.type.name, event.cause.name, *place_of(event)) for event in taken]

    def set(
        self, key: str, value_json: str = "1", scope_id: str = ROOT, *, ttl_ns: int | None = None, token: str = ""
    ) -> Entry:
        """Set an entry, and return it."""
        expire_time = None if ttl_ns is None else self.now + ttl_ns
        self.do(SetEntry(scope_id, draft(key, value_json, expire_time), self.new_id(), token))
        return self.state.part(WORKING_MEMORY).entries[scope_id][key]

    def create_scope(self, parent_scope_id: str = ROOT, name: str = "scope", *, idle_ttl_ns: int | None = None) -> str:
        """Create a scope, and return its id."""
        scope_id = self.new_id()
        self.do(CreateScope(name, parent_scope_id, scope_id, idle_ttl_ns=idle_ttl_ns))
        return scope_id

    def store(
        self,
        content: str = "text",
        *,
        ttl_ns: int = 3_600 * SECOND_NS,
        confidence: float | None = None,
        threshold: int = 0,
    ) -> Fragment:
        """Store a fragment, and return it as it is after the command."""
        number = next(self._numbers)
        drafted = fragment_draft(content, self.now + ttl_ns, confidence)
        stored = self.do(CreateFragment(drafted, number, threshold))
        assert isinstance(stored, FragmentCreated)
        return self.state.part(FRAGMENTS).fragments[self.state.part(FRAGMENTS).sequences[stored.fragment_id]]

    def fill(self, count: int, *, ttl_ns: int) -> None:
        """Store many similar fragments without checks, since each check visits the whole state."""
        drafted = fragment_draft("same words", self.now + ttl_ns)
        for _ in range(count):
            stored = CreateFragment(drafted, next(self._numbers))
            self.state = decide(self.state, stored, self.now, self.limits).state

    def lease(self, count_max: int = 100, lease_ns: int = 30 * SECOND_NS) -> Lease | None:
        """Lease fragments; return the lease, None when no fragment was available."""
        leased = self.do(LeaseFragments(self.new_id(), count_max, lease_ns))
        assert isinstance(leased, FragmentsLeased)
        return leased.lease

    def contents(self) -> list[str]:
        """Return the contents of the live fragments, the oldest first."""
        return [fragment.content for fragment in self.state.part(FRAGMENTS).oldest_first(self.now)]

    def create_all(self, *drafts: MemoryDraft) -> tuple[MemoryCreated, ...]:
        """Create memories as one change, and return the outcome of each draft."""
        created = self.do(CreateMemories(drafts, self.new_id(), self.policy))
        assert isinstance(created, MemoriesCreated)
        return created.created

    def create(self, content: str = "The fox is red", user_id: str = "ann", **fields: object) -> Memory:
        """Create a memory; return it, or the one that was reinforced instead."""
        (created,) = self.create_all(memory_draft(content, user_id, **fields))
        return self.memory(created.memory_id)

    def memory(self, memory_id: str) -> Memory:
        """Return a stored memory as it is now."""
        return self.state.part(MEMORIES).memories[memory_id]

    def link(
        self, from_id: str, to_id: str, link_type: LinkType = LinkType.RELATED, strength: float = 0.5
    ) -> MemoriesLinked:
        """Link two memories."""
        return self.do(LinkMemories(from_id, MemoryLinkDraft(to_id, link_type, strength), self.policy))

    def update(self, memory_id: str, **fields: object) -> MemoryChanged:
        """Change fields of a memory."""
        patch = MemoryPatch(**fields)  # type: ignore[arg-type]
        return self.do(UpdateMemory(memory_id, patch, self.policy))

    def forget(self, memory_id: str) -> MemoryForgotten:
        """Forget a memory."""
        return self.do(ForgetMemory(memory_id, self.policy))

    def restore(self, memory_id: str) -> MemoryChanged:
        """Restore a forgotten memory."""
        return self.do(RestoreMemory(memory_id, self.policy))

    def purge(self, memory_id: str, *, blocks_reimport: bool = False) -> MemoryPurged:
        """Purge a memory."""
        return self.do(PurgeMemory(memory_id, blocks_reimport))

    def take_memory_events(self) -> list[tuple[str, str, str]]:
        """Return the type, cause and memory of the collected events, and empty the collection."""
        taken, self.events = self.events, []
        return [(event.type.name, event.cause.name, memory_of(event)) for event in taken]

    def sweep(self) -> Result:
        """Remove expired records, and archive faded memories."""
        return self.do(ExpireRecords({MEMORIES.name: self.policy}))

    def value(self, key: str, scope_id: str = ROOT) -> str | None:
        """Return the JSON value that a look-up finds, None for none."""
        entry = self.state.part(WORKING_MEMORY).find(scope_id, key, self.now)
        return None if entry is None else entry.value_json

    def image(self) -> Records:
        """Return the records that a snapshot of the agent would have."""
        return image(*records_of(self.state).values())

    def new_id(self) -> str:
        """Return an id that was not used before."""
        return next(self._ids)


def entry_record(scope_id: str, key: str) -> ChangeKey:
    """Return the key of an entry's record."""
    return ChangeKey("entry", f"{scope_id}/{key}")


def reservation_record(scope_id: str, key: str) -> ChangeKey:
    """Return the key of a reservation's record."""
    return ChangeKey("reservation", f"{scope_id}/{key}")


def scope_record(scope_id: str) -> ChangeKey:
    """Return the key of a scope's record."""
    return ChangeKey("scope", scope_id)


def entry_access(scope_id: str, key: str, entry_id: str, count: int, last_time: int) -> Access:
    """Return counted reads of an entry."""
    return Access(entry_record(scope_id, key), entry_id, count, last_time)


def memory_access(memory_id: str, count: int, last_time: int) -> Access:
    """Return counted recalls of a memory."""
    return Access(ChangeKey("memory", memory_id), memory_id, count, last_time)


def reads(*accesses: Access) -> RecordAccesses:
    """Return the command that records these reads, of entries or of memories."""
    part = MEMORIES if accesses and accesses[0].change.kind == "memory" else WORKING_MEMORY
    return RecordAccesses({part.name: accesses})


def image(*records: Any) -> Records:
    """Return these records as a snapshot has them."""
    return image_of("a", records)


def records_of(state: AgentState) -> Changes:
    """Return the records that a store has of a state."""
    working, buffer = state.part(WORKING_MEMORY), state.part(FRAGMENTS)
    entries = [entry for local in working.entries.values() for entry in local.values()]
    records: Changes = {ChangeKey("entry", f"{entry.scope_id}/{entry.key}"): entry for entry in entries}
    for scope in (*working.scopes.values(), *working.disposed_scopes.values()):
        records[ChangeKey("scope", scope.scope_id)] = scope
    records.update({ChangeKey("reservation", "/".join(place)): each for place, each in working.reservations.items()})
    records.update({ChangeKey("fragment", each.fragment_id): each for each in buffer.fragments.values()})
    records.update({ChangeKey("lease", each.token): each for each in buffer.leases.values()})
    records.update({ChangeKey("erasure", name): each for name, each in state.part(ERASURES).by_id.items()})
    records.update(
        {ChangeKey(DUE_INGESTIONS.name, name): each for name, each in state.part(DUE_INGESTIONS).by_id.items()}
    )
    return records | _memory_records_of(state) | _collected_records_of(state)


def _memory_records_of(state: AgentState) -> Changes:
    memories = state.part(MEMORIES)
    links = {link.key: link for links in memories.links.values() for link in links.values()}
    versions = [version for versions in memories.versions.values() for version in versions]
    records: Changes = {ChangeKey("memory", memory_id): each for memory_id, each in memories.memories.items()}
    records.update({ChangeKey("embedding", memory_id): each for memory_id, each in memories.embeddings.items()})
    records.update({ChangeKey("link", key): link for key, link in links.items()})
    records.update({ChangeKey("version", f"{each.memory.memory_id}/{each.end_time}"): each for each in versions})
    records.update({ChangeKey("purge", memory_id): each for memory_id, each in memories.purges.items()})
    return records


def _collected_records_of(state: AgentState) -> Changes:
    records: Changes = {
        ChangeKey(part.name, f"{record.group}/{record.key}" if isinstance(part, CollectionPart) else record.key): record
        for part in collected_parts()
        if part is not PLAN
        for record in state.part(part)
    }
    for plan in state.part(PLAN):
        records.update(plan_records(plan))
    return records


def check_decision(before: AgentState, decision: Decision) -> None:
    """Assert the invariants of a decision: records and events report exactly what changed, and the counts are right."""
    after = decision.state
    records = {} if decision.ends else {**records_of(before), **decision.changes}
    kept = {name: value for name, value in records.items() if value is not None}
    assert kept == records_of(after)
    for name, value in decision.changes.items():
        assert value is None or decode_record(name.kind, encode(value)) == value
    mirror = Mirror.of(before)
    for index, event in enumerate(decision.events):
        assert (event.revision, event.index) == (before.revision + 1, index)
        mirror.apply(event)
    assert mirror == Mirror.of(after)
    assert after.revision - before.revision == (1 if decision.events else after.revision != before.revision)
    assert decision.result.revision == after.revision
    check_state(after, [value for value in kept.values() if value is not None])


def check_state(state: AgentState, records: list[Any]) -> None:
    """Assert the invariant of every state: it equals the one that is loaded from its records."""
    loaded = state_of(state.agent_id, state.revision, state.create_time, state.update_time, records)
    assert state.record_count == loaded.record_count == len(records)
    assert state.size_bytes == loaded.size_bytes
    assert state.memory_bytes == loaded.memory_bytes
    for part in PARTS:
        assert without_gaps(state.part(part)) == without_gaps(loaded.part(part))
    for part in (FRAGMENTS, MEMORIES):
        assert state.part(part).next_sequence >= loaded.part(part).next_sequence
    if loaded.next_deadline is not None:
        assert state.next_deadline is not None
        assert state.next_deadline <= loaded.next_deadline


def plain(state: AgentState) -> AgentState:
    """Return the state without equivalent forms of nothing, such as an empty map of entries for the root."""
    parts = {name: without_gaps(value) for name, value in state.parts.items()}
    return msgspec.structs.replace(
        state, parts=immutables.Map({name: value for name, value in parts.items() if value.record_count})
    )


def without_gaps(value: Any) -> Any:
    """Return the value of a part without what its records do not determine."""
    if isinstance(value, FragmentBuffer):
        return msgspec.structs.replace(value, next_sequence=max(value.order, default=-1) + 1)
    if isinstance(value, LongTermMemory):
        sequences = (memory.sequence for memory in value.memories.values())
        return msgspec.structs.replace(value, next_sequence=max(sequences, default=-1) + 1)
    if isinstance(value, WorkingMemory) and ROOT in value.entries and not value.entries[ROOT]:
        return msgspec.structs.replace(value, entries=value.entries.delete(ROOT))
    return value
