"""Stores for tests, and commits of one agent, each based on the previous one."""

import contextlib
import itertools
import secrets
from collections.abc import Iterator
from typing import Any

from tests.wait import WAIT_S_MAX

from memoryd_server.ports.store import NEVER, AgentHead, Commit, CommitPoint, Record, RecordKey
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.store import RedisSettings, RedisStore
from memoryd_server.stores.redis.url import parse_store_url

nonces = itertools.count(secrets.randbits(40) + 1)


def fresh_store(url: str, prefix: str = "", **settings: Any) -> RedisStore:
    """Return a store that is not yet open, with a unique prefix unless one is given."""
    settings = {"shard_count": 2, "timeout_s": WAIT_S_MAX, **settings}
    return RedisStore(parse_store_url(url), RedisSettings(prefix=prefix or f"test-{secrets.token_hex(6)}", **settings))


@contextlib.contextmanager
def impatient(*stores: RedisStore) -> Iterator[None]:
    """Shorten the time limit of requests of these open stores within the block."""
    for store in stores:
        _set_timeout(store, 0.3)
    yield
    for store in stores:
        _set_timeout(store, WAIT_S_MAX)


def _set_timeout(store: RedisStore, timeout_s: float) -> None:
    requests = store._route._requests
    requests.timeout_s = timeout_s
    # All requests share one timer, which is set for the oldest: it must not be set for one with the former time limit.
    for request in list(requests._waiting):
        assert request.future.done()
        requests.remove(request)
    if requests._timer is not None:
        requests._timer.cancel()
        requests._timer = None


def prefix_of(store: RedisStore) -> str:
    """Return the store's prefix."""
    return store._settings.prefix


def keys_of(store: RedisStore, agent_id: str) -> ShardKeys:
    """Return the keys of an agent's shard."""
    return ShardKeys(prefix_of(store), store.shard_of(agent_id))


class Writer:
    """A writer of one agent, which keeps its last commit, as an engine does."""

    def __init__(self, store: RedisStore, agent_id: str = "a", point: CommitPoint = NEVER) -> None:
        self.store = store
        self.agent_id = agent_id
        self.point = point
        self.revision = 0
        self.keys: set[RecordKey] = set()

    def next(
        self,
        *keys: str,
        deletes: tuple[str, ...] = (),
        drop: bool = False,
        ended: bool = False,
        deadline: int | None = None,
        time: int = 0,
        data: bytes = b"",
        row: bytes = b"",
    ) -> Commit:
        """Return the next commit, which puts records with these keys and this data, and writes this row."""
        puts = tuple(Record("entry", key, data or key.encode()) for key in keys)
        gone = tuple(RecordKey("entry", key) for key in deletes)
        held = set() if drop or ended else self.keys - set(gone)
        held |= {RecordKey(each.kind, each.key) for each in puts}
        revision = self.revision + 1
        head = AgentHead(self.agent_id, revision, 1, time or revision, len(held), deadline, ended)
        row_data = row or f"{self.agent_id}:{revision}".encode()
        return Commit(head, self.revision, puts, gone, row_data, drop or ended, self.point, next(nonces))

    async def write(self, *keys: str, **fields: Any) -> CommitPoint:
        """Commit the next change. Return its point."""
        commit = self.next(*keys, **fields)
        position = await self.store.commit(commit)
        self.note(commit, position)
        return self.point

    def note(self, commit: Commit, position: int) -> None:
        """Advance past a commit that succeeded."""
        self.point, self.revision = CommitPoint(position, commit.nonce), commit.head.revision
        if commit.drop_records:
            self.keys.clear()
        self.keys -= set(commit.deletes)
        self.keys |= {RecordKey(each.kind, each.key) for each in commit.puts}


async def journal_texts(store: RedisStore, shard: int, after: int = 0) -> list[str]:
    """Return the data of a shard's rows, as text."""
    return [row.data.decode() for row in (await store.read_journal(after, 10_000, None, shard)).rows]
