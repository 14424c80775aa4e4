import json
from collections.abc import Callable

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_agents_are_listed_by_prefix(command: Command, terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    (row,) = command("agent", "list", agent.agent_id)[1].splitlines()
    assert row.split("\t")[:2] == [agent.agent_id, "1"]
    assert terminal("agent", "list", agent.agent_id).splitlines()[1].split()[:2] == [agent.agent_id, "1"]


def test_scopes_are_a_tree_with_their_own_entries(terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    plan = agent.create_scope("plan")
    flights = plan.create_scope("[b]flights")
    flights.set("a", 1)
    flights.set("b", 2)
    task = agent.create_scope("task")
    assert terminal("scope", "list", agent.agent_id).splitlines() == [
        f"{agent.agent_id}  1 entry",
        f"├── plan  0 entries  {plan.scope_id}",
        f"│   └── [b]flights  2 entries  {flights.scope_id}",
        f"└── task  0 entries  {task.scope_id}",
    ]


def test_scopes_in_a_pipe_are_rows(command: Command, agent: memoryd.Agent) -> None:
    plan = agent.create_scope("plan")
    step = plan.create_scope("step")
    rows = [row.split("\t") for row in command("scope", "list", agent.agent_id)[1].splitlines()]
    assert rows == [[plan.scope_id, "plan", "", "0"], [step.scope_id, "step", plan.scope_id, "0"]]


def test_stats_show_record_counts(command: Command, terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    agent.create_scope("task").set("k", 2)
    seen = " ".join(terminal("agent", "stats", agent.agent_id).split())
    assert "entries 2 scopes 1 entries in the root 1 archived memories 0" in seen
    assert json.loads(command("agent", "stats", agent.agent_id, "--json")[1])["record_counts"] == {
        "entry": 2,
        "scope": 1,
    }


def test_an_agent_that_does_not_exist_has_no_stats(command: Command) -> None:
    line = "memoryd: agent 'nobody' does not exist (AGENT_NOT_FOUND)\n"
    assert command("agent", "stats", "nobody") == (1, "", line)


def test_info_shows_the_settings_of_the_daemon(command: Command, terminal: Callable[..., str]) -> None:
    facts = dict(row.split("\t") for row in command("info")[1].splitlines())
    assert facts["durability"] == "synced"
    assert facts["limit entries_per_agent"] == "10000"
    assert "10,000" in terminal("info")
    assert facts["embedder"].endswith("(256 dimensions)")
    assert json.loads(command("info", "--json")[1])["state"] == "serving"
