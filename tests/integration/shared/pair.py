"""Daemon processes that share one store."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

from tests.daemon import Daemon, insecure_channel
from tests.integration.mirror import Mirror
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire
from tests.valkey.url import with_options


class Pair:
    """Two daemons, ``a`` and ``b``, the stubs of each, and the prefix of their store's keys."""

    def __init__(self, daemons: list[Daemon], wires: list[Wire], prefix: str) -> None:
        self.daemons = daemons
        self.prefix = prefix
        self.wires = wires
        self.a, self.b = wires

    def agents(self, agent_id: str = "") -> tuple[Memory, Memory]:
        """Return one agent as each daemon serves it; without an id, a new one."""
        agent = self.a.agent(agent_id)
        return agent, self.b.agent(agent.id)


def new_prefix() -> str:
    """Return a prefix that no other store has."""
    return f"test-{uuid4().hex[:12]}"


def flags_of(url: str, prefix: str, *flags: str) -> list[str]:
    """Return the flags of a daemon that shares the store at a URL."""
    return ["--store", with_options(url, prefix=prefix), "--durability", "journaled", *flags]


@contextlib.contextmanager
def sharing(directory: Path, url: str, *flags: str) -> Iterator[Pair]:
    """Run two daemons that share the store at a URL, under a new prefix."""
    prefix = new_prefix()
    daemons = [Daemon(directory / name, *flags_of(url, prefix, *flags)) for name in ("a", "b")]
    for daemon in daemons:
        daemon.directory.mkdir(parents=True)
    try:
        with ThreadPoolExecutor() as pool:
            list(pool.map(Daemon.start, daemons))
        with contextlib.ExitStack() as stack:
            wires = [Wire(stack.enter_context(insecure_channel(daemon.address))) for daemon in daemons]
            yield Pair(daemons, wires, prefix)
    finally:
        for daemon in daemons:
            daemon.close()


def use(pair: Pair, agents: int = 1) -> None:
    """Write to new agents at both daemons, and assert that a watch of all agents at each reports it without gaps."""
    begin = pair.a.agent().id
    names = [f"{begin}-{number}" for number in range(agents)]
    with Watcher(pair.a).opened() as first, Watcher(pair.b).opened() as second:

        def write(name: str) -> None:
            for number in range(5):
                for wire in pair.wires:
                    wire.agent(name).set("k", number)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, names))
        for watcher in (first, second):
            watcher.until_events(10 * agents)
            for name in names:
                events = [event for event in watcher.events if event.agent_id == name]
                Mirror().apply(events).expect(pair.b.agent(name))
