"""An agent that executes random commands."""

import msgspec
from hypothesis import strategies as st
from tests.unit.domain.random_memory import random_creation, random_memory_command
from tests.unit.domain.random_record import random_record_command
from tests.unit.domain.sample import Agent, draft, entry_access, fragment_draft, image, reads

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.commit import CommitWrites
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import (
    ClearEntries,
    GetOrSetEntry,
    RemoveEntry,
    RemoveOperation,
    SetEntry,
    SetOperation,
    WriteEntries,
)
from memoryd_server.domain.entries.reservation_change import ReleaseReservation, RenewReservation, ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope, RenewScope
from memoryd_server.domain.erasures.erasure import user_digest
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.fragments.fragment import fragment_id_of
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    CreateFragment,
    DeleteFragment,
    FlushFragments,
)
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    ConsolidateFragments,
    LeaseFragments,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.domain.lifecycle.agent_change import (
    ClearAgent,
    EndAgent,
    ExpireRecords,
    RestoreAgent,
)
from memoryd_server.domain.lifecycle.user_removal import FinishErasures, ForgetUser
from memoryd_server.domain.limit import SECOND_NS, Limits

LIMITS = Limits(
    entries_per_agent=6,
    fragments_per_agent=4,
    scopes_per_agent=4,
    memories_per_agent=4,
    notes_per_agent=2,
    plans_per_agent=2,
    conversations_per_agent=2,
    messages_per_agent=4,
    documents_per_agent=2,
    entity_windows_per_agent=2,
    storage_bytes_per_agent=320,
)
CONTENTS = st.sampled_from(["red fox", "red hen", "fox"])
KEYS = st.sampled_from(["k1", "k2", "k3"])
VALUES = st.sampled_from(["1", "22222222", "3333333333333333"])
USERS = st.sampled_from(["", "u", "ann", "bob"])
PRECONDITIONS = st.one_of(
    st.none(),
    st.just(Precondition(must_not_exist=True)),
    st.just(Precondition(must_exist=True)),
    st.integers(0, 8).map(lambda revision: Precondition(expected_revision=revision)),
)
TTLS = st.one_of(st.none(), st.integers(1, 4).map(lambda seconds: seconds * SECOND_NS))


_ALONE = ("EndAgent", "RestoreAgent")
"""The last commands of working memory, which cannot be part of a commit."""


class RandomAgent(Agent):
    """An agent that executes random commands."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__(LIMITS)
        self._data = data
        self._scope_ids = [ROOT, "unknown"]
        self._image = image()

    def step(self, *, at_once: bool = False) -> None:
        """Execute a random command; if ``at_once`` is true, at the time of the previous one."""
        if not at_once:
            self.now += self.draw(st.sampled_from([0, SECOND_NS]))
        if self.draw(st.integers(0, 9)) == 0:
            self._image = self.image()
        before = self.state
        try:
            requested = self.draw(st.sampled_from(self._commands()))()
            self.do(requested, precondition=self._agent_precondition())
        except Refusal:
            assert self.state is before

    def draw(self, strategy: "st.SearchStrategy[object]") -> object:
        return self._data.draw(strategy)

    def _agent_precondition(self) -> Precondition | None:
        """Return a condition that often holds, so that most commands have an effect; usually none."""
        if self.draw(st.integers(0, 4)):
            return None
        return self.draw(st.one_of(PRECONDITIONS, st.just(Precondition(expected_revision=self.state.revision))))

    def _draft(self) -> object:
        ttl = self.draw(TTLS)
        drafted = draft(self.draw(KEYS), self.draw(VALUES), None if ttl is None else self.now + ttl)
        return msgspec.structs.replace(drafted, user_id=self.draw(USERS))

    def _scope(self) -> object:
        return self.draw(st.sampled_from(self._scope_ids))

    def _new_scope(self) -> Command:
        scope_id = self.new_id()
        self._scope_ids.append(scope_id)
        name = self.draw(st.sampled_from(["s", "t"]))
        return CreateScope(name, self._scope(), scope_id, self.draw(PRECONDITIONS), self.draw(USERS), self.draw(TTLS))

    def _operations(self) -> tuple[object, ...]:
        operations = []
        for key in self.draw(st.lists(KEYS, min_size=1, unique=True)):
            if self.draw(st.booleans()):
                drafted = draft(key, self.draw(VALUES))
                operations.append(SetOperation(drafted, self.draw(PRECONDITIONS)))
            else:
                operations.append(RemoveOperation(key))
        return tuple(operations)

    def _fragment(self) -> Command:
        ttl = self.draw(st.integers(1, 4))
        drafted = fragment_draft(self.draw(CONTENTS), self.now + ttl * SECOND_NS)
        drafted = msgspec.structs.replace(drafted, user_id=self.draw(USERS))
        return CreateFragment(drafted, self.draw(st.integers(0, 3)), self.draw(st.sampled_from([0, 2])))

    def _fragment_ids(self) -> frozenset[str]:
        numbers = self.draw(st.frozensets(st.integers(0, 3), max_size=2))
        return frozenset(fragment_id_of(number) for number in numbers)

    def _commands(self) -> list[object]:
        return (
            self._working_memory_commands()
            + self._fragment_commands()
            + 12 * [self._memory_command]
            + 4 * [self._record_command]
            + 6 * [lambda: CommitWrites(self.writes())]
            + [self._forget_user, lambda: FinishErasures(tuple(self.state.part(ERASURES).by_id.values()))]
        )

    def writes(self) -> tuple[Command, ...]:
        """Return random commands that may be part of one commit."""
        chosen = st.sampled_from(
            self._working_memory_commands()[: -len(_ALONE)]
            + self._fragment_commands()
            + 6 * [self._memory_command]
            + 6 * [self._record_command]
        )
        return tuple(make() for make in self.draw(st.lists(chosen, min_size=1, max_size=5)))  # type: ignore[attr-defined]

    def _forget_user(self) -> Command:
        user_id, erasure_id = self.draw(USERS), self.new_id()
        return ForgetUser(erasure_id, user_digest(user_id, erasure_id), self.draw(st.booleans()))

    def _memory_command(self) -> object:
        return random_memory_command(self.draw, self.now, self.new_id())

    def _record_command(self) -> object:
        return random_record_command(self.draw)

    def _fragment_commands(self) -> list[object]:
        token = lambda: self.draw(st.sampled_from(["unknown", *sorted(self.state.part(FRAGMENTS).leases)]))  # noqa: E731
        return [
            self._fragment,
            self._fragment,
            lambda: DeleteFragment(fragment_id_of(self.draw(st.integers(0, 3)))),
            FlushFragments,
            ClearFragments,
            lambda: LeaseFragments(self.new_id(), self.draw(st.integers(1, 3)), 2 * SECOND_NS),
            lambda: RenewLease(token(), 2 * SECOND_NS),
            lambda: AcknowledgeFragments(token(), self._fragment_ids()),
            lambda: ReleaseFragments(token(), self._fragment_ids()),
            lambda: ConsolidateFragments(
                token(), self._fragment_ids(), random_creation(self.draw, self.now, self.new_id())
            ),
        ]

    def _working_memory_commands(self) -> list[object]:
        draw, scope, key = self.draw, self._scope, lambda: self.draw(KEYS)
        token = lambda: draw(st.sampled_from(["t1", "t2"]))  # noqa: E731 - one of the makers below
        return [
            lambda: SetEntry(scope(), self._draft(), self.new_id(), "", draw(PRECONDITIONS)),
            lambda: SetEntry(scope(), self._draft(), self.new_id(), token()),
            lambda: GetOrSetEntry(scope(), self._draft(), self.new_id(), draw(st.booleans())),
            lambda: ReserveEntry(scope(), key(), token(), 2 * SECOND_NS, draw(st.booleans())),
            lambda: RenewReservation(scope(), key(), token(), 2 * SECOND_NS),
            lambda: ReleaseReservation(scope(), key(), token()),
            lambda: RemoveEntry(scope(), key(), draw(PRECONDITIONS)),
            lambda: ClearEntries(scope()),
            lambda: WriteEntries(scope(), self._operations(), self.new_id()),
            self._new_scope,
            self._new_scope,
            lambda: MergeScope(scope(), draw(st.booleans()), draw(st.booleans()), self.new_id()),
            lambda: DisposeScope(scope()),
            lambda: RenewScope(scope()),
            ClearAgent,
            ExpireRecords,
            lambda: reads(entry_access(scope(), key(), draw(st.sampled_from(["id1", "id2", "id3"])), 2, self.now)),
            EndAgent,
            lambda: RestoreAgent(self._image, "snapshot"),
        ]
