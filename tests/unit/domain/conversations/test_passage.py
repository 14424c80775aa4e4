import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.sample import message

from memoryd_server.domain.conversations.passage import Passage, line_of, passages_of
from memoryd_server.domain.values.message import FilePart, MessageRole, TextPart, ToolCall, ToolResult


def test_a_line_names_its_author() -> None:
    assert line_of(message(1, "hi")) == "user: hi"
    assert line_of(message(1, "hi", name="ann")) == "user (ann): hi"


def test_the_parts_of_a_message_are_lines() -> None:
    parts = (TextPart("Let me look"), ToolCall("t1", "find", '{"q":"fox"}'), FilePart("https://x/fox.png"))
    assert line_of(message(1, "", MessageRole.ASSISTANT, parts=parts)) == (
        'assistant: Let me look\nfind({"q":"fox"})\n[file https://x/fox.png]'
    )
    assert line_of(message(2, "", MessageRole.TOOL, parts=(ToolResult("t1", "find", "here"),))) == "tool: here"
    assert FilePart("u", "d", "image/png", "fox.png").rendered == "[file fox.png]"
    assert FilePart(document_id="d").rendered == "[file d]"


def test_messages_share_a_passage_as_far_as_they_fit() -> None:
    messages = [message(3, "one"), message(4, " \n"), message(5, "two", importance=0.9), message(9, "three")]
    assert list(passages_of(messages, 19)) == [
        Passage(3, 5, "user: one\nuser: two", 0.9),
        Passage(9, 9, "user: three", 0.5),
    ]
    assert len(list(passages_of(messages, 18))) == 3
    assert len(list(passages_of(messages, 31))) == 1
    assert list(passages_of([], 10)) == []


def test_a_message_that_is_too_large_alone_goes_through_many() -> None:
    passages = list(passages_of([message(1, "a"), message(2, "é" * 10), message(3, "b")], 9))
    assert [(each.first_number, each.last_number, each.text) for each in passages] == [
        (1, 1, "user: a"),
        (2, 2, "user: é"),
        (2, 2, "éééé"),
        (2, 2, "éééé"),
        (2, 2, "é"),
        (3, 3, "user: b"),
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=8), st.integers(4, 40))
def test_nothing_is_lost_and_nothing_is_too_large(contents: list[str], bytes_max: int) -> None:
    messages = [message(number, content) for number, content in enumerate(contents, 1)]
    passages = list(passages_of(messages, bytes_max))
    said = "".join(line_of(each) for each in messages if each.content.strip())
    assert "".join(each.text for each in passages).replace("\n", "") == said.replace("\n", "")
    assert all(len(each.text.encode()) <= bytes_max for each in passages)
    assert all(each.text for each in passages)


@pytest.mark.parametrize("bytes_max", [1, 2])
def test_a_character_that_does_not_fit_is_a_passage(bytes_max: int) -> None:
    assert "".join(each.text for each in passages_of([message(1, "€uro")], bytes_max)) == "user: €uro"
