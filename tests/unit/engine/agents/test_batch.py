"""The journal row of a batch, from which another daemon derives the same state."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.domain.random_agent import LIMITS, RandomAgent
from tests.unit.domain.sample import NOW, draft, plain

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.lifecycle.replay import Replayed, replay
from memoryd_server.engine.agents.batch import Batch, Pending
from memoryd_server.engine.agents.journal import decode_row
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.ports.store import Commit, CommitPoint, JournalRow


class Spy(RandomAgent):
    """A random agent that records its commands, each with its condition on the agent."""

    def __init__(self, data: st.DataObject) -> None:
        super().__init__(data)
        self.commands: list[tuple[Command, Precondition | None]] = []

    def do(  # type: ignore[override]
        self, requested: Command, author: Author = NOBODY, precondition: Precondition | None = None
    ) -> object:
        self.commands.append((requested, precondition))
        return super().do(requested, author, precondition)


def row_of(commit: Commit) -> JournalRow:
    """Return the row that a store writes for a commit."""
    assert commit.journal is not None
    head = commit.head
    return JournalRow(1, head.agent_id, commit.expected_revision, head.revision, head.update_time, commit.journal)


@pytest.mark.whole
@settings(max_examples=60)
@given(st.data())
def test_rows_alone_give_another_daemon_the_same_state_and_requests(data: st.DataObject) -> None:
    with asyncio.Runner() as runner:
        agent, own, other = Spy(data), AgentState("a"), AgentState("a")
        for _ in range(data.draw(st.integers(1, 6))):
            agent.commands.clear()
            for number in range(data.draw(st.integers(1, 5))):
                agent.step(at_once=number > 0)
            batch = Batch(own)
            for number, (command, precondition) in enumerate(agent.commands):
                answer = runner.get_loop().create_future()
                write = Write(request=RequestKey(f"r{number}", b"body"), precondition=precondition)
                batch.decide(Pending(command, write, answer), agent.now, Tiers(LIMITS), RequestWindow())
            assert batch.state == agent.state
            if batch.state == own:
                continue
            row = row_of(batch.shared_commit(CommitPoint(1, 1), 2))
            decoded = decode_row(row)
            own, other = batch.state, replay(other, replayed(row))
            assert plain(other) == plain(own)
            assert {each.request_id: each for each in decoded.requests} == batch.requests
            assert decoded.events == tuple(batch.events)


def replayed(row: JournalRow) -> Replayed:
    data = decode_row(row)
    changes = dict(data.changed_records())
    return Replayed(row.revision, row.commit_time, changes, data.drops_records, data.ends, data.next_deadline)


async def test_a_row_contains_a_value_once() -> None:
    batch = Batch(AgentState("a"))
    setting = SetEntry(ROOT, draft("k", '"only once"'), "id")
    answer = asyncio.get_running_loop().create_future()
    batch.decide(Pending(setting, UNCONDITIONAL, answer), NOW, Tiers(LIMITS), RequestWindow())
    row = row_of(batch.shared_commit(CommitPoint(0, 0), 1))
    assert row.data.count(b"only once") == 1
    assert replay(AgentState("a"), replayed(row)).part(WORKING_MEMORY).entries[ROOT]["k"].value_json == '"only once"'
