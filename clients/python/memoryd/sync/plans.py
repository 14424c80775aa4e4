"""The plans of an agent."""

from collections.abc import Iterable, Iterator
from typing import Unpack

from memoryd.model.plan import AddedStep, Plan, PlanStatus
from memoryd.protocol import plan as calls
from memoryd.protocol.plan import PlanName, PlanOptions, StepChanges
from memoryd.sync.channel import Channel


class Plans:
    """What is to be reached in conversations, and the ordered steps to it.

    A plan is named by its ``plan_id``, or by its ``conversation_id``, which means the current one. Every method raises
    CallFailed when the daemon refuses or cannot be reached; changes raise RecordNotFound, PlanEnded, and
    RevisionMismatch when somebody else was faster.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    def create(self, goal: str = "", steps: Iterable[str] = (), **options: Unpack[PlanOptions]) -> Plan:
        """Make a plan, the current one of its conversation. The one before is replaced, and kept as history.

        Without a goal it has that of its first template. Raises RecordExists, LimitExceeded.
        """
        return self._channel.run(calls.create_plan(self._agent_id, goal, steps, options))

    def get(self, **name: Unpack[PlanName]) -> Plan:
        """Answer a plan. Raises RecordNotFound."""
        return self._channel.run(calls.get_plan(self._agent_id, name))

    def prompt_text(self, **name: Unpack[PlanName]) -> str:
        """Answer a plan as text for a prompt. Raises RecordNotFound."""
        return self._channel.run(calls.get_prompt_text(self._agent_id, name))

    def list(
        self,
        conversation_id: str | None = None,
        *,
        status: PlanStatus | str | None = None,
        newest_first: bool = False,
    ) -> Iterator[Plan]:
        """Yield the plans in the order of their creation, all or those of one conversation, all at one revision.

        An empty conversation means the templates.
        """
        return self._channel.pages(calls.list_plans(self._agent_id, conversation_id, status, newest_first=newest_first))

    def update_step(
        self, step_id: str, *, expected_revision: int | None = None, **changes: Unpack[StepChanges]
    ) -> Plan:
        """Change what is named of a step, and answer the plan as it is then."""
        return self._channel.run(calls.update_step(self._agent_id, step_id, changes, expected_revision))

    def add_step(
        self, description: str, *, before: str = "", expected_revision: int | None = None, **name: Unpack[PlanName]
    ) -> AddedStep:
        """Add a step at the end, or before the one that ``before`` names. Raises LimitExceeded, too."""
        return self._channel.run(calls.add_step(self._agent_id, description, before, name, expected_revision))

    def add_context_note(self, text: str, *, expected_revision: int | None = None, **name: Unpack[PlanName]) -> Plan:
        """Note something that was learned; a plan keeps its newest 100 notes."""
        return self._channel.run(calls.add_context_note(self._agent_id, text, name, expected_revision))

    def complete(self, *, expected_revision: int | None = None, **name: Unpack[PlanName]) -> Plan:
        """End a plan, whatever its steps are. It does not change any more."""
        return self._channel.run(calls.complete_plan(self._agent_id, name, expected_revision))

    def delete(self, plan_id: str, *, expected_revision: int | None = None) -> bool:
        """Remove a plan, and answer whether it was there. Raises RevisionMismatch."""
        return self._channel.run(calls.delete_plan(self._agent_id, plan_id, expected_revision))
