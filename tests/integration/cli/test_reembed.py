from collections.abc import Callable

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd import MemoryDraft

Command = Callable[..., tuple[int, str, str]]


def remember(agent: memoryd.Agent, count: int) -> None:
    """Create ``count`` memories, each with a vector of the writer's own."""
    agent.memories.create_many(
        [
            MemoryDraft(f"turn {number}", "ada", embedding=[1, 0], allow_duplicates=True, skip_contradictions=True)
            for number in range(count)
        ]
    )


def test_memories_get_vectors_of_the_daemons_embedder(command: Command, agent: memoryd.Agent) -> None:
    remember(agent, 150)
    assert command("memory", "reembed", agent.agent_id) == (0, "embedded 0 memories\n", "")
    assert command("memory", "reembed", agent.agent_id, "--replace-client-embeddings") == (
        0,
        "embedded 150 memories\n",
        "",
    )
    assert command("memory", "reembed", agent.agent_id, "--replace-client-embeddings", "--json") == (
        0,
        '{"embedded_count":0}\n',
        "",
    )


@pytest.mark.whole
def test_all_agents_move_over_to_another_embedder(command: Command, launch_process: Callable[..., Daemon]) -> None:
    daemon = launch_process("--embedder", "none")
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for agent_id, count in {"a": 1, "b": 2}.items():
            remember(client.agent(agent_id), count)
            client.agent(agent_id).memories.remember("without a vector", user_id="ada")
    address = ("--address", daemon.address)
    assert command("memory", "reembed", "a", *address) == (
        1,
        "",
        "memoryd: the daemon has no embedder: see `memoryd serve --embedder`\n",
    )
    daemon.stop()
    del daemon.flags[-2:]
    daemon.start()
    assert command("memory", "reembed", "--all", "--replace-client-embeddings", *address) == (
        0,
        "embedded 5 memories\n",
        "",
    )


@pytest.mark.whole
def test_an_embedder_that_does_not_answer_ends_it_with_1(
    command: Command, launch_process: Callable[..., Daemon]
) -> None:
    endpoint = ["--embedding-url", "http://127.0.0.1:1", "--embedding-model", "m", "--embedding-dimensions", "2"]
    daemon = launch_process("--embedder", "endpoint", *endpoint)
    with memoryd.connect(daemon.address, **PATIENT) as client:
        remember(client.agent("a"), 1)
    code, _, err = command("memory", "reembed", "a", "--replace-client-embeddings", "--address", daemon.address)
    left = "the embedder cannot be reached; 1 memory of agent 'a' left: try again later"
    assert (code, err) == (1, f"memoryd: {left}\n")
