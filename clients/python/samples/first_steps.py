"""The main things an agent does with its memory, one after the other.

Run it beside a daemon: ``python first_steps.py``. MEMORYD_ADDRESS says where the daemon is, if not at 127.0.0.1:7600.
"""

import sys

import memoryd


def main() -> int:
    try:
        with memoryd.connect(origin="first-steps") as client:
            print(f"memoryd {client.server_info().version} at {client.target}")
            remember(client.agent("first-steps"))
    except memoryd.MemorydError as error:
        print(f"it did not work: {error}", file=sys.stderr)
        return 1
    return 0


def remember(memory: memoryd.Agent) -> None:
    begin_anew(memory)
    with memory.watch() as watch:
        facts(memory)
        work(memory)
        print("what a watcher saw:")
        for event in watch:
            print(f"  {event.revision:>3} {event.type:<15} {event.key or event.scope_name}")
            if event.type == "scope_disposed":
                break
    print(f"bytes used: {memory.stats().storage_bytes_used}")
    print(f"ended with {memory.end().entries_cleared} entries")


def begin_anew(memory: memoryd.Agent) -> None:
    try:
        memory.end()
    except memoryd.errors.AgentNotFound:
        print("a new agent")


def facts(memory: memoryd.Agent) -> None:
    memory.set("user", {"name": "Ada", "likes": ["chess", "tea"]}, memory_type="preference", importance=0.9)
    print(f"user: {memory.get('user', type=dict)}")
    print(f"nothing there: {memory.get('nothing')}, or a default: {memory.get('nothing', 'a default')}")
    memory.update("visits", lambda visits: visits + 1, default=0)
    print(f"visits: {memory.get('visits', type=int)}")
    print(f"made once, for all callers: {memory.get_or_set('greeting', lambda: 'Good morning, Ada')}")


def work(memory: memoryd.Agent) -> None:
    with memory.scope("book a table", merge="overwrite") as task:
        task.set("user", {"name": "Ada and Charles"})
        print(f"in the task: {task.get('user')}, and from the root: {task.get('visits')}")
        task.remove("user")
        with task.batch() as batch:
            batch.set("table", 7, tags=["booking"])
            batch.set("time", "19:30", tags=["booking"])
    print(f"merged from the task: { {entry.key: entry.value for entry in memory.entries(tags=['booking'])} }")


if __name__ == "__main__":
    sys.exit(main())
