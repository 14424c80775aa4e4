"""Stripping of journal rows: what is to be erased leaves them; ids, types, times and revisions stay.

A daemon that reads a stripped row later has records without content, until it reads the row that removes them.
"""

import operator
from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.event import Event, Subject
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.trace import without_traces
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle.record import decode_record, encode
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryVersion
from memoryd_server.domain.memories.memory_subject import MemorySubject
from memoryd_server.domain.plans.plan import PlanNote, PlanStep
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject
from memoryd_server.engine.agents.journal import JournalData, RecordChange, RememberedRequest
from memoryd_server.engine.erasure.ownership import (
    OWNERS,
    Moment,
    Ownership,
    conversation_place,
    owners_of,
    place_of,
    plan_place,
    user_of,
)
from memoryd_server.engine.erasure.target import Target

T = TypeVar("T")

_LAST_INDEX = 2**31
"""More than the index of any event: a result is as of the end of its revision."""

IsErased = Callable[[Any], bool]
"""Returns True if a record, or a plan's place, is to be erased."""

RECORD_TYPES: tuple[type[Any], ...] = (*{record for part in PARTS for record in part.records.values()}, Collected)
"""The types of the records that events and results may carry."""


class Stripper:
    """Strips the rows of one agent.

    ``fragment_ids`` are those of purged memories that were made of a fragment. If ``keeps_owners`` is true, events of
    records that others belong to keep their user: a daemon that continues after a crash must still find out whose those
    are.
    """

    def __init__(
        self,
        target: Target,
        ownership: Ownership | None = None,
        fragment_ids: Collection[str] = (),
        *,
        keeps_owners: bool = False,
    ) -> None:
        self._target = target
        self._ownership = ownership or Ownership()
        self._fragment_ids = fragment_ids
        self._kept = {each: ("user_id",) if keeps_owners and issubclass(each, OWNERS) else () for each in RECORD_TYPES}

    def stripped(self, data: JournalData, revision: int) -> JournalData | None:
        """Return the data of a row that reached a revision without what is to be erased; None if it has nothing."""
        events = tuple(self._event(event) for event in data.events)
        # Changes hold each record as of the end of the row.
        at = Moment(revision, len(data.events))
        changes = tuple(self._change(change, at) for change in data.changes)
        requests = tuple(self._request(request) for request in data.requests)
        if events == data.events and changes == data.changes and requests == data.requests:
            return None
        return msgspec.structs.replace(data, events=events, changes=changes, requests=requests)

    def _event(self, event: Event) -> Event:
        subject = self._subject(event.subject, Moment(event.revision, event.index))
        return event if subject is event.subject else msgspec.structs.replace(event, subject=subject)

    def _subject(self, subject: Subject, at: Moment) -> Subject:
        """Return the subject of an event without what is to be erased; the subject itself if it has nothing."""
        match subject:
            case EntrySubject() | ScopeSubject():
                return self._in_scope(subject, at)
            case PlanStepSubject() | PlanNoteSubject():
                as_plan = (plan_place(subject.plan_id), *_conversation_of(subject))
                if not self._target.is_of_user(subject.user_id, at.revision) and not self._is_theirs(as_plan, at):
                    return subject
                if isinstance(subject, PlanStepSubject):
                    return msgspec.structs.replace(subject, user_id="", step=without_traces(subject.step))
                return msgspec.structs.replace(subject, user_id="", note=without_traces(subject.note))
            case PlanSubject() if self._is_erased(subject.plan, at):
                return PlanSubject(self._without(subject.plan))
            case MemorySubject() if subject.memory is not None and self._is_erased(subject.memory, at):
                return MemorySubject(subject.memory_id, self._without(subject.memory))
            case FragmentSubject() if subject.fragment is not None and self._is_erased(subject.fragment, at):
                return FragmentSubject(subject.fragment_id, self._without(subject.fragment))
            case Collected() if self._is_erased(subject, at):
                return cast("Subject", self._without(subject))
            case _:
                return subject

    def _in_scope(self, subject: EntrySubject | ScopeSubject, at: Moment) -> Subject:
        scopes = [(Scope, each) for each in (subject.scope_id, *subject.ancestors) if each]
        is_scope_theirs = self._is_theirs(scopes, at)
        changed: dict[str, Any] = {"scope_name": ""} if is_scope_theirs else {}
        name = "entry" if isinstance(subject, EntrySubject) else "scope"
        record = getattr(subject, name)
        if record is not None and (is_scope_theirs or self._is_erased(record, at)):
            changed |= {name: self._without(record)}
            if isinstance(record, Scope):
                changed["scope_name"] = ""
        return msgspec.structs.replace(subject, **changed) if changed else subject

    def _request(self, request: RememberedRequest) -> RememberedRequest:
        at = Moment(request.result.revision, _LAST_INDEX)
        result = stripped_result(request.result, lambda record: self._is_erased(record, at))
        return request if result is request.result else msgspec.structs.replace(request, result=result)

    def _change(self, change: RecordChange, at: Moment) -> RecordChange:
        if not isinstance(change.value, bytes):
            return change
        record = decode_record(change.kind, change.value)
        if not self._is_erased(record, at):
            return change
        if isinstance(record, Embedding | MemoryVersion):
            return RecordChange(change.kind, change.key, None)
        return RecordChange(change.kind, change.key, encode(without_traces(record)))

    def _is_erased(self, record: Any, at: Moment) -> bool:
        """Return True if a record that was there at a moment is to be erased. A tuple is the place of a plan."""
        if isinstance(record, tuple):
            return self._is_theirs((record,), at)
        purges = self._target.purges
        match record:
            case Memory() | Embedding() if at.revision <= purges.get(record.memory_id, 0):
                return True
            case MemoryVersion() if at.revision <= purges.get(record.memory.memory_id, 0):
                return True
            case Fragment() if record.fragment_id in self._fragment_ids:
                return True
        if not self._target.users:
            return False
        user_id = record.memory.user_id if isinstance(record, MemoryVersion) else user_of(record)
        if self._target.is_of_user(user_id, at.revision):
            return True
        # What says that it is another user's is that user's, unless it belongs to a record that is not.
        places = owners_of(record) if user_id else (place_of(record), *owners_of(record))
        return self._is_theirs(places, at)

    def _is_theirs(self, places: Collection[tuple[Any, ...]], at: Moment) -> bool:
        return self._target.is_removal(at.revision) and any(self._ownership.is_theirs(each, at) for each in places)

    def _without(self, record: Any) -> Any:
        return without_traces(record, *self._kept.get(type(record), ()))


def stripped_result(result: Result, is_erased: IsErased) -> Result:
    """Return a remembered result without the records that are to be erased; the result itself if it has none."""
    return _stripped(result, is_erased, ())


def _stripped(value: T, is_erased: IsErased, plan: tuple[Any, ...]) -> T:
    """Return a value without the records in it that are to be erased. ``plan`` is the place of the plan around it."""
    if isinstance(value, tuple):
        items = tuple(_stripped(each, is_erased, plan) for each in value)
        return value if all(map(operator.is_, items, value)) else items  # type: ignore[return-value]
    if isinstance(value, RECORD_TYPES):
        return without_traces(value) if is_erased(value) else value
    if isinstance(value, PlanStep | PlanNote):
        return without_traces(value) if is_erased(plan) else value
    if not isinstance(value, msgspec.Struct):
        return value
    plan_id = getattr(value, "plan_id", None)
    within = plan_place(plan_id) if plan_id else plan
    changed = {}
    for name in value.__struct_fields__:
        before = getattr(value, name)
        after = _stripped(before, is_erased, within)
        if after is not before:
            changed[name] = after
    return msgspec.structs.replace(value, **changed) if changed else value


def _conversation_of(subject: PlanStepSubject | PlanNoteSubject) -> tuple[tuple[Any, ...], ...]:
    """Return the conversation of a plan without a user of its own."""
    if subject.user_id or not subject.conversation_id:
        return ()
    return (conversation_place(subject.conversation_id),)
