import json
import sys
from collections.abc import Callable

import pytest
from tests.integration.cli.keyboard import Typed

import memoryd
from memoryd import errors

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(command: Command, agent: memoryd.Agent) -> Command:
    """Runs a command of ``memoryd memory`` for the memory ``m``."""
    agent.memories.remember("Ada's PIN is 1234", user_id="ada", memory_id="m")
    return lambda verb, *flags: command("memory", verb, agent.agent_id, "m", *flags)


def test_a_memory_is_forgotten_and_restored(run: Command, agent: memoryd.Agent) -> None:
    assert run("forget")[1].startswith("m was forgotten; restorable until 2")
    assert run("forget")[1].startswith("m was forgotten before; restorable until 2")
    assert [found.memory_id for found in agent.memories.list(all_users=True, forgotten_only=True)] == ["m"]
    assert run("restore") == (0, "m was restored\n", "")
    assert run("restore") == (0, "m is not forgotten\n", "")
    assert json.loads(run("forget", "--json")[1])["deleted"] is True


def test_a_memory_is_purged_and_its_content_blocked(run: Command, agent: memoryd.Agent) -> None:
    assert run("purge", "--block-reimport", "--yes") == (0, "m was purged\n", "")
    with pytest.raises(errors.RecordNotFound):
        agent.memories.get("m", include_forgotten=True)
    assert agent.memories.remember("Ada's PIN is 1234", user_id="ada").outcome == "blocked"
    line = f"memoryd: agent {agent.agent_id!r} has no memory 'm' (RECORD_NOT_FOUND)\n"
    assert run("purge", "--yes") == (1, "", line)
    assert run("forget") == (1, "", line)


@pytest.mark.parametrize(("answer", "code", "is_there"), [("n\n", 130, True), ("y\n", 0, False)])
def test_a_person_is_asked_before_a_memory_is_purged(
    run: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, is_there: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", Typed(answer))
    assert run("purge")[0] == code
    assert bool(list(agent.memories.list(all_users=True))) is is_there
