"""PlanService: decode the request, call the engine, encode the response."""

from memoryd.v1 import plan_pb2
from memoryd.v1 import plan_service_pb2 as pb
from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.result import RecordPut
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.plans.plan import PLAN, Plan
from memoryd_server.domain.plans.plan_change import (
    AddContextNote,
    AddStep,
    CompletePlan,
    DeletePlan,
    UpdateStep,
)
from memoryd_server.domain.plans.plan_prompt import plan_prompt
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.agents.offload import offload
from memoryd_server.transport.call import Call
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of
from memoryd_server.transport.plans.plan_message import (
    context_note_of,
    creation_of,
    description_of,
    part_count,
    plan_conversation_id_of,
    plan_message,
    plan_name_of,
    status_of,
    step_id_of,
    step_text_of,
)

ChangeRequest = (
    pb.CreatePlanRequest
    | pb.UpdateStepRequest
    | pb.AddStepRequest
    | pb.AddContextNoteRequest
    | pb.CompletePlanRequest
    | pb.DeletePlanRequest
)


class PlanService:
    """Serves plans."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    async def create_plan(self, request: pb.CreatePlanRequest, call: Call) -> pb.CreatePlanResponse:
        """Create a plan."""
        answer = await self._change(request, creation_of(request, new_id()), call)
        return pb.CreatePlanResponse(
            plan=_kept(request.agent_id, answer), revision=answer.revision, replaced_plan_id=answer.replaced_plan_id
        )

    async def get_plan(self, request: pb.GetPlanRequest, call: Call) -> pb.GetPlanResponse:
        """Return a plan, and its text for a prompt."""
        name = plan_name_of(request)
        found = await self._collections.aliased(request.agent_id, PLAN, name.alias, max_staleness_of(request))
        plan, revision = found
        if plan is None:
            raise RecordNotFound(request.agent_id, PLAN.name, str(name))
        message = plan_message(request.agent_id, plan)
        return pb.GetPlanResponse(plan=message, prompt_text=plan_prompt(plan), revision=revision)

    async def list_plans(self, request: pb.ListPlansRequest, call: Call) -> pb.ListPlansResponse:
        """List plans in the order of their creation."""
        status = status_of(request.status)

        def keeps(plan: Plan) -> bool:
            return status in (None, plan.status)

        page = await self._collections.list(
            request.agent_id,
            PLAN,
            page_request_of(request, call),
            group=plan_conversation_id_of(request.conversation_id) if request.HasField("conversation_id") else None,
            keeps=keeps,
            newest_first=request.newest_first,
            max_staleness_ns=max_staleness_of(request),
        )

        def messages() -> list[plan_pb2.Plan]:
            return [plan_message(request.agent_id, each) for each in page.items]

        return pb.ListPlansResponse(
            plans=await offload(sum(map(part_count, page.items)), messages),
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def update_step(self, request: pb.UpdateStepRequest, call: Call) -> pb.UpdateStepResponse:
        """Update a step."""
        name, step_id = plan_name_of(request), step_id_of("step_id", request.step_id)
        updating = UpdateStep(name, step_id, step_text_of(request), precondition_of(request))
        answer = await self._change(request, updating, call)
        plan = _kept(request.agent_id, answer)
        return pb.UpdateStepResponse(plan=plan, revision=answer.revision, updated=answer.changed)

    async def add_step(self, request: pb.AddStepRequest, call: Call) -> pb.AddStepResponse:
        """Add a step."""
        name, description = plan_name_of(request), description_of("description", request.description)
        before_step_id = step_id_of("before_step_id", request.before_step_id) if request.before_step_id else ""
        adding = AddStep(name, description, before_step_id, precondition_of(request))
        answer = await self._change(request, adding, call)
        step_id = str(answer.record.next_step_number - 1)
        return pb.AddStepResponse(plan=_kept(request.agent_id, answer), revision=answer.revision, step_id=step_id)

    async def add_context_note(self, request: pb.AddContextNoteRequest, call: Call) -> pb.AddContextNoteResponse:
        """Add a context note to a plan."""
        adding = AddContextNote(plan_name_of(request), context_note_of(request.text), precondition_of(request))
        answer = await self._change(request, adding, call)
        return pb.AddContextNoteResponse(plan=_kept(request.agent_id, answer), revision=answer.revision)

    async def complete_plan(self, request: pb.CompletePlanRequest, call: Call) -> pb.CompletePlanResponse:
        """Complete a plan."""
        completing = CompletePlan(plan_name_of(request), precondition_of(request))
        answer = await self._change(request, completing, call)
        return pb.CompletePlanResponse(plan=_kept(request.agent_id, answer), revision=answer.revision)

    async def delete_plan(self, request: pb.DeletePlanRequest, call: Call) -> pb.DeletePlanResponse:
        """Delete a plan."""
        deleting = DeletePlan(record_id_of("plan_id", request.plan_id), precondition_of(request))
        answer = await self._change(request, deleting, call)
        return pb.DeletePlanResponse(deleted=answer.count > 0, revision=answer.revision)

    async def _change(self, request: ChangeRequest, command: Command[R], call: Call) -> R:
        return await self._collections.change(request.agent_id, command, call.origin, request_key_of(request, call))


def _kept(agent_id: str, answer: RecordPut[Plan]) -> plan_pb2.Plan:
    """Encode the plan after a change."""
    return plan_message(agent_id, answer.record)
