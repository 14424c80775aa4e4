"""The plans of an agent."""

from collections.abc import AsyncIterator, Iterable
from typing import Literal, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.plan import Plan, PlanNote, PlanStep
from memoryd.protocol import plan as calls
from memoryd.protocol.consistency import reading
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.plan import (
    PlanChanges,
    PlanListOptions,
    PlanName,
    PlanOptions,
    PlanReadOptions,
    StepChanges,
    StepOptions,
)


@checks_keywords
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

        Without a goal, the plan takes that of its first template. Raises RecordExists, TooLarge, QuotaExceeded.
        """
        return await self._channel.run(calls.create_plan(self._agent_id, goal, steps, options))

    async def get(self, **options: Unpack[PlanReadOptions]) -> Plan:
        """Return a plan. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_plan(self._agent_id, options), options))

    async def prompt_text(self, **options: Unpack[PlanReadOptions]) -> str:
        """Return the text of a plan for a prompt. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_prompt_text(self._agent_id, options), options))

    def list(self, conversation_id: str | None = None, **options: Unpack[PlanListOptions]) -> AsyncIterator[Plan]:
        """Yield the plans, all or those of one conversation, all at one revision.

        An empty ``conversation_id`` yields the templates.
        """
        return self._channel.pages(reading(calls.list_plans(self._agent_id, conversation_id, options), options))

    async def update(self, *, expected_revision: int | None = None, **changes: Unpack[PlanChanges]) -> Plan:
        """Change the given fields of a plan, and return the changed plan."""
        return await self._channel.run(calls.update_plan(self._agent_id, changes, expected_revision))

    async def complete(self, *, expected_revision: int | None = None, **name: Unpack[PlanName]) -> Plan:
        """Complete a plan, whatever the status of its steps. It cannot change until it is reopened."""
        return await self._channel.run(calls.complete_plan(self._agent_id, name, expected_revision))

    async def reopen(self, plan_id: str, *, expected_revision: int | None = None) -> Plan:
        """Continue a plan that was completed or replaced. It becomes the current one of its conversation again."""
        return await self._channel.run(calls.reopen_plan(self._agent_id, plan_id, expected_revision))

    @overload
    async def delete(
        self, plan_id: str, *, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def delete(
        self, plan_id: str, *, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> bool: ...

    async def delete(
        self, plan_id: str, *, expected_revision: int | None = None, erase: bool = False
    ) -> bool | ErasureReceipt:
        """Remove a plan, and return whether there was one. Raises RevisionMismatch.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(calls.delete_plan(self._agent_id, plan_id, expected_revision, erase=erase))

    async def add_step(
        self, description: str, *, expected_revision: int | None = None, **options: Unpack[StepOptions]
    ) -> PlanStep:
        """Add a step at the end, or in front of the step ``before``. Also raises QuotaExceeded."""
        return await self._channel.run(calls.add_step(self._agent_id, description, options, expected_revision))

    async def update_step(
        self, step_id: str, *, expected_revision: int | None = None, **changes: Unpack[StepChanges]
    ) -> PlanStep:
        """Change the given fields of a step, and return the changed step. ``expected_revision`` is the step's."""
        return await self._channel.run(calls.update_step(self._agent_id, step_id, changes, expected_revision))

    async def move_step(
        self, step_id: str, *, before: str = "", expected_revision: int | None = None, **name: Unpack[PlanName]
    ) -> PlanStep:
        """Move a step to the end, or in front of the step ``before``. ``expected_revision`` is the step's."""
        return await self._channel.run(calls.move_step(self._agent_id, step_id, before, name, expected_revision))

    @overload
    async def remove_step(
        self, step_id: str, *, expected_revision: int | None = None, erase: Literal[True], **name: Unpack[PlanName]
    ) -> ErasureReceipt: ...

    @overload
    async def remove_step(
        self,
        step_id: str,
        *,
        expected_revision: int | None = None,
        erase: Literal[False] = False,
        **name: Unpack[PlanName],
    ) -> bool: ...

    async def remove_step(
        self, step_id: str, *, expected_revision: int | None = None, erase: bool = False, **name: Unpack[PlanName]
    ) -> bool | ErasureReceipt:
        """Remove a step, and return whether there was one. ``expected_revision`` is the step's.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(calls.remove_step(self._agent_id, step_id, name, expected_revision, erase=erase))

    async def add_note(self, text: str, *, expected_revision: int | None = None, **name: Unpack[PlanName]) -> PlanNote:
        """Add a note of something learned. A plan keeps its newest 100 notes."""
        return await self._channel.run(calls.add_note(self._agent_id, text, name, expected_revision))
