"""A model of an agent's memory in plain dictionaries: slow, obvious, and written without the daemon's code."""

import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import EntryDraft

ROOT = ""


class Refused(Exception):  # noqa: N818 - what a refusal is called here
    """The refusal of a command. ``reason`` is the name of the daemon's class."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Entry:
    value: str
    entry_id: str
    expire_time: int | None
    revision: int
    reads: int | None = 0
    """None after a restore, when it is not predicted."""

    def is_live(self, now: int) -> bool:
        return self.expire_time is None or now < self.expire_time

    def has_content_of(self, other: "Entry") -> bool:
        mine, others = (self.value, self.entry_id, self.expire_time), (other.value, other.entry_id, other.expire_time)
        return mine == others


class Scope(NamedTuple):
    """A scope that is not disposed."""

    name: str
    ancestors: tuple[str, ...]
    revision: int


@dataclass
class Image:
    """The part of an agent that a snapshot holds."""

    entries: dict[tuple[str, str], Entry]
    scopes: dict[str, Scope]


@dataclass
class Agent:
    """An agent: entries by scope and key, scopes, reservations with token and end."""

    revision: int = 0
    exists: bool = False
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    disposed: set[str] = field(default_factory=set)
    reservations: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def image(self) -> Image:
        return Image(copy.deepcopy(self.entries), dict(self.scopes))

    def path(self, scope_id: str) -> list[str]:
        self.check_scope(scope_id)
        return [ROOT] if scope_id == ROOT else [scope_id, *self.scopes[scope_id].ancestors, ROOT]

    def check_scope(self, scope_id: str) -> None:
        if scope_id != ROOT and scope_id not in self.scopes:
            raise Refused("ScopeDisposed" if scope_id in self.disposed else "RecordNotFound")

    def find(self, scope_id: str, key: str, now: int, *, local_only: bool = False) -> tuple[str, Entry] | None:
        path = self.path(scope_id)
        for each in path[:1] if local_only else path:
            entry = self.entries.get((each, key))
            if entry is not None and entry.is_live(now):
                return each, entry
        return None

    def visible(self, scope_id: str, now: int) -> dict[str, str]:
        """Return the values of a scope's own live entries by key."""
        live = {place: entry.value for place, entry in self.entries.items() if entry.is_live(now)}
        return {key: value for (each, key), value in live.items() if each == scope_id}


class Change:
    """One command in progress, on a copy of the agent, which replaces the agent unless the command is refused."""

    def __init__(self, agent: Agent, now: int, entries_max: int, scopes_max: int) -> None:
        self.agent = copy.deepcopy(agent)
        self.now = now
        self.changed = False
        self.entries_max = entries_max
        self.scopes_max = scopes_max

    @property
    def next_revision(self) -> int:
        return self.agent.revision + 1

    def finish(self) -> Agent:
        if self.changed:
            self.agent.revision += 1
            self.agent.exists = True
        return self.agent

    def local(self, scope_id: str, key: str) -> Entry | None:
        """Return the scope's own live entry. Drops one that has expired."""
        entry = self.agent.entries.get((scope_id, key))
        if entry is not None and not entry.is_live(self.now):
            self.drop((scope_id, key))
            return None
        return entry

    def drop(self, place: tuple[str, str]) -> None:
        del self.agent.entries[place]
        self.changed = True

    def put(self, scope_id: str, draft: EntryDraft, new_id: str, leaving: int = 0) -> tuple[Entry, bool]:
        previous = self.local(scope_id, draft.key)
        if previous is None and len(self.agent.entries) - leaving >= self.entries_max:
            self.expire()
            if len(self.agent.entries) - leaving >= self.entries_max:
                raise Refused("QuotaExceeded")
        entry_id, reads = (new_id, 0) if previous is None else (previous.entry_id, previous.reads)
        entry = Entry(draft.value_json, entry_id, draft.expire_time, self.next_revision, reads)
        self.agent.entries[scope_id, draft.key] = entry
        self.agent.reservations.pop((scope_id, draft.key), None)
        self.changed = True
        return entry, previous is not None

    def expire(self) -> int:
        over = [place for place, entry in self.agent.entries.items() if not entry.is_live(self.now)]
        for place in over:
            self.drop(place)
        for place in [place for place, (_, end) in self.agent.reservations.items() if end <= self.now]:
            del self.agent.reservations[place]
            self.changed = True
        return len(over)

    def clear(self, scope_id: str) -> int:
        places = [place for place in self.agent.entries if place[0] == scope_id]
        live = sum(self.agent.entries[place].is_live(self.now) for place in places)
        for place in places:
            self.drop(place)
        for place in [place for place in self.agent.reservations if place[0] == scope_id]:
            del self.agent.reservations[place]
            self.changed = True
        return live

    def dispose(self, scope_id: str) -> int:
        cleared = self.clear(scope_id)
        del self.agent.scopes[scope_id]
        self.agent.disposed.add(scope_id)
        self.changed = True
        return cleared

    def below(self, scope_id: str) -> list[str]:
        """Return the scopes below, in any order."""
        return [each for each, scope in self.agent.scopes.items() if scope_id in scope.ancestors]

    def check(self, precondition: Precondition | None, revision: int, exists: str, missing: str) -> None:
        """Check the condition on a thing with this revision, 0 for none, by the names of the refusals."""
        if precondition is None:
            return
        if precondition.must_not_exist and revision:
            raise Refused(exists)
        if precondition.must_exist and not revision:
            raise Refused(missing)
        if precondition.expected_revision not in (None, revision):
            raise Refused("RevisionMismatch")

    def check_entry(self, precondition: Precondition | None, entry: Entry | None) -> None:
        self.check(precondition, 0 if entry is None else entry.revision, "RecordExists", "RecordNotFound")

    def check_scope(self, precondition: Precondition | None, name: str, ancestors: tuple[str, ...]) -> None:
        same = [each for each in self.agent.scopes.values() if (each.name, each.ancestors) == (name, ancestors)]
        self.check(precondition, max((each.revision for each in same), default=0), "RecordExists", "RecordNotFound")

    def check_agent(self, precondition: Precondition | None) -> None:
        agent = self.agent
        if precondition is not None and precondition.expected_revision is not None:
            revision = agent.revision
        else:
            revision = agent.revision if agent.exists else 0
        self.check(precondition, revision, "RecordExists", "AgentNotFound")

    def held(self, scope_id: str, key: str) -> str | None:
        """Return the token of the active reservation, if there is one."""
        token, end = self.agent.reservations.get((scope_id, key), ("", 0))
        return token if end > self.now else None
