import io
import json
import sys
import types
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_plan_is_made_followed_and_completed(command: Command, agent: memoryd.Agent) -> None:
    name, conversation = agent.agent_id, ("--conversation", "talk")
    made = command("plan", "create", name, "Paint", "Buy paint", "Hang it up", "--id", "paint", *conversation)
    assert made == (0, "paint was created at revision 1\n", "")
    step = command("plan", "update-step", name, "1", *conversation, "--status", "completed", "--notes", "blue")
    assert step == (0, "1 was updated at revision 2\n", "")
    added = command("plan", "add-step", name, "Paint it", "--plan", "paint", "--before", "2")
    assert added == (0, "3 was added at revision 3\n", "")
    noted = command("plan", "add-note", name, "Ada likes blue", *conversation)
    assert noted == (0, "the note was added\n", "")
    code, out, _ = command("plan", "get", name, *conversation)
    shown = out.splitlines()
    assert (code, shown[0], shown[-1]) == (0, "[CURRENT_PLAN]", "[END_CURRENT_PLAN]")
    assert shown[6:11] == [
        "Steps:",
        "  ● [1] Buy paint (Completed)",
        "      Notes: blue",
        "  ○ [3] Paint it (Pending)",
        "  ○ [2] Hang it up (Pending)",
    ]
    assert command("plan", "complete", name, "paint", "--if-revision", "3")[0] == 1
    assert command("plan", "complete", name, *conversation) == (0, "paint was completed at revision 5\n", "")
    code, out, _ = command("plan", "get", name, *conversation)
    assert (code, out.splitlines()[1]) == (0, shown[1])
    assert "Completed" in out
    assert "(PLAN_ENDED)" in command("plan", "add-note", name, "late", "--plan", "paint")[2]
    assert command("plan", "reopen", name, "paint") == (0, "paint was reopened at revision 6\n", "")


def test_a_plan_and_its_steps_are_changed(command: Command, agent: memoryd.Agent) -> None:
    name, here = agent.agent_id, ("--plan", "p")
    options = ("--user", "ada", "--tag", "t", "--metadata", '{"room": 7}')
    assert command("plan", "create", name, "Paint", "Buy", "Paint", "Dry", "--id", "p", *options)[0] == 0
    plan = agent.plans.get(plan_id="p")
    assert (plan.user_id, plan.tags, plan.metadata) == ("ada", ("t",), {"room": 7})
    changed = command("plan", "update", name, "p", "--goal", "Paint blue", "--tag", "a", "--tag", "b")
    assert changed == (0, "p was updated at revision 2\n", "")
    assert command("plan", "update", name, "p", "--metadata", "{}", "--if-revision", "1")[0] == 1
    assert command("plan", "update", name, "p", "--metadata", "{}", "--if-revision", "2")[0] == 0
    plan = agent.plans.get(plan_id="p")
    assert (plan.goal, plan.tags, plan.metadata) == ("Paint blue", ("a", "b"), {})
    assert command("plan", "update", name, "p", "--no-tags")[0] == 0
    moved = command("plan", "move-step", name, "3", *here, "--before", "1")
    assert moved == (0, "3 was moved at revision 5\n", "")
    assert command("plan", "remove-step", name, "1", *here, "--if-revision", "1") == (0, "1 was deleted\n", "")
    code, _, error = command("plan", "remove-step", name, "1", *here)
    assert code == 1
    assert "(RECORD_NOT_FOUND)" in error
    plan = agent.plans.get(plan_id="p")
    assert (plan.tags, [step.step_id for step in plan.steps]) == ((), ["3", "2"])


def test_a_plan_is_printed_as_json(command: Command, agent: memoryd.Agent) -> None:
    agent.plans.create("Paint", ["Buy paint"], plan_id="paint", conversation_id="talk")
    printed = json.loads(command("plan", "get", agent.agent_id, "paint", "--json")[1])
    assert (printed["goal"], printed["status"], printed["end_time"]) == ("Paint", "in_progress", None)
    (step,) = printed["steps"]
    assert (step["step_id"], step["description"], step["status"]) == ("1", "Buy paint", "pending")
    added = json.loads(command("plan", "add-step", agent.agent_id, "Go", "--plan", "paint", "--json")[1])
    assert (added["step_id"], added["description"], added["revision"]) == ("2", "Go", 2)


def test_a_template_gives_its_goal_and_steps(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    assert command("plan", "create", name, "Release", "Test", "Tag", "--id", "release")[0] == 0
    made = command("plan", "create", name, "--template", "release", "--conversation", "talk", "--id", "mine")
    assert made == (0, "mine was created at revision 2\n", "")
    plan = agent.plans.get(conversation_id="talk")
    assert (plan.plan_id, plan.goal, [step.description for step in plan.steps]) == ("mine", "Release", ["Test", "Tag"])
    code, _, error = command("plan", "create", name, "Other", "--conversation", "talk", "--if-absent")
    assert code == 1
    assert "(RECORD_EXISTS)" in error


def test_a_list_in_a_pipe_has_a_row_for_each(command: Command, agent: memoryd.Agent) -> None:
    agent.plans.create("two\nlines", ["x", "y"], plan_id="a", conversation_id="talk")
    agent.plans.update_step("1", plan_id="a", status="completed")
    agent.plans.create("G", plan_id="b", conversation_id="talk")
    agent.plans.create("G", plan_id="t", user_id="ada")

    def listed(*options: str) -> list[list[str]]:
        code, out, _ = command("plan", "list", agent.agent_id, *options)
        assert code == 0
        return [line.split("\t")[:6] for line in out.splitlines()]

    rows = [
        ["a", "talk", "two lines", "replaced", "1", "2"],
        ["b", "talk", "G", "in_progress", "0", "0"],
        ["t", "", "G", "in_progress", "0", "0"],
    ]
    assert listed("--all-users") == rows
    assert listed("--conversation", "talk", "--newest-first") == [rows[1], rows[0]]
    assert listed("--all-users", "--conversation", "") == [rows[2]]
    assert listed("--all-users", "--status", "replaced") == [rows[0]]
    assert listed("--all-users", "--status", "replaced", "--status", "in_progress") == rows
    assert listed("--user", "ada") == [rows[2]]
    assert listed("--user", "") == rows[:2]


def test_a_plan_is_removed(command: Command, agent: memoryd.Agent) -> None:
    agent.plans.create("G", plan_id="p")
    assert command("plan", "delete", agent.agent_id, "p", "--if-revision", "1") == (0, "p was deleted\n", "")
    code, out, error = command("plan", "delete", agent.agent_id, "p")
    assert (code, out) == (1, "")
    assert "(RECORD_NOT_FOUND)" in error


def test_what_was_learned_may_come_from_standard_input(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.plans.create("G", ["x"], plan_id="p")
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    assert command("plan", "add-note", agent.agent_id, "-", "--plan", "p")[0] == 0
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"notes\n")))
    assert command("plan", "update-step", agent.agent_id, "1", "--plan", "p", "--notes", "-")[0] == 0
    plan = agent.plans.get(plan_id="p")
    assert (plan.notes[0].text, plan.steps[0].notes) == ("two\nlines", "notes")


@pytest.mark.parametrize(
    "arguments",
    [
        ("get", "ada"),
        ("get", "ada", "p", "--conversation", "c"),
        ("update", "ada", "p"),
        ("update", "ada", "--goal", "g"),
        ("update-step", "ada", "1", "--plan", "p"),
        ("update-step", "ada", "1", "--status", "completed"),
    ],
)
def test_it_must_be_said_which_plan_and_what_changes(command: Command, arguments: tuple[str, ...]) -> None:
    assert command("plan", *arguments)[0] == 2
