"""LangGraph's conformance suite for checkpointers, against a live daemon."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from tests.daemon import Daemon

from memoryd.langgraph import MemorydSaver


class InThreads(MemorydSaver):
    """A checkpointer whose async methods call the sync ones, inside of a running event loop."""

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(self, config: Any, **options: Any) -> AsyncIterator[CheckpointTuple]:
        listed: Iterator[CheckpointTuple] = self.list(config, **options)
        for found in listed:
            yield found

    async def aput(
        self, config: Any, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> Any:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.delete_for_runs(run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.copy_thread(source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.prune(thread_ids, strategy=strategy)


@pytest.mark.parametrize("kind", [MemorydSaver, InThreads], ids=["awaited", "not-awaited"])
@pytest.mark.parametrize("capability", Capability, ids=lambda capability: capability.value)
async def test_the_checkpointer_conforms(
    shared_daemon: Daemon, agent_id: str, kind: type[MemorydSaver], capability: Capability
) -> None:
    async def checkpointer() -> AsyncIterator[MemorydSaver]:
        async with kind(shared_daemon.address, agent_prefix=f"{agent_id}/") as saver:
            yield saver

    report = await validate(checkpointer_test(name=kind.__name__)(checkpointer), capabilities={capability.value})
    result = report.results[capability.value]
    assert result.detected
    assert (result.failures, result.passed) == ([], True)
    assert result.tests_passed > 4
