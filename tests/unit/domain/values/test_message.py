"""Messages as text for people, their words, and answers to calls of tools."""

from memoryd_server.domain.values.message import (
    FilePart,
    MessageRole,
    TextPart,
    ToolCall,
    ToolResult,
    is_tool_result,
    rendered,
    words,
)

PARTS = (TextPart("look at"), FilePart(name="map.png"), TextPart("this"))


def test_a_message_is_rendered_as_its_content_or_as_its_parts() -> None:
    assert rendered("hello", ()) == "hello"
    assert rendered("", PARTS) == "look at\n[file map.png]\nthis"


def test_the_words_of_a_message_are_its_content_or_the_texts_among_its_parts() -> None:
    assert words("hello", ()) == "hello"
    assert words("", PARTS) == "look at\nthis"
    assert words("", (ToolCall("1", "search"),)) == ""


def test_a_message_answers_a_call_by_its_role_or_by_a_part() -> None:
    assert is_tool_result(MessageRole.TOOL, ())
    assert is_tool_result(MessageRole.USER, (ToolResult("1", "search", "found"),))
    assert not is_tool_result(MessageRole.ASSISTANT, (ToolCall("1", "search"),))
