"""A language's player of scenarios reports a response that is not the expected one."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients.language import Language
from tests.daemon import Daemon

RUN_S_MAX = 120.0

AGENT = {"agent_id": "${agent}"}
ENTRY = {**AGENT, "key": "key"}
EVENTS = {"filters": [{"agent_ids": ["${agent}"]}]}


def put(**fields: Any) -> dict[str, Any]:
    return {"call": "WorkingMemoryService.SetEntry", "request": {**ENTRY, "value_json": "1", "tags": ["one"]}, **fields}


def get(**fields: Any) -> dict[str, Any]:
    return {"call": "WorkingMemoryService.GetEntry", "request": ENTRY, **fields}


def get_agent(**error: Any) -> dict[str, Any]:
    return {"call": "AgentService.GetAgent", "request": AGENT, "error": error}


WRONG: dict[str, list[dict[str, Any]]] = {
    "another value": [put(), get(response={"entry": {"value_json": "2"}})],
    "a number where there is a string": [put(response={"revision": 1})],
    "a number where there is a truth": [put(), get(response={"found": 1})],
    "a string where there is a number": [put(), get(response={"entry": {"importance": "0.5"}})],
    "an item too few": [put(), get(response={"entry": {"tags": []}})],
    "an item too many": [put(), get(response={"entry": {"tags": ["one", "two"]}})],
    "nothing where there is something": [put(), get(response={"entry": "${absent}"})],
    "null where there is nothing": [get(response={"entry": None})],
    "nothing where there is null": [
        put(request={**ENTRY, "value_json": "1", "metadata": {"a": None}}),
        get(response={"entry": {"metadata": {"a": "${absent}"}}}),
    ],
    "null for a response": [get(response=None)],
    "null for an error": [put(error=None)],
    "something where there is nothing": [get(response={"entry": "${present}"})],
    "something where there is an empty string": [put(), get(response={"entry": {"type_name": "${present}"}})],
    "something where there is a 64-bit 0": [get(response={"revision": "${present}"})],
    "a field that the response does not have": [put(response={"nonsense": True})],
    "a mapping where there is none": [get(response={"entry": {"key": "key"}})],
    "an error that does not come": [put(error={"code": "ABORTED"})],
    "an error that is not expected": [{"call": "AgentService.GetAgent", "request": AGENT}],
    "another code": [get_agent(code="ABORTED")],
    "another reason": [get_agent(code="NOT_FOUND", reason="ERROR_REASON_RECORD_NOT_FOUND")],
    "other metadata": [get_agent(code="NOT_FOUND", metadata={"agent_id": "other"})],
    "a bad field where there is none": [get_agent(code="NOT_FOUND", field="agent_id")],
    "another event": [
        {"watch": "w", "request": EVENTS},
        put(),
        {"events": "w", "expect": [{"entry": {"key": "other"}}]},
    ],
    "events of a watch that there is not": [{"events": "w", "expect": []}],
    "a watch that opens": [{"watch": "w", "request": EVENTS, "error": {"code": "ABORTED"}}],
    "a watch that does not open": [{"watch": "w", "request": {"resume_token": "damaged"}}],
    "an unknown method": [{"call": "WorkingMemoryService.Nonsense"}],
    "an unknown service": [{"call": "NonsenseService.GetEntry"}],
    "a method that is not unary": [{"call": "SnapshotService.ExportSnapshot", "request": {"snapshot_id": "none"}}],
    "an unknown field of a request": [get(request={**ENTRY, "nonsense": 1})],
    "an unknown word in a step": [get(nonsense=1)],
    "an unknown kind of step": [{"nonsense": 1}],
    "an unknown variable": [get(request={**ENTRY, "key": "${nobody}"})],
    "a path that is not there": [put(save={"it": "nonsense.here"})],
    "a failure in a repetition": [{"repeat": 2, "steps": [get(response={"found": True})]}],
    "a failure in one of the tasks": [
        {"tasks": 3, "steps": [put(request={**ENTRY, "key": "${task}", "value_json": "1"}, response={"revision": "1"})]}
    ],
}


def played(language: Language, daemon: Daemon, *files: Path) -> dict[str, str]:
    """Return the reason why each file has not passed, by its name; empty if it has."""
    command = [*language.conformance, "scenarios", daemon.address, *map(str, files)]
    done = subprocess.run(
        command, cwd=language.folder, stdout=subprocess.PIPE, text=True, timeout=RUN_S_MAX, check=False
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == (0 if all(each["passed"] for each in results) else 1)
    return {Path(each["file"]).stem: "" if each["passed"] else each["why"] for each in results}


def test_an_unexpected_result_does_not_pass(language: Language, shared_daemon: Daemon, tmp_path: Path) -> None:
    files = []
    for name, steps in WRONG.items():
        files.append(tmp_path / f"{name}.yaml")
        # JSON is YAML.
        files[-1].write_text(json.dumps({"scenario": name, "rows": [], "steps": steps}))
    why = played(language, shared_daemon, *files)
    assert list(why) == list(WRONG)
    assert [name for name in WRONG if not why[name]] == []


@pytest.mark.parametrize("text", ["steps: []", "- nothing", "scenario: [", "scenario: a\nrows: []\nsteps: 1", ""])
def test_an_invalid_scenario_does_not_pass(
    language: Language, shared_daemon: Daemon, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(text)
    assert all(played(language, shared_daemon, file, tmp_path / "missing.yaml").values())


def test_plain_scalars_are_those_of_json(language: Language, shared_daemon: Daemon, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(
        "scenario: Words that YAML might read otherwise\nrows: []\nsteps:\n"
        '  - call: WorkingMemoryService.SetEntry\n    request: {agent_id: "${agent}", key: no, value_json: "1",'
        " type_name: 12:30:45, tags: [yes, 1_000, 0x1F, 2026-01-01, .5, ~, Null, True],"
        " metadata: {a: null, b: 1e2, c: }}\n"
        '  - call: WorkingMemoryService.GetEntry\n    request: {agent_id: "${agent}", key: "no"}\n'
        '    response: {entry: {type_name: "12:30:45", metadata: {a: null, b: 100, c: ""},\n'
        '      tags: ["yes", "1_000", "0x1F", "2026-01-01", ".5", "~", "Null", "True"]}}\n'
    )
    assert played(language, shared_daemon, file) == {"scenario": ""}
