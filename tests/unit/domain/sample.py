"""An agent for tests: commands are decided one after the other, and each decision is checked for what always holds."""

import itertools

import msgspec
from tests.unit.domain.mirror import Mirror

from memoryd_server.domain.agent import command
from memoryd_server.domain.agent.command import Precondition
from memoryd_server.domain.agent.decide import Decision, decide
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.record import decode_record, encode, state_of
from memoryd_server.domain.agent.result import (
    FragmentsLeased,
    FragmentStored,
    MemoriesCreated,
    MemoriesLinked,
    MemoryChanged,
    MemoryCreated,
    MemoryPurged,
    Result,
)
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import (
    ChangeKey,
    Changes,
    RecordValue,
    embedding_record,
    entry_record,
    fragment_record,
    lease_record,
    link_record,
    memory_record,
    purge_record,
    reservation_record,
    scope_record,
    version_record,
)
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft, MemoryType
from memoryd_server.domain.fragments.fragment import Fragment, FragmentDraft
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.memory import LongTermMemoryType, Memory, MemoryDraft
from memoryd_server.domain.memories.memory_link import DraftLink, LinkType
from memoryd_server.domain.memories.memory_policy import MemoryPolicy

NOW = 1_800_000_000 * SECOND_NS

IDENTITY = EmbeddingIdentity("model", "1", 2)

MUST_NOT_EXIST = Precondition(must_not_exist=True)


def at(revision: int) -> Precondition:
    """The precondition of this revision."""
    return Precondition(expected_revision=revision)


def draft(key: str, value_json: str = "1", expire_time: int | None = None, metadata_json: str = "") -> EntryDraft:
    """What a writer gives of an entry."""
    size_bytes = len(key) + len(value_json) + len(metadata_json)
    return EntryDraft(
        key, value_json, size_bytes, "Type", MemoryType.INSIGHT, 0.25, ("tag",), metadata_json, expire_time
    )


def fragment_draft(content: str, expire_time: int, confidence: float | None = None) -> FragmentDraft:
    """What a writer gives of a fragment."""
    return FragmentDraft(content, expire_time, len(content), confidence=confidence)


def memory_draft(content: str, user_id: str = "ann", **fields: object) -> MemoryDraft:
    """What a writer gives of a memory."""
    return MemoryDraft(content, user_id, LongTermMemoryType.SEMANTIC, **fields)  # type: ignore[arg-type]


class Agent:
    """One agent's state, its clock, and the events that were told since ``events`` was last emptied."""

    def __init__(self, limits: Limits | None = None, policy: MemoryPolicy | None = None) -> None:
        self.limits = limits or Limits()
        self.policy = policy or MemoryPolicy()
        self.state = AgentState("a")
        self.now = NOW
        self.events: list[Event] = []
        self.decision: Decision
        self._numbers = itertools.count(1)
        self._ids = (f"id{number}" for number in itertools.count(1))

    def do(self, requested: command.Command, origin: str = "") -> Result:
        """Decide a command and go on with what becomes of it."""
        decision = decide(self.state, requested, self.now, self.limits, origin)
        check_decision(self.state, decision)
        self.decision, self.state = decision, decision.state
        self.events.extend(decision.events)
        return decision.result

    def take_events(self) -> list[tuple[str, str, str, str]]:
        """Type, cause, scope and key of the events so far; they are forgotten then."""
        taken, self.events = self.events, []
        return [(event.type.name, event.cause.name, event.scope_id, event.key) for event in taken]

    def set(
        self, key: str, value_json: str = "1", scope_id: str = ROOT, *, ttl_ns: int | None = None, token: str = ""
    ) -> Entry:
        """Set an entry; answers it."""
        expire_time = None if ttl_ns is None else self.now + ttl_ns
        self.do(command.SetEntry(scope_id, draft(key, value_json, expire_time), self.new_id(), token))
        return self.state.entries[scope_id][key]

    def create_scope(self, parent_scope_id: str = ROOT, name: str = "scope") -> str:
        """Create a scope; answers its id."""
        scope_id = self.new_id()
        self.do(command.CreateScope(name, parent_scope_id, scope_id))
        return scope_id

    def store(
        self,
        content: str = "text",
        *,
        ttl_ns: int = 3_600 * SECOND_NS,
        confidence: float | None = None,
        threshold: int = 0,
    ) -> Fragment:
        """Store a fragment; answers it as it is after that."""
        number = next(self._numbers)
        drafted = fragment_draft(content, self.now + ttl_ns, confidence)
        stored = self.do(command.StoreFragment(drafted, number, threshold))
        assert isinstance(stored, FragmentStored)
        return self.state.fragments.fragments[self.state.fragments.sequences[stored.fragment_id]]

    def fill(self, count: int, *, ttl_ns: int) -> None:
        """Store many fragments alike, unchecked: each check looks at all of the state."""
        drafted = fragment_draft("same words", self.now + ttl_ns)
        for _ in range(count):
            stored = command.StoreFragment(drafted, next(self._numbers))
            self.state = decide(self.state, stored, self.now, self.limits).state

    def lease(self, count_max: int = 100, lease_ns: int = 30 * SECOND_NS) -> Lease | None:
        """Lease fragments; answers the lease, None when there was nothing to hand out."""
        leased = self.do(command.LeaseFragments(self.new_id(), count_max, lease_ns))
        assert isinstance(leased, FragmentsLeased)
        return leased.lease

    def contents(self) -> list[str]:
        """The contents of the fragments that may be served, oldest first."""
        return [fragment.content for fragment in self.state.fragments.oldest_first(self.now)]

    def create_all(self, *drafts: MemoryDraft) -> tuple[MemoryCreated, ...]:
        """Create memories as one change; answers what became of each draft."""
        created = self.do(command.CreateMemories(drafts, self.new_id(), self.policy))
        assert isinstance(created, MemoriesCreated)
        return created.created

    def create(self, content: str = "The fox is red", user_id: str = "ann", **fields: object) -> Memory:
        """Create a memory; answers it, or the one that was reinforced."""
        (created,) = self.create_all(memory_draft(content, user_id, **fields))
        return self.memory(created.memory_id)

    def memory(self, memory_id: str) -> Memory:
        """A memory that is stored, as it is now."""
        return self.state.memories.memories[memory_id]

    def link(
        self, from_id: str, to_id: str, link_type: LinkType = LinkType.RELATED, strength: float = 0.5
    ) -> MemoriesLinked:
        """Link two memories."""
        return self.do(command.LinkMemories(from_id, DraftLink(to_id, link_type, strength), self.policy))

    def update(self, memory_id: str, **fields: object) -> MemoryChanged:
        """Change fields of a memory."""
        patch = command.MemoryPatch(**fields)  # type: ignore[arg-type]
        return self.do(command.UpdateMemory(memory_id, patch, self.policy))

    def forget(self, memory_id: str, *, restores: bool = False) -> MemoryChanged:
        """Forget a memory, or restore it."""
        return self.do(command.ForgetMemory(memory_id, self.policy, restores))

    def purge(self, memory_id: str, *, keeps_out: bool = False) -> MemoryPurged:
        """Remove a memory for good."""
        return self.do(command.PurgeMemory(memory_id, keeps_out))

    def take_memory_events(self) -> list[tuple[str, str, str]]:
        """Type, cause and memory of the events so far; they are forgotten then."""
        taken, self.events = self.events, []
        return [(event.type.name, event.cause.name, event.memory_id) for event in taken]

    def sweep(self) -> Result:
        """Remove what is over, and archive what has faded."""
        return self.do(command.ExpireRecords(self.policy))

    def value(self, key: str, scope_id: str = ROOT) -> str | None:
        """What a lookup finds."""
        entry = self.state.find(scope_id, key, self.now)
        return None if entry is None else entry.value_json

    def image(self) -> command.AgentImage:
        """What a snapshot would hold."""
        entries = tuple(entry for local in self.state.entries.values() for entry in local.values())
        fragments, memories = self.state.fragments, self.state.memories
        return command.AgentImage(
            entries,
            tuple(self.state.scopes.values()),
            tuple(fragments.fragments.values()),
            tuple(memories.memories.values()),
            tuple(memories.embeddings.values()),
            tuple({link.key: link for links in memories.links.values() for link in links.values()}.values()),
            tuple(version for versions in memories.versions.values() for version in versions),
            tuple(memories.purges.values()),
            tuple(record for records in self.state.collections.values() for record in records),
        )

    def new_id(self) -> str:
        """An id that was not used before."""
        return next(self._ids)


def records_of(state: AgentState) -> Changes:
    """The records that a store holds of a state."""
    records: Changes = {}
    for local in state.entries.values():
        records.update({entry_record(entry.scope_id, entry.key): entry for entry in local.values()})
    for scope in (*state.scopes.values(), *state.disposed_scopes.values()):
        records[scope_record(scope.scope_id)] = scope
    records.update({reservation_record(*place): each for place, each in state.reservations.items()})
    buffer = state.fragments
    records.update({fragment_record(each.fragment_id): each for each in buffer.fragments.values()})
    records.update({lease_record(each.token): each for each in buffer.leases.values()})
    return records | _memory_records_of(state) | _collected_records_of(state)


def _memory_records_of(state: AgentState) -> Changes:
    memories = state.memories
    records: Changes = {memory_record(memory_id): each for memory_id, each in memories.memories.items()}
    records.update({embedding_record(memory_id): each for memory_id, each in memories.embeddings.items()})
    records.update({link_record(each): each for links in memories.links.values() for each in links.values()})
    records.update({version_record(each): each for versions in memories.versions.values() for each in versions})
    records.update({purge_record(memory_id): each for memory_id, each in memories.purges.items()})
    return records


def _collected_records_of(state: AgentState) -> Changes:
    return {
        ChangeKey(name, f"{record.group}/{record.key}"): record
        for name, records in state.collections.items()
        for record in records
    }


def check_decision(before: AgentState, decision: Decision) -> None:
    """What holds of every decision: records and events tell exactly what changed, and the counts are right."""
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


def check_state(state: AgentState, records: list[RecordValue]) -> None:
    """What holds of every state: it is the one that its records describe."""
    loaded = state_of(state.agent_id, state.revision, state.create_time, state.update_time, records)
    assert state.record_count == len(records)
    assert (state.entry_count, state.size_bytes) == (loaded.entry_count, loaded.size_bytes)
    assert state.deadlines == loaded.deadlines
    assert state.reservation_deadlines == loaded.reservation_deadlines
    assert state.fragments.next_sequence >= loaded.fragments.next_sequence
    next_sequence = loaded.fragments.next_sequence
    assert msgspec.structs.replace(state.fragments, next_sequence=next_sequence) == loaded.fragments
    assert state.memories.next_sequence >= loaded.memories.next_sequence
    next_sequence = loaded.memories.next_sequence
    assert msgspec.structs.replace(state.memories, next_sequence=next_sequence) == loaded.memories
    assert state.scopes == loaded.scopes
    if loaded.next_deadline is not None:
        assert state.next_deadline is not None
        assert state.next_deadline <= loaded.next_deadline


def plain(state: AgentState) -> AgentState:
    """The state without what says the same as nothing: an empty map of the root's entries, and what went at the end."""
    fragments = msgspec.structs.replace(state.fragments, next_sequence=max(state.fragments.order, default=-1) + 1)
    sequences = (memory.sequence for memory in state.memories.memories.values())
    memories = msgspec.structs.replace(state.memories, next_sequence=max(sequences, default=-1) + 1)
    entries = state.entries
    if ROOT in entries and not entries[ROOT]:
        entries = entries.delete(ROOT)
    return msgspec.structs.replace(state, entries=entries, fragments=fragments, memories=memories)
