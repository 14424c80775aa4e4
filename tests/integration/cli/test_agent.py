import json
from collections.abc import Callable, Iterator

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd_server.ops.cli.agent.removal import Forgotten

Command = Callable[..., tuple[int, str, str]]


def test_agents_are_listed_by_prefix(command: Command, terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    (row,) = command("agent", "list", f"{agent.agent_id[:-1]}*", agent.agent_id)[1].splitlines()
    assert row.split("\t")[:2] == [agent.agent_id, "1"]
    assert terminal("agent", "list", agent.agent_id).splitlines()[1].split()[:2] == [agent.agent_id, "1"]


def test_the_tier_of_an_agent_is_set_and_shown(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    for tier, shown in (("free", "free"), ("", "")):
        assert command("agent", "update", name, "--tier", tier)[0] == 0
        facts = dict(row.split("\t") for row in command("agent", "get", name)[1].splitlines())
        assert (facts["tier"], agent.info().tier) == (shown, tier)


def test_an_agent_is_named_and_gets_defaults(
    command: Command, terminal: Callable[..., str], agent: memoryd.Agent
) -> None:
    name = agent.agent_id
    assert command("agent", "get", name)[0] == 1
    done = command("agent", "update", name, "--name", "Support", "--tag", "a", "--entry-ttl", "1h", "--max-tokens", "9")
    assert done == (0, f"{name} is at revision 1\n", "")
    facts = dict(row.split("\t") for row in command("agent", "get", name)[1].splitlines())
    assert (facts["name"], facts["default context max tokens"]) == ("Support", "9")
    assert facts["tags"] == "a"
    defaults = json.loads(command("agent", "get", name, "--json")[1])["defaults"]
    assert (defaults["context_max_tokens"], defaults["model"]) == (9, "")
    (row,) = command("agent", "list", name, "--order", "update_time_descending")[1].splitlines()
    assert row.split("\t")[4:] == ["Support", "a"]
    assert command("agent", "list", name, "--tag", "a")[1] == row + "\n"
    for options in (["--tag", "b"], ["--metadata", "team=7"]):
        assert command("agent", "list", name, *options)[1] == ""
    agent.update_info(metadata={"team": 7})
    assert command("agent", "list", name, "--metadata", "team=7")[1].split("\t")[0] == name
    command("agent", "update", name, "--no-defaults", "--name", "")
    assert agent.info().defaults is None
    for wrong in ([], ["--no-defaults", "--model", "gpt-5"]):
        assert command("agent", "update", name, *wrong)[0] == 2
    assert "revision" in terminal("agent", "get", name)


def test_events_are_listed_from_either_end(
    command: Command, terminal: Callable[..., str], agent: memoryd.Agent
) -> None:
    for number in range(4):
        agent.set(f"k{number}", number)

    def keys(*options: str) -> list[str]:
        rows = command("event", "list", *options)[1].splitlines()
        return [row.split("\t")[6] for row in rows]

    name = agent.agent_id
    assert keys(name) == ["k0", "k1", "k2", "k3"]
    assert keys(f"{name}*", "--newest", "--limit", "3") == ["k3", "k2", "k1"]
    assert keys(name, "--from-revision", "2", "--to-revision", "3") == ["k1", "k2"]
    assert keys(name, "--since", "1h", "--prefix", "k3", "--type", "entry_set") == ["k3"]
    assert keys(name, "--until", "2020-01-01") == []
    assert json.loads(command("event", "list", name, "--limit", "1", "--json")[1])["revision"] == 1
    assert command("event", "list", f"{name}*", "--from-revision", "2")[0] == 2
    assert "k3" in terminal("event", "list", name)


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
    assert int(facts["used concurrent_calls"]) >= 0
    assert facts["embedder"].endswith("(256 dimensions)")
    assert facts["caller verbs"] == "read, write, delete, watch, snapshot, admin"
    assert json.loads(command("info", "--json")[1])["state"] == "serving"


@pytest.fixture
def twin(shared_daemon: Daemon, agent_id: str) -> Iterator[memoryd.Agent]:
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        yield client.agent(f"{agent_id}-twin")


def test_a_user_is_forgotten_in_all_agents_of_a_prefix(
    command: Command, agent: memoryd.Agent, twin: memoryd.Agent
) -> None:
    for each in (agent, twin):
        each.set("k", 1, user_id="zoe")
        each.memories.remember("zoe has a dog", user_id="zoe")
        each.set("kept", 1)
    snapshot = twin.create_snapshot().snapshot_id
    code, rows, _ = command("agent", "forget-user", f"{agent.agent_id}*", "zoe", "--yes")
    first, second = (row.split("\t") for row in rows.splitlines())
    assert (code, first[:3]) == (0, [agent.agent_id, "2", "1 entry, 1 memory"])
    assert second[:2] == [twin.agent_id, "2"]
    assert snapshot in second[3]
    assert [entry.key for entry in twin.entries()] == ["kept"]
    answered = json.loads(command("agent", "forget-user", agent.agent_id, "zoe", "--json", "--yes")[1])
    assert (answered["agent_id"], answered["deleted"]) == (agent.agent_id, {})


def test_snapshots_that_the_caller_may_not_use_are_counted() -> None:
    assert Forgotten("a", {}, ("s",), 3, 1).snapshots == "s, 2 more"
    assert Forgotten("a", {}, ("s", "t"), 2, 1).snapshots == "s, t"


def test_recall_and_search_read_further_agents(command: Command, agent: memoryd.Agent, twin: memoryd.Agent) -> None:
    twin.memories.remember("A kettle is descaled with vinegar", user_id="kb")
    twin.documents.create("A kettle is refunded.", title="Manual")
    further = ("--further-agent", twin.agent_id)
    (row,) = command("recall", agent.agent_id, "vinegar", "--all-users", *further)[1].splitlines()
    assert row.split("\t")[-1] == twin.agent_id
    (row,) = command("document", "search", agent.agent_id, "kettle", *further)[1].splitlines()
    assert row.split("\t")[-1] == twin.agent_id


def test_an_agent_is_cleared_of_the_named_kinds_only(command: Command, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    agent.create_scope("task").set("k", 1)
    agent.notes.create("Tone", "short")
    name = agent.agent_id
    deed = command("agent", "clear", name, "--dry-run")[1]
    assert deed == f"would delete 2 entries, 1 scope of agent {name!r}\n"
    assert agent.stats().count("entry") == 2
    done = command("agent", "clear", name, "--kind", "note", "--yes")[1]
    assert done == f"deleted 1 note of agent {name!r}\n"
    assert agent.stats().record_counts == {"entry": 2, "scope": 1}


def test_an_ended_agent_leaves_a_snapshot_or_a_receipt(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    agent.set("k", 1)
    code, out, _ = command("agent", "end", name, "--snapshot", "--yes", "--json")
    snapshot_id = json.loads(out)["snapshot"]["snapshot_id"]
    assert (code, command("agent", "get", name)[0]) == (0, 1)
    assert command("agent", "end", name, "--yes")[0] == 1
    agent.set("k", 2)
    out = command("agent", "end", name, "--erase", "--yes")[1]
    assert out.startswith(f"agent {name!r} ended, with 1 entry; erased, also from ")
    assert snapshot_id in out
    assert command("agent", "end", name, "--erase", "--snapshot", "--yes")[0] == 2


def test_an_agent_ends_in_the_background(command: Command, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    operation_id = command("agent", "end", agent.agent_id, "--background", "--yes")[1].split()[0]
    assert command("operation", "watch", operation_id)[0] == 0
    assert command("agent", "get", agent.agent_id)[0] == 1
