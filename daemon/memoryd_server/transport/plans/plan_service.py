"""PlanService: decode the request, call the engine, encode the response."""

from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.plans.plan import Plan
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CompletePlan,
    DeletePlan,
    MovePlanStep,
    RemovePlanStep,
    ReopenPlan,
    UpdatePlan,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_prompt import plan_prompt
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.agents.offload import offload
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.plans.plan_message import (
    before_step_id_of,
    creation_of,
    plan_conversation_id_of,
    plan_message,
    plan_name_of,
    plan_note_message,
    plan_note_of,
    plan_patch_of,
    plan_step_message,
    plan_user_id_of,
    statuses_of,
    step_draft_of,
    step_id_of,
    step_patch_of,
)

ChangeRequest = (
    pb.CreatePlanRequest
    | pb.UpdatePlanRequest
    | pb.CompletePlanRequest
    | pb.ReopenPlanRequest
    | pb.DeletePlanRequest
    | pb.AddPlanStepRequest
    | pb.UpdatePlanStepRequest
    | pb.MovePlanStepRequest
    | pb.RemovePlanStepRequest
    | pb.AddPlanNoteRequest
)


class PlanService:
    """Serves plans."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    async def create_plan(self, request: pb.CreatePlanRequest, call: Call) -> pb.CreatePlanResponse:
        """Create a plan."""
        answer = await self._change(request, creation_of(request, new_id()), call)
        plan = plan_message(request.agent_id, answer.record)
        return pb.CreatePlanResponse(revision=answer.revision, plan=plan, replaced_plan_id=answer.replaced_plan_id)

    async def get_plan(self, request: pb.GetPlanRequest, call: Call) -> pb.GetPlanResponse:
        """Return a plan, and its text for a prompt."""
        name = plan_name_of(request)
        found = await self._collections.aliased(request.agent_id, PLAN, name.alias, consistency_of(request))
        plan, revision = found
        if plan is None:
            raise name.missing(request.agent_id)
        message = plan_message(request.agent_id, plan)
        return pb.GetPlanResponse(plan=message, prompt_text=plan_prompt(plan), revision=revision)

    async def list_plans(self, request: pb.ListPlansRequest, call: Call) -> pb.ListPlansResponse:
        """List plans."""
        statuses, view = statuses_of(request.statuses), view_of(request)
        user_id = plan_user_id_of("user_id", request.user_id) if request.HasField("user_id") else None
        group = None
        if request.HasField("conversation_id"):
            group = plan_conversation_id_of("conversation_id", request.conversation_id)

        def keeps(plan: Plan) -> bool:
            return (not statuses or plan.status in statuses) and user_id in (None, plan.user_id)

        page = await self._collections.list(
            request.agent_id,
            PLAN,
            page_request_of(request, call),
            group=group,
            keeps=keeps,
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

    async def update_plan(self, request: pb.UpdatePlanRequest, call: Call) -> pb.UpdatePlanResponse:
        """Update a plan."""
        patch = plan_patch_of(request.draft, request.update_mask)
        answer = await self._change(request, UpdatePlan(plan_name_of(request), patch, precondition_of(request)), call)
        plan = plan_message(request.agent_id, answer.record)
        return pb.UpdatePlanResponse(revision=answer.revision, plan=plan, changed=answer.changed)

    async def complete_plan(self, request: pb.CompletePlanRequest, call: Call) -> pb.CompletePlanResponse:
        """Complete a plan."""
        answer = await self._change(request, CompletePlan(plan_name_of(request), precondition_of(request)), call)
        plan = plan_message(request.agent_id, answer.record)
        return pb.CompletePlanResponse(revision=answer.revision, plan=plan, changed=answer.changed)

    async def reopen_plan(self, request: pb.ReopenPlanRequest, call: Call) -> pb.ReopenPlanResponse:
        """Reopen a plan."""
        reopening = ReopenPlan(record_id_of("plan_id", request.plan_id), precondition_of(request))
        answer = await self._change(request, reopening, call)
        return pb.ReopenPlanResponse(
            revision=answer.revision,
            plan=plan_message(request.agent_id, answer.record),
            changed=answer.changed,
            replaced_plan_id=answer.replaced_plan_id,
        )

    async def delete_plan(self, request: pb.DeletePlanRequest, call: Call) -> pb.DeletePlanResponse:
        """Delete a plan."""
        deleting = DeletePlan(record_id_of("plan_id", request.plan_id), precondition_of(request))
        answer = await self._change(request, deleting, call)
        return pb.DeletePlanResponse(revision=answer.revision, deleted=answer.count > 0)

    async def add_plan_step(self, request: pb.AddPlanStepRequest, call: Call) -> pb.AddPlanStepResponse:
        """Add a step."""
        draft, before_step_id = step_draft_of("draft", request.draft), before_step_id_of(request.before_step_id)
        adding = AddPlanStep(plan_name_of(request), draft, before_step_id, precondition_of(request))
        answer = await self._change(request, adding, call)
        step = plan_step_message(answer.step)
        return pb.AddPlanStepResponse(revision=answer.revision, step=step, plan_id=answer.plan_id)

    async def update_plan_step(self, request: pb.UpdatePlanStepRequest, call: Call) -> pb.UpdatePlanStepResponse:
        """Update a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)
        patch = step_patch_of(request.draft, request.update_mask)
        answer = await self._change(request, UpdatePlanStep(name, step_id, patch, precondition_of(request)), call)
        return pb.UpdatePlanStepResponse(
            revision=answer.revision,
            step=plan_step_message(answer.step),
            changed=answer.changed,
            plan_id=answer.plan_id,
        )

    async def move_plan_step(self, request: pb.MovePlanStepRequest, call: Call) -> pb.MovePlanStepResponse:
        """Move a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)
        moving = MovePlanStep(name, step_id, before_step_id_of(request.before_step_id), precondition_of(request))
        answer = await self._change(request, moving, call)
        return pb.MovePlanStepResponse(
            revision=answer.revision,
            step=plan_step_message(answer.step),
            changed=answer.changed,
            plan_id=answer.plan_id,
        )

    async def remove_plan_step(self, request: pb.RemovePlanStepRequest, call: Call) -> pb.RemovePlanStepResponse:
        """Remove a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)
        answer = await self._change(request, RemovePlanStep(name, step_id, precondition_of(request)), call)
        return pb.RemovePlanStepResponse(revision=answer.revision, deleted=answer.count > 0, plan_id=answer.plan_id)

    async def add_plan_note(self, request: pb.AddPlanNoteRequest, call: Call) -> pb.AddPlanNoteResponse:
        """Add a note to a plan."""
        adding = AddPlanNote(plan_name_of(request), plan_note_of(request.text), precondition_of(request))
        answer = await self._change(request, adding, call)
        note = plan_note_message(answer.note)
        return pb.AddPlanNoteResponse(revision=answer.revision, note=note, plan_id=answer.plan_id)

    async def _change(self, request: ChangeRequest, command: Command[R], call: Call) -> R:
        return await self._collections.change(request.agent_id, command, write_of(request, call))
