"""A mirror of an agent, built from nothing but its events, as a watcher would build one."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.kinds import PARTS, CollectedRecord
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.memories.memory_part import MEMORIES


class Mirror:
    """Scopes as (name, ancestors) by id, entries by scope and key, fragments and memories by id, without their counts;
    collected records by the name of their kind, group and key.

    Forgotten memories are left out; ``links`` has those of all memories, by their keys.
    """

    def __init__(self) -> None:
        self.scopes: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.entries: dict[tuple[str, str], Entry] = {}
        self.fragments: dict[str, Fragment] = {}
        self.memories: dict[str, Memory] = {}
        self.links: dict[str, MemoryLink] = {}
        self.records: dict[tuple[str, str, str], CollectedRecord] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mirror) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Mirror({vars(self)})"

    @classmethod
    def of(cls, state: AgentState) -> "Mirror":
        """Return the mirror of a watcher that has seen all events up to this state."""
        mirror = cls()
        mirror.scopes = {
            scope.scope_id: (scope.name, scope.ancestors) for scope in state.part(WORKING_MEMORY).scopes.values()
        }
        every = [entry for local in state.part(WORKING_MEMORY).entries.values() for entry in local.values()]
        mirror.entries = {(entry.scope_id, entry.key): uncounted(entry) for entry in every}
        mirror.fragments = {each.fragment_id: undelivered(each) for each in state.part(FRAGMENTS).fragments.values()}
        every_memory = state.part(MEMORIES).memories.values()
        mirror.memories = {each.memory_id: unrecalled(each) for each in every_memory if not each.is_forgotten}
        mirror.links = {link.key: link for links in state.part(MEMORIES).links.values() for link in links.values()}
        reported = (part for part in collected_parts() if part.created is not None)
        mirror.records = {(each.name, *_name_of(record)): record for each in reported for record in state.part(each)}
        return mirror

    def apply(self, event: Event) -> None:
        """Apply one event, which must fit the current content."""
        place = (getattr(event.subject, "scope_id", ""), getattr(event.subject, "key", ""))
        match event.type:
            case EventType.ENTRY_SET:
                assert event.subject.entry is not None
                assert event.subject.is_update == (place in self.entries)
                assert event.subject.scope_id == ROOT or event.subject.scope_id in self.scopes
                self.entries[place] = uncounted(event.subject.entry)
            case EventType.ENTRY_REMOVED:
                del self.entries[place]
            case EventType.SCOPE_CREATED:
                assert event.subject.scope_id not in self.scopes
                assert all(ancestor in self.scopes for ancestor in event.subject.ancestors)
                self.scopes[event.subject.scope_id] = (event.subject.scope_name, event.subject.ancestors)
            case EventType.SCOPE_DISPOSED:
                assert self.scopes.pop(event.subject.scope_id) == (event.subject.scope_name, event.subject.ancestors)
                assert not any(event.subject.scope_id in ancestors for _, ancestors in self.scopes.values())
                self._drop_entries(event.subject.scope_id)
            case EventType.ENTRIES_CLEARED:
                self._drop_entries(event.subject.scope_id)
            case EventType.AGENT_ENDED:
                vars(self).update(vars(Mirror()))
            case _:
                self._apply_to_fragments(event)

    def _apply_to_fragments(self, event: Event) -> None:
        match event.type:
            case EventType.FRAGMENT_STORED:
                assert event.subject.fragment is not None
                assert event.subject.fragment_id == event.subject.fragment.fragment_id
                assert event.subject.fragment_id not in self.fragments
                self.fragments[event.subject.fragment_id] = undelivered(event.subject.fragment)
            case EventType.FRAGMENT_DELETED:
                del self.fragments[event.subject.fragment_id]
            case EventType.FRAGMENTS_FLUSHED:
                flushed = {name: msgspec.structs.replace(each, flushed=True) for name, each in self.fragments.items()}
                self.fragments = flushed
            case EventType.FRAGMENTS_CLEARED:
                self.fragments = {}
            case _:
                self._apply_to_memories(event)

    def _apply_to_memories(self, event: Event) -> None:
        match event.type:
            case (
                EventType.MEMORY_CREATED
                | EventType.MEMORY_UPDATED
                | EventType.MEMORY_REINFORCED
                | EventType.MEMORY_ARCHIVED
                | EventType.MEMORY_RESTORED
            ):
                self._apply_to_memory(event)
            case EventType.MEMORY_FORGOTTEN:
                assert event.subject.memory is None
                del self.memories[event.subject.memory_id]
            case EventType.MEMORY_PURGED:
                assert event.subject.memory is None
                self.memories.pop(event.subject.memory_id, None)
                ended = {
                    key for key, link in self.links.items() if event.subject.memory_id in (link.from_id, link.to_id)
                }
                self.links = {key: link for key, link in self.links.items() if key not in ended}
            case EventType.MEMORIES_LINKED:
                assert event.subject.link is not None
                assert event.subject.memory_id == event.subject.link.from_id
                self.links[event.subject.link.key] = event.subject.link
            case EventType.MEMORIES_UNLINKED:
                assert event.subject.link is not None
                assert self.links.pop(event.subject.link.key) == event.subject.link
            case EventType.MEMORIES_CLEARED:
                self.memories, self.links = {}, {}
            case _:
                self._apply_to_records(event)

    def _apply_to_records(self, event: Event) -> None:
        if event.type is EventType.RECORDS_CLEARED:
            cleared = {part.name for part in PARTS if part.kind == event.subject.kind}
            # The count includes records whose owner's events cover them, such as chunks, which the mirror never has.
            assert event.subject.count >= sum(place[0] in cleared for place in self.records)
            self.records = {place: each for place, each in self.records.items() if place[0] not in cleared}
        elif event.type is EventType.CONVERSATION_DELETED:
            assert isinstance(event.subject, Conversation)
            group = event.subject.conversation_id
            self.records = {place: each for place, each in self.records.items() if place[:2] != ("message", group)}
        elif event.type is EventType.CONVERSATION_COMPACTED:
            assert isinstance(event.subject, Conversation)
            group = event.subject.conversation_id
            assert event.subject.message_count == sum(place[:2] == ("message", group) for place in self.records)
        elif isinstance(event.subject, Collected):
            (kind,) = (part for part in collected_parts() if type(event.subject) in part.records.values())
            place = (kind.name, *_name_of(event.subject))
            assert event.type is (kind.created if place not in self.records else event.type)
            if event.type is kind.deleted:
                assert event.subject == self.records.pop(place).without_content()
            else:
                self.records[place] = event.subject
        else:
            assert event.type is EventType.AGENT_RESTORED

    def _apply_to_memory(self, event: Event) -> None:
        memory = event.subject.memory
        assert memory is not None
        assert event.subject.memory_id == memory.memory_id
        is_known = event.type not in (EventType.MEMORY_CREATED, EventType.MEMORY_RESTORED)
        # A forgotten memory may be marked, or restored as forgotten: its event has the memory with its forget time.
        assert (
            (event.subject.memory_id in self.memories) is is_known
            or memory.is_forgotten
            or event.cause is EventCause.RESTORE
        )
        self.memories[event.subject.memory_id] = unrecalled(memory)
        if memory.is_forgotten:
            del self.memories[event.subject.memory_id]

    def _drop_entries(self, scope_id: str) -> None:
        self.entries = {place: entry for place, entry in self.entries.items() if place[0] != scope_id}


def collected_parts() -> list[Any]:
    """The parts whose records are the subjects of their own events; iterating a value of theirs yields the records."""
    return [part for part in PARTS if all(issubclass(each, Collected) for each in part.records.values())]


def _name_of(record: CollectedRecord) -> tuple[str, str]:
    return record.group, record.key


def uncounted(entry: Entry) -> Entry:
    """Return the entry without its access count, which events do not report."""
    return msgspec.structs.replace(entry, access_count=0, last_access_time=None)


def undelivered(fragment: Fragment) -> Fragment:
    """Return the fragment without its delivery count, which events do not report."""
    return msgspec.structs.replace(fragment, delivery_count=0)


def unrecalled(memory: Memory) -> Memory:
    """Return the memory without its accesses and what follows from them, which events do not report."""
    return msgspec.structs.replace(memory, access_count=0, last_access_time=0, archive_time=None)
