"""The scenarios of the original specification (working-memory.md, section 10)."""

from concurrent.futures import ThreadPoolExecutor

from tests.integration.watcher import Watcher
from tests.integration.wire import ABSENT, Memory
from tests.wait import WAIT_S_MAX

from memoryd.v1 import event_pb2


def test_store_and_retrieve_value(agent: Memory) -> None:
    with Watcher(agent.wire, agent.id).opened() as watcher:
        agent.set("user_id", "user-123")
        assert agent.value("user_id") == "user-123"
        (event,) = watcher.until_events(1)
    assert (event.type, event.entry.key) == (event_pb2.EVENT_TYPE_ENTRY_SET, "user_id")


def test_retrieve_non_existent_key(agent: Memory) -> None:
    assert agent.value("non_existent") is ABSENT


def test_scope_isolation(agent: Memory) -> None:
    agent.set("global_key", "global_value")
    scope_id = agent.scope("task-1")
    agent.set("global_key", "local_value", scope_id)
    assert agent.value("global_key", scope_id) == "local_value"
    assert agent.value("global_key") == "global_value"


def test_scope_parent_fallback(agent: Memory) -> None:
    agent.set("parent_key", "parent_value")
    assert agent.value("parent_key", agent.scope("task-1")) == "parent_value"


def test_scope_disposal(agent: Memory) -> None:
    scope_id = agent.scope("task-1")
    agent.write({f"key-{index}": index for index in range(5)}, scope_id)
    with Watcher(agent.wire, agent.id).opened() as watcher:
        agent.dispose(scope_id)
        (event,) = watcher.until_events(1)
    assert (event.type, event.scope.cleared_entry_count) == (event_pb2.EVENT_TYPE_SCOPE_DISPOSED, 5)
    assert agent.scopes().total_count == 0


def test_full_working_memory_lifecycle(agent: Memory) -> None:
    for index in range(100):
        agent.set(f"key-{index}", index)
    scope_id, scope_ids = "", []
    for depth in range(3):
        scope_id = agent.scope(f"depth-{depth}", scope_id)
        scope_ids.append(scope_id)
        agent.set(f"key-{depth}", f"depth {depth}", scope_id)
    for depth, each in enumerate(scope_ids):
        seen = [agent.value(f"key-{index}", each) for index in range(100)]
        assert seen == [f"depth {index}" if index <= depth else index for index in range(100)]
    stats = agent.stats().stats
    assert ([each.count for each in stats.record_counts], stats.root_entry_count) == ([103, 3], 100)


def test_concurrent_access(agent: Memory) -> None:
    """Also WM-25: concurrent set and get never deadlock."""

    def work(task: int) -> None:
        for index in range(30):
            agent.set(f"task-{task}", index)
            assert agent.value(f"task-{task}") == index
            agent.set("shared", task)
            assert agent.value("shared") in range(10)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10), timeout=WAIT_S_MAX))
    assert agent.values() == {f"task-{task}": 29 for task in range(10)} | {"shared": agent.value("shared")}
    assert agent.revision == 600
