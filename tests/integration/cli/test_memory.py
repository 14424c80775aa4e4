import json
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def memories(agent: memoryd.Agent) -> memoryd.Memories:
    agent.memories.remember("Ada likes\ntea", user_id="ada", memory_id="tea", tags=["taste"], aliases=["chai"])
    agent.memories.remember("Bob is away", user_id="bob", memory_id="bob")
    return agent.memories


def test_memories_are_listed_newest_first(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    rows = [row.split("\t") for row in command("memory", "list", agent.agent_id, "--all-users")[1].splitlines()]
    assert [row[0] for row in rows] == ["bob", "tea"]
    assert rows[1][1:4] == ["Ada likes tea", "semantic", "active"]
    assert rows[1][5:7] == ["ada", ""]
    assert 0 < float(rows[1][7]) <= 1
    of_ada = command("memory", "list", agent.agent_id, "--user", "ada", "--json")[1]
    assert [json.loads(line)["memory_id"] for line in of_ada.splitlines()] == ["tea"]
    assert len(command("memory", "list", agent.agent_id, "--all-users", "--limit", "1")[1].splitlines()) == 1
    memories.forget("tea")
    assert command("memory", "list", agent.agent_id, "--all-users", "--forgotten")[1].startswith("tea\t")


def test_a_terminal_shows_a_table_or_a_sentence_for_no_rows(
    terminal: Callable[..., str], command: Command, agent: memoryd.Agent, memories: memoryd.Memories
) -> None:
    header, newest, _ = terminal("memory", "list", agent.agent_id, "--all-users").splitlines()
    assert header.split() == ["MEMORY", "CONTENT", "WHEN", "SALIENCE"]
    assert newest.startswith("bob     Bob is away")
    printed = command("memory", "list", agent.agent_id, "--user", "nobody")
    assert printed == (0, "", "There are no such memories.\n")


def test_a_pipe_gets_the_content_and_a_person_all_that_is_known(
    command: Command, terminal: Callable[..., str], agent: memoryd.Agent, memories: memoryd.Memories
) -> None:
    assert command("memory", "get", agent.agent_id, "tea") == (0, "Ada likes\ntea\n", "")
    memories.remember("Bob is back", user_id="ada", memory_id="back")
    memories.link("tea", "back")
    facts = dict(line.split("  ", 1) for line in terminal("memory", "get", agent.agent_id, "tea").splitlines())
    shown = {name: fact.strip() for name, fact in facts.items()}
    assert (shown["content"], shown["user"], shown["tags"]) == ("Ada likes tea", "ada", "taste")
    assert shown["aliases"] == "chai"
    assert (shown["confidence"], shown["links"], shown["status"]) == ("0.50", "1", "active")
    assert "project" not in shown


def test_a_memory_that_is_not_there_ends_with_1(
    command: Command, agent: memoryd.Agent, memories: memoryd.Memories
) -> None:
    memories.forget("tea")
    line = f"memoryd: agent {agent.agent_id!r} has no memory 'tea' (RECORD_NOT_FOUND)\n"
    for arguments in (["get"], ["reinforce"], ["update", "--content", "x"]):
        assert command("memory", arguments[0], agent.agent_id, "tea", *arguments[1:]) == (1, "", line)
    assert command("memory", "get", agent.agent_id, "tea", "--forgotten") == (0, "Ada likes\ntea\n", "")
    assert command("memory", "get", agent.agent_id, "bob", "--as-of", "1h")[0] == 1


def test_the_vector_is_printed_on_request(command: Command, agent: memoryd.Agent) -> None:
    agent.memories.remember("x", user_id="ada", memory_id="m", embedding=[0.5, 1])
    assert json.loads(command("memory", "get", agent.agent_id, "m", "--json")[1])["embedding"] is None
    found = json.loads(command("memory", "get", agent.agent_id, "m", "--embedding", "--json")[1])
    assert found["embedding"] == {"vector": [0.5, 1.0], "model": "", "version": ""}


def test_an_update_changes_what_it_names(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    update = ("memory", "update", agent.agent_id, "tea")
    assert command(*update, "--content", "Ada likes coffee", "--importance", "0") == (
        0,
        "tea was updated at revision 3\n",
        "",
    )
    found = memories.get("tea")
    assert (found.content, found.importance, found.tags) == ("Ada likes coffee", 0.0, ("taste",))
    flags = ["--type", "episodic", "--status", "archived", "--tag", "a", "--metadata", "{}", "--when", "2026-05-20"]
    assert command(*update, *flags)[0] == 0
    found = memories.get("tea")
    assert (found.type, found.status, found.tags) == ("episodic", "archived", ("a",))
    assert found.occur_time < found.create_time
    assert found.aliases == ("chai",)
    assert command(*update, "--alias", "brew", "--alias", "cuppa")[0] == 0
    assert memories.get("tea").aliases == ("brew", "cuppa")
    assert command(*update, "--tag", "a") == (0, "tea has these values already\n", "")


def test_a_memory_is_reinforced(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    assert command("memory", "reinforce", agent.agent_id, "tea") == (0, "tea has confidence 0.60 at revision 3\n", "")
    done = json.loads(command("memory", "reinforce", agent.agent_id, "tea", "--confidence", "1", "--json")[1])
    assert (done["confidence"], done["reinforce_count"], done["revision"]) == (1.0, 2, 4)
    found = json.loads(command("memory", "get", agent.agent_id, "tea", "--history", "--json")[1])
    assert [each["confidence"] for each in found["confidence_history"]][::2] == [0.5, 1.0]


def test_links_are_listed(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    memories.remember("Bob is back", user_id="ada", memory_id="back")
    memories.link("back", "tea", "supersedes", strength=0.75)
    memories.link("back", "tea", "related")
    rows = [row.split("\t") for row in command("memory", "links", agent.agent_id, "tea", "--all-users")[1].splitlines()]
    assert [row[:4] for row in rows] == [["back", "related", "tea", "0.5"], ["back", "supersedes", "tea", "0.75"]]
    assert len(command("memory", "links", agent.agent_id, "--all-users", "--type", "supersedes")[1].splitlines()) == 1


def test_stats_count_memories(command: Command, agent: memoryd.Agent, memories: memoryd.Memories) -> None:
    memories.remember("Bob is back", user_id="ada", memory_id="back")
    memories.link("back", "tea", "supersedes")
    memories.remember("Bob is away", user_id="ada", memory_id="away")
    memories.forget("away")
    facts = dict(row.split("\t") for row in command("agent", "stats", agent.agent_id)[1].splitlines())
    names = (
        "memories",
        "archived memories",
        "superseded memories",
        "forgotten memories",
        "memory links",
        "memories without a vector",
    )
    assert [facts[name] for name in names] == ["3", "0", "1", "1", "1", "0"]
