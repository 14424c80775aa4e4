"""Names as a person types them: short ids, completion, and near names."""

import sys
from collections.abc import Callable
from unittest.mock import Mock

import pytest
from click.shell_completion import ShellComplete

import memoryd
from memoryd.errors import NotFound, PermissionDenied
from memoryd_server.ops.cli.client.name import short_id
from memoryd_server.ops.cli.main import memoryd as command_tree

Command = Callable[..., tuple[int, str, str]]

IDS = ("abcd1234567890123451", "abcd1234567890123452", "beef1234567890123453")
"""Ids of the shape of generated ones."""


@pytest.fixture
def noted(agent: memoryd.Agent) -> memoryd.Agent:
    """An agent with notes of these ids."""
    for note_id in (*IDS, "talk-2"):
        agent.notes.create(note_id, "text", note_id=note_id)
    return agent


@pytest.fixture
def watched(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs ``memoryd`` where a person reads its errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        return command(*arguments)

    return run


def completed(words: list[str], incomplete: str) -> list[str]:
    """Return what a shell would offer after these words."""
    found = ShellComplete(command_tree, {}, "memoryd", "_MEMORYD_COMPLETE").get_completions(words, incomplete)
    return [each.value for each in found]


def test_the_beginning_of_one_generated_id_stands_for_it(command: Command, noted: memoryd.Agent) -> None:
    name = noted.agent_id
    assert command("note", "get", name, "beef") == (0, "text\n", "")
    assert command("note", "delete", name, "beef12")[1] == f"{IDS[2]} was deleted\n"


def test_an_ambiguous_beginning_is_refused_with_the_candidates(command: Command, noted: memoryd.Agent) -> None:
    code, _, err = command("note", "delete", noted.agent_id, "abcd")
    assert (code, err) == (2, f"memoryd: 'abcd' is the beginning of 2 note ids: {IDS[0]}, {IDS[1]}.\n")
    assert len(list(noted.notes.list())) == 4


@pytest.mark.parametrize("given", ["talk", "bee", "talk-", "beefy", "2026", "2026052", "decade", "ticket_1"])
def test_a_name_that_a_person_chose_is_never_completed(command: Command, noted: memoryd.Agent, given: str) -> None:
    for chosen in ("20260520", "decade2020", "ticket_12345678", "20260520t101500-talk"):
        noted.notes.create(chosen, "text", note_id=chosen)
    assert command("note", "delete", noted.agent_id, given)[0] == 1
    assert len(list(noted.notes.list())) == 8


def test_a_short_id_among_too_many_is_refused(
    command: Command, noted: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(short_id, "NAMES_LISTED_MAX", 1)
    code, _, err = command("note", "delete", noted.agent_id, "abcd")
    assert (code, err) == (2, "memoryd: There are too many note ids to find 'abcd' among them: give the whole id.\n")
    assert len(list(noted.notes.list())) == 4


@pytest.mark.parametrize("refused", ["get", "list"])
def test_a_token_that_may_not_read_names_records_by_their_ids(refused: str) -> None:
    client = Mock()
    notes = client.agent.return_value.notes
    notes.get.side_effect = NotFound("none")
    getattr(notes, refused).side_effect = PermissionDenied("not with this token")
    assert short_id.full_id(client, "note", "a", "tone") == "tone"


def test_the_ids_that_are_generated_may_be_short(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    fragment = agent.fragments.create("Ada drinks tea")
    snapshot_id = agent.create_snapshot().snapshot_id
    assert command("fragment", "get", name, fragment.fragment.fragment_id[:-1])[0] == 0
    assert command("snapshot", "get", snapshot_id[:19], "-q")[0] == 0


def test_an_id_that_exists_stands_for_itself(command: Command, noted: memoryd.Agent) -> None:
    noted.notes.create("short", "this one", note_id="abcd1234")
    assert command("note", "get", noted.agent_id, "abcd1234")[1] == "this one\n"


def test_short_ids_stand_for_records_of_all_kinds(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    memory = agent.memories.remember("Ada drinks tea").memory
    assert memory is not None
    scope = agent.create_scope("task")
    plan = agent.plans.create("Tea", ["Buy"])
    document = agent.documents.create("Tea is green.")
    agent.memories.forget(memory.memory_id)
    assert command("memory", "restore", name, memory.memory_id[:12])[0] == 0
    assert command("scope", "get", name, scope.scope_id[:12])[0] == 0
    assert command("set", name, "k", "1", "--scope", scope.scope_id[:12])[0] == 0
    assert command("plan", "add-step", name, "Brew", "--plan", plan.plan_id[:12])[0] == 0
    assert command("document", "text", name, document.document_id[:12])[1] == "Tea is green.\n"
    linked = agent.memories.remember("Ada drinks coffee, too").memory
    assert linked is not None
    assert command("memory", "link", name, memory.memory_id[:12], linked.memory_id[:12])[0] == 0
    assert scope.get("k") == 1


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["get", "AGENT", "colr"], "has no key 'colr'; did you mean key 'color'?"),
        (["get", "AGENT-", "color"], "; did you mean agent 'AGENT'?"),
        (["agent", "stats", "AGENT-"], "(AGENT_NOT_FOUND); did you mean agent 'AGENT'?"),
        (["note", "get", "AGENT", "talk-3"], "(RECORD_NOT_FOUND); did you mean note 'talk-2'?"),
    ],
)
def test_a_person_reads_which_name_is_near(
    watched: Command, noted: memoryd.Agent, arguments: list[str], advice: str
) -> None:
    noted.set("color", "red")
    name = noted.agent_id
    code, _, err = watched(*(each.replace("AGENT", name) for each in arguments))
    assert code == 1
    assert advice.replace("AGENT'", f"{name}'") in err


def test_a_script_gets_no_advice(command: Command, noted: memoryd.Agent) -> None:
    noted.set("color", "red")
    assert "did you mean" not in command("get", noted.agent_id, "colr")[2]


@pytest.mark.usefixtures("command")
def test_agents_keys_and_ids_are_completed(noted: memoryd.Agent) -> None:
    name = noted.agent_id
    noted.set("color", "red")
    noted.set("size", 1)
    scope = noted.create_scope("task")
    scope.set("cost", 1)
    assert name in completed(["get"], name[:-2])
    assert completed(["get", name], "c") == ["color"]
    assert completed(["get", "--scope", scope.scope_id, name], "co") == ["color", "cost"]
    assert completed(["note", "get", name], "") == [*IDS, "talk-2"]
    assert completed(["scope", "get", name], scope.scope_id[:3]) == [scope.scope_id]


@pytest.mark.usefixtures("command")
def test_a_name_that_a_shell_would_not_take_as_it_is_is_not_completed(agent: memoryd.Agent) -> None:
    for key in ("$(id)", "`id`", "--erase", "two words", "a;b", "k*", "~", "x\u202ey", "a-b.c/d:e", "é"):
        agent.set(key, 1)
    assert completed(["get", agent.agent_id], "") == ["a-b.c/d:e", "é"]


@pytest.mark.usefixtures("command")
def test_a_snapshot_is_completed(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    snapshot_id = agent.create_snapshot(f"of-{agent.agent_id}").snapshot_id
    assert completed(["snapshot", "restore"], snapshot_id[:-3]) == [snapshot_id]


def test_nothing_is_completed_and_no_error_shown_without_a_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", "127.0.0.1:1")
    assert completed(["get"], "") == []
    monkeypatch.setenv("MEMORYD_ADDRESS", "no address")
    assert completed(["get"], "") == []


@pytest.mark.parametrize(("shell", "line"), [("bash", "complete "), ("zsh", "#compdef memoryd"), ("fish", "complete ")])
def test_the_script_of_a_shell_is_printed(command: Command, shell: str, line: str) -> None:
    code, out, _ = command("completion", shell)
    assert code == 0
    assert line in out
    assert f"_MEMORYD_COMPLETE={shell}_complete" in out or f"_MEMORYD_COMPLETE {shell}_complete" in out
