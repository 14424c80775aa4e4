"""``memoryd agent export`` and ``import``: readable copies of an agent."""

import io
import json
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from tests.integration.kind_of_record import KINDS, call, numbered
from tests.integration.wire import Memory, Wire

import memoryd
from memoryd.v1 import record_pb2
from memoryd_server.ops.cli.agent.transfer import importing
from memoryd_server.ops.cli.agent.transfer.record import KINDS as COPIED
from memoryd_server.ops.cli.agent.transfer.record import WITHIN
from memoryd_server.ops.cli.agent.transfer.write import WRITERS

Command = Callable[..., tuple[int, str, str]]
Line = dict[str, Any]

PAGE = Path(__file__).parents[3] / "docs/operations/copies.md"
NUMBERS = range(3)


@pytest.fixture
def filled(shared_wire: Wire) -> Memory:
    """An agent with records of every kind, changed in every way."""
    agent = shared_wire.agent()
    ninth = {"memory_id": "m9", "content": "nine", "user_id": "ann", "allow_duplicates": True}
    call(agent, "LongTermMemoryService.CreateMemory", {"draft": ninth})
    for kind in KINDS:
        for number in NUMBERS:
            for method, request in kind.changes:
                call(agent, method, numbered(request, number))
    inner = agent.scope("inner", outer := agent.scope("outer", idle_ttl=Duration(seconds=86_400)))
    agent.set("deep", {"a": [1.5, None, "☃"]}, inner, importance=0.0)
    agent.set("deep", 1, outer)
    agent.set("again", 1, agent.scope("outer"), type_name="T", tags=["b", "a"], metadata={"n": 1})
    call(agent, "FragmentService.CreateFragment", {"draft": {"content": "waits", "confidence": 0.0}})
    return agent


def exported(command: Command, agent_id: str) -> list[Line]:
    """Return the lines of an agent's records."""
    code, out, err = command("agent", "export", agent_id, "-")
    assert (code, err) == (0, "")
    header, *lines, end = [json.loads(line) for line in out.splitlines()]
    assert (header["format"], header["version"], header["agentId"]) == ("memoryd.agent", 1, agent_id)
    assert end == {"kind": "end"}
    return lines


def written(path: Path, *lines: Line, agent_id: str = "a") -> str:
    """Write a copy with these lines."""
    header = {"format": "memoryd.agent", "version": 1, "agentId": agent_id, "revision": "1", "exportTime": ""}
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (header, *lines, {"kind": "end"})))
    return str(path)


def set_by_daemon() -> dict[str, set[str]]:
    """Return the fields that the daemon sets, by kind, as the page lists them."""
    text = PAGE.read_text().partition("## Fields that the daemon sets")[2]
    of_all, rows = text.split("| kind |")
    every = set(re.findall(r"`(\w+)`", of_all))
    found = re.findall(r"^\| (\w+) \|(.*)\|$", rows, re.MULTILINE)
    return {kind: every | set(re.findall(r"`(\w+)`", fields)) for kind, fields in found}


def bare(lines: list[Line]) -> list[Line]:
    """Return lines without what the daemon sets."""
    names = set_by_daemon()
    return [_without(line, names[line["kind"]] - _kept(line)) for line in lines]


def _kept(line: Line) -> set[str]:
    """Return the fields of a record that the page says are kept of this one."""
    kept = {"createTime"} if line["kind"] == "message" else set()
    if line["kind"] == "fragment" and not line["record"].get("flushed"):
        kept.add("expireTime")
    if line["kind"] == "document":
        kept.add("mediaType")
    return kept


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: _without(each, names) for name, each in value.items() if name not in names}
    return [_without(each, names) for each in value] if isinstance(value, list) else value


def test_every_kind_of_the_contract_is_copied_or_is_a_part_of_one_that_is() -> None:
    stored = {name.removeprefix("RECORD_KIND_").lower() for name in record_pb2.RecordKind.keys()}  # noqa: SIM118
    assert {*COPIED, *WITHIN} == stored - {"unspecified", "text", "snapshot"}
    assert COPIED.keys() == WRITERS.keys() == set_by_daemon().keys()


def test_the_records_of_these_tests_are_of_every_kind(command: Command, filled: Memory) -> None:
    assert {line["kind"] for line in exported(command, filled.id)} == COPIED.keys()


def test_a_copy_of_a_copy_has_the_same_lines(command: Command, filled: Memory, tmp_path: Path) -> None:
    before, copied, file = exported(command, filled.id), f"{filled.id}-copy", tmp_path / "copy.jsonl"
    code, out, _ = command("agent", "export", filled.id, str(file))
    assert (code, "was written: 1 agent, 6 entries" in out) == (0, True)
    assert file.stat().st_mode & 0o777 == 0o600
    code, out, err = command("agent", "import", str(file), "--as", copied)
    assert (code, err) == (0, "")
    assert bare(exported(command, copied)) == bare(before)


def test_a_copy_in_a_directory_has_the_same_records(command: Command, filled: Memory, tmp_path: Path) -> None:
    before, copied, folder = exported(command, filled.id), f"{filled.id}-copy", tmp_path / "copy"
    assert command("agent", "export", filled.id, f"{folder}/")[0] == 0
    assert {each.name for each in (folder / "notes").iterdir()} == {"n0.md", "n1.md", "n2.md"}
    assert {each.stat().st_mode & 0o777 for each in folder.rglob("*.*")} == {0o600}
    assert '"kind":"note"' not in (folder / "records.jsonl").read_text()
    assert command("agent", "import", str(folder), "--as", copied)[0] == 0
    assert bare(exported(command, copied)) == bare(before)


def test_a_second_import_changes_nothing(command: Command, filled: Memory, tmp_path: Path) -> None:
    file, copied = str(tmp_path / "copy.jsonl"), f"{filled.id}-copy"
    command("agent", "export", filled.id, file)
    for agent_id in (filled.id, copied):
        command("agent", "import", file, "--as", agent_id)
        revision = filled.wire.agent(agent_id).revision
        code, out, _ = command("agent", "import", file, "--as", agent_id, "--json")
        done = json.loads(out)
        assert (code, done["created"], done["replaced"], done["skipped"]) == (0, {}, {}, {})
        assert filled.wire.agent(agent_id).revision == revision


def test_an_import_that_was_interrupted_is_continued(
    command: Command, filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, file, copied = exported(command, filled.id), str(tmp_path / "copy.jsonl"), f"{filled.id}-copy"
    command("agent", "export", filled.id, file)
    commit, commits = importing.Importer._commit, 0

    def interrupted(importer: importing.Importer) -> None:
        nonlocal commits
        if importer._pending and (commits := commits + 1) % 2 == 0:
            raise OSError("interrupted")
        commit(importer)

    interruptions = 0
    with monkeypatch.context() as patched:
        patched.setattr(importing, "COPY_COMMIT_WRITES", 2)
        patched.setattr(importing.Importer, "_commit", interrupted)
        while (done := command("agent", "import", file, "--as", copied))[0] == 1:
            assert done[2] == "memoryd: interrupted\n"
            interruptions += 1
            commits = 0
    assert (done[0], interruptions > 15) == (0, True)
    assert bare(exported(command, copied)) == bare(before)


def note(note_id: str, content: str, **fields: Any) -> Line:
    return {
        "kind": "note",
        "record": {"noteId": note_id, "title": "T", "content": content, "importance": 0.5, **fields},
    }


def test_a_conflict_changes_nothing_unless_it_is_skipped_or_replaced(
    command: Command, agent: memoryd.Agent, tmp_path: Path
) -> None:
    agent.notes.create("T", "old", note_id="a")
    file = written(tmp_path / "copy", note("a", "new"), note("b", "added"), agent_id=agent.agent_id)
    code, out, err = command("agent", "import", file)
    assert (code, out) == (1, "")
    assert "has 1 record that differ" in err.replace("differs", "differ")
    assert "note a" in err
    assert [each.note_id for each in agent.notes.list()] == ["a"]
    assert command("agent", "import", file, "--dry-run") == (code, out, err)
    code, out, _ = command("agent", "import", file, "--on-conflict", "skip")
    assert (code, out) == (0, f"agent '{agent.agent_id}': 1 note created; 1 note different and kept\n")
    assert agent.notes.get("a").content == "old"
    code, out, _ = command("agent", "import", file, "--on-conflict", "replace", "--yes")
    assert (code, out) == (0, f"agent '{agent.agent_id}': 1 note replaced; 1 note unchanged\n")
    assert agent.notes.get("a").content == "new"


def test_every_kind_of_record_that_differs_is_replaced(command: Command, filled: Memory, tmp_path: Path) -> None:
    before, copied, file = exported(command, filled.id), f"{filled.id}-copy", str(tmp_path / "copy")
    command("agent", "export", filled.id, file)
    command("agent", "import", file, "--as", copied)
    other = filled.wire.agent(copied)
    changes = {
        "AgentService.UpdateAgent": {"draft": {"display_name": "other"}, "update_mask": "displayName"},
        "WorkingMemoryService.SetEntry": {"key": "key-0", "value_json": "99"},
        "LongTermMemoryService.UpdateMemory": {
            "memory_id": "m0",
            "draft": {"content": "other"},
            "update_mask": "content",
        },
        "LongTermMemoryService.ForgetMemory": {"memory_id": "m9"},
        "NoteService.UpdateNote": {"note_id": "n0", "draft": {"title": "other"}, "update_mask": "title"},
        "PlanService.AddPlanNote": {"plan_id": "p0", "text": "other"},
        "ConversationService.UpdateConversation": {
            "conversation_id": "talk-0",
            "draft": {"title": "other"},
            "update_mask": "title",
        },
        "EntityService.SetEntities": {"conversation_id": "talk-0", "window_size": 3},
        "DocumentService.UpdateDocument": {"document_id": "d0", "text": "other"},
    }
    for method, request in changes.items():
        call(other, method, request)
    first = next(line["record"] for line in before if line["kind"] == "message")
    talk = {"conversation_id": first["conversationId"]}
    call(other, "ConversationService.DeleteConversation", talk)
    other_message = {"message_id": first["messageId"], "role": "MESSAGE_ROLE_USER", "content": "other"}
    call(other, "ConversationService.AppendMessages", {**talk, "drafts": [other_message]})
    done = json.loads(
        command("agent", "import", file, "--as", copied, "--on-conflict", "replace", "--yes", "--json")[1]
    )
    assert {*done["replaced"]} >= {"agent", "entry", "memory", "note", "plan", "message", "entity_window", "document"}

    def by_kind(lines: list[Line]) -> list[str]:
        return sorted(json.dumps(line, sort_keys=True) for line in lines)

    assert by_kind(bare(exported(command, copied))) == by_kind(bare(before))


def test_notes_are_edited_added_and_deleted_as_files(command: Command, agent: memoryd.Agent, tmp_path: Path) -> None:
    content = "# Head\n\n---\nnot a field: x\r\n\n"
    agent.notes.create("Tea", content, note_id="a", tags=["x"], metadata={"n": 1.5}, importance=0.0, user_id="ann")
    agent.notes.create("Gone", "soon", note_id="b")
    folder = tmp_path / "notes"
    assert command("agent", "export", agent.agent_id, f"{folder}/", "--notes")[0] == 0
    again = ("agent", "import", str(folder), "--on-conflict", "replace", "--delete")
    code, out, _ = command(*again, "--dry-run")
    assert (code, out) == (0, f"would import into agent '{agent.agent_id}': 2 notes unchanged\n")
    (folder / "notes/b.md").unlink()
    (folder / "notes/c.md").write_text("---\ntitle: New\n---\nadded\n")
    edited = folder / "notes/a.md"
    (copied := folder / "notes/z.md").write_bytes(edited.read_bytes())
    code, _, err = command(*again, "--dry-run")
    assert (code, "z.md: the copy has note a twice" in err) == (1, True)
    copied.unlink()
    edited.write_bytes(edited.read_bytes().replace(b"title: Tea", b"title: Tea time"))
    code, out, _ = command(*again, "--dry-run")
    found = f"agent '{agent.agent_id}': 1 note created; 1 note replaced; 1 note deleted\n"
    assert (code, out) == (0, f"would import into {found}")
    assert command(*again)[0] == 2  # Nobody consents.
    assert command(*again, "--yes") == (0, found, "")
    notes = {each.note_id: each for each in agent.notes.list(all_users=True)}
    assert {*notes} == {"a", "c"}
    assert (notes["a"].title, notes["a"].content, notes["a"].importance) == ("Tea time", content, 0.0)
    assert (notes["a"].user_id, notes["a"].tags, notes["a"].metadata) == ("ann", ("x",), {"n": 1.5})
    assert (notes["c"].content, notes["c"].importance) == ("added", 0.5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("title: x\n", "no line of three hyphens"),
        ("---\ntitel: x\n---\nc\n", "no field 'titel'"),
        ("---\n- x\n---\nc\n", "the fields are no mapping"),
        ("---\na: [\n---\nc\n", "the fields are not YAML"),
        ("---\ntitle: 1\n---\nc\n", "title"),
        ("---\ntitle: x\nnote_id: a/b\n---\nc\n", "no note_id"),
    ],
)
def test_a_file_that_is_no_note_is_named(command: Command, tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text(text)
    code, _, err = command("agent", "import", str(tmp_path), "--as", "nobody")
    assert (code, "a.md: " in err, problem in err) == (1, True, True), err


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "line 1 is not the header"),
        (['{"format": "x", "agentId": "a", "revision": "1", "exportTime": ""}'], "its format is 'x'"),
        (['{"version": 2, "agentId": "a", "revision": "1", "exportTime": ""}'], "update memoryd"),
        (["HEADER"], "incomplete"),
        (["HEADER", '{"kind": "note", "record": {"noteId": "a"}}'], "incomplete"),
        (["HEADER", '{"kind": "sheep", "record": {}}'], "line 2: no kind 'sheep'"),
        (["HEADER", '{"kind": "note"}'], "line 2: no record"),
        (["HEADER", "{"], "line 2: "),
        (["HEADER", '{"kind": "note", "record": {"color": 1}}'], "line 2: "),
        (["HEADER", '{"kind": "entry", "record": {"scopeId": "s"}}'], "line 2: scope 's' is not in a line above"),
        (["HEADER", '{"kind": "note", "record": {"noteId": "a"}}', '{"kind":"end"}'], "line 2: "),
        (["HEADER", *['{"kind": "note", "record": {"noteId": "a"}}'] * 2, '{"kind":"end"}'], "has note a twice"),
    ],
)
def test_a_damaged_copy_writes_nothing_and_says_where(
    command: Command, agent: memoryd.Agent, tmp_path: Path, lines: list[str], problem: str
) -> None:
    file = tmp_path / "copy"
    header = '{"format": "memoryd.agent", "version": 1, "agentId": "a", "revision": "1", "exportTime": ""}'
    file.write_text("".join(f"{line.replace('HEADER', header)}\n" for line in lines))
    code, out, err = command("agent", "import", str(file), "--as", agent.agent_id)
    assert (code, out, problem in err) == (1, "", True), err
    assert list(agent.notes.list()) == []


def test_a_copy_comes_from_standard_input(
    command: Command, agent: memoryd.Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Path(written(tmp_path / "copy", note("a", "x"), agent_id=agent.agent_id)).read_bytes()
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: False))
    assert command("agent", "import", "-")[0] == 0
    assert agent.notes.get("a").content == "x"


def test_plans_keep_their_states_in_whatever_order_they_ended(
    command: Command, shared_wire: Wire, tmp_path: Path
) -> None:
    agent, file = shared_wire.agent(), str(tmp_path / "copy")
    for plan_id in ("first", "second", "third"):
        call(agent, "PlanService.CreatePlan", {"draft": {"plan_id": plan_id, "conversation_id": "t", "goal": "G"}})
    call(agent, "PlanService.CompletePlan", {"plan_id": "third"})
    call(agent, "PlanService.ReopenPlan", {"plan_id": "first"})
    before = exported(command, agent.id)
    assert [line["record"]["status"].removeprefix("PLAN_STATUS_") for line in before] == [
        "IN_PROGRESS",
        "REPLACED",
        "COMPLETED",
    ]
    command("agent", "export", agent.id, file)
    assert command("agent", "import", file, "--as", f"{agent.id}-copy")[0] == 0
    assert bare(exported(command, f"{agent.id}-copy")) == bare(before)


def test_memories_keep_their_statuses_and_their_expiry(command: Command, shared_wire: Wire, tmp_path: Path) -> None:
    agent, file, copied = shared_wire.agent(), str(tmp_path / "copy"), shared_wire.agent()
    draft: Line = {"allow_duplicates": True, "skip_contradictions": True}
    for memory_id in ("old", "new", "still", "gone"):
        draft |= {"memory_id": memory_id, "content": f"the {memory_id} one", "type": "MEMORY_TYPE_WORKING"}
        call(agent, "LongTermMemoryService.CreateMemory", {"draft": draft})
    no_expiry = {"memory_id": "new", "update_mask": "expireTime"}
    call(agent, "LongTermMemoryService.UpdateMemory", no_expiry)
    for memory_id in ("old", "still"):
        link = {"from_memory_id": "new", "to_memory_id": memory_id, "type": "MEMORY_LINK_TYPE_SUPERSEDES"}
        call(agent, "LongTermMemoryService.LinkMemories", link)
    active = {"memory_id": "still", "draft": {"status": "MEMORY_STATUS_ACTIVE"}, "update_mask": "status"}
    call(agent, "LongTermMemoryService.UpdateMemory", active)
    related = {"from_memory_id": "new", "to_memory_id": "gone", "type": "MEMORY_LINK_TYPE_RELATED"}
    call(agent, "LongTermMemoryService.LinkMemories", related)
    call(agent, "LongTermMemoryService.ForgetMemory", {"memory_id": "gone"})
    before = exported(command, agent.id)
    assert [line["kind"] for line in before] == ["memory"] * 3 + ["memory_link"] * 2
    command("agent", "export", agent.id, file)
    assert command("agent", "import", file, "--as", copied.id)[0] == 0
    assert bare(exported(command, copied.id)) == bare(before)


def test_what_was_purged_for_good_stays_away(command: Command, agent: memoryd.Agent, tmp_path: Path) -> None:
    agent.memories.remember("the code is 4711", memory_id="secret", user_id="")
    agent.memories.remember("Ada likes tea", memory_id="tea", user_id="")
    agent.memories.remember("Ada is on the train", memory_id="lasts", user_id="", type="working")
    agent.memories.update("lasts", expire_time=None)
    for purged in ("secret", "lasts"):
        agent.memories.link("tea", purged, "related")
    file = str(tmp_path / "copy")
    command("agent", "export", agent.agent_id, file)
    for purged in ("secret", "lasts"):
        agent.memories.purge(purged, block_reimport=True)
    found = f"agent '{agent.agent_id}': 1 memory unchanged; 2 memories refused as purged for good\n"
    assert command("agent", "import", file) == (0, found, "")
    assert [each.memory_id for each in agent.memories.list(user_id="")] == ["tea"]


def test_what_has_expired_is_left_out(command: Command, agent: memoryd.Agent, tmp_path: Path) -> None:
    expired = {"key": "k", "valueJson": "1", "expireTime": "2020-01-01T00:00:00Z"}
    lines = [{"kind": "entry", "record": expired}, {"kind": "entry", "record": {"key": "stays", "valueJson": "2"}}]
    code, out, _ = command("agent", "import", written(tmp_path / "copy", *lines, agent_id=agent.agent_id))
    assert (code, out) == (0, f"agent '{agent.agent_id}': 1 entry created; 1 entry left out as expired\n")
    assert agent.get("stays") == 2


def test_links_of_a_memory_that_has_expired_are_left_out(
    command: Command, agent: memoryd.Agent, tmp_path: Path
) -> None:
    occurred = {"occurTime": "2020-01-01T00:00:00Z", "content": "Ada likes tea"}
    lines = [
        {"kind": "memory", "record": {"memoryId": "gone", **occurred, "expireTime": "2020-01-02T00:00:00Z"}},
        {"kind": "memory", "record": {"memoryId": "stays", **occurred}},
        {"kind": "memory_link", "record": {"fromMemoryId": "stays", "toMemoryId": "gone", "type": 1, "strength": 0.5}},
    ]
    found = "1 memory created; 1 memory, 1 memory link left out as expired"
    file = written(tmp_path / "copy", *lines, agent_id=agent.agent_id)
    assert command("agent", "import", file) == (0, f"agent '{agent.agent_id}': {found}\n", "")
    assert [line["kind"] for line in exported(command, agent.agent_id)] == ["memory"]


def test_an_entry_that_the_agent_would_let_expire_is_refused(
    command: Command, shared_wire: Wire, tmp_path: Path
) -> None:
    agent = shared_wire.agent()
    ttl = {"draft": {"defaults": {"entry_ttl": "60s"}}, "update_mask": "defaults"}
    call(agent, "AgentService.UpdateAgent", ttl)
    lines = {"kind": "entry", "record": {"key": "k", "valueJson": "1"}}
    code, _, err = command("agent", "import", written(tmp_path / "copy", lines, agent_id=agent.id))
    assert (code, "line 2: the entry would expire" in err) == (1, True)


def test_an_agent_that_does_not_exist_and_a_directory_that_is_not_empty_are_refused(
    command: Command, agent: memoryd.Agent, tmp_path: Path
) -> None:
    code, out, err = command("agent", "export", agent.agent_id, "-")
    assert (code, out, "AGENT_NOT_FOUND" in err) == (1, "", True)
    agent.set("k", 1)
    code, out, err = command("agent", "export", agent.agent_id, str(Path(__file__).parent))
    assert (code, out, "is not empty" in err) == (1, "", True)


def test_a_record_of_another_user_is_not_replaced(command: Command, agent: memoryd.Agent, tmp_path: Path) -> None:
    agent.memories.remember("Ada likes tea", memory_id="m", user_id="ada")
    other = {"memoryId": "m", "content": "Bob likes tea", "userId": "bob", "occurTime": "2026-01-01T00:00:00Z"}
    file = written(tmp_path / "copy", {"kind": "memory", "record": other}, agent_id=agent.agent_id)
    code, _, err = command("agent", "import", file, "--on-conflict", "replace", "--yes")
    assert (code, "of another user or project" in err) == (1, True)


def test_a_document_that_changes_during_the_export_is_an_error(
    command: Command, shared_wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoryd_server.ops.cli.agent.transfer import exporting

    agent = shared_wire.agent()
    call(agent, "DocumentService.CreateDocument", {"draft": {"document_id": "d", "title": "T"}, "text": "one"})
    read_text = exporting.read_text

    def late(*arguments: Any) -> str | None:
        call(agent, "DocumentService.UpdateDocument", {"document_id": "d", "text": "two"})
        return read_text(*arguments)

    monkeypatch.setattr(exporting, "read_text", late)
    code, out, err = command("agent", "export", agent.id, "-")
    assert (code, "document d changed during the export" in err, '{"kind":"end"}' in out) == (1, True, False)
