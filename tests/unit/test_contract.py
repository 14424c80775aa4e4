"""The contract follows the patterns of docs/contributing/contract.md."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contract.contract import PROTOS, contract, read
from tests.contract.http import AGENT
from tests.contract.rule import findings


def test_all_kinds_follow_the_patterns() -> None:
    assert not findings(contract())


_EVENTS_BY_BODY = """
      additional_bindings: {
        post: "/v1/events:list"
        body: "*"
      }"""
_NOTE_BY_ID = f'option (google.api.http) = {{get: "{AGENT}/notes/{{note_id}}"}};'
_OTHER_PATH = f'additional_bindings: {{get: "{AGENT}/plans/{{plan_id}}/conversations'
_STREAM = 'option (method_policy).access = METHOD_ACCESS_HEADER; option (google.api.http) = {get: "/v1/documents"};'


def _replaced(file: str, old: str, new: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for source in (PROTOS / "memoryd/v1").glob("*.proto"):
            text = source.read_text()
            if source.name == file:
                assert old in text
                text = text.replace(old, new, 1)
            (folder / source.name).write_text(text)

    return write


@pytest.mark.parametrize(
    ("write", "finding"),
    [
        (_replaced("note_service.proto", "request_id = 2", "request_id = 30"), "the number of request_id is 2"),
        (_replaced("note_service.proto", "request_id = 2", "request_key = 2"), "kept for request_id"),
        (_replaced("note_service.proto", "Consistency consistency = 4;", ""), "has no consistency"),
        (_replaced("note_service.proto", "string page_token = 6;", ""), "has no page_token"),
        (_replaced("note_service.proto", "int64 revision = 1;", "int32 revision = 1;"), "is int32, but"),
        (_replaced("note_service.proto", "Maximum number of records", "Number of records"), "its comment differs"),
        (_replaced("note_service.proto", "RecordFilter filter = 15;", ""), "has no filter"),
        (_replaced("note_service.proto", "RecordFilter filter = 15;", "RecordFilter filter = 16;"), "of filter is 15"),
        (_replaced("note_service.proto", "RecordFilter filter = 15;", "string query = 15;"), "kept for filter"),
        (_replaced("note_service.proto", "bool erase = 16;", ""), "has no erase"),
        (_replaced("note_service.proto", "bool erase = 16;", "bool gone = 16;"), "kept for erase"),
        (_replaced("note_service.proto", "ErasureReceipt receipt = 4;", ""), "has no receipt"),
        (_replaced("note_service.proto", "Selects the records; see", "Selects notes; see"), "its comment differs"),
        (_replaced("note.proto", "create_time = 4", "created = 40"), "the name of a Timestamp ends with"),
        (_replaced("note_service.proto", "Precondition agent_precondition = 7;", ""), "has no agent_precondition"),
        (
            _replaced("note.proto", "optional double importance = 14", "optional double importance = 30"),
            "differs from",
        ),
        (_replaced("note.proto", "optional double importance = 14", "bool pinned = 14"), "begins at 40"),
        (
            _replaced("entry.proto", "type_name = 13 [(field_policy).content = true]", "type_name = 13"),
            "Entry.type_name is",
        ),
        (_replaced("note_service.proto", "bool deleted = 10;", "bool is_deleted = 10;"), "a flag has no prefix"),
        (_replaced("working_memory_service.proto", "ListOrder order = 8;", ""), "has no order"),
        (_replaced("working_memory_service.proto", "RecordView view = 9;", ""), "has no view"),
        (_replaced("working_memory_service.proto", "int64 total_count = 3;", ""), "has no total_count"),
        (_replaced("working_memory_service.proto", "  Entry entry = 10;", ""), "has no entry"),
        (_replaced("working_memory_service.proto", "bool deleted = 10;", "bool gone = 10;"), "has no deleted"),
        (
            _replaced("working_memory_service.proto", "cleared_entry_count", "entries_cleared"),
            "a count ends with _count",
        ),
        (
            _replaced("working_memory_service.proto", "rpc ListEntries(", "rpc ListThings("),
            "the name of a method has the noun",
        ),
        (_replaced("entry.proto", "type_name = 13 [(field_policy).content = true]", "type_name = 13"), "type_name"),
        (_replaced("note.proto", "at most 64, each", "at most 65, each"), "NoteDraft.tags has"),
        (
            _replaced("note.proto", "in one line, not blank.", "in one line. Empty for none."),
            "NoteDraft.title has REQUIRED",
        ),
        (_replaced("note.proto", "from 0 to 1. Absent", "a number. Absent"), "NoteDraft.importance has value_min"),
        (_replaced("note.proto", "= OUTPUT_ONLY", "= IMMUTABLE"), "Note.revision has IMMUTABLE"),
        (_replaced("entry.proto", 'option ruby_package = "Memoryd::V1";', ""), "ruby_package is not"),
        (_replaced("note_service.proto", _NOTE_BY_ID, ""), "GetNote has no google.api.http"),
        (_replaced("note_service.proto", "notes/{note_id}", "notes/{note}"), "GetNoteRequest has no note for"),
        (_replaced("note_service.proto", "notes/{note_id}", "Notes/{note_id}"), "is not a path of camelCase"),
        (_replaced("note_service.proto", "{agent_id}/notes", "notes"), "does not begin with /v1/agents/{agent_id}"),
        (_replaced("note_service.proto", "notes/{note_id}", "notes"), "have the path GET /v1/agents/{agent_id}/notes"),
        (_replaced("note_service.proto", '{get: "', '{post: "'), "Get is called by GET, not by POST"),
        (_replaced("note_service.proto", 'body: "*"', 'body: "draft"'), "the body of POST is '*', not 'draft'"),
        (_replaced("note_service.proto", "= NO_SIDE_EFFECTS", "= IDEMPOTENT"), "GET is for methods that only read"),
        (_replaced("event_service.proto", _EVENTS_BY_BODY, ""), "does not fit into a query: add a path with a body"),
        (
            _replaced("plan_service.proto", f'additional_bindings: {{get: "{AGENT}/conversations', _OTHER_PATH),
            "plan_id may be empty",
        ),
        (
            _replaced("document_service.proto", "option (method_policy).access = METHOD_ACCESS_HEADER;", _STREAM),
            "stream",
        ),
    ],
)
def test_a_break_of_a_pattern_is_found(write: Callable[[Path], None], finding: str, tmp_path: Path) -> None:
    folder = tmp_path / "memoryd/v1"
    folder.mkdir(parents=True)
    write(folder)
    assert any(finding in each for each in findings(read(tmp_path)))
