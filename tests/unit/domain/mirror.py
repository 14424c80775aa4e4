"""A mirror of an agent, built from nothing but its events, as a watcher would build one."""

from collections.abc import Iterable
from typing import Any

import msgspec
from tests.unit.domain.plans.plan_follower import followed, plan_place

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.event import ClearedSubject, Event
from memoryd_server.domain.agent.part import Part
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.trace import without_traces
from memoryd_server.domain.agents.agent import AGENT
from memoryd_server.domain.conversations.conversation import CONVERSATION_KEY, Conversation
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.event_type import WITHOUT_OWNER, EventCause, EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.kinds import PARTS, CollectedRecord
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.plans.plan import Plan
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject


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
        mirror.records = {
            (each.name, *_name_of(record)): uncounted_conversation(record)
            if isinstance(record, Conversation)
            else record
            for each in reported
            for record in state.part(each)
        }
        return mirror

    def apply(self, event: Event) -> None:
        """Apply one event, which must fit the current content."""
        place = (getattr(event.subject, "scope_id", ""), getattr(event.subject, "key", ""))
        match event.type:
            case EventType.ENTRY_SET:
                assert event.subject.entry is not None
                self._check_previous(event, self.entries.get(place), uncounted(event.subject.entry))
                assert event.subject.scope_id == ROOT or event.subject.scope_id in self.scopes
                self.entries[place] = uncounted(event.subject.entry)
            case EventType.ENTRY_REMOVED:
                self._check_previous(event, self.entries.pop(place), None)
            case EventType.SCOPE_CREATED:
                assert event.subject.scope_id not in self.scopes
                assert all(ancestor in self.scopes for ancestor in event.subject.ancestors)
                self.scopes[event.subject.scope_id] = (event.subject.scope_name, event.subject.ancestors)
            case EventType.SCOPE_DISPOSED:
                name, ancestors = self.scopes.pop(event.subject.scope_id)
                shown = "" if event.cause in WITHOUT_OWNER else name
                assert (shown, ancestors) == (event.subject.scope_name, event.subject.ancestors)
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
            case EventType.FRAGMENT_CREATED:
                assert event.subject.fragment is not None
                assert event.subject.fragment_id == event.subject.fragment.fragment_id
                assert event.subject.fragment_id not in self.fragments
                self.fragments[event.subject.fragment_id] = undelivered(event.subject.fragment)
            case EventType.FRAGMENT_DELETED:
                self._check_previous(event, self.fragments.pop(event.subject.fragment_id), None)
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
                self._check_previous(event, self.links.get(event.subject.link.key), event.subject.link)
                self.links[event.subject.link.key] = event.subject.link
            case EventType.MEMORIES_UNLINKED:
                assert event.subject.link is not None
                assert self.links.pop(event.subject.link.key) == event.subject.link
                self._check_previous(event, event.subject.link, None)
            case EventType.MEMORIES_CLEARED:
                self.memories, self.links = {}, {}
            case _:
                self._apply_to_records(event)

    def _apply_to_records(self, event: Event) -> None:
        if isinstance(event.subject, ClearedSubject):
            cleared = {part.name: part for part in collected_parts() if part.kind is event.type.kind}
            for name, part in cleared.items():
                count = sum(place[0] == name for place in self.records)
                # The events of owners cover records such as chunks, which the mirror never has.
                record_kind = getattr(part, "record_kind", part.kind)
                assert part.created is None or event.subject.counts.get(record_kind, 0) == count
            self.records = {place: each for place, each in self.records.items() if place[0] not in cleared}
        elif isinstance(event.subject, Conversation):
            self._apply_to_conversation(event.subject, event)
        elif isinstance(event.subject, PlanSubject | PlanStepSubject | PlanNoteSubject):
            self._apply_to_plan(event)
        elif isinstance(event.subject, Collected):
            (kind,) = (part for part in collected_parts() if type(event.subject) in _types_of(part))
            place = (kind.name, *_name_of(event.subject))
            assert event.type is (kind.created if place not in self.records else event.type)
            if event.type is kind.deleted:
                before = self.records.pop(place)
                self._check_previous(event, before, None)
                assert event.subject == _ended(before, event)
            else:
                self._check_previous(event, self.records.get(place), event.subject)
                self.records[place] = event.subject
        else:
            assert event.type in (EventType.AGENT_RESTORED, EventType.USER_FORGOTTEN)
            self.records = {place: each for place, each in self.records.items() if place[0] != AGENT.name}
            if event.subject.description is not None:
                self.records[AGENT.name, "", event.subject.description.key] = event.subject.description

    def _apply_to_plan(self, event: Event) -> None:
        place = (PLAN.name, *plan_place(event.subject))
        before = self.records[place]
        assert isinstance(before, Plan)
        after = followed(before, event)
        self.records[place] = after
        if isinstance(event.subject, PlanStepSubject):
            steps = [{step.step_id: step for step in plan.steps}.get(event.subject.step_id) for plan in (before, after)]
            self._check_previous(event, *steps)
        else:
            self._check_previous(event, before, after)

    def _apply_to_conversation(self, conversation: Conversation, event: Event) -> None:
        group = conversation.conversation_id
        place = ("conversation", group, CONVERSATION_KEY)
        assert (place in self.records) is (event.type is not EventType.CONVERSATION_CREATED)
        if event.type is EventType.CONVERSATION_DELETED:
            assert uncounted_conversation(conversation) == uncounted_conversation(_ended(self.records[place], event))
            messages = ("message", group)
            self.records = {each: record for each, record in self.records.items() if each[:2] != messages}
            del self.records[place]
            return
        if event.type is not EventType.CONVERSATION_CREATED and event.cause is not EventCause.RESTORE:
            assert conversation.message_count == sum(each[:2] == ("message", group) for each in self.records)
        self.records[place] = uncounted_conversation(conversation)

    def _apply_to_memory(self, event: Event) -> None:
        memory = event.subject.memory
        assert memory is not None
        if event.subject.memory_id in self.memories:
            self._check_previous(event, self.memories[event.subject.memory_id], unrecalled(memory))
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

    def _check_previous(self, event: Event, before: Any, after: Any) -> None:
        """Assert that an event tells apart what the mirror knows of the record and what the event makes of it."""
        assert event.previous_revision == (0 if before is None else before.revision)
        always = {"revision", "update_time", "size_bytes"}
        names = () if before is None or after is None else type(after).__struct_fields__
        changed = {name for name in names if getattr(before, name) != getattr(after, name)} - always
        assert set(event.changed) - _UNREPORTED == changed

    def _drop_entries(self, scope_id: str) -> None:
        self.entries = {place: entry for place, entry in self.entries.items() if place[0] != scope_id}


def collected_parts() -> list[Any]:
    """The parts whose records are the subjects of their own events; iterating a value of theirs yields the records."""
    return [part for part in PARTS if all(issubclass(each, Collected) for each in _types_of(part))]


def _types_of(part: Part[Any, Any]) -> Iterable[type[Any]]:
    """The types of the records that a part holds. It may store them in several records."""
    return (Plan,) if part is PLAN else part.records.values()


def _name_of(record: CollectedRecord) -> tuple[str, str]:
    return record.group, record.key


_UNREPORTED = {"access_count", "last_access_time", "archive_time", "delivery_count"}
"""Fields that change without an event, too."""


def uncounted(entry: Entry) -> Entry:
    """Return the entry without its access count, which events do not report."""
    return msgspec.structs.replace(entry, access_count=0, last_access_time=None)


def uncounted_conversation(conversation: Conversation) -> Conversation:
    """Return the conversation without what follows from the events of its messages."""
    return msgspec.structs.replace(
        conversation,
        next_number=0,
        message_count=0,
        token_count=0,
        update_time=0,
        revision=0,
        size_bytes=0,
        summary_token_count=0,
    )


def undelivered(fragment: Fragment) -> Fragment:
    """Return the fragment without its delivery count, which events do not report."""
    return msgspec.structs.replace(fragment, delivery_count=0)


def unrecalled(memory: Memory) -> Memory:
    """Return the memory without its accesses and what follows from them, which events do not report."""
    return msgspec.structs.replace(memory, access_count=0, last_access_time=0, archive_time=None)


def _ended(before: Any, event: Event) -> Any:
    """Return the record that the event of an end must have."""
    return without_traces(before) if event.cause in WITHOUT_OWNER else before.without_content()
