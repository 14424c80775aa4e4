"""The target of an erasure: records by their paths, purged memories, and all that was a forgotten user's."""

from collections.abc import Iterable

from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.user_removal import IsOfUser
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.erasures.erasure import Erasure, is_of_user
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.lifecycle.record import decode_record
from memoryd_server.domain.record_path import removed_paths
from memoryd_server.engine.agents.journal import RecordChange


class Target:
    """The known purges and erasures of an agent, as its state and its journal show them.

    ``purges`` has the revision of each purge by the memory's id, ``paths`` that of each erased record by its path, and
    ``users`` the last revision of each erasure with the test of its user's id: data of later revisions belongs to
    another record with the same id, or to a user who came back. ``since`` is the agent's revision when its
    unfinished erasures were added: of the others that its events report, those of users up to it are complete.
    """

    def __init__(self, since: int) -> None:
        self.purges: dict[str, int] = {}
        self.users: dict[str, tuple[int, IsOfUser]] = {}
        self.paths: dict[RecordPath, int] = {}
        self._since = since
        self._revisions = set[int]()

    @property
    def size(self) -> tuple[int, ...]:
        """A value that grows with everything that is added."""
        last = sum(self.purges.values()) + sum(revision for revision, _ in self.users.values())
        return len(self.purges), len(self.users), len(self.paths), last + sum(self.paths.values())

    def add_purge(self, memory_id: str, revision: int) -> None:
        """Add the purge of a memory."""
        self.purges[memory_id] = max(revision, self.purges.get(memory_id, 0))

    def add(self, erasure: Erasure) -> None:
        """Add an erasure of a user, or of the records that its request named."""
        self._revisions.add(erasure.revision)
        if erasure.digest:
            self.add_user(erasure.erasure_id, erasure.digest, erasure.revision)
        self.add_paths(erasure.paths, erasure.revision)

    def add_paths(self, paths: Iterable[RecordPath], revision: int) -> None:
        """Add erased records."""
        for path in paths:
            self.paths[path] = max(revision, self.paths.get(path, -1))

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
            elif event.cause is EventCause.ERASED and (
                event.revision > self._since or event.revision in self._revisions
            ):
                self.add_paths(removed_paths(event), event.revision)
            elif event.type is EventType.USER_FORGOTTEN and event.revision > self._since:
                # Every user's id is tested against each erasure: not against all of the journal's.
                assert isinstance(subject, AgentSubject)
                self.add_user(subject.erasure_id, subject.user_digest, event.revision)

    def add_changes(self, changes: Iterable[RecordChange]) -> None:
        """Add the erasures of records that began meanwhile."""
        for change in changes:
            if change.kind == ERASURES.name and isinstance(change.value, bytes):
                erasure = decode_record(change.kind, change.value)
                # An erasure of records that are gone has the revision that was there before.
                if erasure.revision >= self._since:
                    self.add_paths(erasure.paths, erasure.revision)

    def covers(self, path: RecordPath, revision: int) -> bool:
        """Return True if what is at a path at a revision is to be erased."""
        paths = self.paths
        if not paths:
            return False
        return any(paths.get(path[:length], -1) >= revision for length in range(len(path) + 1))

    def covers_scope(self, scope_ids: tuple[str, ...], revision: int) -> bool:
        """Return True if a scope is to be erased at a revision, or one above it: ``scope_ids`` are its own and those.

        A scope that ended with one above it is added to the target: its entries do not say what is above it.
        """
        if not self.paths:
            return False
        last = max(self.paths.get(("scope", each), -1) for each in scope_ids)
        if last < revision:
            return self.covers(("scope", scope_ids[0]), revision)
        self.add_paths((("scope", scope_ids[0]), ("entry", scope_ids[0])), last)
        return True

    def is_of_user(self, user_id: str, revision: int) -> bool:
        """Return True if what has this user's id at a revision is to be erased."""
        return user_id != "" and any(revision <= last and is_of(user_id) for last, is_of in self.users.values())

    def is_removal(self, revision: int) -> bool:
        """Return True if an erasure may have removed records at a revision."""
        return any(revision <= last for last, _ in self.users.values())
