"""Preconditions: conditions on the current state without which a change is refused."""

from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.error import RevisionMismatch

if TYPE_CHECKING:
    from memoryd_server.domain.agent.transition import Transition


class Precondition(msgspec.Struct, frozen=True):
    """A condition on the record or agent that a command changes. Exactly one of the two fields is set."""

    must_not_exist: bool = False
    expected_revision: int | None = None


def check_agent(precondition: Precondition | None, transition: "Transition") -> None:
    """Raise RevisionMismatch unless the precondition holds for the agent's revision."""
    check_revision(precondition, transition.state.revision)


def check_revision(precondition: Precondition | None, revision: int) -> None:
    """Raise RevisionMismatch unless the precondition holds for a record's revision, 0 for a missing record."""
    expected = None if precondition is None else precondition.expected_revision
    if expected is not None and expected != revision:
        raise RevisionMismatch(expected, revision)
