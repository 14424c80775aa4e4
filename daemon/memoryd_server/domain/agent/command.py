"""Commands: requested changes of one agent. Each kind of memory defines its own."""

from typing import TYPE_CHECKING, Any, Generic

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.trace import RecordPath

if TYPE_CHECKING:
    from memoryd_server.domain.agent.transition import Transition

R = TypeVar("R", bound=Result, covariant=True, default=Result)


class Command(msgspec.Struct, Generic[R], frozen=True):
    """A requested change, which may be refused. It carries all identifiers, tokens and policies that it needs."""

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the paths of the records that the command names to be removed, whether they exist or not.

        ``result`` is that of ``decide``. An erasure covers these, and all whose removals the events report.
        """
        return ()

    def decide(self, transition: "Transition") -> R:
        """Record the changes in the transition, and return the result.

        Raises a Refusal; the transition is discarded then, so that nothing has changed.
        """
        raise NotImplementedError
