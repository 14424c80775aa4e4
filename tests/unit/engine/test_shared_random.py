"""Random commands through three engines in random interleavings. The seed in a test's name reproduces its run."""

import asyncio
import contextlib
import random
from collections import defaultdict
from collections.abc import Callable

import pytest
from tests.unit.domain.mirror import Mirror
from tests.unit.domain.sample import plain
from tests.unit.engine.shared_store import SlowStore, sharing
from tests.unit.engine.world import NOW, Watcher, World, draft, request
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
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
from memoryd_server.domain.entries.reservation_change import ReleaseReservation, ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope
from memoryd_server.domain.error import (
    AgentNotFound,
    RecordExists,
    RecordNotFound,
    ReservationLost,
    RevisionMismatch,
    ScopeDisposed,
)
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, ExpireRecords
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.engine.agents.write import Write

AGENT_IDS = ("a", "b", "c")
CLIENTS_PER_WORLD = 3
COMMANDS_PER_CLIENT = 25
PROGRESS_NS = 1_000_000
EXPECTED_REFUSALS = (AgentNotFound, RecordExists, ReservationLost, RevisionMismatch, ScopeDisposed, RecordNotFound)


class Chance:
    """A source of random commands. If ``moves_time`` is true, the outcome of some depends on when they are decided."""

    def __init__(self, seed: int, *, moves_time: bool) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.moves_time = moves_time
        self._numbers = 0
        self._scope_ids = {agent_id: [ROOT] for agent_id in AGENT_IDS}

    def new_id(self) -> str:
        self._numbers += 1
        return f"id{self._numbers}"

    def command(self, agent_id: str, now: int) -> Command:
        scope_id = self.pick((ROOT, ROOT, self.pick(self._scope_ids[agent_id][-4:])))
        key, value_json = self.pick(("k", "l", "m")), f'"{self.new_id()}"'
        drafted = draft(key, value_json, now + SECOND_NS if self.moves_time and self.pick((True, False)) else None)
        expected = self.pick((None, None, Precondition(True), Precondition(False, self.random.randint(0, 40))))
        makers: list[Callable[[], Command]] = [
            lambda: SetEntry(scope_id, drafted, self.new_id(), "", expected),
            lambda: SetEntry(scope_id, drafted, self.new_id()),
            lambda: GetOrSetEntry(scope_id, drafted, self.new_id()),
            lambda: RemoveEntry(scope_id, key, expected),
            lambda: ClearEntries(scope_id),
            lambda: WriteEntries(scope_id, (SetOperation(drafted), RemoveOperation("x")), self.new_id()),
            lambda: self._new_scope(agent_id),
            ClearAgent if self.pick((True, False)) else EndAgent,
        ]
        if scope_id != ROOT:
            makers += [lambda: MergeScope(scope_id, True, True, self.new_id()), lambda: DisposeScope(scope_id)]
        if self.moves_time:
            token = self.pick(("t1", "t2"))
            makers += [
                lambda: ReserveEntry(scope_id, key, token, SECOND_NS),
                lambda: SetEntry(scope_id, drafted, self.new_id(), token),
                lambda: ReleaseReservation(scope_id, key, token),
                ExpireRecords,
            ]
        return self.pick(makers)()

    def _new_scope(self, agent_id: str) -> Command:
        scope_id = self.new_id()
        parent = self.pick(self._scope_ids[agent_id][-2:])
        self._scope_ids[agent_id].append(scope_id)
        return CreateScope("scope", parent, scope_id)


class Run:
    """Clients of three engines. ``ledger`` has each acknowledged command with its result, by agent."""

    def __init__(self, seed: int, worlds: list[World], *, moves_time: bool) -> None:
        self.chance = Chance(seed, moves_time=moves_time)
        self.worlds = worlds
        self.ledger: dict[str, list[tuple[Command, Result]]] = defaultdict(list)
        self.revisions = dict.fromkeys(AGENT_IDS, 0)

    async def run(self) -> None:
        clients = [self.client(world) for world in self.worlds for _ in range(CLIENTS_PER_WORLD)]
        async with asyncio.timeout(WAIT_S_MAX):
            await asyncio.gather(*clients, self.sweep())

    async def client(self, world: World) -> None:
        for _ in range(COMMANDS_PER_CLIENT):
            agent_id = self.chance.pick(AGENT_IDS)
            if self.chance.random.random() < 0.3:
                await self.read(world, agent_id)
            else:
                await self.change(world, agent_id)

    async def read(self, world: World, agent_id: str) -> None:
        """Read, and check that the revision is not older than any that was returned before."""
        known = self.revisions[agent_id]
        _, revision = await world.memory.get_entry(agent_id, ROOT, "k", local_only=False)
        assert revision >= known
        self.revisions[agent_id] = max(revision, self.revisions[agent_id])

    async def change(self, world: World, agent_id: str) -> None:
        command = self.chance.command(agent_id, world.clock.now)
        write = request(self.chance.new_id())
        result = await self.answer(world, agent_id, command, write)
        if result is not None and self.chance.random.random() < 0.2:
            # A command that changed nothing is not kept for its request id: repeated, it may change something.
            await self.answer(self.chance.pick(self.worlds), agent_id, command, write)

    async def answer(self, world: World, agent_id: str, command: Command, write: Write) -> Result | None:
        """Run a command. Return its result, which the ledger then has, or None if it is refused."""
        known = self.revisions[agent_id]
        try:
            result = (await world.do(command, agent_id, write)).remembered
        except EXPECTED_REFUSALS:
            return None
        self.revisions[agent_id] = max(result.revision, self.revisions[agent_id])
        if (command, result) not in self.ledger[agent_id]:
            assert result.revision >= known
            self.ledger[agent_id].append((command, result))
        return result

    async def sweep(self) -> None:
        for _ in range(20 if self.chance.moves_time else 0):
            await asyncio.sleep(0)
            self.worlds[0].clock.now += SECOND_NS // 4
            await self.chance.pick(self.worlds).engine.maintenance.expire()


async def follow(watch: Watcher, store: SlowStore) -> dict[str, tuple[Mirror, list[int]]]:
    """Return each agent's state and revisions according to the events of a watch up to now."""
    mirrors = {agent_id: Mirror() for agent_id in AGENT_IDS}
    revisions: dict[str, list[int]] = {agent_id: [] for agent_id in AGENT_IDS}
    ends = [await store.journal_end(shard) for shard in range(store.shard_count)]
    while watch.last.point is None or any(each.position <= ends[each.shard] for each in watch.last.point.shards):
        for each in (await watch.next()).slices:
            for event in each.events:
                mirrors[each.commit.agent_id].apply(event)
                if event.index == 0:
                    revisions[each.commit.agent_id].append(event.revision)
    return {agent_id: (mirrors[agent_id], revisions[agent_id]) for agent_id in AGENT_IDS}


def in_sequence(ledger: list[tuple[Command, Result]], agent_id: str) -> AgentState:
    """Return the state after all acknowledged commands are run one after the other, in order of their revisions."""
    by_revision = defaultdict(list)
    for command, result in ledger:
        by_revision[result.revision].append((command, result))
    state = AgentState(agent_id)
    for revision in range(max(by_revision, default=0) + 1):
        state = _one_changed(state, revision, by_revision[revision])
    return state


def _one_changed(state: AgentState, revision: int, answered: list[tuple[Command, Result]]) -> AgentState:
    """Return the state after the one command that created this revision. The others must have changed nothing."""
    if revision > 0:
        (state,) = [after for after in _outcomes(state, answered) if after.revision == revision]
    assert _outcomes(state, answered).count(state) == len(answered) - (revision > 0)
    return state


def _outcomes(state: AgentState, answered: list[tuple[Command, Result]]) -> list[AgentState]:
    """Return the state after each command alone, where its result is the one that was returned."""
    outcomes = []
    for command, result in answered:
        with contextlib.suppress(*EXPECTED_REFUSALS):
            decision = decide(state, command, NOW, Limits())
            if decision.result.remembered == result:
                outcomes.append(decision.state)
    return outcomes


@pytest.mark.parametrize("moves_time", [False, True], ids=["sequence", "time"])
@pytest.mark.parametrize("seed", range(20))
async def test_three_engines_agree_with_each_other_the_store_and_their_events(seed: int, moves_time: bool) -> None:
    store = SlowStore(random.Random(seed))
    async with sharing(store, 3) as worlds:
        run = Run(seed, worlds, moves_time=moves_time)
        early, late = (world.watch(progress_interval_ns=PROGRESS_NS) for world in worlds[:2])
        async with early, late:
            await run.run()
            followed = await follow(early, store)
            assert await follow(late, store) == followed
        async with World(store, clock=worlds[0].clock) as fresh:
            for agent_id in AGENT_IDS:
                stored = plain((await fresh.cache.current(agent_id)).state)
                assert [plain((await world.cache.current(agent_id)).state) for world in worlds] == [stored] * 3
                mirror, revisions = followed[agent_id]
                assert mirror == Mirror.of(stored)
                assert revisions == sorted(set(revisions))
                if not moves_time:
                    assert revisions == list(range(1, stored.revision + 1))
                    assert plain(in_sequence(run.ledger[agent_id], agent_id)) == stored
