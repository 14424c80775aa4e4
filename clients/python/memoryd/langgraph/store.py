"""A store of LangGraph in the working memory of one agent."""

from collections.abc import Iterable
from typing import Any

from langgraph.store.base import BaseStore, IndexConfig, Op, Result, TTLConfig

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.aio.client import Client as AioClient
from memoryd.langgraph.store_batch import batch
from memoryd.langgraph.vector import EmbedQuery, EmbedTexts, VectorIndex
from memoryd.protocol.entry import Place
from memoryd.sync.client import Client


class MemorydStore(Connected, BaseStore):
    """A store of LangGraph whose items are entries of an agent.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_id`` is the agent that holds the items, under keys that begin with ``item/``.
    ``ttl`` has the default time to live of items, in minutes. ``index`` configures the embedding of texts; without it,
    a query does not rank the results.

    All puts of a batch happen together or not at all; its reads see the state before them. An item is never returned at
    or after its expiry. A namespace and a key have at most 1,024 bytes of UTF-8 together, else ValueError is raised. A
    value and its vectors have at most 1 MiB as JSON, else TooLarge is raised.

    Every method raises CallFailed when the daemon refuses or cannot be reached, and UnsupportedValue for a value that
    JSON cannot represent. Close the store, or use it as a context manager; a given client stays open.
    """

    supports_ttl = True

    def __init__(
        self,
        client: Client | AioClient | str | None = None,
        *,
        agent_id: str = "langgraph",
        ttl: TTLConfig | None = None,
        index: IndexConfig | None = None,
    ) -> None:
        super().__init__()
        self.ttl_config = ttl
        self._connection = Connection(client)
        self._place = Place(agent_id)
        self._index = None if index is None else VectorIndex(index)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Perform operations; all puts among them are one change."""
        return self._connection.run(batch(self._place, ops, self._index), self._perform)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Perform operations; all puts among them are one change."""
        return await self._connection.run_in_task(batch(self._place, ops, self._index), self._perform_in_task)

    def _perform(self, step: Any) -> Any:
        if self._index is not None and isinstance(step, EmbedTexts):
            return self._index.embeddings.embed_documents(list(step.texts))
        if self._index is not None and isinstance(step, EmbedQuery):
            return self._index.embeddings.embed_query(step.text)
        return self._connection.call(step)

    async def _perform_in_task(self, step: Any) -> Any:
        if self._index is not None and isinstance(step, EmbedTexts):
            return await self._index.embeddings.aembed_documents(list(step.texts))
        if self._index is not None and isinstance(step, EmbedQuery):
            return await self._index.embeddings.aembed_query(step.text)
        return await self._connection.call_in_task(step)
