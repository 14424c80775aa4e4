from collections.abc import Callable

from tests.daemon import Daemon

import memoryd
from memoryd import MemoryDraft

Command = Callable[..., tuple[int, str, str]]


def remember(agent: memoryd.Agent, count: int) -> None:
    """Remember so many things, each with a vector of the writer's own."""
    agent.memories.create_many(
        [MemoryDraft(f"turn {number}", "ada", embedding=[1, 0], skip_kinship_check=True) for number in range(count)]
    )


def test_memories_get_vectors_of_the_daemons_embedder(command: Command, agent: memoryd.Agent) -> None:
    remember(agent, 150)
    assert command("reembed", agent.agent_id) == (0, "0 memories have a new vector\n", "")
    assert command("reembed", agent.agent_id, "--include-given") == (0, "150 memories have a new vector\n", "")
    assert command("reembed", agent.agent_id, "--include-given", "--json") == (0, '{"memories_embedded":0}\n', "")


def test_all_agents_move_over_to_another_embedder(command: Command, launch: Callable[..., Daemon]) -> None:
    daemon = launch("--embedder", "none")
    with memoryd.connect(daemon.address) as client:
        for agent_id, count in {"a": 1, "b": 2}.items():
            remember(client.agent(agent_id), count)
            client.agent(agent_id).memories.remember("without a vector", user_id="ada")
    address = ("--address", daemon.address)
    assert command("reembed", "a", *address) == (1, "", "memoryd: the daemon has no embedder (NO_EMBEDDER)\n")
    daemon.stop()
    del daemon.flags[-2:]
    daemon.start()
    assert command("reembed", "--all", "--include-given", *address) == (0, "5 memories have a new vector\n", "")


def test_an_embedder_that_does_not_answer_ends_it_with_1(command: Command, launch: Callable[..., Daemon]) -> None:
    endpoint = ["--embedding-url", "http://127.0.0.1:1", "--embedding-model", "m", "--embedding-dimensions", "2"]
    daemon = launch("--embedder", "endpoint", *endpoint)
    with memoryd.connect(daemon.address) as client:
        remember(client.agent("a"), 1)
    code, _, err = command("reembed", "a", "--include-given", "--address", daemon.address)
    left = "the embedder does not answer, and 1 of agent 'a' is left: run this again later"
    assert (code, err) == (1, f"memoryd: {left} (EMBEDDER_UNAVAILABLE)\n")
