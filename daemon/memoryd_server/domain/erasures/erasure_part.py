"""Unfinished erasures as a part of an agent's state. Clients never see it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import immutables

from memoryd_server.domain.agent.part import Access, Changes, Counts, Growth, InitialEvent, PartStatistics, Records
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.erasures.erasure import Erasure, Erasures
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.record_kind import RecordKind

if TYPE_CHECKING:
    from memoryd_server.domain.agent.transition import Transition

_ERASURE_BYTES = 512
"""Memory that an erasure takes."""

_EMPTY = Erasures()


class ErasureEditor:
    """The editor of erasures; see ``domain.agent.part.Editor``."""

    __slots__ = ("_transition", "before", "erasures", "part")

    def __init__(self, part: "ErasurePart", before: Erasures, transition: "Transition") -> None:
        self.part = part
        self.before = before
        self.erasures = before
        self._transition = transition

    @property
    def next_deadline(self) -> int | None:
        """0 while an erasure is unfinished."""
        return self.erasures.next_deadline

    def finish(self) -> Erasures:
        """Return the erasures after the transition."""
        return self.erasures

    def growth(self) -> Growth:
        """Return the growth of the part within the transition."""
        added = len(self.erasures) - len(self.before)
        return added, added * _ERASURE_BYTES

    def put(self, erasure: Erasure) -> None:
        """Put an erasure, which may replace one with the same id."""
        self.erasures = Erasures(self.erasures.by_id.set(erasure.erasure_id, erasure))
        self._transition.put("erasure", erasure.erasure_id, erasure)
        self._transition.note_deadline(0)

    def drop(self, erasure_id: str) -> None:
        """Remove an existing erasure."""
        self.erasures = Erasures(self.erasures.by_id.delete(erasure_id))
        self._transition.put("erasure", erasure_id, None)

    def clear(self, cause: EventCause) -> Counts:
        """Do nothing: erasures are no records of a kind, and must be finished."""
        return {}

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Do nothing: an erasure has neither content nor a user's id."""
        return {}

    def restore(self, image: Records) -> None:
        """Keep the erasures as they are: the journal that they are about is this agent's, not the snapshot's."""

    def replay(self, changes: Changes) -> None:
        """Put and delete the erasures among these changes."""
        for change, erasure in changes.items():
            if change.kind == "erasure":
                if erasure is not None:
                    self.put(erasure)
                elif change.key in self.erasures.by_id:
                    self.drop(change.key)

    def sweep(self, rules: Any) -> dict[str, int]:
        """Return nothing: the engine finishes erasures."""
        return {}

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Do nothing: erasures are not read."""


class ErasurePart:
    """Unfinished erasures, as a part; see ``domain.agent.part.Part``."""

    name = "erasure"
    kind = RecordKind.AGENT
    is_cleared_together = False
    records: Mapping[str, type[Any]] = {"erasure": Erasure}

    def empty(self, agent_id: str) -> Erasures:
        """Return a value without erasures."""
        return _EMPTY

    def check(self, agent_id: str, records: Records) -> None:
        """Accept all erasures: they do not depend on each other."""

    def check_image(self, agent_id: str, records: Records) -> None:
        """Accept all erasures: a restore leaves them out."""

    def load(self, agent_id: str, records: Records) -> Erasures:
        """Return the agent's erasures."""
        return Erasures(immutables.Map({each.erasure_id: each for each in records["erasure"]}))

    def edit(self, value: Erasures, transition: "Transition") -> ErasureEditor:
        """Return an editor of the erasures within a transition."""
        return ErasureEditor(self, value, transition)

    def initial_events(self, value: Erasures, now: int) -> Iterator[InitialEvent]:
        """Yield nothing."""
        return iter(())

    def live_counts(self, value: Erasures, now: int) -> Counts:
        """Return nothing: clients see no erasures."""
        return {}

    def statistics(self, value: Erasures, now: int) -> PartStatistics:
        """Return nothing: clients see no erasures."""
        return PartStatistics()

    def blocks_ending(self, value: Erasures) -> bool:
        """Return True while there is an erasure: without the agent, nobody would finish it."""
        return bool(value.by_id)

    def memory_bytes(self, value: Erasures) -> int:
        """Return an estimate of the memory that the erasures take."""
        return len(value) * _ERASURE_BYTES


ERASURES = ErasurePart()
