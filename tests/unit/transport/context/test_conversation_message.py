import pytest

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1.message_pb2 import MESSAGE_ROLE_USER
from memoryd_server.domain.error import InvalidField, LimitExceeded
from memoryd_server.domain.limit import MESSAGES_PER_CALL_MAX, Limits
from memoryd_server.transport.context.conversation_message import drafts_of

LIMITS = Limits(message_content_bytes=4)


def test_the_size_of_a_message_counts_content_name_and_call_id() -> None:
    message = pb.DraftMessage(role=MESSAGE_ROLE_USER, content="fóx", name="ada", tool_call_id="c")
    (draft,) = drafts_of([message], LIMITS)
    assert (draft.size_bytes, draft.importance) == (4 + 3 + 1, 0.5)


def test_a_message_that_is_too_large_is_refused() -> None:
    with pytest.raises(LimitExceeded) as refused:
        drafts_of([pb.DraftMessage(role=MESSAGE_ROLE_USER, content="fóxx")], LIMITS)
    assert refused.value.metadata == {"limit": "message_content_bytes", "value": "4"}


def test_a_call_with_too_many_messages_is_refused() -> None:
    message = pb.DraftMessage(role=MESSAGE_ROLE_USER, content="x")
    assert len(drafts_of([message] * MESSAGES_PER_CALL_MAX, LIMITS)) == MESSAGES_PER_CALL_MAX
    with pytest.raises(InvalidField) as refused:
        drafts_of([message] * (MESSAGES_PER_CALL_MAX + 1), LIMITS)
    assert refused.value.field == "messages"
