import io
import json
import sys
import types
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_created_memory_is_printed_with_its_type(command: Command, agent: memoryd.Agent) -> None:
    code, out, _ = command("remember", agent.agent_id, "To deploy, run 'make prod'", "--user", "ada")
    (found,) = agent.memories.list(user_id="ada")
    assert (code, out) == (0, f"{found.memory_id} (procedural) was created at revision 1\n")
    assert (found.content, found.user_id) == ("To deploy, run 'make prod'", "ada")


def test_everything_that_is_said_of_a_memory_is_in_it(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("old", "other"):
        agent.memories.remember(
            f"Something {name}",
            user_id="ada",
            project_id="p",
            memory_id=name,
            allow_duplicates=True,
            skip_contradictions=True,
        )
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    options = ["--user", "ada", "--project", "p", "--type", "episodic", "--tag", "a", "--tag", "b", "--id", "new"]
    options += ["--alias", "both lines", "--alias", "couple"]
    options += ["--importance", "0.75", "--when", "2026-05-20T12:00Z", "--conversation", "c", "--document", "d"]
    options += ["--learned", "small talk", "--metadata", '{"turn": 3}', "--ttl", "7d", "--link", "other"]
    made = command("remember", agent.agent_id, "-", *options, "--supersedes", "old", "--allow-duplicates", "--json")
    assert json.loads(made[1])["outcome"] == "created"
    found = json.loads(command("memory", "get", agent.agent_id, "new", "--json")[1])
    assert found["aliases"] == ["both lines", "couple"]
    assert {name: found[name] for name in ("content", "user_id", "project_id", "type", "tags", "importance")} == {
        "content": "two\nlines",
        "user_id": "ada",
        "project_id": "p",
        "type": "episodic",
        "tags": ["a", "b"],
        "importance": 0.75,
    }
    assert found["provenance"] == {
        "conversation_id": "c",
        "document_id": "d",
        "learning_context": "small talk",
        "position": 0,
        "message_number": 0,
    }
    assert (found["metadata"], found["occur_time"]) == ({"turn": 3}, "2026-05-20T12:00:00Z")
    assert found["expire_time"] is not None
    links = {(link.type, link.to_memory_id) for link in agent.memories.links("new")}
    assert links == {("related", "other"), ("supersedes", "old")}


def test_the_outcome_of_a_creation_is_printed(command: Command, agent: memoryd.Agent) -> None:
    remember = ("remember", agent.agent_id, "Ada prefers tea", "--user", "ada")
    command(*remember, "--id", "tea")
    assert command(*remember) == (0, "tea already says this; reinforced at revision 2\n", "")
    other = command("remember", agent.agent_id, "Ada prefers coffee", "--user", "ada", "--id", "coffee")
    assert other == (0, "coffee (semantic) was created at revision 3; it contradicts tea\n", "")
    agent.memories.purge("tea", block_reimport=True)
    assert command(*remember) == (0, "nothing was created: this content was purged with --block-reimport\n", "")


def test_an_id_that_is_taken_is_refused(command: Command, agent: memoryd.Agent) -> None:
    agent.memories.remember("x", user_id="ada", memory_id="m")
    code, _, err = command("remember", agent.agent_id, "y", "--user", "ada", "--id", "m")
    assert (code, err.endswith("(RECORD_EXISTS)\n")) == (1, True)
