"""Conversion between the messages of a model's API and those of a conversation."""

from typing import Any

import pytest

from memoryd.model.context import ContextMessage
from memoryd.model.message import FilePart, MessageDraft, MessageRole, TextPart, ToolCall, ToolResult
from memoryd.model.value import Json
from memoryd.protocol.chat_message import (
    ChatMessage,
    InjectedMessage,
    drafts_of,
    in_front,
    last_question,
    messages_of,
    tool_results,
)

CALLS = [{"id": "c1", "type": "function", "function": {"name": "recall", "arguments": "{}"}}]


def composed(content: str, role: MessageRole = MessageRole.SYSTEM, **more: Any) -> ContextMessage:
    given = {"parts": (), "name": "", "metadata": {}, **more}
    return ContextMessage("notes", role, content, **given)


def test_injected_messages_come_in_front_after_those_injected_before() -> None:
    asked = [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello"}]
    once = in_front([composed("1")], asked)
    twice = in_front([composed("2"), composed("3")], once)
    assert [each["content"] for each in twice] == ["1", "2", "3", "rules", "hello"]
    assert asked == [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello"}]
    assert in_front([composed("2")], in_front([composed("1")], [])) == [
        {"role": "system", "content": "1"},
        {"role": "system", "content": "2"},
    ]
    assert isinstance(twice[0], InjectedMessage)


def stored(drafts: list[MessageDraft]) -> list[ContextMessage]:
    return [composed(each.content, MessageRole(each.role), parts=tuple(each.parts), name=each.name) for each in drafts]


def test_a_message_survives_a_round_trip() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://x/fox.png"}}
    messages = [
        {"role": "user", "content": "Where?", "name": "ada"},
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, image]},
        {"role": "assistant", "content": "", "tool_calls": CALLS},
        {"role": "tool", "content": "here", "tool_call_id": "c1"},
        {"role": "assistant", "content": "Wait", "tool_calls": CALLS},
    ]
    drafts = drafts_of(messages)
    assert drafts[0] == MessageDraft("user", "Where?", name="ada")
    assert drafts[2] == MessageDraft("assistant", parts=[ToolCall("c1", "recall", "{}")])
    assert drafts[3] == MessageDraft("tool", parts=(ToolResult("c1", "here"),))
    assert drafts[4] == MessageDraft("assistant", parts=[TextPart("Wait"), ToolCall("c1", "recall", "{}")])
    assert in_front(stored(drafts), []) == messages


def test_the_results_of_several_tools_are_a_message_each() -> None:
    parts = (ToolResult("a", "one", "find"), TextPart("and now?"), ToolResult("b", "two"))
    assert in_front([composed("", MessageRole.USER, parts=parts)], []) == [
        {"role": "tool", "content": "one", "tool_call_id": "a", "name": "find"},
        {"role": "tool", "content": "two", "tool_call_id": "b"},
        {"role": "user", "content": "and now?"},
    ]


def test_a_call_of_a_custom_tool_is_kept_with_its_input() -> None:
    call = {"id": "c2", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}
    (draft,) = drafts_of([{"role": "assistant", "content": None, "tool_calls": [call]}])
    assert draft.parts == [ToolCall("c2", "sql", "SELECT 1")]


def test_a_file_that_a_model_cannot_load_is_named() -> None:
    parts = (FilePart(document_id="guide"), FilePart("https://x/a.pdf", media_type="application/pdf", name="a.pdf"))
    (chat,) = in_front([composed("", MessageRole.USER, parts=parts)], [])
    assert [each["text"] for each in chat["content"]] == ["[file guide]", "[file a.pdf]"]


def test_system_messages_are_not_kept() -> None:
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "developer", "content": "more rules"},
        *in_front([composed("an old question", MessageRole.USER)], []),
        {"role": "function", "content": "found", "name": "search"},
    ]
    assert drafts_of(messages) == [MessageDraft("tool", "found", name="search")]
    with pytest.raises(ValueError, match="'narrator'"):
        drafts_of([{"role": "narrator", "content": "x"}])


def test_the_content_of_a_file_is_not_kept() -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:…"}}]
    (draft,) = drafts_of([{"role": "user", "content": parts}])
    assert draft.parts == [TextPart("Look:"), TextPart("[image_url]")]


def test_the_last_question_is_the_users() -> None:
    messages = [
        {"role": "user", "content": "first"},
        {"role": "user", "content": [{"type": "text", "text": "second"}]},
        {"role": "assistant", "content": "answer"},
    ]
    assert last_question(messages) == "second"
    assert last_question(messages[2:]) == ""


@pytest.mark.parametrize(
    ("output", "messages"),
    [
        ("hello", [{"role": "assistant", "content": "hello"}]),
        ({"role": "assistant", "content": "x"}, [{"role": "assistant", "content": "x"}]),
        (iter([{"role": "tool", "content": "x"}]), [{"role": "tool", "content": "x"}]),
    ],
)
def test_the_output_of_a_model_becomes_messages(output: Any, messages: list[dict[str, str]]) -> None:
    assert messages_of(output) == messages


def test_the_results_of_tools_have_the_names_of_their_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "getPage", "arguments": "{}"}}
    messages: list[ChatMessage] = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"id": 7}'},
        {"role": "tool", "name": "getText", "tool_call_id": "c2", "content": "plain"},
        {"role": "function", "name": "getNan", "content": "NaN"},
        {"role": "tool", "tool_call_id": "unknown", "content": "1"},
        {"role": "user", "name": "ada", "content": "1"},
    ]
    found = list(tool_results(messages))
    assert found == [("getPage", '{"id": 7}'), ("getText", "plain"), ("getNan", "NaN")]
    assert [type(result) for _, result in found] == [Json, str, str]
