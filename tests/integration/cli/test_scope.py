from collections.abc import Callable

import memoryd

Command = Callable[..., tuple[int, str, str]]


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


def test_a_scope_is_created_used_merged_and_disposed(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    scope_id = command("scope", "create", name, "task", "--user", "zoe", "--idle-ttl", "1h")[1].split()[0]
    facts = dict(row.split("\t") for row in command("scope", "get", name, scope_id)[1].splitlines())
    assert (facts["name"], facts["user"], facts["state"], facts["parent"]) == ("task", "zoe", "active", "")
    below = command("scope", "create", name, "step", "--parent", scope_id)[1].split()[0]
    assert agent.attach(below).info().parent_scope_id == scope_id
    assert command("scope", "create", name, "task", "--if-absent")[0] == 1
    command("set", name, "k", "1", "--scope", scope_id)
    agent.set("k", 0)
    assert command("scope", "merge", name, scope_id, "--keep-parent")[1].startswith("copied 0 entries")
    assert command("scope", "merge", name, scope_id)[1] == f"copied 1 entry of {scope_id} to its parent\n"
    assert agent.get("k") == 1
    deed = command("scope", "dispose", name, scope_id, "--dry-run")[1]
    assert deed == f"would dispose scope {scope_id!r}, with 1 entry of its own and 1 scope directly below it\n"
    assert command("scope", "dispose", name, scope_id, "--yes")[1] == f"{scope_id} was disposed, with 1 entry\n"
    assert command("scope", "dispose", name, scope_id, "--yes")[0] == 1
    assert "state\tdisposed" in command("scope", "get", name, scope_id)[1]


def test_a_disposed_scope_is_erased_with_a_receipt(command: Command, agent: memoryd.Agent) -> None:
    scope = agent.create_scope("task")
    scope.set("k", 1)
    out = command("scope", "dispose", agent.agent_id, scope.scope_id, "--erase", "--yes")[1]
    assert out.startswith(f"{scope.scope_id} was erased, also from ")


def test_the_entries_of_a_root_are_cleared_without_those_of_scopes(command: Command, agent: memoryd.Agent) -> None:
    agent.set("a", 1)
    scope = agent.create_scope("task")
    scope.set("b", 1)
    name = agent.agent_id
    assert command("entry", "clear", name, "--dry-run")[1] == f"would delete 1 entry of the root of agent {name!r}\n"
    assert command("entry", "clear", name, "--yes")[1] == "deleted 1 entry\n"
    assert (agent.get("a"), scope.get("b")) == (None, 1)
    out = command("entry", "clear", name, "--scope", scope.scope_id, "--erase", "--yes")[1]
    assert out.startswith(f"the content of scope {scope.scope_id!r} was erased")
