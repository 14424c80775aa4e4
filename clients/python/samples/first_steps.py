"""The main features of memoryd, one after the other.

Run it while a daemon runs: ``python first_steps.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600.
"""

import sys

import memoryd


def main() -> int:
    try:
        reset()
        first_steps()
        end()
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def reset() -> None:
    with memoryd.connect() as client:
        print(f"memoryd {client.server_info().version} at {client.target}")
        try:
            client.agent("first-steps").end()
        except memoryd.errors.AgentNotFound:
            print("a new agent")


def first_steps() -> None:
    # [first steps]
    with memoryd.connect(origin="first-steps") as client:
        agent = client.agent("first-steps")
        with agent.watch() as watch:  # from here on no commit is missed
            agent.set("user", {"name": "Ada", "likes": ["chess", "tea"]}, entry_type="preference")
            print("user:", agent.get("user", type=dict))
            print("nothing there:", agent.get("nothing"))

            # Nobody's update is lost, and one factory runs among all callers.
            agent.update("visits", lambda visits: visits + 1, default=0)
            print("greeting:", agent.get_or_set("greeting", lambda: "Good morning, Ada"))

            # A scope falls back to its parent. It is disposed at the end, here after its entries were copied up.
            with agent.scope("book a table", merge="overwrite") as task:
                task.set("table", 7)
                print("in the task:", task.get("table"), task.get("visits"))
            print("after the task:", agent.get("table"))

            for event in watch:
                match event.subject:
                    case memoryd.EntryEvent(key=name) | memoryd.ScopeEvent(name=name):
                        print(f"{event.revision:>3} {event.type:<15} {name}")
                if event.type == "scope_disposed":
                    break
    # [end]


def end() -> None:
    with memoryd.connect() as client:
        agent = client.agent("first-steps")
        print(f"bytes used: {agent.stats().storage_bytes}")
        print(f"ended with {sum(agent.end().cleared.values())} records")


if __name__ == "__main__":
    sys.exit(main())
