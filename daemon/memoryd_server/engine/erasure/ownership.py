"""The former users of records. Some data in the journal has none of its own, such as a message of a conversation."""

from bisect import bisect_left
from typing import Any

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.event import ClearedSubject, Event
from memoryd_server.domain.conversations.conversation import CONVERSATION_KEY, Conversation, ConversationMessage
from memoryd_server.domain.documents.document import Document, DocumentChunk
from memoryd_server.domain.entities.entity import EntityWindow
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryVersion
from memoryd_server.domain.memories.memory_subject import MemorySubject
from memoryd_server.domain.plans.plan import Plan
from memoryd_server.domain.plans.plan_record import StoredNote, StoredPlan, StoredStep
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.erasure.target import Target

Place = tuple[Any, ...]
"""The identity of a record among all records of an agent: its type and its id."""

OWNERS = (Conversation, Document, Memory, Plan, Scope)
"""The types of the records that other records belong to."""


class Moment(msgspec.Struct, frozen=True, order=True):
    """The position of an event within an agent's history."""

    revision: int
    index: int = 0


def place_of(record: Any) -> Place:
    """Return the place of a stored record, or of one that an event or a result carries."""
    match record:
        case Entry():
            return (Entry, record.scope_id, record.key)
        case Scope():
            return (Scope, record.scope_id)
        case Fragment():
            return (Fragment, record.fragment_id)
        case Memory():
            return (Memory, record.memory_id)
        case StoredPlan():
            return plan_place(record.plan.plan_id)
        case Plan():
            return plan_place(record.plan_id)
        case Collected():
            return record.place
        case _:
            return ()


def plan_place(plan_id: str) -> Place:
    """Return the place of a plan."""
    return (Plan, plan_id)


def conversation_place(conversation_id: str) -> Place:
    """Return the place of a conversation."""
    return (Conversation, conversation_id, CONVERSATION_KEY)


def owners_of(record: Any) -> tuple[Place, ...]:
    """Return the places of the records that a record belongs to: whose they are, it is."""
    match record:
        case Entry() if record.scope_id != ROOT:
            return ((Scope, record.scope_id),)
        case Scope():
            return tuple((Scope, each) for each in record.ancestors)
        case ConversationMessage():
            return (conversation_place(record.conversation_id),)
        case EntityWindow() | Plan() if record.conversation_id and not record.user_id:
            return (conversation_place(record.conversation_id),)
        case StoredPlan():
            return owners_of(record.plan)
        case StoredStep() | StoredNote():
            return (plan_place(record.plan_id),)
        case DocumentChunk():
            return ((Document, "", record.document_id),)
        case Embedding():
            return ((Memory, record.memory_id),)
        case MemoryVersion():
            return ((Memory, record.memory.memory_id),)
        case _:
            return ()


def user_of(record: Any) -> str:
    """Return the id of a record's user, empty if it does not have one of its own."""
    if isinstance(record, StoredPlan):
        return record.plan.user_id
    user_id: str = getattr(record, "user_id", "")
    return user_id


class Ownership:
    """The places that were a forgotten user's, and when, as the events of the journal show it.

    Each place has its moments in order, with True where a record of such a user was there, False where another one was,
    and None where it ended. Only places that were such a user's at some time are kept.
    """

    def __init__(self) -> None:
        self._history: dict[Place, list[tuple[Moment, bool | None]]] = {}

    def add(self, event: Event, target: Target) -> None:
        """Add an event, which must be later than those before."""
        at, subject = Moment(event.revision, event.index), event.subject
        if event.type is EventType.AGENT_ENDED:
            self._end_all(at)
        elif isinstance(subject, ClearedSubject):
            self._end_all(at, _CLEARED_TYPES.get(event.type.kind, ()))
        place, user_id, owners = _report_of(subject)
        if not place:
            return
        if event.cause is EventCause.USER_FORGOTTEN and target.is_removal(event.revision):
            self._put(place, at, True)
        elif user_id is not None:
            is_theirs = target.is_of_user(user_id, event.revision) or any(self.is_theirs(each, at) for each in owners)
            self._put(place, at, is_theirs)
        if event.type.is_end and place in self._history:
            self._history[place].append((at, None))

    def is_theirs(self, place: Place, at: Moment) -> bool:
        """Return True if a forgotten user's record was at a place at a moment.

        The first report after the moment counts, since the record was then still the same; the last one before it if
        the record ended before or after the moment without another report.
        """
        history = self._history.get(place)
        if not history:
            return False
        found = bisect_left(history, at, key=lambda each: each[0])
        if found < len(history):
            follows, is_theirs = history[found]
            has_ended = found > 0 and history[found - 1][1] is None and follows != at
            if is_theirs is not None and not has_ended:
                return is_theirs
        return next((report for _, report in reversed(history[:found]) if report is not None), False)

    def _put(self, place: Place, at: Moment, is_theirs: bool) -> None:
        history = self._history.get(place)
        if history is None:
            if not is_theirs:
                return
            history = self._history[place] = []
        if len(history) > 1 and history[-1][1] is history[-2][1] is is_theirs:
            # The first and the last of several reports of the same owner are enough.
            history[-1] = (at, is_theirs)
        else:
            history.append((at, is_theirs))

    def _end_all(self, at: Moment, record_type: Any = None) -> None:
        """Note the end of all records, or of all of a type."""
        for place, history in self._history.items():
            if record_type in (None, place[0]):
                history.append((at, None))


_CLEARED_TYPES: dict[RecordKind, Any] = {
    RecordKind.MEMORY: Memory,
    RecordKind.PLAN: Plan,
    RecordKind.CONVERSATION: Conversation,
    RecordKind.DOCUMENT: Document,
}
"""The types of the owners that are cleared together."""


def _report_of(subject: Any) -> tuple[Place, str | None, tuple[Place, ...]]:
    """Return the place that a subject is about, the user of the record there, and the record's owners.

    The user is None if the subject does not say it. The place is empty for subjects that do not matter to ownership.
    """
    match subject:
        case EntrySubject():
            place: Place = (Entry, subject.scope_id, subject.key)
            scopes = tuple((Scope, each) for each in (subject.scope_id, *subject.ancestors) if each)
            return place, None if subject.entry is None else subject.entry.user_id, scopes
        case ScopeSubject() if subject.scope_id:
            above = tuple((Scope, each) for each in subject.ancestors)
            return (Scope, subject.scope_id), None if subject.scope is None else subject.scope.user_id, above
        case FragmentSubject():
            return (Fragment, subject.fragment_id), None if subject.fragment is None else subject.fragment.user_id, ()
        case MemorySubject():
            return (Memory, subject.memory_id), None if subject.memory is None else subject.memory.user_id, ()
        case PlanSubject():
            return plan_place(subject.plan_id), subject.plan.user_id, owners_of(subject.plan)
        case PlanStepSubject() | PlanNoteSubject() | ConversationMessage():
            return (), None, ()
        case Collected():
            return place_of(subject), user_of(subject), owners_of(subject)
        case _:
            return (), None, ()
