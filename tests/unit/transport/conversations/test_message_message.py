import pytest

from memoryd.v1 import conversation_pb2 as pb
from memoryd.v1.conversation_pb2 import MESSAGE_ROLE_USER
from memoryd_server.domain.error import InvalidField, TooLarge
from memoryd_server.domain.limit import MESSAGE_PARTS_MAX, MESSAGES_PER_CALL_MAX, Limits
from memoryd_server.domain.values.message import FilePart, TextPart, ToolCall, ToolResult
from memoryd_server.transport.conversations.message_message import drafts_of
from memoryd_server.transport.conversations.part_message import part_message, part_of

LIMITS = Limits(message_content_bytes=4)


def new_id() -> str:
    return "new"


def test_the_size_of_a_message_counts_content_name_and_id() -> None:
    message = pb.MessageDraft(role=MESSAGE_ROLE_USER, content="fóx", name="ada")
    (draft,) = drafts_of([message], new_id, LIMITS)
    assert (draft.message_id, draft.size_bytes, draft.importance, draft.create_time) == ("new", 4 + 3 + 3, 0.5, None)


def test_a_message_has_the_id_and_the_time_that_its_writer_gives() -> None:
    message = pb.MessageDraft(role=MESSAGE_ROLE_USER, content="x", message_id="own", create_time={"seconds": 3})
    (draft,) = drafts_of([message], new_id, LIMITS)
    assert (draft.message_id, draft.create_time) == ("own", 3_000_000_000)
    with pytest.raises(InvalidField) as refused:
        drafts_of([pb.MessageDraft(role=MESSAGE_ROLE_USER, content="x", create_time={"nanos": -1})], new_id, LIMITS)
    assert refused.value.field == "drafts[0].create_time"


PARTS = [
    TextPart("text"),
    FilePart("https://x/fox.png", "doc", "image/png", "fox.png"),
    ToolCall("t1", "find", "{not json"),
    ToolResult("t1", "find", "here", True),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_part_is_encoded_and_decoded_with_all_of_its_fields(part: object) -> None:
    message = part_message(part)  # type: ignore[arg-type]
    assert part_of(message, "part") == part
    body = getattr(message, message.WhichOneof("part") or "")
    assert isinstance(body, str) or {field.name for field, _ in body.ListFields()} == set(
        body.DESCRIPTOR.fields_by_name
    )


def test_the_texts_of_all_parts_count_as_one_content() -> None:
    parts = [pb.MessagePart(text="ab"), pb.MessagePart(tool_call=pb.MessageToolCall(tool_call_id="t", name="n"))]
    (draft,) = drafts_of([pb.MessageDraft(role=MESSAGE_ROLE_USER, parts=parts)], new_id, LIMITS)
    assert (draft.content, draft.size_bytes) == ("", 4 + 3)
    parts.append(pb.MessagePart(text="c"))
    with pytest.raises(TooLarge):
        drafts_of([pb.MessageDraft(role=MESSAGE_ROLE_USER, parts=parts)], new_id, LIMITS)


def test_a_message_with_too_many_parts_is_refused() -> None:
    parts = [pb.MessagePart(text="x")] * (MESSAGE_PARTS_MAX + 1)
    with pytest.raises(InvalidField) as refused:
        drafts_of([pb.MessageDraft(role=MESSAGE_ROLE_USER, parts=parts)], new_id, LIMITS)
    assert refused.value.field == "drafts[0].parts"


def test_a_message_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLarge) as refused:
        drafts_of([pb.MessageDraft(role=MESSAGE_ROLE_USER, content="fóxx")], new_id, LIMITS)
    assert refused.value.metadata == {"limit": "message_content_bytes", "value": "4"}


def test_a_call_with_too_many_messages_is_refused() -> None:
    message = pb.MessageDraft(role=MESSAGE_ROLE_USER, content="x")
    assert len(drafts_of([message] * MESSAGES_PER_CALL_MAX, new_id, LIMITS)) == MESSAGES_PER_CALL_MAX
    with pytest.raises(InvalidField) as refused:
        drafts_of([message] * (MESSAGES_PER_CALL_MAX + 1), new_id, LIMITS)
    assert refused.value.field == "drafts"
