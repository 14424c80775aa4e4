"""Random histories: an embedded store returns what the reference returns, also after it was opened again."""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.domain.values.list_order import UNRATED_ORDERS, ListOrder
from memoryd_server.ports.store import (
    AgentHead,
    AgentQuery,
    Commit,
    JournalCompacted,
    JournalRow,
    Record,
    RecordKey,
    RevisionConflict,
    Store,
)
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.testing.stores.change import home

AGENTS = ("a", "b", "ba")
Change = tuple[str, dict[RecordKey, bytes], set[RecordKey], str]
"""Name of the agent, records to put, keys to delete, and the way of the commit."""

KEYS = tuple(RecordKey(kind, key) for kind in ("entry", "scope") for key in ("", "k", "ö"))

agents = st.sampled_from(AGENTS)
keys = st.sampled_from(KEYS)
puts = st.dictionaries(keys, st.binary(max_size=6), max_size=4)
times = st.integers(0, 20)
groups = st.lists(
    st.tuples(
        agents, puts, st.sets(keys, max_size=2), st.sampled_from(("published", "unpublished", "drop", "end", "stale"))
    ),
    min_size=1,
    max_size=6,
)


ROUNDS = settings(max_examples=12, stateful_step_count=20, deadline=None)


class StoreMachine(RuleBasedStateMachine):
    is_reopened = True

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.reference = InMemoryStore()
        self.number = self.next_number()
        self.store = self.make_store(self.number)
        self.runner.run(self.reference.open())
        self.runner.run(self.store.open())
        # The reference has one shard only.
        self.ids = dict(zip(AGENTS, home(self.store, *AGENTS), strict=True))
        self.known = dict.fromkeys(self.ids.values(), (0, frozenset[RecordKey]()))

    def make_store(self, number: int) -> Store:
        raise NotImplementedError

    def next_number(self) -> int:
        raise NotImplementedError

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()

    def both(self, method: str, *arguments: Any) -> Any:
        """Call both stores, compare the results, and return them."""

        async def ask(store: Store) -> Any:
            try:
                return await getattr(store, method)(*arguments)
            except JournalCompacted as compacted:
                return ("compacted", compacted.oldest_revision)

        expected = self.runner.run(ask(self.reference))
        assert self.runner.run(ask(self.store)) == expected
        return expected

    def make(self, change: Change, time: int) -> Commit:
        name, put, removed, how = change
        agent_id = self.ids[name]
        revision, held = self.known[agent_id]
        dropping = how in ("drop", "end")
        if how == "end":
            put = {}
        after = (frozenset() if dropping else held - removed) | put.keys()
        is_published = how != "unpublished" or revision == 0
        head = AgentHead(
            agent_id,
            revision + is_published,
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
            f"{agent_id}:{head.revision}".encode() if is_published else None,
            dropping,
        )

    @rule(group=groups, time=times)
    def commit_at_once(self, group: list[Change], time: int) -> None:
        commits = [self.make(change, time) for change in group]

        async def submit(store: Store) -> list[int | str]:
            outcomes = await asyncio.gather(*map(store.commit, commits), return_exceptions=True)
            return [o if isinstance(o, int) else conflict(o) for o in outcomes]

        assert self.runner.run(submit(self.store)) == self.runner.run(submit(self.reference))

    @rule(rows_max=st.integers(0, 12), since_time=times)
    def prune(self, rows_max: int, since_time: int) -> None:
        dropped = self.runner.run(self.reference.prune_journal(rows_max, since_time))
        assert self.runner.run(self.store.prune_journal(rows_max * self.store.shard_count, since_time)) == dropped
        for agent_id in self.known:
            if self.both("load_head", agent_id) is None:
                self.known[agent_id] = (0, frozenset())

    @rule(name=agents, rows=st.dictionaries(st.integers(1, 30), st.binary(max_size=6), max_size=5))
    def rewrite(self, name: str, rows: dict[int, bytes]) -> None:
        self.both("rewrite_journal", self.ids[name], rows)

    @precondition(lambda self: self.is_reopened)
    @rule()
    def open_again(self) -> None:
        self.runner.run(self.store.close())
        self.store = self.make_store(self.number)
        self.runner.run(self.store.open())

    @rule(after=st.integers(0, 30), limit=st.integers(1, 5), asked=st.none() | st.sets(agents))
    def read_the_journal(self, after: int, limit: int, asked: set[str] | None) -> None:
        self.both("read_journal", after, limit, None if asked is None else {self.ids[name] for name in asked})

    @rule(name=agents, revision=st.integers(0, 12), since_time=times, limit=st.integers(1, 5))
    def find_revisions(self, name: str, revision: int, since_time: int, limit: int) -> None:
        self.both("locate", self.ids[name], revision)
        self.both("recent_journal", self.ids[name], since_time, limit)

    @rule(
        pattern=st.sampled_from(("*", "b*", "c*")),
        after=st.none() | st.tuples(times, agents),
        order=st.sampled_from(UNRATED_ORDERS),
        limit=st.integers(1, 3),
    )
    def list_agents(self, pattern: str, after: tuple[int, str] | None, order: ListOrder, limit: int) -> None:
        place = None if after is None else (after[0] if order.ascending is not ListOrder.ID else 0, self.ids[after[1]])
        self.both("list_agents", AgentQuery(limit, AgentPatterns.of([pattern]), order, place))

    @rule(before=st.integers(0, 30), limit=st.integers(1, 5), asked=st.none() | st.sets(agents))
    def read_the_journal_backwards(self, before: int, limit: int, asked: set[str] | None) -> None:
        agent_ids = None if asked is None else {self.ids[name] for name in asked}

        async def rows(store: Store) -> tuple[JournalRow, ...]:
            return (await store.read_journal_back(before, limit, agent_ids)).rows

        assert self.runner.run(rows(self.store)) == self.runner.run(rows(self.reference))

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


def run_embedded_machine(make_store: Callable[[Path], Store], directory: Path, *, is_durable: bool) -> None:
    """Run random histories on stores whose data lies below a directory."""
    numbers = itertools.count()

    class Machine(StoreMachine):
        is_reopened = is_durable

        def make_store(self, number: int) -> Store:
            data = directory / f"history-{number}"
            data.mkdir(exist_ok=True)
            return make_store(data)

        def next_number(self) -> int:
            return next(numbers)

    run_state_machine_as_test(Machine, settings=ROUNDS)
