"""Conversion between the messages of a model's API and those of a conversation."""

from typing import Any

import pytest

from memoryd.model.context import ContextMessage
from memoryd.model.conversation import DraftMessage, MessageRole
from memoryd.protocol.chat_message import InjectedMessage, drafts_of, in_front, last_question, messages_of

CALLS = [{"id": "c1", "type": "function", "function": {"name": "recall", "arguments": "{}"}}]


def composed(content: str, role: MessageRole = MessageRole.SYSTEM, **more: Any) -> ContextMessage:
    given = {"name": "", "tool_call_id": "", "metadata": {}, **more}
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


def test_a_message_survives_a_round_trip() -> None:
    messages = [
        {"role": "user", "content": "Where?", "name": "ada"},
        {"role": "assistant", "content": "", "tool_calls": CALLS},
        {"role": "tool", "content": "here", "tool_call_id": "c1"},
    ]
    drafts = drafts_of(messages)
    assert drafts[1] == DraftMessage("assistant", "", metadata={"tool_calls": CALLS})
    stored = [
        composed(
            each.content,
            MessageRole(each.role),
            name=each.name,
            tool_call_id=each.tool_call_id,
            metadata=each.metadata,
        )
        for each in drafts
    ]
    assert in_front(stored, []) == messages


def test_system_messages_are_not_kept() -> None:
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "developer", "content": "more rules"},
        *in_front([composed("an old question", MessageRole.USER)], []),
        {"role": "function", "content": "found", "name": "search"},
    ]
    assert drafts_of(messages) == [DraftMessage("tool", "found", name="search")]
    with pytest.raises(ValueError, match="'narrator'"):
        drafts_of([{"role": "narrator", "content": "x"}])


def test_parts_are_kept_as_their_text() -> None:
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:…"}}]
    (draft,) = drafts_of([{"role": "user", "content": parts}])
    assert draft.content == "Look:\n[image_url]"
    (draft,) = drafts_of([{"role": "assistant", "content": None, "tool_calls": CALLS}])
    assert draft.content == ""


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
