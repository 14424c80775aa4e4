"""The flows of a checkpointer that store checkpoints, and list, prune and delete threads."""

from collections.abc import Collection, Generator, Iterable
from typing import Any

from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.errors import AgentNotFound
from memoryd.langgraph.checkpoint import StoredCheckpoint, new_blobs
from memoryd.langgraph.document import values_of
from memoryd.langgraph.history import Query, history
from memoryd.langgraph.listing import Flow
from memoryd.langgraph.pruning import Checkpoints, latest, prune
from memoryd.langgraph.thread import THREAD, thread_place
from memoryd.model.agent import AgentInfo
from memoryd.model.entry import BatchResult, Entry
from memoryd.protocol.agent import end_agent, list_agents
from memoryd.protocol.call import Call, Page
from memoryd.protocol.entry import Place, get_entry, set_operation, write_batch


def put_checkpoint(
    place: Place,
    thread_id: str,
    serde: SerializerProtocol,
    stored: StoredCheckpoint,
    checkpoint: Checkpoint,
    new_versions: ChannelVersions,
) -> Call[BatchResult]:
    """Return the call that stores a checkpoint and its changed values as one change."""
    documents = [*new_blobs(serde, stored, checkpoint, new_versions), (stored.key, stored.document())]
    values = [value for key, document in documents for value in values_of(key, document)]
    # The thread's entry is written each time: its revision shows a concurrent prune that a checkpoint was stored.
    return write_batch(place, [set_operation(key, value, {}) for key, value in [*values, (THREAD, thread_id)]])


def histories(
    agent_prefix: str, serde: SerializerProtocol, thread_id: str | None, query: Query, limit: int | None
) -> Generator[Call[Any] | CheckpointTuple, Any, None]:
    """Yield the checkpoints of a thread, or of all threads one after the other."""
    if thread_id is None:
        threads = yield from _threads(agent_prefix)
    else:
        threads = [(thread_place(agent_prefix, thread_id), thread_id)]
    left = limit
    for place, name in threads:
        if left != 0:
            count = yield from history(place, serde, name, query, left)
            left = None if left is None else left - count


def delete_thread(place: Place) -> Flow[None]:
    """Remove a thread, if it exists."""
    try:
        yield end_agent(place.agent_id, snapshot=False, expected_revision=None, patience=0)
    except AgentNotFound:
        return


def delete_for_runs(agent_prefix: str, serde: SerializerProtocol, run_ids: Iterable[str]) -> Flow[None]:
    """Remove the checkpoints of these runs from all threads."""
    runs = set(run_ids)

    def others(checkpoints: Checkpoints) -> Collection[str]:
        return [key for key, each in checkpoints.items() if each.metadata_by(serde).get("run_id") not in runs]

    if runs:
        for place, _ in (yield from _threads(agent_prefix)):
            yield from prune(place, others)


def prune_threads(agent_prefix: str, serde: SerializerProtocol, thread_ids: Iterable[str], strategy: str) -> Flow[None]:
    """Remove all but the latest checkpoints of threads, or the threads themselves."""
    if strategy not in {"keep_latest", "delete"}:
        raise ValueError(f"strategy is {strategy!r}: use 'keep_latest' or 'delete'")
    for thread_id in thread_ids:
        place = thread_place(agent_prefix, thread_id)
        if strategy == "delete":
            yield from delete_thread(place)
        else:
            yield from prune(place, lambda checkpoints: latest(serde, checkpoints))


def _threads(agent_prefix: str) -> Flow[list[tuple[Place, str]]]:
    """Return the place and the id of each thread."""
    threads: list[tuple[Place, str]] = []
    following: Call[Page[AgentInfo]] | None = list_agents([f"{agent_prefix}*"], {})
    while following is not None:
        page: Page[AgentInfo] = yield following
        for agent in page.items:
            place = Place(agent.agent_id)
            entry: Entry | None = yield get_entry(place, THREAD, local_only=True)
            if entry is not None:
                threads.append((place, entry.value))
        following = page.following
    return threads
