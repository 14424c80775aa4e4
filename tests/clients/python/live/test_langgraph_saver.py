"""The behaviour of the LangGraph checkpointer beyond the conformance suite, over a live daemon."""

import asyncio
import base64
import operator
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.graph import START, StateGraph
from tests.daemon import Daemon

import memoryd
from memoryd import errors
from memoryd.langgraph import MemorydSaver
from memoryd.langgraph.saving import prune_threads

ODD = ["a/b", "%", "%sha256-", " ", "ä\U0001f600", "line\n", "", "x" * 300, "x" * 301]


@pytest.fixture
def saver(shared_daemon: Daemon, agent_id: str) -> Iterator[MemorydSaver]:
    with MemorydSaver(shared_daemon.address, agent_prefix=f"{agent_id}/") as saver:
        yield saver


@pytest.fixture
def thread(client: memoryd.Client, agent_id: str) -> memoryd.Agent:
    """The agent of the thread "t"."""
    return client.agent(f"{agent_id}/t")


def config_of(thread_id: str = "t", **named: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": "", **named}}


def checkpoint_with(values: dict[str, Any], versions: dict[str, Any] | None = None) -> Checkpoint:
    versions = dict.fromkeys(values, "1") if versions is None else versions
    return {**empty_checkpoint(), "id": str(uuid6()), "channel_values": values, "channel_versions": versions}


def put(saver: MemorydSaver, values: dict[str, Any], config: RunnableConfig | None = None) -> RunnableConfig:
    checkpoint = checkpoint_with(values)
    return saver.put(config or config_of(), checkpoint, {"source": "loop", "step": 1}, checkpoint["channel_versions"])


def values_in(saver: MemorydSaver, config: RunnableConfig | None = None) -> dict[str, Any]:
    found = saver.get_tuple(config or config_of())
    assert found is not None
    return found.checkpoint["channel_values"]


def writes_in(saver: MemorydSaver, config: RunnableConfig) -> list[Any]:
    found = saver.get_tuple(config)
    assert found is not None
    return found.pending_writes or []


def test_a_checkpoint_is_one_change_that_is_safe_to_repeat(saver: MemorydSaver, thread: memoryd.Agent) -> None:
    checkpoint = checkpoint_with({"messages": ["hello"], "n": 1, "large": {"text": "x" * 2_000_000}})
    for _ in range(2):
        saver.put(config_of(), checkpoint, {}, checkpoint["channel_versions"])
        entries = [(entry.key, entry.value_json) for entry in thread.entries()]
    assert {event.revision for event in thread.events()} == {1, 2}
    assert entries == [(entry.key, entry.value_json) for entry in thread.entries()]
    assert len(list(saver.list(config_of()))) == 1
    assert values_in(saver) == checkpoint["channel_values"]


def test_a_value_that_stays_is_stored_once(saver: MemorydSaver, thread: memoryd.Agent) -> None:
    first = checkpoint_with({"stays": ["x"], "changes": [1]}, {"stays": "1", "changes": "1"})
    saver.put(config_of(), first, {}, {"stays": "1", "changes": "1"})
    second = checkpoint_with({"stays": ["x"], "changes": [2]}, {"stays": "1", "changes": "2"})
    saver.put(config_of(checkpoint_id=first["id"]), second, {}, {"changes": "2"})
    blobs = [event.key for event in thread.events(key_prefix="blob/")]
    assert sorted(blobs) == ["blob//changes/1", "blob//changes/2", "blob//stays/1"]
    assert [each.checkpoint["channel_values"] for each in saver.list(config_of())] == [
        {"stays": ["x"], "changes": [2]},
        {"stays": ["x"], "changes": [1]},
    ]


def test_large_checkpoints_and_writes_come_back(saver: MemorydSaver) -> None:
    values = {f"channel {number}": [bytes(range(256)) * 8_000] for number in range(5)}
    config = put(saver, values)
    saver.put_writes(config, [("a", "ä" * 1_000_000), ("b", 1)], "task")
    assert values_in(saver) == values
    assert [write[1:] for write in writes_in(saver, config)] == [("a", "ä" * 1_000_000), ("b", 1)]
    assert [each.checkpoint["channel_values"] for each in saver.list(None)] == [values]


def test_a_change_that_is_too_large_is_refused(saver: MemorydSaver) -> None:
    with pytest.raises(errors.ResourceExhausted):
        put(saver, {"large": [b"x" * 13_000_000]})
    assert saver.get_tuple(config_of()) is None
    put(saver, {"large": [b"x" * 11_000_000]})


def test_parallel_tasks_lose_no_write(saver: MemorydSaver) -> None:
    config = put(saver, {})
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: saver.put_writes(config, [("c", number)], f"task {number}"), range(60)))
    assert sorted(write[2] for write in writes_in(saver, config)) == list(range(60))


def test_parallel_writes_of_one_task_lose_nothing(saver: MemorydSaver) -> None:
    config = put(saver, {})
    channels = [[(f"c{number}", number) for number in range(length)] for length in range(1, 25)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda writes: saver.put_writes(config, writes, "task"), channels))
    assert [write[2] for write in writes_in(saver, config)] == list(range(24))


def test_writes_stay_and_special_ones_are_replaced(saver: MemorydSaver, thread: memoryd.Agent) -> None:
    config = put(saver, {})
    saver.put_writes(config, [("a", "first"), (INTERRUPT, "first" * 300_000)], "task")
    saver.put_writes(config, [("a", "second"), (INTERRUPT, "second")], "task")
    assert {write[1]: write[2] for write in writes_in(saver, config)} == {"a": "first", INTERRUPT: "second"}
    revision = [entry.revision for entry in thread.entries()]
    saver.put_writes(config, [("a", "third"), (INTERRUPT, "second")], "task")
    saver.put_writes(config, [], "task")
    assert [entry.revision for entry in thread.entries()] == revision


def test_writes_are_applied_in_the_order_of_the_tasks_paths(saver: MemorydSaver) -> None:
    config = put(saver, {})
    saver.put_writes(config, [("c", 3)], "a", "path 2")
    saver.put_writes(config, [("c", 1), ("c", 2)], "c", "path 1")
    saver.put_writes(config, [("c", 0)], "b")
    assert [write[2] for write in writes_in(saver, config)] == [0, 1, 2, 3]


def test_writes_may_be_stored_before_their_checkpoint(saver: MemorydSaver) -> None:
    first = put(saver, {"n": 1})
    checkpoint = checkpoint_with({"n": 2})
    named = config_of(checkpoint_id=checkpoint["id"])
    for task in range(70):
        saver.put_writes(named, [("c", task)], f"task {task}")
    assert values_in(saver) == {"n": 1}
    assert saver.get_tuple(named) is None
    saver.prune(["t"])
    saver.put(first, checkpoint, {}, {"n": "1"})
    assert len(writes_in(saver, config_of())) == 70


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_threads_and_namespaces_stay_apart(saver: MemorydSaver, odd: str) -> None:
    config = config_of(odd, checkpoint_ns=odd)
    put(saver, {odd: [1]}, config)
    put(saver, {"n": 2}, config_of(odd, checkpoint_ns=odd + "x"))
    put(saver, {"n": 3}, config_of(odd + "x", checkpoint_ns=odd))
    assert values_in(saver, config) == {odd: [1]}
    (found,) = saver.list(config)
    assert found.config["configurable"] | {"checkpoint_id": ""} == config["configurable"] | {"checkpoint_id": ""}
    assert {each.config["configurable"]["thread_id"] for each in saver.list(None)} == {odd, odd + "x"}
    saver.delete_thread(odd)
    assert saver.get_tuple(config) is None
    assert len(list(saver.list(None))) == 1


def test_all_threads_are_listed(saver: MemorydSaver) -> None:
    for thread_id in "ab":
        for step in range(40):
            checkpoint = checkpoint_with({"n": step})
            saver.put(config_of(thread_id), checkpoint, {"step": step}, {})
    listed = list(saver.list(None))
    steps = [(each.config["configurable"]["thread_id"], each.metadata["step"]) for each in listed]
    assert steps == [(thread_id, step) for thread_id in "ab" for step in reversed(range(40))]
    assert len(list(saver.list(None, limit=45))) == 45
    assert [each.metadata["step"] for each in saver.list(None, filter={"step": 7})] == [7, 7]
    before = listed[30].config
    assert [each.metadata["step"] for each in saver.list(config_of("a"), before=before, limit=2)] == [8, 7]
    assert [each.metadata["step"] for each in saver.list(before)] == [9]
    assert list(saver.list(config_of("a"), limit=0)) == []


@pytest.mark.whole
def test_pruning_removes_the_values_that_nothing_needs(saver: MemorydSaver, thread: memoryd.Agent) -> None:
    config = config_of()
    for number in range(400):
        checkpoint = checkpoint_with({"stays": ["x"], "c": [number]}, {"stays": "1", "c": str(number)})
        changed = {"stays": "1", "c": str(number)} if number == 0 else {"c": str(number)}
        config = saver.put(config, checkpoint, {}, changed)
        saver.put_writes(config, [("c", number)], "task")
    assert thread.count() == 1_202
    saver.prune(["t"])
    assert thread.count() == 5
    assert values_in(saver) == {"stays": ["x"], "c": [399]}
    assert len(writes_in(saver, config)) == 1
    with pytest.raises(ValueError, match="strategy"):
        saver.prune(["t"], strategy="keep_none")


def interrupted(saver: MemorydSaver, flow: Any, other: Callable[[], object]) -> None:
    """Perform a flow, and an interfering call just before its first change."""
    left = [other]

    def perform(step: Any) -> Any:
        if step.method.name == "BatchWriteEntries" and left:
            left.pop()()
        return saver._connection.call(step)

    saver._connection.run(flow, perform)
    assert not left


def test_pruning_removes_no_value_of_a_checkpoint_that_is_stored_meanwhile(saver: MemorydSaver) -> None:
    """A branch starts at a checkpoint that is about to be removed, and needs its value."""
    old = put(saver, {"large": ["x"]})
    put(saver, {"other": ["y"]}, old)
    branch = checkpoint_with({"large": ["x"], "n": 2}, {"large": "1", "n": "1"})
    pruning = prune_threads(saver._agent_prefix, saver.serde, ["t"], "keep_latest")
    interrupted(saver, pruning, lambda: saver.put(old, branch, {}, {"n": "1"}))
    (kept,) = saver.list(config_of())
    assert kept.checkpoint["channel_values"] == {"large": ["x"], "n": 2}


def test_writes_of_one_task_at_once_are_joined(saver: MemorydSaver) -> None:
    config = put(saver, {})
    writes = saver._put_writes(config, [("a", 1), (INTERRUPT, "last")], "task", "")
    others = [("a", 0), (INTERRUPT, "first"), ("b", "x" * 600_000)]
    interrupted(saver, writes, lambda: saver.put_writes(config, others, "task"))
    assert [write[2] for write in writes_in(saver, config)] == ["last", 0, "x" * 600_000]


def test_a_checkpoint_that_is_removed_while_it_is_read_is_not_returned_in_part(saver: MemorydSaver) -> None:
    put(saver, {"c": ["old"]})
    left = [lambda: (put(saver, {"d": ["new"]}, config_of()), saver.prune(["t"]))]

    def perform(step: Any) -> Any:
        if step.method.name == "BatchGetEntries" and left:
            left.pop()()
        return saver._connection.call(step)

    found = saver._connection.run(saver._get(config_of()), perform)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"d": ["new"]}


def test_a_copied_thread_is_whole_and_its_own(saver: MemorydSaver, client: memoryd.Client, agent_id: str) -> None:
    config = config_of()
    for number in range(60):
        config = put(saver, {"c": [number], "large": ["x" * 600_000 if number == 30 else ""]}, config)
        saver.put_writes(config, [("c", number)], "task")
    saver.copy_thread("t", "copy")
    saver.copy_thread("t", "copy")
    copied = list(saver.list(config_of("copy")))
    assert [(each.checkpoint, each.pending_writes) for each in copied] == [
        (each.checkpoint, each.pending_writes) for each in saver.list(config_of())
    ]
    saver.delete_thread("t")
    assert len(list(saver.list(None))) == 60
    saver.copy_thread("nothing", "else")
    assert [agent.agent_id for agent in client.agents(f"{agent_id}/*")] == [f"{agent_id}/copy"]


def extend(value: list[int], more: list[list[int]]) -> list[int]:
    return [*value, *chain.from_iterable(more)]


class Sum(TypedDict):
    delta: Annotated[list[int], DeltaChannel(extend, snapshot_frequency=5)]
    plain: Annotated[list[int], operator.add]


def test_pruning_keeps_what_a_delta_channel_is_rebuilt_from(saver: MemorydSaver) -> None:
    graph = StateGraph(Sum)
    graph.add_node("add", lambda state: {"delta": [len(state["delta"])], "plain": [len(state["plain"])]})
    graph.add_edge(START, "add")
    app = graph.compile(checkpointer=saver)
    for number in range(7):
        app.invoke({"delta": [number], "plain": [number]}, config_of())
        before = app.get_state(config_of()).values
        saver.prune(["t"])
        assert app.get_state(config_of()).values == before
    assert len(before["delta"]) == len(before["plain"]) == 14
    # Without pruning there would be three checkpoints for each call.
    assert 1 <= len(list(saver.list(config_of()))) < 3 * 7


class Sealed(JsonPlusSerializer):
    """A stub of a serializer that encrypts."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        name, content = super().dumps_typed(obj)
        return f"sealed:{name}", content[::-1]

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        return super().loads_typed((data[0].removeprefix("sealed:"), data[1][::-1]))


def test_nothing_is_stored_but_by_the_serializer(client: memoryd.Client, agent_id: str, thread: memoryd.Agent) -> None:
    saver = MemorydSaver(client, agent_prefix=f"{agent_id}/", serde=Sealed())
    checkpoint = checkpoint_with({"small": "secret", "large": ["secret"]})
    config = saver.put(config_of(), checkpoint, {"source": "secret"}, checkpoint["channel_versions"])  # type: ignore[typeddict-item]
    saver.put_writes(config, [("c", "secret")], "task")
    found = saver.get_tuple(config)
    assert found is not None
    assert (found.checkpoint["channel_values"], found.metadata["source"]) == (checkpoint["channel_values"], "secret")
    stored = "".join(entry.value_json for entry in thread.entries())
    assert "secret" not in stored
    assert not any(base64.b64encode(b"secret"[start:])[:4].decode() in stored for start in range(3))


def test_a_graph_is_awaited_in_one_event_loop_after_the_other(client: memoryd.Client, agent_id: str) -> None:
    graph = StateGraph(Sum)
    graph.add_node("add", lambda state: {"delta": [1], "plain": [1]})
    graph.add_edge(START, "add")
    app = graph.compile(checkpointer=MemorydSaver(client, agent_prefix=f"{agent_id}/"))
    for number in range(1, 4):
        answer = asyncio.run(app.ainvoke({"delta": [], "plain": []}, config_of()))
        assert answer["delta"] == answer["plain"] == [1] * number
