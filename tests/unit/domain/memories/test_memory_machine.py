"""Random commands on memories, compared with a model of a few dicts."""

import hypothesis
import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.unit.domain.sample import Agent, memory_draft, plain, records_of

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.error import InvalidField, RecordNotFound
from memoryd_server.domain.lifecycle.agent_change import ClearAgent
from memoryd_server.domain.lifecycle.replay import Replayed, replay
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.link_change import UnlinkMemories
from memoryd_server.domain.memories.changes.memory_change import (
    MemoryPatch,
    ReinforceMemory,
    RestoreMemory,
    UpdateMemory,
)
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges, ForgetMemory, PurgeMemory
from memoryd_server.domain.memories.memory import MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import SaliencePolicy
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind

FORGOTTEN_NS = 3 * SECOND_NS
POLICY = MemoryPolicy(SaliencePolicy(half_life_ns=2 * SECOND_NS), forgotten_ns=FORGOTTEN_NS, versions_max=1_000)
CONTENTS = st.sampled_from(["fox", "hen", "owl"])
USERS = st.sampled_from(["ann", "bob"])
PLACES = st.integers(0, 5)
SECONDS = st.integers(1, 4)
ACTIVE, ARCHIVED, SUPERSEDED = MemoryStatus
SUPERSEDES = LinkType.SUPERSEDES


class Known:
    """The model of a memory. ``ends`` and ``purges`` are times of its removal; ``was`` has its contents by time."""

    def __init__(self, memory_id: str, content: str, user: str, now: int, ends: int | None) -> None:
        self.memory_id = memory_id
        self.content = content
        self.user = user
        self.ends = ends
        self.purges: int | None = None
        self.status = ACTIVE
        self.reinforcements = 0
        self.was = {now: content}

    def lives(self, now: int) -> bool:
        return all(end is None or now < end for end in (self.ends, self.purges))

    def content_at(self, time: int) -> str:
        return self.was[max(each for each in self.was if each <= time)]


class ReplicatedAgent(Agent):
    """An agent with a replica that is built from its changes alone. Every decision is made twice."""

    def __init__(self) -> None:
        super().__init__(policy=POLICY)
        self.copy = self.state

    def do(  # type: ignore[override]
        self, requested: Command, author: Author = NOBODY, precondition: Precondition | None = None
    ) -> Result:
        before, records = self.state, records_of(self.state)
        result = super().do(requested, author, precondition)
        assert decide(before, requested, self.now, self.limits, author, precondition) == self.decision
        assert records_of(before) == records
        if self.state is not before:
            after, changes = self.state, self.decision.changes
            commit = Replayed(after.revision, self.now, changes, False, False, after.next_deadline)
            self.copy = replay(self.copy, commit)
        assert plain(self.copy) == plain(self.state)
        return result


class MemoryMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.agent = ReplicatedAgent()
        self.model: dict[str, Known] = {}
        self.links: dict[tuple[str, str, LinkType], float] = {}
        self.blocked: set[tuple[str, str]] = set()

    @property
    def now(self) -> int:
        return self.agent.now

    def shown(self) -> list[Known]:
        return [each for each in self.model.values() if each.purges is None]

    def at(self, place: int) -> Known:
        shown = self.shown()
        return shown[place % len(shown)]

    def remove(self, known: Known) -> None:
        self.release(known, is_removed=True)

    def superseding(self, memory_id: str) -> list[Known]:
        return [self.model[key[0]] for key in self.links if key[1:] == (memory_id, SUPERSEDES)]

    def is_superseded(self, memory_id: str) -> bool:
        return any(each.purges is None for each in self.superseding(memory_id))

    def release(self, known: Known, *, is_removed: bool = False) -> None:
        """Forget or remove a memory: what it superseded passes to its newest successor, or is active again."""
        end, order = known.memory_id, list(self.model)
        live = [each for each in self.superseding(end) if each.lives(self.now)]
        live.sort(key=lambda each: (each.purges is None, order.index(each.memory_id)))
        superseded = {key[1]: strength for key, strength in self.links.items() if (key[0], key[2]) == (end, SUPERSEDES)}
        if is_removed:
            del self.model[end]
            self.links = {key: strength for key, strength in self.links.items() if end not in key[:2]}
        releases = not is_removed or known.purges is None
        for other_id, strength in superseded.items():
            other = self.model[other_id]
            if other.status is not SUPERSEDED or self.is_superseded(other_id) or not other.lives(self.now):
                continue
            if other.purges is not None:
                if is_removed and not self.superseding(other_id):
                    other.status = ACTIVE
            elif releases:
                if live:
                    self.links.setdefault((live[-1].memory_id, other_id, SUPERSEDES), strength)
                if not self.is_superseded(other_id):
                    other.status = ACTIVE

    def is_free_of_force(self, memory_id: str) -> bool:
        return bool(self.superseding(memory_id)) and not self.is_superseded(memory_id)

    def above(self, memory_id: str) -> set[str]:
        """Return the memories that supersede this one, directly or not."""
        found: set[str] = set()
        for _ in self.model:
            found |= {key[0] for key in self.links if key[1] in (memory_id, *found) and key[2] is SUPERSEDES}
        return found

    def take_over(self, known: Known) -> None:
        """Note the memory in force, if there is one, that took over a restored memory."""
        links = self.agent.state.part(MEMORIES).links_of(known.memory_id)
        taken = [each for each in links if (each.from_id, each.to_id, each.type) not in self.links]
        in_force = {each for each in self.above(known.memory_id) if self.model[each].purges is None}
        assert len(taken) == bool(in_force)
        for link in taken:
            assert (link.from_id in in_force, link.to_id, link.type) == (True, known.memory_id, SUPERSEDES)
            self.links[link.from_id, link.to_id, SUPERSEDES] = link.strength
        known.status = SUPERSEDED if taken else ACTIVE

    def closes_circle(self, start: str, end: str) -> bool:
        below = {end}
        for _ in self.model:
            below |= {key[1] for key in self.links if key[0] in below and key[2] is SUPERSEDES}
        return start in below

    @rule(content=CONTENTS, user=USERS, seconds=st.one_of(st.none(), SECONDS), allow_duplicates=st.booleans())
    def create(self, content: str, user: str, seconds: int | None, allow_duplicates: bool) -> None:
        ends = None if seconds is None else self.now + seconds * SECOND_NS
        drafted = memory_draft(content, user, expire_time=ends, allow_duplicates=allow_duplicates)
        (created,) = self.agent.create_all(drafted)
        same = [
            each.memory_id
            for each in self.shown()
            if (each.content, each.user) == (content, user)
            and each.status is not SUPERSEDED
            and (each.ends is None or (ends is not None and ends <= each.ends))
        ]
        if (user, content) in self.blocked:
            assert created.outcome is CreateMemoryOutcome.BLOCKED
        elif same and not allow_duplicates:
            assert (created.outcome, created.memory_id) == (CreateMemoryOutcome.REINFORCED, min(same))
            self.reinforced(self.model[min(same)])
        else:
            assert created.outcome is CreateMemoryOutcome.CREATED
            self.model[created.memory_id] = Known(created.memory_id, content, user, self.now, ends)

    def reinforced(self, known: Known) -> None:
        known.reinforcements += 1
        if known.status is ARCHIVED:
            known.status = ACTIVE

    @precondition(lambda self: self.shown())
    @rule(place=PLACES, content=CONTENTS, status=st.sampled_from([None, *MemoryStatus]))
    def update(self, place: int, content: str, status: MemoryStatus | None) -> None:
        known = self.at(place)
        changes = content != known.content or status not in (None, known.status)
        patch = MemoryPatch(content=content, status=msgspec.UNSET if status is None else status)
        if content != known.content and (known.user, content) in self.blocked:
            with pytest.raises(InvalidField):
                self.agent.do(UpdateMemory(known.memory_id, patch, POLICY))
            return
        assert self.agent.do(UpdateMemory(known.memory_id, patch, POLICY)).changed is changes
        known.content, known.status = content, status or known.status
        known.was[self.now] = content

    @precondition(lambda self: self.shown())
    @rule(place=PLACES)
    def reinforce(self, place: int) -> None:
        known = self.at(place)
        self.reinforced(known)
        reinforced = self.agent.do(ReinforceMemory(known.memory_id, POLICY))
        assert reinforced.memory.reinforce_count == known.reinforcements

    @precondition(lambda self: self.shown())
    @rule(place=PLACES)
    def forget(self, place: int) -> None:
        known = self.at(place)
        known.purges = self.now + FORGOTTEN_NS
        self.release(known)
        forgotten = self.agent.do(ForgetMemory(known.memory_id, POLICY)).memory
        assert forgotten is not None
        assert forgotten.purge_time == known.purges
        with pytest.raises(RecordNotFound):
            self.agent.do(ReinforceMemory(known.memory_id, POLICY))

    @rule()
    def restore(self) -> None:
        for known in self.model.values():
            changed = self.agent.do(RestoreMemory(known.memory_id, POLICY)).changed
            assert changed is (known.purges is not None)
            if not changed:
                continue
            if self.is_superseded(known.memory_id) and known.status is ACTIVE:
                known.status = SUPERSEDED
            elif known.status is SUPERSEDED and self.is_free_of_force(known.memory_id):
                self.take_over(known)
            known.purges = None
            for start, end, link_type in self.links:
                if (start, link_type) == (known.memory_id, SUPERSEDES) and self.model[end].purges is None:
                    self.model[end].status = SUPERSEDED

    @precondition(lambda self: self.model)
    @rule(place=PLACES, blocks_reimport=st.booleans(), finishes=st.booleans())
    def purge(self, place: int, blocks_reimport: bool, finishes: bool) -> None:
        known = list(self.model.values())[place % len(self.model)]
        self.agent.do(PurgeMemory(known.memory_id, blocks_reimport))
        self.remove(known)
        if blocks_reimport:
            self.blocked.add((known.user, known.content))
        if finishes:
            self.agent.do(FinishPurges(tuple(self.agent.state.part(MEMORIES).unerased), self.agent.state.revision))

    @precondition(lambda self: len(self.shown()) > 1)
    @rule(
        place=PLACES,
        further=st.integers(1, 3),
        link_type=st.sampled_from([*LinkType, SUPERSEDES, SUPERSEDES]),
        strength=st.sampled_from([0.25, 0.5]),
    )
    def link(self, place: int, further: int, link_type: LinkType, strength: float) -> None:
        start, end = self.at(place), self.at(place + further)
        key = (start.memory_id, end.memory_id, link_type)
        closes = link_type is SUPERSEDES and self.closes_circle(start.memory_id, end.memory_id)
        if start.user != end.user or start is end or closes:
            with pytest.raises(InvalidField):
                self.agent.link(*key, strength)
            return
        linked = self.agent.link(*key, strength)
        marks = link_type is SUPERSEDES and key not in self.links and end.status is not SUPERSEDED
        assert (linked.created, linked.changed) == (key not in self.links, self.links.get(key) != strength)
        self.links[key] = strength
        if marks:
            end.status = SUPERSEDED

    @precondition(lambda self: self.links)
    @rule(place=PLACES)
    def unlink(self, place: int) -> None:
        start, end, _ = list(self.links)[place % len(self.links)]
        gone = {key for key in self.links if key[:2] == (start, end)}
        self.links = {key: strength for key, strength in self.links.items() if key not in gone}
        other = self.model[end]
        superseded = (start, end, SUPERSEDES) in gone and other.status is SUPERSEDED
        is_free = not (self.is_superseded(end) if other.purges is None else self.superseding(end))
        unlinked = self.agent.do(UnlinkMemories(start, end, POLICY))
        assert unlinked.count == len(gone)
        if superseded and is_free:
            other.status = ACTIVE

    @rule(seconds=SECONDS)
    def pass_time(self, seconds: int) -> None:
        self.agent.now += seconds * SECOND_NS
        over = [
            each
            for each in self.model.values()
            if any(end is not None and end <= self.now for end in (each.ends, each.purges))
        ]
        active = {each.memory_id for each in self.shown() if each.status is ACTIVE and each not in over}
        swept = self.agent.sweep()
        for each in sorted(over, key=lambda each: min(end for end in (each.ends, each.purges) if end is not None)):
            self.remove(each)
        # The tests of salience check when a memory fades; this one checks that no other memory does.
        archived = {each for each in active if self.agent.memory(each).status is ARCHIVED}
        assert (swept.counts.get("memories", 0), swept.counts.get("memories_archived", 0)) == (len(over), len(archived))
        for memory_id in archived:
            self.model[memory_id].status = ARCHIVED

    @precondition(lambda self: self.model)
    @rule()
    def clear(self) -> None:
        requested = ClearAgent(kinds=CLEARED_BY_DEFAULT | {RecordKind.MEMORY})
        assert self.agent.do(requested).counts.get(RecordKind.MEMORY, 0) == len(self.model)
        self.model, self.links = {}, {}

    @invariant()
    def everything_is_as_in_the_model(self) -> None:
        memories = self.agent.state.part(MEMORIES)
        live = {each.memory_id: each for each in memories.live(self.now)}
        assert live.keys() == self.model.keys()
        assert memories.forgotten_count == len(self.model) - len(self.shown())
        for memory_id, known in self.model.items():
            memory = live[memory_id]
            assert (memory.content, memory.user_id, memory.status) == (known.content, known.user, known.status)
            assert (memory.purge_time, memory.expire_time) == (known.purges, known.ends)
            assert len(memory.confidences) == memory.reinforce_count + 1 == known.reinforcements + 1
            assert {(*link.key.split("/")[:2], link.type): link.strength for link in memories.links_of(memory_id)} == {
                key: strength for key, strength in self.links.items() if memory_id in key[:2]
            }

    @invariant()
    def the_past_is_as_it_was(self) -> None:
        memories = self.agent.state.part(MEMORIES)
        for time in {time for known in self.model.values() for time in known.was}:
            then = {known.memory_id: known.content_at(time) for known in self.model.values() if min(known.was) <= time}
            assert {each.memory_id: each.content for each in memories.all_at(time, self.now)} == then
            for memory_id, content in then.items():
                was = memories.was(memory_id, time, self.now)
                assert was is not None
                assert was.content == content


TestMemories = MemoryMachine.TestCase
TestMemories.settings = hypothesis.settings(max_examples=25, stateful_step_count=30)
