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
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle.record import decode_record, encode
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryVersion
from memoryd_server.domain.memories.memory_subject import MemorySubject
from memoryd_server.domain.plans.plan import Plan, PlanNote, PlanStep
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject
from memoryd_server.domain.record_path import note_path, path_of, step_path
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
"""Returns True if a record is to be erased.

A part of a plan, which does not say what it belongs to, is the place of its plan, followed by the id of a step.
"""

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
                return self._part_of_plan(subject, at)
            case PlanSubject():
                plan = self._plan(subject.plan, at)
                return subject if plan is subject.plan else PlanSubject(plan)
            case Plan():
                return self._plan(subject, at)
            case AgentSubject() if subject.description is not None and self._is_erased(subject.description, at):
                return msgspec.structs.replace(subject, description=None)
            case MemorySubject() if subject.memory is not None and self._is_erased(subject.memory, at):
                return MemorySubject(subject.memory_id, self._without(subject.memory))
            case FragmentSubject() if subject.fragment is not None and self._is_erased(subject.fragment, at):
                return FragmentSubject(subject.fragment_id, self._without(subject.fragment))
            case Collected() if self._is_erased(subject, at):
                return cast("Subject", self._without(subject))
            case _:
                return subject

    def _part_of_plan(self, subject: PlanStepSubject | PlanNoteSubject, at: Moment) -> Subject:
        plan_id = subject.plan_id
        path = step_path(plan_id, subject.step_id) if isinstance(subject, PlanStepSubject) else note_path(plan_id)
        if not (
            self._target.covers(path, at.revision)
            or self._target.is_of_user(subject.user_id, at.revision)
            or self._is_theirs((plan_place(plan_id), *_conversation_of(subject)), at)
        ):
            return subject
        if isinstance(subject, PlanStepSubject):
            return msgspec.structs.replace(subject, user_id="", step=without_traces(subject.step))
        return msgspec.structs.replace(subject, user_id="", note=without_traces(subject.note))

    def _plan(self, plan: Plan, at: Moment) -> Plan:
        """Return a plan without what is to be erased, which may be a step of it; the plan itself if it has nothing."""
        if self._is_erased(plan, at):
            return cast("Plan", self._without(plan))
        is_step_erased = [
            self._target.covers(step_path(plan.plan_id, step.step_id), at.revision) for step in plan.steps
        ]
        if not any(is_step_erased):
            return plan
        parts = zip(plan.steps, is_step_erased, strict=True)
        steps = tuple(without_traces(step) if is_erased else step for step, is_erased in parts)
        return msgspec.structs.replace(plan, steps=steps)

    def _in_scope(self, subject: EntrySubject | ScopeSubject, at: Moment) -> Subject:
        scopes = [(Scope, each) for each in (subject.scope_id, *subject.ancestors) if each]
        is_scope_theirs = self._is_theirs(scopes, at)
        if self._target.covers_scope((subject.scope_id, *subject.ancestors), at.revision):
            is_scope_theirs = True
        changed: dict[str, Any] = {"scope_name": ""} if is_scope_theirs and subject.scope_name else {}
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
        """Return True if a record that was there at a moment is to be erased. A tuple is a part of a plan."""
        if self._target.covers(path_of(record), at.revision):
            return True
        if isinstance(record, tuple):
            return self._is_theirs((record[:2],), at)
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
    if isinstance(value, RECORD_TYPES) and is_erased(value):
        return without_traces(value)
    if isinstance(value, PlanStep | PlanNote):
        part = (*plan, value.step_id) if plan and isinstance(value, PlanStep) else plan
        return without_traces(value) if is_erased(part) else value
    if isinstance(value, RECORD_TYPES) and not isinstance(value, Plan):
        return value
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
