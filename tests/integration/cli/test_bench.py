import json
from collections.abc import Callable

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_every_call_is_measured_and_the_agent_erased(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    code, out, err = command("bench", "--agent", name, "--callers", "2", "--duration", "1ms", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [(row["name"], row["callers"]) for row in rows] == [
        *((call, callers) for callers in (1, 2) for call in ("set", "get", "recall")),
        ("set to watch", 1),
    ]
    assert all(row["call_count"] >= 1 and row["p99_ms"] >= row["p50_ms"] > 0 for row in rows)
    assert err.splitlines()[0].startswith(f"memoryd {memoryd_version(command)} at ")
    assert command("agent", "get", name)[0] == 1


def test_an_agent_that_exists_is_never_used(command: Command, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    assert command("bench", "--agent", agent.agent_id, "--duration", "1ms")[0] == 2
    assert agent.get("k") == 1


def memoryd_version(command: Command) -> str:
    """Return the version of the daemon."""
    return str(json.loads(command("info", "--json")[1])["version"])
