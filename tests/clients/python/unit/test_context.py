"""The sections of a context, as requests to the daemon."""

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

import memoryd
from memoryd.protocol.context import compose_context


def asked(section: memoryd.ContextSection) -> dict[str, Any]:
    call = compose_context(
        "agent", "talk", [section], max_tokens=None, model="", query="", include_manifest=False, options={}
    )
    (message,) = MessageToDict(call.request, preserving_proto_field_name=True)["sections"]
    return dict(message)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (memoryd.PlanSection(), {"plan": {}}),
        (
            memoryd.PlanSection("other", max_tokens=5, priority=2, name="p"),
            {"plan": {"conversation_id": "other"}, "max_tokens": "5", "priority": 2, "name": "p"},
        ),
        (memoryd.EntitiesSection("chat 7"), {"entities": {"conversation_id": "chat 7"}}),
        (memoryd.DocumentsSection(), {"documents": {"search": {"limit": 20}}}),
        (
            memoryd.DocumentsSection("tea", document_ids=["d"], all_tags=("t",), limit=5),
            {
                "documents": {
                    "search": {"query": "tea", "limit": 5},
                    "filter": {"ids": ["d"], "all_tags": ["t"]},
                }
            },
        ),
        (
            memoryd.DocumentsSection(full_text=True),
            {"documents": {"full_text": {}}},
        ),
        (memoryd.NotesSection(), {"notes": {}}),
        (memoryd.NotesSection(""), {"notes": {"filter": {"note": {"notebooks": [""]}}}}),
        (memoryd.NotesSection(filter={"all_users": True}), {"notes": {"filter": {"all_users": True}}}),
        (memoryd.EntriesSection(key_prefix="p"), {"entries": {"filter": {"entry": {"key_prefixes": ["p"]}}}}),
        (memoryd.MemoriesSection(), {"memories": {"limit": 10}}),
        (
            memoryd.MemoriesSection(filters={"user_id": "dan"}),
            {"memories": {"limit": 10, "filter": {"user_ids": ["dan"]}}},
        ),
    ],
)
def test_a_section_is_sent_with_all_of_its_options(section: memoryd.ContextSection, message: dict[str, Any]) -> None:
    assert asked(section) == message


def test_a_misspelt_filter_of_a_section_is_refused() -> None:
    with pytest.raises(TypeError, match="'user' is no filter of memories: did you mean 'user_id'"):
        asked(memoryd.MemoriesSection(filters={"user": "dan"}))  # type: ignore[typeddict-unknown-key]
    with pytest.raises(TypeError, match="'user' is no condition"):
        asked(memoryd.NotesSection(filter={"user": "dan"}))  # type: ignore[typeddict-unknown-key]


def test_a_section_says_nothing_of_how_current_it_is() -> None:
    with pytest.raises(TypeError, match="'max_staleness' is no filter of memories"):
        asked(memoryd.MemoriesSection(filters={"max_staleness": 1}))  # type: ignore[typeddict-unknown-key]


def test_one_string_is_no_tags() -> None:
    with pytest.raises(TypeError, match="tags is one string"):
        asked(memoryd.DocumentsSection(all_tags="tea"))
