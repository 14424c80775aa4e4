import io
import json
import sys
import types
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


def stored(agent: memoryd.Agent, *contents: str) -> list[str]:
    """Store fragments; answers their ids."""
    return [agent.fragments.create(content).fragment.fragment_id for content in contents]


def test_what_is_stored_is_printed_by_get(command: Command, agent: memoryd.Agent) -> None:
    code, out, _ = command("fragment", "create", agent.agent_id, "The cat")
    (found,) = agent.fragments.list()
    assert (code, out) == (0, f"{found.fragment_id} was created at revision 1\n")
    assert command("fragment", "get", agent.agent_id, found.fragment_id) == (0, "The cat\n", "")


def test_everything_that_is_said_of_a_fragment_is_in_it(
    command: Command, agent_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    options = ["--ttl", "10m", "--type", "Event", "--dynamic-type", "d", "--confidence", "0.5", "--participant", "a"]
    options += ["--participant", "b", "--cause", "c", "--metadata", '{"turn": 3}', "--user", "ann"]
    made = json.loads(command("fragment", "create", agent_id, "-", *options, "--json")[1])
    found = json.loads(command("fragment", "get", agent_id, made["fragment_id"], "--json")[1])
    fields = {
        name: found[name]
        for name in (
            "content",
            "type",
            "dynamic_type",
            "confidence",
            "participants",
            "causal_chain",
            "metadata",
            "user_id",
        )
    }
    assert fields == {
        "content": "two\nlines",
        "type": "Event",
        "dynamic_type": "d",
        "confidence": 0.5,
        "participants": ["a", "b"],
        "causal_chain": ["c"],
        "metadata": {"turn": 3},
        "user_id": "ann",
    }
    assert found["expire_time"] > found["create_time"]


def test_metadata_must_be_an_object(command: Command, agent_id: str) -> None:
    code, _, err = command("fragment", "create", agent_id, "x", "--metadata", "[1]")
    assert (code, "a JSON object such as" in err) == (2, True)


def test_a_fragment_that_is_not_there_ends_with_1(command: Command, agent_id: str) -> None:
    line = f"memoryd: agent {agent_id!r} has no fragment 'mem_0' (RECORD_NOT_FOUND)\n"
    assert command("fragment", "get", agent_id, "mem_0") == (1, "", line)
    assert command("fragment", "delete", agent_id, "mem_0") == (1, "", line)


def test_a_fragment_is_deleted(command: Command, agent: memoryd.Agent) -> None:
    (fragment_id,) = stored(agent, "x")
    code, _, error = command("fragment", "delete", agent.agent_id, fragment_id, "--if-revision", "7")
    assert (code, "(REVISION_MISMATCH)" in error) == (1, True)
    assert command("fragment", "delete", agent.agent_id, fragment_id) == (0, f"{fragment_id} was deleted\n", "")


def test_fragments_are_searched_and_listed_newest_first(command: Command, agent: memoryd.Agent) -> None:
    one, two = stored(agent, "a red\tapple", "a green apple")
    rows = [row.split("\t") for row in command("fragment", "search", agent.agent_id, "apple")[1].splitlines()]
    assert [row[:2] for row in rows] == [[two, "a green apple"], [one, "a red\\u0009apple"]]
    assert rows[0][2:4] == ["Fact", ""]
    assert rows[0][6:] == ["no", "0"]
    assert command("fragment", "search", agent.agent_id, "apple", "--min-confidence", "0")[1] == ""
    recent = command("fragment", "list", agent.agent_id, "--limit", "1", "--json")[1]
    assert [json.loads(line)["fragment_id"] for line in recent.splitlines()] == [two]


def test_a_terminal_shows_a_table_or_a_sentence_for_no_rows(
    terminal: Callable[..., str], command: Command, agent: memoryd.Agent
) -> None:
    (fragment_id,) = stored(agent, "a red apple")
    shown = terminal("fragment", "list", agent.agent_id).splitlines()
    assert shown[0].split() == ["FRAGMENT", "CONTENT", "TYPE", "CONFIDENCE", "CREATED", "EXPIRES"]
    assert shown[1].split()[0] == fragment_id
    assert command("fragment", "search", agent.agent_id, "pear") == (0, "", "There are no such fragments.\n")


def test_fragments_are_counted_flushed_and_cleared(command: Command, agent: memoryd.Agent) -> None:
    stored(agent, "1", "2")
    assert command("fragment", "flush", agent.agent_id) == (0, "flushed 2 fragments\n", "")
    assert command("fragment", "count", agent.agent_id) == (0, "fragments\t2\nflushed\t2\nleased\t0\n", "")
    assert command("agent", "stats", agent.agent_id)[1].splitlines()[0] == "fragments\t2"
    assert command("fragment", "clear", agent.agent_id, "--json", "--yes") == (0, '{"cleared_fragment_count":2}\n', "")


def test_fragments_are_leased_renewed_acknowledged_and_released(command: Command, agent: memoryd.Agent) -> None:
    nothing = f"memoryd: agent {agent.agent_id!r} has no flushed fragment that is not leased\n"
    assert command("fragment", "lease", agent.agent_id) == (1, "", nothing)
    one, two = stored(agent, "1", "2")
    agent.fragments.flush()
    rows = [row.split("\t") for row in command("fragment", "lease", agent.agent_id, "--lease", "1m")[1].splitlines()]
    token = rows[0][0]
    assert [row[:3] for row in rows] == [[token, one, "1"], [token, two, "2"]]
    renewed = json.loads(command("fragment", "renew", agent.agent_id, token, "--json")[1])
    assert [found["fragment_id"] for found in renewed["fragments"]] == [one, two]
    assert command("fragment", "renew", agent.agent_id, "")[0] == 1
    assert command("fragment", "ack", agent.agent_id, token, one) == (0, "acknowledged 1 fragment\n", "")
    released = command("fragment", "release", agent.agent_id, token, "--json")
    assert released == (0, '{"released_fragment_count":1}\n', "")
    code, _, err = command("fragment", "ack", agent.agent_id, token)
    assert code == 1
    assert err.startswith("memoryd: the lease has expired or was settled, ")
    assert err.endswith(" (LEASE_LOST)\n")


def test_a_person_sees_the_token_of_a_lease_first(terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    stored(agent, "1")
    agent.fragments.flush()
    lines = terminal("fragment", "lease", agent.agent_id).splitlines()
    assert lines[0].startswith("lease ")
    assert lines[1].split()[0] == "FRAGMENT"
