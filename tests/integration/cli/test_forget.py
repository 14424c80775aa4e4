import json
import sys
from collections.abc import Callable

import pytest
from tests.integration.cli.keyboard import Typed

import memoryd
from memoryd import errors

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def forget(command: Command, agent: memoryd.Agent) -> Command:
    """Runs ``memoryd forget`` for the memory ``m``."""
    agent.memories.remember("Ada's PIN is 1234", user_id="ada", memory_id="m")
    return lambda *flags: command("forget", agent.agent_id, "m", *flags)


def test_a_memory_is_forgotten_and_restored(forget: Command, agent: memoryd.Agent) -> None:
    assert forget()[1].startswith("m is forgotten; it can be restored until 2")
    assert forget()[1].startswith("m was forgotten before; it can be restored until 2")
    assert [found.memory_id for found in agent.memories.list(forgotten_only=True)] == ["m"]
    assert forget("--restore") == (0, "m was restored\n", "")
    assert forget("--restore") == (0, "m was not forgotten\n", "")
    assert json.loads(forget("--json")[1])["changed"] is True


def test_a_memory_is_purged_and_kept_out(forget: Command, agent: memoryd.Agent) -> None:
    assert forget("--purge", "--keep-out", "--yes") == (0, "m is gone for good\n", "")
    with pytest.raises(errors.MemoryNotFound):
        agent.memories.get("m", include_forgotten=True)
    assert agent.memories.remember("Ada's PIN is 1234", user_id="ada").outcome == "kept_out"
    line = f"memoryd: agent {agent.agent_id!r} has no memory 'm' (MEMORY_NOT_FOUND)\n"
    assert forget("--purge", "--yes") == (1, "", line)


@pytest.mark.parametrize(("answer", "code", "is_there"), [("n\n", 130, True), ("y\n", 0, False)])
def test_a_person_is_asked_before_a_memory_is_purged(
    forget: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, is_there: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", Typed(answer))
    assert forget("--purge")[0] == code
    assert bool(list(agent.memories.list())) is is_there
