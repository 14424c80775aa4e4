"""Random histories: a shared store returns what the shared reference returns, also to a follower."""

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from memoryd_server.ports.store import NEVER, Commit, CommitPoint, JournalCompacted, JournalRow, Store
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.testing.stores.change import change, home

AGENTS = ("a", "b", "c")
ROWS_BEFORE = 30

agents = st.sampled_from(AGENTS)
times = st.integers(0, 60)
positions = st.integers(1, 2 * ROWS_BEFORE)


ROUNDS = settings(max_examples=4, stateful_step_count=30, deadline=None, phases=[Phase.explicit, Phase.generate])
"""Without shrinking, which would take minutes."""


class SharedStoreMachine(RuleBasedStateMachine):
    """All agents are in one shard, so that their rows are neighbours."""

    follows_before_pruning = True
    """A follower may learn of pruned rows only with the next row."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.reference = InMemoryStore(1, is_shared=True)
        self.store = self.make_store()
        self.points = [NEVER]
        self.time = 0
        self.nonces = itertools.count(1)
        self.followed = NEVER
        for store in (self.reference, self.store):
            self.runner.run(store.open())
        self.ids = dict(zip(AGENTS, home(self.store, *AGENTS), strict=True))
        self.heads = dict.fromkeys(self.ids.values(), (0, NEVER))
        for number in range(ROWS_BEFORE):
            self.commit(AGENTS[number % 2], 1, number % 4 * 500, is_end=False)

    def make_store(self) -> Store:
        raise NotImplementedError

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()

    def both(self, method: str, *arguments: Any, shared: bool = False) -> Any:
        """Call both stores, compare the results, and return them."""

        async def ask(store: Store) -> Any:
            try:
                result = await getattr(store.sharing if shared else store, method)(*arguments)
            except JournalCompacted as compacted:
                return "compacted", compacted.oldest_revision, list(compacted.shards)
            return result

        expected = self.runner.run(ask(self.reference))
        assert self.runner.run(ask(self.store)) == expected
        return expected

    @rule(name=agents, seconds=st.integers(0, 2), size=st.sampled_from((0, 50, 5_000)), is_end=st.booleans())
    def commit(self, name: str, seconds: int, size: int, is_end: bool) -> None:
        self.time += seconds
        agent_id = self.ids[name]
        revision, point = self.heads[agent_id]
        made = change(agent_id, revision, time=self.time, ended=is_end, drop_records=is_end)
        nonce = next(self.nonces)
        row = f"{agent_id}:{revision + 1}".encode() + b"x" * size
        made = Commit(made.head, revision, journal=row, drop_records=is_end, expected_point=point, nonce=nonce)
        position = self.both("commit", made)
        self.points.append(CommitPoint(position, nonce))
        self.heads[agent_id] = (revision + 1, self.points[-1])

    @rule(name=agents, rows=st.dictionaries(positions, st.binary(max_size=20), max_size=4))
    def rewrite(self, name: str, rows: dict[int, bytes]) -> None:
        self.both("rewrite_journal", self.ids[name], rows)

    @rule(name=agents, data=st.binary(max_size=3))
    def rewrite_the_last(self, name: str, data: bytes) -> None:
        agent_id = self.ids[name]
        self.both("rewrite_journal", agent_id, {self.heads[agent_id][1].position: data})

    @rule(retained=st.integers(0, 40), since_time=times)
    def prune(self, retained: int, since_time: int) -> None:
        if self.follows_before_pruning:
            self.follow()
        dropped = self.runner.run(self.reference.prune_journal(retained, since_time))
        assert self.runner.run(self.store.prune_journal(retained * self.store.shard_count, since_time)) == dropped
        for agent_id in self.heads:
            if self.both("load_head", agent_id) is None:
                self.heads[agent_id] = (0, NEVER)

    @rule(after=positions, limit=st.integers(1, 9), asked=st.none() | st.sets(agents))
    def read_the_journal(self, after: int, limit: int, asked: set[str] | None) -> None:
        if after > self.points[-1].position:
            return
        agent_ids = None if asked is None else {self.ids[name] for name in asked}

        async def whole(store: Store) -> list[JournalRow] | None:
            rows: list[JournalRow] = []
            position, is_complete = after, False
            try:
                while not is_complete:
                    page = await store.read_journal(position, limit, agent_ids)
                    rows += page.rows
                    position, is_complete = page.end_position, page.complete
            except JournalCompacted:
                return None
            return rows

        self.the_same(whole(self.reference), whole(self.store))

    @rule(name=agents, revision=st.integers(0, 30), since_time=times, limit=st.integers(1, 9))
    def find_revisions(self, name: str, revision: int, since_time: int, limit: int) -> None:
        self.both("locate", self.ids[name], revision)
        self.both("recent_journal", self.ids[name], since_time, limit)

    @rule(name=agents, number=positions)
    def read_an_agents_rows_since(self, name: str, number: int) -> None:
        agent_id = self.ids[name]
        known = self.points[min(number, len(self.points) - 1)]
        rows = self.runner.run(self.reference.rows_since(agent_id, self.heads[agent_id][1]))
        assert rows == []
        if self.runner.run(self.reference.nonce_at(0, known.position)) == known.nonce:
            self.both("nonce_at", 0, known.position, shared=True)

    @rule()
    def follow(self) -> None:
        """A follower receives all new rows in order."""

        async def hear(store: Store) -> list[JournalRow] | None:
            assert store.sharing is not None
            heard: list[JournalRow] = []
            point, is_complete = self.followed, False
            try:
                while not is_complete:
                    rows = await store.sharing.await_rows({0: point}, 0.0)
                    heard += rows
                    point, is_complete = rows[-1].point if rows else point, rows.complete
            except JournalCompacted:
                return None
            return heard

        self.the_same(hear(self.reference), hear(self.store))
        self.followed = self.points[-1]

    @invariant()
    def the_journals_are_the_same(self) -> None:
        self.both("journal_end")
        start = self.both("journal_start")
        self.both("read_journal", start - 1, 1_000)
        self.both("journal_points", (0,), shared=True)

    def the_same(self, expected: Coroutine[Any, Any, Any], actual: Coroutine[Any, Any, Any]) -> None:
        assert self.runner.run(actual) == self.runner.run(expected)


def run_shared_machine(make_store: Callable[[Path], Store], directory: Path) -> None:
    """Run random histories on stores whose data lies below a directory."""
    numbers = itertools.count()

    class Machine(SharedStoreMachine):
        def make_store(self) -> Store:
            data = directory / f"{directory.name}-history-{next(numbers)}"
            data.mkdir()
            return make_store(data)

    run_state_machine_as_test(Machine, settings=ROUNDS)
