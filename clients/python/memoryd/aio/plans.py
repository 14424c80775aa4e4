"""The plans of an agent."""

from collections.abc import AsyncIterator, Iterable
from typing import Unpack

from memoryd.aio.channel import Channel
from memoryd.model.plan import AddedStep, Plan, PlanStatus
from memoryd.protocol import plan as calls
from memoryd.protocol.plan import PlanName, PlanOptions, StepChanges


class Plans:
    """Goals in conversations, with the ordered steps to them.

    A plan is named by its ``plan_id``, or by its ``conversation_id``, which means the conversation's current plan.
    Every method raises CallFailed when the daemon refuses or cannot be reached. Changes raise RecordNotFound,
    PlanEnded, and RevisionMismatch when another writer was faster.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def create(self, goal: str = "", steps: Iterable[str] = (), **options: Unpack[PlanOptions]) -> Plan:
        """Create a plan. It becomes the current one of its conversation, and the previous one becomes history.

        Without a goal, the plan takes that of its first template. Raises RecordExists, LimitExceeded.
        """
        return await self._channel.run(calls.create_plan(self._agent_id, goal, steps, options))

    async def get(self, **name: Unpack[PlanName]) -> Plan:
        """Return a plan. Raises RecordNotFound."""
        return await self._channel.run(calls.get_plan(self._agent_id, name))

    async def prompt_text(self, **name: Unpack[PlanName]) -> str:
        """Return the text of a plan for a prompt. Raises RecordNotFound."""
        return await self._channel.run(calls.get_prompt_text(self._agent_id, name))

    def list(
        self,
        conversation_id: str | None = None,
        *,
        status: PlanStatus | str | None = None,
        newest_first: bool = False,
    ) -> AsyncIterator[Plan]:
        """Yield the plans in the order of their creation, all or those of one conversation, all at one revision.

        An empty ``conversation_id`` yields the templates.
        """
        return self._channel.pages(calls.list_plans(self._agent_id, conversation_id, status, newest_first=newest_first))

    async def update_step(
        self, step_id: str, *, expected_revision: int | None = None, **changes: Unpack[StepChanges]
    ) -> Plan:
        """Change the given fields of a step, and return the changed plan."""
        return await self._channel.run(calls.update_step(self._agent_id, step_id, changes, expected_revision))

    async def add_step(
        self, description: str, *, before: str = "", expected_revision: int | None = None, **name: Unpack[PlanName]
    ) -> AddedStep:
        """Add a step at the end, or in front of the step ``before``. Also raises LimitExceeded."""
        return await self._channel.run(calls.add_step(self._agent_id, description, before, name, expected_revision))

    async def add_context_note(
        self, text: str, *, expected_revision: int | None = None, **name: Unpack[PlanName]
    ) -> Plan:
        """Add a note of something learned. A plan keeps its newest 100 notes."""
        return await self._channel.run(calls.add_context_note(self._agent_id, text, name, expected_revision))

    async def complete(self, *, expected_revision: int | None = None, **name: Unpack[PlanName]) -> Plan:
        """Complete a plan, whatever the status of its steps. It cannot change after that."""
        return await self._channel.run(calls.complete_plan(self._agent_id, name, expected_revision))

    async def delete(self, plan_id: str, *, expected_revision: int | None = None) -> bool:
        """Remove a plan, and return whether there was one. Raises RevisionMismatch."""
        return await self._channel.run(calls.delete_plan(self._agent_id, plan_id, expected_revision))
