"""A store whose commits and loads a test can block and make fail."""

import asyncio

from memoryd_server.ports.store import Commit, StoredAgent
from memoryd_server.stores.in_memory import InMemoryStore


class HeldStore(InMemoryStore):
    """The reference store. While ``holds`` is true, commits wait for ``release`` or ``fail``."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.waiting: list[tuple[Commit, asyncio.Future[int]]] = []
        self.load_gate = asyncio.Event()
        self.load_gate.set()
        self.load_failure: Exception | None = None
        self.loads: list[str] = []
        self.commits: list[Commit] = []

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        self.commits.append(commit)
        if not self.holds:
            return super().commit(commit)
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.waiting.append((commit, future))
        return future

    def release(self) -> None:
        """Complete the oldest waiting commit."""
        commit, future = self.waiting.pop(0)
        done = super().commit(commit)
        failure = done.exception()
        if failure is None:
            future.set_result(done.result())
        else:
            future.set_exception(failure)

    def fail(self, failure: Exception) -> None:
        """Fail the oldest waiting commit, of which nothing is stored."""
        self.waiting.pop(0)[1].set_exception(failure)

    async def load(self, agent_id: str) -> StoredAgent | None:
        self.loads.append(agent_id)
        await self.load_gate.wait()
        if self.load_failure is not None:
            raise self.load_failure
        return await super().load(agent_id)
