"""Commits for the suite, and ids of agents of the first shard."""

import asyncio
import itertools
from collections.abc import Iterable
from typing import Any

import msgspec

from memoryd_server.ports.store import NEVER, AgentHead, Commit, Record, RecordKey, Store

_nonces = itertools.count(1)


def home(store: Store, *names: str) -> list[str]:
    """Return ids of agents of shard 0: the names themselves in a store of one shard, else with a suffix."""
    return [next(each for each in _ids(name) if store.shard_of(each) == 0) for name in names]


def _ids(name: str) -> Iterable[str]:
    return itertools.chain((name,), (f"{name}~{number}" for number in itertools.count()))


def change(
    agent_id: str,
    expected_revision: int,
    *puts: Record,
    deletes: tuple[RecordKey, ...] = (),
    count: int = 0,
    drop_records: bool = False,
    deadline: int | None = None,
    ended: bool = False,
    time: int | None = None,
    revisions: int = 1,
    created: int = 1,
) -> Commit:
    """Return a commit whose journal row contains the agent's name and revision."""
    revision = expected_revision + revisions
    head = AgentHead(agent_id, revision, created, revision if time is None else time, count, deadline, ended)
    row = f"{agent_id.partition('~')[0]}:{revision}".encode()
    return Commit(head, expected_revision, puts, deletes, row, drop_records)


def record(key: str, data: str = "", kind: str = "entry") -> Record:
    return Record(kind, key, data.encode())


async def records_of(store: Store, agent_id: str) -> dict[tuple[str, str], bytes]:
    agent = await store.load(agent_id)
    assert agent is not None
    return {(r.kind, r.key): r.data for r in agent.records}


async def texts_of(
    store: Store, after: int = 0, limit: int = 100, agent_ids: tuple[str, ...] | None = None
) -> list[str]:
    """Return the data of rows of shard 0."""
    page = await store.read_journal(after, limit, agent_ids)
    return [row.data.decode() for row in page.rows]


class PointedStore:
    """A shared store that accepts commits without points: it adds the point of the agent's last commit.

    Commits of an agent wait for each other, since each must name the one before.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: dict[str, asyncio.Task[int]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        agent_id = commit.head.agent_id
        task = self._last[agent_id] = asyncio.create_task(self._commit(commit, self._last.get(agent_id)))
        result: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        task.add_done_callback(lambda _: _copy_result(task, result))
        return result

    async def _commit(self, commit: Commit, previous: asyncio.Task[int] | None) -> int:
        if previous is not None:
            await asyncio.wait((previous,))
        agent = await self._store.load(commit.head.agent_id)
        point = NEVER if agent is None else agent.point
        nonce = commit.nonce or next(_nonces)
        return await self._store.commit(msgspec.structs.replace(commit, expected_point=point, nonce=nonce))

    async def close(self) -> None:
        if self._last:
            await asyncio.wait(self._last.values())
        await self._store.close()


def _copy_result(task: asyncio.Task[int], result: asyncio.Future[int]) -> None:
    failure = task.exception()
    if result.done():
        return
    if failure is None:
        result.set_result(task.result())
    else:
        result.set_exception(failure)
