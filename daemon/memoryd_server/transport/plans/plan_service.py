"""PlanService: decode the request, call the engine, encode the response."""

from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.plans.plan import PLAN_SHAPE, Plan
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CompletePlan,
    DeletePlan,
    MovePlanStep,
    PlanNoteAdded,
    PlanStarted,
    PlanStepPut,
    PlanStepRemoved,
    RemovePlanStep,
    ReopenPlan,
    UpdatePlan,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_prompt import plan_prompt
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.engine.agents.offload import offload
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.plans.plan_message import (
    before_step_id_of,
    creation_of,
    plan_message,
    plan_name_of,
    plan_note_message,
    plan_note_of,
    plan_patch_of,
    plan_step_message,
    step_draft_of,
    step_id_of,
    step_patch_of,
)


class PlanService:
    """Serves plans."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    @change
    def create_plan(self, request: pb.CreatePlanRequest) -> Change[PlanStarted]:
        """Create a plan."""

        def encode(answer: PlanStarted) -> pb.CreatePlanResponse:
            plan = plan_message(request.agent_id, answer.record)
            return pb.CreatePlanResponse(revision=answer.revision, plan=plan, replaced_plan_id=answer.replaced_plan_id)

        return Change(creation_of(request, new_id()), encode, log_change)

    async def get_plan(self, request: pb.GetPlanRequest, call: Call) -> pb.GetPlanResponse:
        """Return a plan, and its text for a prompt."""
        name = plan_name_of(request)
        plans, revision = await self._collections.all_of(request.agent_id, PLAN, consistency_of(request))
        plan = name.find(plans)
        if plan is None:
            raise name.missing(request.agent_id)
        message = plan_message(request.agent_id, plan)
        return pb.GetPlanResponse(plan=message, prompt_text=plan_prompt(plan), revision=revision)

    async def list_plans(self, request: pb.ListPlansRequest, call: Call) -> pb.ListPlansResponse:
        """List plans."""
        chosen, view = record_filter_of(request.filter, PLAN_SHAPE), view_of(request)
        page = await self._collections.list(
            request.agent_id,
            PLAN,
            page_request_of(request, call),
            chosen=chosen,
            order=order_of(request, ListOrder.CREATE_TIME),
            consistency=consistency_of(request),
        )

        def messages() -> list[plan_pb2.Plan]:
            return [viewed(plan_message(request.agent_id, each), view) for each in page.items]

        return pb.ListPlansResponse(
            revision=page.revision,
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            plans=await offload(sum(plan.record_count for plan in page.items), messages),
        )

    @change
    def update_plan(self, request: pb.UpdatePlanRequest) -> Change[RecordPut[Plan]]:
        """Update a plan."""
        patch = plan_patch_of(request.draft, request.update_mask)

        def encode(answer: RecordPut[Plan]) -> pb.UpdatePlanResponse:
            plan = plan_message(request.agent_id, answer.record)
            return pb.UpdatePlanResponse(revision=answer.revision, plan=plan, changed=answer.changed)

        return Change(UpdatePlan(plan_name_of(request), patch, precondition_of(request)), encode, log_change)

    @change
    def complete_plan(self, request: pb.CompletePlanRequest) -> Change[RecordPut[Plan]]:
        """Complete a plan."""

        def encode(answer: RecordPut[Plan]) -> pb.CompletePlanResponse:
            plan = plan_message(request.agent_id, answer.record)
            return pb.CompletePlanResponse(revision=answer.revision, plan=plan, changed=answer.changed)

        return Change(CompletePlan(plan_name_of(request), precondition_of(request)), encode, log_change)

    @change
    def reopen_plan(self, request: pb.ReopenPlanRequest) -> Change[PlanStarted]:
        """Reopen a plan."""
        reopening = ReopenPlan(record_id_of("plan_id", request.plan_id), precondition_of(request))

        def encode(answer: PlanStarted) -> pb.ReopenPlanResponse:
            return pb.ReopenPlanResponse(
                revision=answer.revision,
                plan=plan_message(request.agent_id, answer.record),
                changed=answer.changed,
                replaced_plan_id=answer.replaced_plan_id,
            )

        return Change(reopening, encode, log_change)

    @change
    def delete_plan(self, request: pb.DeletePlanRequest) -> Change[RecordRemoved]:
        """Delete a plan."""
        deleting = DeletePlan(record_id_of("plan_id", request.plan_id), precondition_of(request))

        def encode(answer: RecordRemoved) -> pb.DeletePlanResponse:
            return pb.DeletePlanResponse(revision=answer.revision, deleted=answer.count > 0)

        return Change(deleting, encode, log_change, erases=request.erase)

    @change
    def add_plan_step(self, request: pb.AddPlanStepRequest) -> Change[PlanStepPut]:
        """Add a step."""
        draft, before_step_id = step_draft_of("draft", request.draft), before_step_id_of(request.before_step_id)
        adding = AddPlanStep(plan_name_of(request), draft, before_step_id, precondition_of(request))

        def encode(answer: PlanStepPut) -> pb.AddPlanStepResponse:
            step = plan_step_message(answer.step)
            return pb.AddPlanStepResponse(revision=answer.revision, step=step, plan_id=answer.plan_id)

        return Change(adding, encode, log_change)

    @change
    def update_plan_step(self, request: pb.UpdatePlanStepRequest) -> Change[PlanStepPut]:
        """Update a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)
        patch = step_patch_of(request.draft, request.update_mask)

        def encode(answer: PlanStepPut) -> pb.UpdatePlanStepResponse:
            return pb.UpdatePlanStepResponse(
                revision=answer.revision,
                step=plan_step_message(answer.step),
                changed=answer.changed,
                plan_id=answer.plan_id,
            )

        return Change(UpdatePlanStep(name, step_id, patch, precondition_of(request)), encode, log_change)

    @change
    def move_plan_step(self, request: pb.MovePlanStepRequest) -> Change[PlanStepPut]:
        """Move a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)
        moving = MovePlanStep(name, step_id, before_step_id_of(request.before_step_id), precondition_of(request))

        def encode(answer: PlanStepPut) -> pb.MovePlanStepResponse:
            return pb.MovePlanStepResponse(
                revision=answer.revision,
                step=plan_step_message(answer.step),
                changed=answer.changed,
                plan_id=answer.plan_id,
            )

        return Change(moving, encode, log_change)

    @change
    def remove_plan_step(self, request: pb.RemovePlanStepRequest) -> Change[PlanStepRemoved]:
        """Remove a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)

        def encode(answer: PlanStepRemoved) -> pb.RemovePlanStepResponse:
            return pb.RemovePlanStepResponse(revision=answer.revision, deleted=answer.count > 0, plan_id=answer.plan_id)

        removing = RemovePlanStep(name, step_id, precondition_of(request))
        return Change(removing, encode, log_change, erases=request.erase)

    @change
    def add_plan_note(self, request: pb.AddPlanNoteRequest) -> Change[PlanNoteAdded]:
        """Add a note to a plan."""
        adding = AddPlanNote(plan_name_of(request), plan_note_of(request.text), precondition_of(request))

        def encode(answer: PlanNoteAdded) -> pb.AddPlanNoteResponse:
            note = plan_note_message(answer.note)
            return pb.AddPlanNoteResponse(revision=answer.revision, note=note, plan_id=answer.plan_id)

        return Change(adding, encode, log_change)
