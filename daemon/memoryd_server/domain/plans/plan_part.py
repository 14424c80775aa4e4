"""The part of plans: a collection whose records are stored in pieces, and whose changes emit events of those pieces."""

from collections.abc import Mapping
from typing import Any

from memoryd_server.domain.agent.collection import Collection
from memoryd_server.domain.agent.collection_editor import CollectionEditor
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.part import Changes, Records
from memoryd_server.domain.agent.transition import Transition, changed_fields
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.plans.plan import Plan, PlanStep
from memoryd_server.domain.plans.plan_record import PLAN_RECORD, RECORD_TYPES, plan_records, plans_in, whole_plan
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject
from memoryd_server.domain.record_kind import RecordKind


class PlanEditor(CollectionEditor[Plan]):
    """An editor of plans; see ``domain.agent.part.Editor``."""

    __slots__ = ()

    def put_part(
        self,
        plan: Plan,
        event_type: EventType,
        subject: PlanStepSubject | PlanNoteSubject,
        previous: PlanStep | Plan | None,
        changed: tuple[str, ...] = (),
    ) -> None:
        """Put a plan of which a step or a note changed, and emit the event of that change. Raises QuotaExceeded.

        ``previous`` is the step before the change, None for a new one, or the plan to which a note was added.
        ``changed`` are the names of its changed fields.
        """
        self._keep_checked(plan, EventCause.REQUEST)
        self._transition.emit(event_type, EventCause.REQUEST, subject, previous, changed)

    def restore(self, image: Records) -> None:
        """Replace all plans by those of a snapshot, and emit an event for each difference."""
        super().restore({PLAN_RECORD: plans_in(self._transition.state.agent_id, image)})

    def replay(self, changes: Changes) -> None:
        """Put and delete the plans of which another daemon's commit changed records."""
        plans: Changes = {}
        for change, stored in changes.items():
            if change.kind != PLAN_RECORD:
                continue
            group, _, key = change.key.rpartition("/")
            before = self.records.find(group, key)
            known = {} if before is None else dict(plan_records(before))
            plans[change] = None if stored is None else whole_plan(stored, known | changes)
        super().replay(plans)

    def _emit_put(self, before: Plan | None, after: Plan, cause: EventCause) -> None:
        if before is None:
            super()._emit_put(before, after, cause)
        else:
            changed = changed_fields(before, after)
            self._transition.emit(EventType.PLAN_UPDATED, cause, PlanSubject.of(after, changed), before, changed)

    def _note(self, before: Plan | None, after: Plan | None) -> None:
        # Records hold the same steps and notes as long as they are the same: comparing them costs little.
        old = {} if before is None else dict(plan_records(before))
        new = {} if after is None else dict(plan_records(after))
        for change in old:
            if change not in new:
                self._transition.put(change.kind, change.key, None)
        for change, record in new.items():
            if old.get(change) != record:
                self._transition.put(change.kind, change.key, record)


class PlanPart(CollectionPart[Plan]):
    """The part of plans; see ``domain.agent.part.Part``."""

    def __init__(self) -> None:
        types = (EventType.PLAN_CREATED, EventType.PLAN_UPDATED, EventType.PLAN_DELETED)
        contained = (RecordKind.PLAN_STEP, lambda plan: len(plan.steps))
        super().__init__(PLAN_RECORD, Plan, RecordKind.PLAN, *types, contained=contained)
        self.records: Mapping[str, type[Any]] = RECORD_TYPES

    def records_in(self, agent_id: str, records: Records) -> list[Plan]:
        """Return the plans, with their steps and notes. Raises DataDamaged if one is missing."""
        return plans_in(agent_id, records)

    def edit(self, value: Collection[Plan], transition: Transition) -> PlanEditor:
        """Return an editor of the plans within a transition."""
        return PlanEditor(self, value, transition)


PLAN = PlanPart()
