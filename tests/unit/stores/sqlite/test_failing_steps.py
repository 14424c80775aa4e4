"""Large and small commits of which parts fail at random: each is there as a whole, or not at all."""

import asyncio
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memoryd_server.domain.error import Refusal
from memoryd_server.ports.store import AgentHead, Commit, Record, RecordKey
from memoryd_server.stores.sqlite import writer
from memoryd_server.stores.sqlite.commits import ahead, behind, schedule
from memoryd_server.stores.sqlite.commits.ahead import Ahead
from memoryd_server.stores.sqlite.commits.behind import Behind
from memoryd_server.stores.sqlite.commits.group import Group
from memoryd_server.stores.sqlite.store import SqliteStore

Contents = dict[tuple[str, str], bytes]
AGENTS = ("a", "b", "c")
ROUNDS = 40
FAILURES = 0.08
"""The share of the parts of commits that fail."""
PARTS = [
    (writer, "ahead_of"),
    (writer, "behind_of"),
    (writer, "delete_step"),
    (writer, "load_heads"),
    (Ahead, "carry_out"),
    (Behind, "carry_out"),
    (Group, "write"),
]


def failing(part: Callable[..., Any], rng: random.Random) -> Callable[..., Any]:
    """Return a part that fails at random, before or after it is carried out."""

    def carried_out(*arguments: Any) -> Any:
        is_before, is_after = rng.random() < FAILURES / 2, rng.random() < FAILURES / 2
        if is_before:
            raise sqlite3.OperationalError("disk I/O error")
        result = part(*arguments)
        if is_after:
            raise sqlite3.OperationalError("disk I/O error")
        return result

    return carried_out


def next_commit(rng: random.Random, agent_id: str, revision: int, before: Contents) -> tuple[Commit, Contents]:
    """Return a commit that writes or deletes few records or many, and the agent's contents after it."""
    deletes = {name for name in before if name[0] == "note" and rng.random() < 0.9} if rng.random() < 0.4 else set()
    first, data = rng.randrange(1_000), rng.randbytes(20)
    puts = {("note", f"{first:03}-{number:02}"): data for number in range(rng.choice((0, 2, 12, 30)))}
    if rng.random() < 0.5:
        puts["entry", f"{rng.randrange(4)}"] = data
    deletes -= puts.keys()
    after = {**{name: kept for name, kept in before.items() if name not in deletes}, **puts}
    commit = Commit(
        AgentHead(agent_id, revision + 1, 1, 1, len(after)),
        revision,
        tuple(Record(*name, kept) for name, kept in puts.items()),
        deletes=tuple(RecordKey(*name) for name in sorted(deletes)),
        journal=b"row",
    )
    return commit, after


async def found_in(store: SqliteStore, agent_id: str) -> tuple[int, Contents]:
    stored = await store.load(agent_id)
    if stored is None:
        return 0, {}
    return stored.head.revision, {(each.kind, each.key): each.data for each in stored.records}


@pytest.mark.parametrize("seed", range(6))
async def test_commits_of_which_parts_fail_are_there_as_a_whole_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(schedule, "LARGE_COMMIT_ROWS_MIN", 10)
    for module in (ahead, behind):
        monkeypatch.setattr(module, "STEP_ROWS_MAX", 3)
    store = SqliteStore(tmp_path)
    await store.open()
    known: dict[str, tuple[int, Contents]] = {agent_id: (0, {}) for agent_id in AGENTS}
    for owner, name in PARTS:
        monkeypatch.setattr(owner, name, failing(getattr(owner, name), rng))
    for _ in range(ROUNDS):
        made = {agent_id: next_commit(rng, agent_id, *known[agent_id]) for agent_id in AGENTS}
        outcomes = await asyncio.gather(*(store.commit(commit) for commit, _ in made.values()), return_exceptions=True)
        for (agent_id, (commit, after)), outcome in zip(made.items(), outcomes, strict=True):
            found = await found_in(store, agent_id)
            done = (commit.head.revision, after)
            assert found == done if isinstance(outcome, int) else found in (known[agent_id], done)
            assert isinstance(outcome, int | Refusal)
            known[agent_id] = found
    monkeypatch.undo()
    await store.commit(Commit(AgentHead("d", 1, 1, 1, 0), 0, journal=b"last"))
    await store.close()
    with closing(sqlite3.connect(tmp_path / "memoryd.db")) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM record").fetchone()
    assert count == sum(len(contents) for _, contents in known.values())
