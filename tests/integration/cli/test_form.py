import json
import sys
from collections.abc import Callable

import pytest
import yaml

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_list_is_written_in_the_form_that_is_asked_for(command: Command, agent: memoryd.Agent) -> None:
    note = agent.notes.create("Tone", "Be brief.\nBe kind.", tags=["x"])
    name = agent.agent_id
    assert command("note", "list", name, "-q")[1] == f"{note.note_id}\n"
    heading, row = command("note", "list", name, "-o", "table")[1].splitlines()
    assert heading.split()[:3] == ["NOTE", "TITLE", "CONTENT"]
    wide = command("note", "list", name, "-o", "wide")[1].splitlines()
    assert wide[0].split()[-1] == "TAGS"
    assert wide[1].split()[-1] == "x"
    (alone,) = command("note", "list", name, "-o", "table", "--no-headers")[1].splitlines()
    assert alone.split()[:2] == row.split()[:2]
    local = f"{note.create_time.astimezone():%Y-%m-%d %H:%M:%S}"
    assert local in command("note", "list", name, "-o", "table", "--times", "absolute")[1]
    assert local not in row


def test_yaml_has_what_json_has(command: Command, agent: memoryd.Agent) -> None:
    agent.notes.create("x: y", "é", note_id="n")
    agent.notes.create("2026-05-20", "a\nb", tags=["null"])
    for form in (["note", "list", agent.agent_id], ["note", "get", agent.agent_id, "n"]):
        lines = command(*form, "--json")[1].splitlines()
        assert [*yaml.safe_load_all(command(*form, "-o", "yaml")[1])] == [json.loads(line) for line in lines]


def test_json_excludes_another_form(command: Command, agent: memoryd.Agent) -> None:
    assert command("ls", agent.agent_id, "--json", "-o", "json")[0] == 0
    assert command("ls", agent.agent_id, "--json", "-o", "yaml")[0] == 2


def test_a_quiet_creation_prints_the_id_alone(command: Command, agent: memoryd.Agent) -> None:
    note_id = command("note", "create", agent.agent_id, "Tone", "short", "-q")[1].strip()
    assert agent.notes.get(note_id).title == "Tone"
    assert command("note", "update", agent.agent_id, note_id, "--title", "T", "-q")[1] == ""


def test_a_terminal_gets_no_control_characters_in_objects(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "é \u202e \x9b31m \x7f"
    agent.set("k", memoryd.Json(f'{{"a":\t"{hostile}"}}'))
    agent.set("é", 1)

    def shown(*arguments: str) -> str:
        with monkeypatch.context() as patched:
            patched.setattr(sys.stdout, "isatty", lambda: True)
            return command("get", agent.agent_id, *arguments)[1]

    for form, parse in (("json", json.loads), ("yaml", yaml.safe_load)):
        out = shown("k", "-o", form)
        assert not set("\u202e\x9b\x7f\t") & set(out)
        assert parse(out)["value"] == {"a": hostile}
        assert "é" in shown("é", "-o", form)
        assert "\u202e" in command("get", agent.agent_id, "k", "-o", form)[1]
