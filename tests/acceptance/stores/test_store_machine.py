"""Random histories: the durable stores answer what the reference answers, restarts included."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memoryd_server.ports.store import (
    AgentHead,
    Commit,
    JournalCompacted,
    Record,
    RecordKey,
    RevisionConflict,
    Store,
)
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.store import SqliteStore

AGENTS = ("a", "b", "ba")
KEYS = tuple(RecordKey(kind, key) for kind in ("entry", "scope") for key in ("", "k", "ö"))

agents = st.sampled_from(AGENTS)
keys = st.sampled_from(KEYS)
puts = st.dictionaries(keys, st.binary(max_size=6), max_size=4)
times = st.integers(0, 20)
groups = st.lists(
    st.tuples(agents, puts, st.sets(keys, max_size=2), st.sampled_from(("told", "untold", "drop", "end", "stale"))),
    min_size=1,
    max_size=6,
)


class StoreMachine(RuleBasedStateMachine):
    durability = Durability.SYNCED

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.directory = tempfile.TemporaryDirectory()
        self.reference = InMemoryStore()
        self.store = SqliteStore(Path(self.directory.name), self.durability)
        self.known = dict.fromkeys(AGENTS, (0, frozenset[RecordKey]()))
        self.runner.run(self.reference.open())
        self.runner.run(self.store.open())

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()
        self.directory.cleanup()

    def both(self, method: str, *arguments: Any) -> Any:
        """What both answer, which is the same."""

        async def ask(store: Store) -> Any:
            try:
                return await getattr(store, method)(*arguments)
            except JournalCompacted as compacted:
                return ("compacted", compacted.oldest_revision)

        expected = self.runner.run(ask(self.reference))
        assert self.runner.run(ask(self.store)) == expected
        return expected

    def make(self, agent_id: str, put: dict[RecordKey, bytes], removed: set[RecordKey], how: str, time: int) -> Commit:
        revision, held = self.known[agent_id]
        dropping = how in ("drop", "end")
        if how == "end":
            put = {}
        after = (frozenset() if dropping else held - removed) | put.keys()
        told = how != "untold" or revision == 0
        head = AgentHead(
            agent_id,
            revision + told,
            create_time=1,
            update_time=time,
            record_count=len(after),
            next_deadline=None if how == "end" or time % 2 else time,
            ended=how == "end",
        )
        if how != "stale":
            self.known[agent_id] = (head.revision, after)
        return Commit(
            head,
            revision - 1 if how == "stale" else revision,
            tuple(Record(key.kind, key.key, data) for key, data in put.items()),
            tuple(removed - put.keys()),
            f"{agent_id}:{head.revision}".encode() if told else None,
            dropping,
        )

    @rule(group=groups, time=times)
    def commit_at_once(self, group: list[Any], time: int) -> None:
        commits = [self.make(*change, time) for change in group]

        async def submit(store: Store) -> list[int | str]:
            outcomes = await asyncio.gather(*map(store.commit, commits), return_exceptions=True)
            return [o if isinstance(o, int) else conflict(o) for o in outcomes]

        assert self.runner.run(submit(self.store)) == self.runner.run(submit(self.reference))

    @rule(rows_max=st.integers(0, 12), since_time=times)
    def prune(self, rows_max: int, since_time: int) -> None:
        self.both("prune_journal", rows_max, since_time)
        for agent_id in AGENTS:
            if self.both("load_head", agent_id) is None:
                self.known[agent_id] = (0, frozenset())

    @rule(agent_id=agents, rows=st.dictionaries(st.integers(1, 30), st.binary(max_size=6), max_size=5))
    def rewrite(self, agent_id: str, rows: dict[int, bytes]) -> None:
        self.both("rewrite_journal", agent_id, rows)

    @rule()
    def open_again(self) -> None:
        self.runner.run(self.store.close())
        self.store = SqliteStore(Path(self.directory.name), self.durability)
        self.runner.run(self.store.open())

    @rule(after=st.integers(0, 30), limit=st.integers(1, 5), asked=st.none() | st.sets(agents))
    def read_the_journal(self, after: int, limit: int, asked: set[str] | None) -> None:
        self.both("read_journal", after, limit, asked)

    @rule(agent_id=agents, revision=st.integers(0, 12), since_time=times, limit=st.integers(1, 5))
    def find_revisions(self, agent_id: str, revision: int, since_time: int, limit: int) -> None:
        self.both("locate", agent_id, revision)
        self.both("recent_journal", agent_id, since_time, limit)

    @rule(prefix=st.sampled_from(("", "b", "c")), after=st.sampled_from(("", *AGENTS)), limit=st.integers(1, 3))
    def list_agents(self, prefix: str, after: str, limit: int) -> None:
        self.both("list_agents", prefix, after, limit)

    @rule(now=times)
    def find_due_agents(self, now: int) -> None:
        async def due(store: Store) -> set[str]:
            return set(await store.due_agents(now, 10))

        assert self.runner.run(due(self.store)) == self.runner.run(due(self.reference))

    @invariant()
    def all_agents_are_the_same(self) -> None:
        async def whole(store: Store) -> list[Any]:
            return [(agent.head, set(agent.records)) async for agent in store.scan()]

        assert self.runner.run(whole(self.store)) == self.runner.run(whole(self.reference))


def conflict(error: BaseException) -> str:
    assert isinstance(error, RevisionConflict)
    return error.agent_id


class JournaledStoreMachine(StoreMachine):
    durability = Durability.JOURNALED


ROUNDS = settings(max_examples=12, stateful_step_count=20, deadline=None)

TestSyncedStore = StoreMachine.TestCase
TestSyncedStore.settings = ROUNDS
TestJournaledStore = JournaledStoreMachine.TestCase
TestJournaledStore.settings = ROUNDS
