"""Preconditions: conditions on the current state without which a change is refused."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.error import (
    AgentNotFound,
    RecordExists,
    RecordNotFound,
    Refusal,
    RevisionMismatch,
)

if TYPE_CHECKING:
    from memoryd_server.domain.agent.state import AgentState


class Precondition(msgspec.Struct, frozen=True):
    """A condition on a record or an agent. Exactly one of the fields is set."""

    must_not_exist: bool = False
    expected_revision: int | None = None
    must_exist: bool = False


def check(
    precondition: Precondition | None, revision: int, exists: Callable[[], Refusal], missing: Callable[[], Refusal]
) -> None:
    """Raise a refusal unless the precondition holds for a thing with this revision, 0 for one that does not exist.

    ``exists`` and ``missing`` return the refusals of ``must_not_exist`` and of ``must_exist``. Raises RevisionMismatch
    for another revision than the expected one.
    """
    if precondition is None:
        return
    if precondition.must_not_exist and revision:
        raise exists()
    if precondition.must_exist and not revision:
        raise missing()
    expected = precondition.expected_revision
    if expected is not None and expected != revision:
        raise RevisionMismatch(expected, revision)


def check_record(
    precondition: Precondition | None, agent_id: str, kind: str, record_id: str, revision: int, **place: str
) -> None:
    """Raise RecordExists, RecordNotFound or RevisionMismatch unless the precondition holds for a record of a kind.

    ``revision`` is 0 for a record that does not exist. ``kind``, ``record_id`` and ``place`` are as in RecordNotFound.
    """
    check(
        precondition,
        revision,
        lambda: RecordExists(kind, record_id, revision, **place),
        lambda: RecordNotFound(agent_id, kind, record_id, **place),
    )


def check_agent(precondition: Precondition | None, state: "AgentState") -> None:
    """Raise RecordExists, AgentNotFound or RevisionMismatch unless the precondition holds for the agent."""
    if precondition is None:
        return
    # The revisions of an agent that ended go on when its name is used again.
    is_known = state.exists or precondition.expected_revision is not None
    agent_id, revision = state.agent_id, state.revision if is_known else 0
    check_agent_revision(precondition, agent_id, revision)


def check_agent_revision(precondition: Precondition | None, agent_id: str, revision: int) -> None:
    """Do as ``check_agent`` for an agent with this revision, 0 for one that does not exist."""
    check(precondition, revision, lambda: RecordExists("agent", agent_id, revision), lambda: AgentNotFound(agent_id))
