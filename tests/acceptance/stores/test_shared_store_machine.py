"""Random histories: a server's store answers what the shared reference answers, and so hears who follows it."""

import asyncio
import itertools
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.acceptance.stores.change import change
from tests.unit.stores.redis.writing import fresh_store
from tests.valkey.server import ValkeyServer

from memoryd_server.ports.store import NEVER, Commit, CommitPoint, JournalCompacted, JournalRow, Store
from memoryd_server.stores.in_memory import InMemoryStore
from memoryd_server.stores.redis import journal, tail

AGENTS = ("a", "b", "c")
ROWS_BEFORE = 30

agents = st.sampled_from(AGENTS)
times = st.integers(0, 60)
positions = st.integers(1, 2 * ROWS_BEFORE)


class SharedStoreMachine(RuleBasedStateMachine):
    """One shard, so that all rows are neighbours."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.reference = InMemoryStore(1, is_shared=True)
        self.store = fresh_store(self.url, shard_count=1)
        self.heads = dict.fromkeys(AGENTS, (0, NEVER))
        self.points = [NEVER]
        self.time = 0
        self.nonces = itertools.count(1)
        self.told = NEVER
        for store in (self.reference, self.store):
            self.runner.run(store.open())
        for number in range(ROWS_BEFORE):
            self.commit(AGENTS[number % 2], 1, number % 4 * 500, is_end=False)

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()

    def both(self, method: str, *arguments: Any, shared: bool = False) -> Any:
        """What both answer, which is the same."""

        async def ask(store: Store) -> Any:
            try:
                answer = await getattr(store.sharing if shared else store, method)(*arguments)
            except JournalCompacted as compacted:
                return "compacted", compacted.oldest_revision, list(compacted.shards)
            return answer

        expected = self.runner.run(ask(self.reference))
        assert self.runner.run(ask(self.store)) == expected
        return expected

    @rule(agent_id=agents, seconds=st.integers(0, 2), size=st.sampled_from((0, 50, 5_000)), is_end=st.booleans())
    def commit(self, agent_id: str, seconds: int, size: int, is_end: bool) -> None:
        self.time += seconds
        revision, point = self.heads[agent_id]
        made = change(agent_id, revision, time=self.time, ended=is_end, drop_records=is_end)
        nonce = next(self.nonces)
        told = f"{agent_id}:{revision + 1}".encode() + b"x" * size
        made = Commit(made.head, revision, journal=told, drop_records=is_end, expected_point=point, nonce=nonce)
        position = self.both("commit", made)
        self.points.append(CommitPoint(position, nonce))
        self.heads[agent_id] = (revision + 1, self.points[-1])

    @rule(agent_id=agents, rows=st.dictionaries(positions, st.binary(max_size=20), max_size=4))
    def rewrite(self, agent_id: str, rows: dict[int, bytes]) -> None:
        self.both("rewrite_journal", agent_id, rows)

    @rule(agent_id=agents, data=st.binary(max_size=3))
    def rewrite_the_last(self, agent_id: str, data: bytes) -> None:
        self.both("rewrite_journal", agent_id, {self.heads[agent_id][1].position: data})

    @rule(retained=st.integers(0, 40), since_time=times)
    def prune(self, retained: int, since_time: int) -> None:
        if tail.LOOK_BACK_S:
            # Who follows hears only then of what was pruned, or with the next row.
            self.follow()
        self.both("prune_journal", retained, since_time)
        for agent_id in AGENTS:
            if self.both("load_head", agent_id) is None:
                self.heads[agent_id] = (0, NEVER)

    @rule(after=positions, limit=st.integers(1, 9), asked=st.none() | st.sets(agents))
    def read_the_journal(self, after: int, limit: int, asked: set[str] | None) -> None:
        if after > self.points[-1].position:
            return

        async def whole(store: Store) -> list[JournalRow] | None:
            rows: list[JournalRow] = []
            position, is_complete = after, False
            try:
                while not is_complete:
                    page = await store.read_journal(position, limit, asked)
                    rows += page.rows
                    position, is_complete = page.end_position, page.complete
            except JournalCompacted:
                return None
            return rows

        self.the_same(whole(self.reference), whole(self.store))

    @rule(agent_id=agents, revision=st.integers(0, 30), since_time=times, limit=st.integers(1, 9))
    def find_revisions(self, agent_id: str, revision: int, since_time: int, limit: int) -> None:
        self.both("locate", agent_id, revision)
        self.both("recent_journal", agent_id, since_time, limit)

    @rule(agent_id=agents, number=positions)
    def ask_what_an_agent_told_since(self, agent_id: str, number: int) -> None:
        known = self.points[min(number, len(self.points) - 1)]
        rows = self.runner.run(self.reference.rows_since(agent_id, self.heads[agent_id][1]))
        assert rows == []
        if self.runner.run(self.reference.nonce_at(0, known.position)) == known.nonce:
            self.both("nonce_at", 0, known.position, shared=True)

    @rule()
    def follow(self) -> None:
        """One who follows hears all that was not told yet, in order."""

        async def hear(store: Store) -> list[JournalRow] | None:
            assert store.sharing is not None
            heard, point, is_complete = [], self.told, False
            try:
                while not is_complete:
                    rows = await store.sharing.await_rows({0: point}, 0.0)
                    heard += rows
                    point, is_complete = rows[-1].point if rows else point, rows.complete
            except JournalCompacted:
                return None
            return heard

        self.the_same(hear(self.reference), hear(self.store))
        self.told = self.points[-1]

    @invariant()
    def the_journals_are_the_same(self) -> None:
        self.both("journal_end")
        start = self.both("journal_start")
        self.both("read_journal", start - 1, 1_000)
        self.both("journal_points", (0,), shared=True)

    def the_same(self, expected: Coroutine[Any, Any, Any], answered: Coroutine[Any, Any, Any]) -> None:
        assert self.runner.run(answered) == self.runner.run(expected)


ROUNDS = settings(max_examples=6, stateful_step_count=30, deadline=None, phases=[Phase.explicit, Phase.generate])
"""Without shrinking, which takes minutes."""


@pytest.mark.parametrize(("block", "look_back_s"), [((100, 4096), 0.0), ((3, 200), 1_000.0)])
@pytest.mark.timeout(120)
def test_a_servers_store_answers_what_the_reference_answers(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch, block: tuple[int, int], look_back_s: float
) -> None:
    monkeypatch.setattr(journal, "_BLOCK_ROWS_MAX", block[0])
    monkeypatch.setattr(journal, "_BLOCK_BYTES_MAX", block[1])
    monkeypatch.setattr(tail, "LOOK_BACK_S", look_back_s)

    class Machine(SharedStoreMachine):
        url = valkey.url

    run_state_machine_as_test(Machine, settings=ROUNDS)
