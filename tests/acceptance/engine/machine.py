"""Random commands to an engine, compared with the model, with restarts, evictions and a watch that is resumed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from tests.acceptance.engine.model import ROOT, Agent, Change, Image, Refused
from tests.acceptance.engine.prediction import Prediction, predict, restore
from tests.unit.domain.mirror import Mirror
from tests.unit.engine.repository import DictionaryRepository
from tests.unit.engine.world import QUIET, ManualClock, Watcher, World
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.entries.entry import EntryDraft
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
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, ExpireRecords
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.engine.agents.agent_cache import CacheSize
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.token import encode_resume
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.entries.working_memory import EntryQuery, ReadEntry
from memoryd_server.engine.images.snapshots import RestoreOptions
from memoryd_server.engine.watching.watch_step import WatchStep
from memoryd_server.ports.store import Store

AGENT_IDS = st.sampled_from(["a", "b"])
KEYS = st.sampled_from(["k1", "k2", "k3"])
VALUES = st.sampled_from(["1", '"two"', "[3]"])
TTLS = st.one_of(st.none(), st.integers(1, 3))
TOKENS = st.sampled_from(["t1", "t2"])
FLAGS = st.booleans()
NAMES = st.sampled_from(["n1", "n2"])
PRECONDITIONS = st.one_of(
    st.none(),
    st.none(),
    st.just(Precondition(must_not_exist=True)),
    st.just(Precondition(must_exist=True)),
    st.integers(0, 12).map(lambda n: Precondition(expected_revision=n)),
)
LIMITS = Limits(entries_per_agent=7, scopes_per_agent=4)
T = TypeVar("T")


class Submission(NamedTuple):
    """A command, with a condition on its agent."""

    command: Command
    precondition: Precondition | None = None


class EngineMachine(RuleBasedStateMachine):
    """Random commands to engines. A subclass chooses their store, and how many engines share it."""

    world_count = 1

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock()
        self.repository = DictionaryRepository()
        self.agents = {agent_id: Agent() for agent_id in ("a", "b")}
        self.scope_ids = {agent_id: [ROOT, "unknown"] for agent_id in self.agents}
        self.images: list[tuple[str, str, dict[str, Image]]] = []
        self.requests: list[tuple[str, Submission, RequestKey, Result]] = []
        self.mirrors = {agent_id: Mirror() for agent_id in self.agents}
        self.numbers = 0
        self.turns = 0
        self.restarts = 0
        self.resume_token = ""
        self.begin()

    def make_store(self) -> Store:
        """Return the store, with the records that an earlier one kept."""
        raise NotImplementedError

    def run(self, work: Awaitable[T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(WAIT_S_MAX):
                return await work

        return self.runner.run(bounded())

    @property
    def world(self) -> World:
        """The next engine's world, in turn."""
        self.turns += 1
        return self.worlds[self.turns % self.world_count]

    def begin(self) -> None:
        self.worlds = [self.make_world() for _ in range(self.world_count)]
        for world in self.worlds:
            self.run(world.engine.open())
        self.watch: Watcher = self.world.watch(resume_token=self.resume_token, progress_interval_ns=1_000_000)
        self.run(self.watch.__aenter__())
        self.keep_resume_token()

    def make_world(self) -> World:
        return World(
            self.make_store(),
            limits=LIMITS,
            cache=CacheSize(agents_max=1 if self.restarts % 2 else 10),
            clock=self.clock,
            repository=self.repository,
            schedule=msgspec.structs.replace(QUIET, journal_rows_max=0),
        )

    def end(self) -> None:
        self.run(self.watch.__aexit__())
        for world in self.worlds:
            self.run(world.engine.close(take_snapshot=False))

    def teardown(self) -> None:
        try:
            self.check_everything()
        finally:
            self.end()
            self.runner.close()

    def new_id(self) -> str:
        self.numbers += 1
        return f"id{self.numbers}"

    def change(self, agent_id: str) -> Change:
        return Change(self.agents[agent_id], self.clock.now, LIMITS.entries_per_agent, LIMITS.scopes_per_agent)

    def predict(self, agent_id: str, submission: Submission) -> Prediction | str:
        """Return the fields of the result by the model, or the name of the refusal."""
        change = self.change(agent_id)
        try:
            prediction = predict(*submission, change)
        except Refused as refused:
            return refused.reason
        self.agents[agent_id] = change.finish()
        return prediction

    def check_results(self, agent_id: str, submissions: list[Submission], answers: Sequence[object]) -> None:
        """Compare each result with the model's. Ids of entries that a batch or a merge creates are not predicted."""
        for submission, answer in zip(submissions, answers, strict=True):
            predicted = self.predict(agent_id, submission)
            if isinstance(predicted, str):
                assert type(answer).__name__ == predicted, (submission, answer, predicted)
                continue
            assert not isinstance(answer, BaseException), (submission, answer, predicted)
            assert {name: getattr(answer, name) for name in predicted} == predicted, (submission, answer, predicted)
        self.learn_ids(agent_id)

    def learn_ids(self, agent_id: str) -> None:
        """Copy the ids that a batch or a merge created to the model: they are not predicted, and must not change."""
        state = self.run(self.world.cache.current(agent_id)).state
        for (scope_id, key), entry in self.agents[agent_id].entries.items():
            if "/" in entry.entry_id:
                entry.entry_id = state.part(WORKING_MEMORY).entries[scope_id][key].entry_id

    async def result_of(self, agent_id: str, submission: Submission, key: RequestKey | None = None) -> Result | Refusal:
        command, precondition = submission
        try:
            return await self.world.do(command, agent_id, Write(request=key, precondition=precondition))
        except Refusal as refusal:
            return refusal

    def draw_submission(self, data: st.DataObject, agent_id: str) -> Submission:
        """Draw a command, rarely with a condition on its agent."""
        precondition = data.draw(PRECONDITIONS) if data.draw(st.integers(0, 5)) == 0 else None
        return Submission(self.draw_command(data, agent_id), precondition)

    def draw_command(self, data: st.DataObject, agent_id: str) -> Command:
        draw, scope_id = data.draw, self.draw_scope_id(data, agent_id)
        makers: list[Callable[[], Command]] = [
            lambda: SetEntry(scope_id, self.draw_draft(data), self.new_id(), "", draw(PRECONDITIONS)),
            lambda: SetEntry(scope_id, self.draw_draft(data), self.new_id(), "", draw(PRECONDITIONS)),
            lambda: SetEntry(scope_id, self.draw_draft(data), self.new_id(), draw(TOKENS)),
            lambda: GetOrSetEntry(scope_id, self.draw_draft(data), self.new_id(), draw(FLAGS)),
            lambda: ReserveEntry(scope_id, draw(KEYS), draw(TOKENS), 2 * SECOND_NS, draw(FLAGS)),
            lambda: RenewReservation(scope_id, draw(KEYS), draw(TOKENS), 2 * SECOND_NS),
            lambda: ReleaseReservation(scope_id, draw(KEYS), draw(TOKENS)),
            lambda: RemoveEntry(scope_id, draw(KEYS), draw(PRECONDITIONS)),
            lambda: ClearEntries(scope_id),
            lambda: WriteEntries(scope_id, self.draw_operations(data), self.new_id()),
            lambda: CreateScope(draw(NAMES), scope_id, self.new_scope_id(agent_id), draw(PRECONDITIONS)),
            lambda: CreateScope(draw(NAMES), scope_id, self.new_scope_id(agent_id), draw(PRECONDITIONS)),
            lambda: MergeScope(scope_id, draw(FLAGS), draw(FLAGS), self.new_id()),
            lambda: DisposeScope(scope_id),
            lambda: ClearAgent(),
            lambda: EndAgent(),
            ExpireRecords,
        ]
        return makers[draw(st.integers(0, len(makers) - 1))]()

    def draw_scope_id(self, data: st.DataObject, agent_id: str) -> str:
        """Draw mostly the root or an active scope, rarely one that is disposed or unknown."""
        usual = [ROOT, *self.agents[agent_id].scopes]
        return data.draw(st.sampled_from([*usual, *usual, *usual, *self.scope_ids[agent_id][-2:]]))

    def new_scope_id(self, agent_id: str) -> str:
        self.scope_ids[agent_id].append(self.new_id())
        return self.scope_ids[agent_id][-1]

    def draw_draft(self, data: st.DataObject) -> EntryDraft:
        key, value, ttl = data.draw(KEYS), data.draw(VALUES), data.draw(TTLS)
        expire_time = None if ttl is None else self.clock.now + ttl * SECOND_NS
        return EntryDraft(key, value, len(key) + len(value), expire_time=expire_time)

    def draw_operations(self, data: st.DataObject) -> tuple[SetOperation | RemoveOperation, ...]:
        operations: list[SetOperation | RemoveOperation] = []
        for key in data.draw(st.lists(KEYS, min_size=1, unique=True)):
            if data.draw(FLAGS):
                value = data.draw(VALUES)
                draft = EntryDraft(key, value, len(key) + len(value))
                operations.append(SetOperation(draft, data.draw(PRECONDITIONS)))
            else:
                operations.append(RemoveOperation(key, data.draw(PRECONDITIONS)))
        return tuple(operations)

    @rule(data=st.data(), agent_id=AGENT_IDS)
    def carry_out(self, data: st.DataObject, agent_id: str) -> None:
        submission = self.draw_submission(data, agent_id)
        self.check_results(agent_id, [submission], [self.run(self.result_of(agent_id, submission))])

    @rule(data=st.data(), agent_id=AGENT_IDS)
    def carry_out_under_a_request_id(self, data: st.DataObject, agent_id: str) -> None:
        submission = self.draw_submission(data, agent_id)
        key = RequestKey(self.new_id(), b"body")
        before = self.agents[agent_id].revision
        answer = self.run(self.result_of(agent_id, submission, key))
        self.check_results(agent_id, [submission], [answer])
        if not isinstance(answer, Refusal) and answer.revision > before:
            self.requests.append((agent_id, submission, key, answer))

    @rule(data=st.data())
    def carry_out_for_all_agents_at_once(self, data: st.DataObject) -> None:
        """Run each agent's commands one after the other, while those of the others evict it from the cache."""
        count = data.draw(st.integers(1, 3))
        drawn = {agent_id: [self.draw_submission(data, agent_id) for _ in range(count)] for agent_id in self.agents}

        async def in_turn(agent_id: str) -> list[Result | Refusal]:
            return [await self.result_of(agent_id, submission) for submission in drawn[agent_id]]

        async def answers() -> list[list[Result | Refusal]]:
            return await asyncio.gather(*map(in_turn, drawn))

        for agent_id, found in zip(drawn, self.run(answers()), strict=True):
            self.check_results(agent_id, drawn[agent_id], found)

    @rule(data=st.data(), agent_id=AGENT_IDS)
    def carry_out_a_batch(self, data: st.DataObject, agent_id: str) -> None:
        """Submit commands together, which are decided in turn."""
        drawn = [self.draw_submission(data, agent_id) for _ in range(data.draw(st.integers(2, 5)))]

        async def answers() -> list[Result | BaseException]:
            writer = await self.world.cache.writer(agent_id)
            futures = [writer.submit(command, Write(precondition=precondition)) for command, precondition in drawn]
            return await asyncio.gather(*futures, return_exceptions=True)

        self.check_results(agent_id, drawn, self.run(answers()))

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def repeat_a_request(self, data: st.DataObject) -> None:
        agent_id, submission, key, first = data.draw(st.sampled_from(self.requests[-20:]))
        assert self.run(self.result_of(agent_id, submission, key)).remembered == first.remembered
        reused = self.run(self.result_of(agent_id, submission, RequestKey(key.request_id, b"another body")))
        assert type(reused).__name__ == "RequestIdReused"

    @rule(seconds=st.sampled_from([1, 1, 2, 3]))
    def let_time_pass(self, seconds: int) -> None:
        self.clock.now += seconds * SECOND_NS

    @rule()
    def sweep(self) -> None:
        due = [agent_id for agent_id, agent in self.agents.items() if agent.exists]
        # Each engine sweeps its own shards; together they cover all of them.
        for world in self.worlds:
            self.run(world.engine.maintenance.expire())
        for agent_id in due:
            change = self.change(agent_id)
            change.expire()
            self.agents[agent_id] = change.finish()

    @rule(agent_id=AGENT_IDS, key=KEYS, data=st.data(), local_only=FLAGS)
    def read(self, agent_id: str, key: str, data: st.DataObject, local_only: bool) -> None:
        scope_id, agent = self.draw_scope_id(data, agent_id), self.agents[agent_id]
        answer = self.run(self.result_of_read(agent_id, scope_id, key, local_only))
        try:
            expected = agent.find(scope_id, key, self.clock.now, local_only=local_only)
        except Refused as refused:
            expected = refused.reason
        if isinstance(expected, str) or isinstance(answer, Refusal):
            assert type(answer).__name__ == expected
            return
        found, revision = answer
        assert (revision, found is None) == (agent.revision, expected is None)
        if found is not None and expected is not None:
            place, entry = expected
            assert (found.entry.scope_id, found.entry.value_json) == (place, entry.value)
            if entry.reads is not None:
                entry.reads += 1

    async def result_of_read(
        self, agent_id: str, scope_id: str, key: str, local_only: bool
    ) -> tuple[ReadEntry | None, int] | Refusal:
        try:
            return await self.world.memory.get_entry(agent_id, scope_id, key, local_only=local_only)
        except Refusal as refusal:
            return refusal

    @rule(agent_id=AGENT_IDS)
    def snapshot_one(self, agent_id: str) -> None:
        if self.agents[agent_id].exists:
            info = self.run(self.world.engine.snapshots.create(agent_id, "", "request"))
            self.images.append((info.snapshot_id, agent_id, {agent_id: self.agents[agent_id].image()}))

    @rule()
    def snapshot_all(self) -> None:
        info = self.run(self.world.engine.snapshots.create("", "", "request"))
        images = {agent_id: agent.image() for agent_id, agent in self.agents.items() if agent.exists}
        self.images.append((info.snapshot_id, "", images))

    @precondition(lambda self: self.images)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        snapshot_id, agent_id, images = data.draw(st.sampled_from(self.images))
        self.run(self.world.engine.snapshots.restore(snapshot_id, RestoreOptions(agent_id)))
        for name, image in images.items():
            change = self.change(name)
            restore(image, change)
            self.agents[name] = change.finish()
        for name, agent in self.agents.items():
            if not agent_id and name not in images and agent.exists:
                self.agents[name] = Agent(revision=agent.revision + 1)

    @precondition(lambda self: self.images)
    @rule(data=st.data(), clone_id=AGENT_IDS)
    def clone(self, data: st.DataObject, clone_id: str) -> None:
        snapshot_id, _, images = data.draw(st.sampled_from(self.images))
        if images:
            source = data.draw(st.sampled_from(sorted(images)))
            self.run(self.world.engine.snapshots.restore(snapshot_id, RestoreOptions(source, clone_id)))
            change = self.change(clone_id)
            restore(images[source], change)
            self.agents[clone_id] = change.finish()
            self.scope_ids[clone_id] += [each for each in images[source].scopes if each not in self.scope_ids[clone_id]]

    @rule()
    def restart(self) -> None:
        self.end()
        self.restarts += 1
        self.begin()

    @rule()
    def prune_the_journal(self) -> None:
        """Prune the whole journal, and with it the request ids and the heads of ended agents."""
        # The mirrors would miss an event that is pruned before the watch has read it.
        self.follow()
        for world in self.worlds:
            self.run(world.engine.maintenance.prune_journal())
        self.requests.clear()
        for agent_id, agent in self.agents.items():
            if not agent.exists:
                self.agents[agent_id] = Agent()

    @rule()
    def follow(self) -> None:
        """Apply all events that were committed so far to the mirrors, as the watch yields them."""
        store = self.world.store
        ends = [self.run(store.journal_end(shard)) for shard in range(store.shard_count)]
        step = self.watch.last
        while step.point is None or any(each.position <= ends[each.shard] for each in step.point.shards):
            step = self.run(self.watch.next())
            self.apply(step)

    @rule()
    def follow_a_little(self) -> None:
        """Apply one message of the watch, so that a restart resumes in the middle."""
        self.apply(self.run(self.watch.next()))

    def apply(self, step: WatchStep) -> None:
        for each in step.slices:
            for event in each.events:
                self.mirrors[each.commit.agent_id].apply(event)
        self.keep_resume_token()

    def keep_resume_token(self) -> None:
        assert self.watch.last.point is not None
        self.resume_token = encode_resume(self.world.store.store_id, self.watch.last.point)

    @rule()
    def check_everything(self) -> None:
        self.follow()
        for world in self.worlds:
            self.run(world.cache.record_accesses())
        for agent_id, agent in self.agents.items():
            self.check_agent(agent_id, agent)

    def check_agent(self, agent_id: str, agent: Agent) -> None:
        state = self.run(self.world.cache.current(agent_id)).state
        assert (state.revision, state.exists) == (agent.revision, agent.exists)
        assert {
            each: (scope.name, scope.ancestors, scope.revision)
            for each, scope in state.part(WORKING_MEMORY).scopes.items()
        } == agent.scopes
        assert set(state.part(WORKING_MEMORY).disposed_scopes) == agent.disposed
        assert {
            place: (each.token, each.expire_time) for place, each in state.part(WORKING_MEMORY).reservations.items()
        } == (agent.reservations)
        entries = {
            (entry.scope_id, entry.key): entry
            for local in state.part(WORKING_MEMORY).entries.values()
            for entry in local.values()
        }
        assert entries.keys() == agent.entries.keys()
        for place, expected in agent.entries.items():
            entry = entries[place]
            assert (entry.value_json, entry.entry_id, entry.expire_time, entry.revision) == (
                expected.value,
                expected.entry_id,
                expected.expire_time,
                expected.revision,
            )
            assert expected.reads in (None, entry.access_count), place
        assert self.mirrors[agent_id] == Mirror.of(state)
        for scope_id in (ROOT, *agent.scopes):
            listed = self.run(self.list_all(agent_id, scope_id))
            assert listed == sorted(agent.visible(scope_id, self.clock.now).items())

    async def list_all(self, agent_id: str, scope_id: str) -> list[tuple[str, str]]:
        found, token = [], ""
        while True:
            request = PageRequest(f"{agent_id}/{scope_id}".encode()[:8].ljust(8), 2, token)
            page = await self.world.memory.list_entries(agent_id, EntryQuery(scope_id), request)
            found += [(each.entry.key, each.entry.value_json) for each in page.items]
            token = page.next_page_token
            if not token:
                return found
