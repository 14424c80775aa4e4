"""The target of an erasure: purged memories, and all that was a forgotten user's."""

from collections.abc import Iterable

from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.user_removal import IsOfUser
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.erasures.erasure import is_of_user
from memoryd_server.domain.event_type import EventCause, EventType


class Target:
    """The known purges and erasures of an agent, as its state and its journal show them.

    ``purges`` has the revision of each purge by the memory's id, and ``users`` the last revision of each erasure with
    the test of its user's id: data of later revisions belongs to another memory with the same id, or to a user who came
    back. ``since`` is the agent's revision when its unfinished erasures were added: of the others that its events
    report, those up to it are complete.
    """

    def __init__(self, since: int) -> None:
        self.purges: dict[str, int] = {}
        self.users: dict[str, tuple[int, IsOfUser]] = {}
        self._since = since

    @property
    def size(self) -> tuple[int, ...]:
        """A value that grows with everything that is added."""
        last = sum(self.purges.values()) + sum(revision for revision, _ in self.users.values())
        return len(self.purges), len(self.users), last

    def add_purge(self, memory_id: str, revision: int) -> None:
        """Add the purge of a memory."""
        self.purges[memory_id] = max(revision, self.purges.get(memory_id, 0))

    def add_user(self, erasure_id: str, digest: bytes, revision: int) -> None:
        """Add the erasure of a user."""
        known, is_of = self.users.get(erasure_id) or (0, is_of_user(erasure_id, digest))
        self.users[erasure_id] = (max(revision, known), is_of)

    def add_events(self, events: Iterable[Event]) -> None:
        """Add the purges that these events report, and the erasures that may be incomplete."""
        for event in events:
            subject = event.subject
            if event.type is EventType.MEMORY_PURGED and event.cause is EventCause.REQUEST:
                self.add_purge(subject.memory_id, event.revision)
            elif event.type is EventType.USER_FORGOTTEN and event.revision > self._since:
                # Every user's id is tested against each erasure: not against all of the journal's.
                assert isinstance(subject, AgentSubject)
                self.add_user(subject.erasure_id, subject.user_digest, event.revision)

    def is_of_user(self, user_id: str, revision: int) -> bool:
        """Return True if what has this user's id at a revision is to be erased."""
        return user_id != "" and any(revision <= last and is_of(user_id) for last, is_of in self.users.values())

    def is_removal(self, revision: int) -> bool:
        """Return True if an erasure may have removed records at a revision."""
        return any(revision <= last for last, _ in self.users.values())
