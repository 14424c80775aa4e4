"""A checkpointer of LangGraph that keeps each thread in the working memory of its own agent."""

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.aio.client import Client as AioClient
from memoryd.langgraph import saving
from memoryd.langgraph.checkpoint import StoredCheckpoint, config_of, namespace_in, thread_in
from memoryd.langgraph.copying import copy_thread
from memoryd.langgraph.history import Query, newest
from memoryd.langgraph.listing import Flow
from memoryd.langgraph.pending_write import put_writes
from memoryd.langgraph.thread import checkpoint_key, namespace_prefix, thread_place, write_key
from memoryd.model.entry import BatchResult
from memoryd.protocol.call import Call
from memoryd.sync.client import Client


class MemorydSaver(Connected, BaseCheckpointSaver[str]):
    """A checkpointer of LangGraph whose threads are agents of the daemon.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_prefix`` is the prefix of the ids of the threads' agents. ``serde`` serializes values.

    A checkpoint and the values that it changes are stored as one change, durably once ``put`` returns. The serialized
    values of one ``put`` or ``put_writes`` have at most 11 MiB together, else ResourceExhausted is raised. A thread is
    subject to the daemon's limits of an agent, else QuotaExceeded is raised: prune the thread.

    Every method raises CallFailed when the daemon refuses or cannot be reached. Close the checkpointer, or use it as
    a context manager; a given client stays open.
    """

    def __init__(
        self,
        client: Client | AioClient | str | None = None,
        *,
        agent_prefix: str = "langgraph-thread/",
        serde: SerializerProtocol | None = None,
    ) -> None:
        self._connection = Connection(client)
        super().__init__(serde=serde)
        self._agent_prefix = agent_prefix

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that is named, else the thread's newest in the namespace; None without any."""
        return self._connection.run(self._get(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that is named, else the thread's newest in the namespace; None without any."""
        return await self._connection.run_in_task(self._get(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, the newest first within a thread and a namespace; of all threads without ``config``.

        ``filter`` has the items that their metadata must have. Their ids are less than that in ``before``.
        """
        return self._connection.stream(self._histories(config, filter, before, limit))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, the newest first within a thread and a namespace; of all threads without ``config``."""
        async for found in self._connection.stream_in_task(self._histories(config, filter, before, limit)):
            yield found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint whose parent ``config`` names, and answer the configuration that names it."""
        self._connection.call(self._put(config, checkpoint, metadata, new_versions))
        return config_of(thread_in(config), namespace_in(config), checkpoint["id"])

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint whose parent ``config`` names, and answer the configuration that names it."""
        await self._connection.call_in_task(self._put(config, checkpoint, metadata, new_versions))
        return config_of(thread_in(config), namespace_in(config), checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote after the checkpoint that is named. A second time changes nothing."""
        self._connection.run(self._put_writes(config, writes, task_id, task_path))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote after the checkpoint that is named. A second time changes nothing."""
        await self._connection.run_in_task(self._put_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Remove all of a thread at once. One that is not there is no error."""
        self._connection.run(saving.delete_thread(self._place(thread_id)))

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove all of a thread at once. One that is not there is no error."""
        await self._connection.run_in_task(saving.delete_thread(self._place(thread_id)))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of these runs from all threads, with their writes. Reads all threads."""
        self._connection.run(saving.delete_for_runs(self._agent_prefix, self.serde, run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of these runs from all threads, with their writes. Reads all threads."""
        await self._connection.run_in_task(saving.delete_for_runs(self._agent_prefix, self.serde, run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes to another thread. One that was broken off is completed by doing it again."""
        self._connection.run(self._copy(source_thread_id, target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes to another thread. One that was broken off is completed by doing it again."""
        await self._connection.run_in_task(self._copy(source_thread_id, target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove all but the newest checkpoint of each namespace of these threads, or with "delete" the threads.

        Kept, too, are the checkpoints that a DeltaChannel of the newest one is rebuilt from.
        """
        self._connection.run(saving.prune_threads(self._agent_prefix, self.serde, thread_ids, strategy))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove all but the newest checkpoint of each namespace of these threads, or with "delete" the threads.

        Kept, too, are the checkpoints that a DeltaChannel of the newest one is rebuilt from.
        """
        await self._connection.run_in_task(saving.prune_threads(self._agent_prefix, self.serde, thread_ids, strategy))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version greater than the current one, and different from those of other branches of the thread."""
        following = 1 if current is None else int(str(current).split(".")[0]) + 1
        return f"{following:032}.{random.random():016}"  # noqa: S311 - a name, no secret

    def _place(self, thread_id: str) -> Any:
        return thread_place(self._agent_prefix, str(thread_id))

    def _get(self, config: RunnableConfig) -> Flow[CheckpointTuple | None]:
        thread_id, namespace = thread_in(config), namespace_in(config)
        checkpoint_id = get_checkpoint_id(config)
        prefix = checkpoint_key(namespace, checkpoint_id) if checkpoint_id else namespace_prefix(namespace)
        return newest(self._place(thread_id), prefix, self.serde, thread_id)

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Call[BatchResult]:
        thread_id = thread_in(config)
        stored = StoredCheckpoint.of(self.serde, config, checkpoint, metadata)
        return saving.put_checkpoint(self._place(thread_id), thread_id, self.serde, stored, checkpoint, new_versions)

    def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> Flow[None]:
        checkpoint = checkpoint_key(namespace_in(config), config["configurable"]["checkpoint_id"])
        key = write_key(checkpoint, task_id)
        return put_writes(self._place(thread_in(config)), key, self.serde, writes, task_id, task_path)

    def _histories(
        self,
        config: RunnableConfig | None,
        metadata: dict[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
    ) -> Any:
        query = Query(
            checkpoint_ns=config["configurable"].get("checkpoint_ns") if config else None,
            checkpoint_id=get_checkpoint_id(config) if config else None,
            before=get_checkpoint_id(before) if before else None,
            metadata=metadata or {},
        )
        thread_id = thread_in(config) if config else None
        return saving.histories(self._agent_prefix, self.serde, thread_id, query, limit)

    def _copy(self, source_thread_id: str, target_thread_id: str) -> Flow[None]:
        return copy_thread(self._place(source_thread_id), self._place(target_thread_id), str(target_thread_id))
