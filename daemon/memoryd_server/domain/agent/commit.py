"""Commits of several commands of one agent: all of them, or none."""

from typing import Any, Generic, TypeVar

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import Refusal, TooLarge
from memoryd_server.domain.limit import EVENTS_PER_COMMIT_MAX

R = TypeVar("R")


class WritesCommitted(Result, Generic[R], frozen=True, array_like=True, tag=True):
    """The result of CommitWrites: the results of its commands in their order."""

    results: tuple[R, ...]
    revision: int

    @property
    def is_provisional(self) -> bool:
        """True if a command must be repeated later."""
        return any(each.is_provisional for each in self.results)  # type: ignore[attr-defined]

    @property
    def remembered(self) -> "WritesCommitted[R]":
        """The results without the content of their records: a large commit would drop all others that are stored."""
        remembered = [each.remembered for each in self.results]  # type: ignore[attr-defined]
        return msgspec.structs.replace(self, results=tuple(map(_slim, remembered)))

    @property
    def memory_bytes(self) -> int:
        """An estimate of the results' memory."""
        return RESULT_BYTES + sum(each.memory_bytes for each in self.results)  # type: ignore[attr-defined]


class CommitWrites(Command[WritesCommitted[Any]], frozen=True):
    """Execute several commands as one change, each on what the earlier ones left. None of them may end the agent."""

    writes: tuple[Command, ...]

    def decide(self, transition: Transition) -> WritesCommitted[Any]:
        """Decide the commands in turn. Raises the Refusal of the first that is refused, and TooLarge.

        The limit is on the events before the last command, so that each command is accepted alone.
        """
        results = []
        for index, command in enumerate(self.writes):
            try:
                if len(transition.events) > EVENTS_PER_COMMIT_MAX:
                    raise TooLarge("events_per_commit", EVENTS_PER_COMMIT_MAX)
                results.append(transition.step(command.decide))
            except Refusal as refusal:
                raise refusal.at_write(index) from None
        transition.keep_revision()
        return WritesCommitted(tuple(results), transition.revision)


def _slim(value: Any) -> Any:
    """Return a result, or a part of one, whose records have no content."""
    if isinstance(value, tuple):
        return tuple(map(_slim, value))
    if not isinstance(value, msgspec.Struct):
        return value
    strip = getattr(value, "without_content", None)
    if strip is None:
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        slim = {name: _slim(field) for name, field in fields.items()}
        changed = {name: field for name, field in slim.items() if field is not fields[name]}
        return msgspec.structs.replace(value, **changed) if changed else value
    record = strip() if callable(strip) else strip
    return msgspec.structs.replace(record, size_bytes=0) if "size_bytes" in record.__struct_fields__ else record
