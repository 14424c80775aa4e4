"""The calls about conversations."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.conversation import (
    Appended,
    Compacted,
    CompactionStrategy,
    ConversationInfo,
    DeletedConversation,
    DropOldest,
    ExtractToNotes,
    KeepImportant,
    Summarize,
    Truncated,
    appended_from,
    compacted_from,
    conversation_from,
    deleted_from,
    truncated_from,
)
from memoryd.model.entry import write_metadata
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.message import Message, MessageDraft, MessageRole, draft_message, message_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.protocol.record_filter import FilterOptions, UserOptions, filter_of
from memoryd.v1 import conversation_pb2
from memoryd.v1 import conversation_service_pb2 as pb

SUMMARY_PATIENCE = 300.0
"""Seconds that a model may take to summarize a conversation, in addition to the usual timeout."""


class ConversationOptions(TypedDict, total=False):
    """The description of a conversation. In an update, fields that are not given keep their values.

    ``title``: for people.
    ``user_id``: the user that the conversation is with.
    ``tags``: labels, at most 64.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    """

    title: str
    user_id: str
    tags: Iterable[str]
    metadata: Mapping[str, Any]


class ConversationListOptions(FilterOptions, total=False):
    """The options of a list of conversations, and which are selected: see FilterOptions.

    ``order``: by default that of creation. ``view``: by default all fields.
    """

    order: ListOrder | str
    view: RecordView | str


class MessageListOptions(UserOptions, total=False):
    """The options of a list of messages, and which are selected: see UserOptions.

    The user of a message is that of its conversation; by default it does not matter.
    ``order``: by default that of the numbers, oldest first. ``view``: by default all fields.
    ``after_number``: only those with a greater number. ``roles``: only those whose authors have one of these roles.
    """

    order: ListOrder | str
    view: RecordView | str
    after_number: int
    roles: Collection[MessageRole | str] | None


def create_conversation(agent_id: str, conversation_id: str, options: ConversationOptions) -> Call[ConversationInfo]:
    """Create a conversation without messages."""
    request = pb.CreateConversationRequest(
        agent_id=agent_id, request_id=new_request_id(), draft=_draft(options, conversation_id)
    )
    return call(method.CREATE_CONVERSATION, request, lambda answer: conversation_from(answer.conversation))


def get_conversation(agent_id: str, conversation_id: str) -> Call[ConversationInfo]:
    """Return a conversation without its messages."""
    request = pb.GetConversationRequest(agent_id=agent_id, conversation_id=conversation_id)
    return call(method.GET_CONVERSATION, request, lambda answer: conversation_from(answer.conversation))


def update_conversation(
    agent_id: str, conversation_id: str, options: ConversationOptions, expected_revision: int | None
) -> Call[ConversationInfo]:
    """Change the given fields of a conversation."""
    request = pb.UpdateConversationRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        conversation_id=conversation_id,
        draft=_draft(options),
        update_mask=FieldMask(paths=list(options)),
    )
    return call(method.UPDATE_CONVERSATION, request, lambda answer: conversation_from(answer.conversation))


def list_conversations(agent_id: str, options: ConversationListOptions) -> Call[Page[ConversationInfo]]:
    """List conversations, page by page."""
    request = pb.ListConversationsRequest(
        agent_id=agent_id,
        page_size=LIST_PAGE_SIZE,
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        filter=filter_of(options),
    )
    return page_call(
        method.LIST_CONVERSATIONS, request, lambda answer: [conversation_from(each) for each in answer.conversations]
    )


def delete_conversation(
    agent_id: str,
    conversation_id: str,
    *,
    include_plans: bool,
    include_entities: bool,
    expected_revision: int | None,
    erase: bool,
) -> Call[DeletedConversation]:
    """Delete a conversation with its messages."""
    request = pb.DeleteConversationRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        conversation_id=conversation_id,
        include_plans=include_plans,
        include_entities=include_entities,
        erase=erase,
    )
    return call(method.DELETE_CONVERSATION, request, deleted_from, patience=erasing(erase=erase))


def append_messages(
    agent_id: str,
    conversation_id: str,
    drafts: Iterable[MessageDraft],
    *,
    expected_revision: int | None,
    must_not_exist: bool,
) -> Call[Appended]:
    """Append messages to a conversation."""
    request = pb.AppendMessagesRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision, must_not_exist=must_not_exist),
        conversation_id=conversation_id,
        drafts=[draft_message(each) for each in drafts],
    )
    return call(method.APPEND_MESSAGES, request, appended_from)


def get_message(agent_id: str, conversation_id: str, which: int | str) -> Call[Message]:
    """Return a message by its number or its id."""
    request = pb.GetMessageRequest(agent_id=agent_id, conversation_id=conversation_id)
    if isinstance(which, str):
        request.message_id = which
    else:
        request.number = which
    return call(method.GET_MESSAGE, request, lambda answer: message_from(answer.message))


def list_messages(agent_id: str, conversation_id: str, options: MessageListOptions) -> Call[Page[Message]]:
    """List the messages of a conversation, page by page."""
    request = pb.ListMessagesRequest(
        agent_id=agent_id,
        page_size=LIST_PAGE_SIZE,
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        conversation_id=conversation_id,
        after_number=options.get("after_number", 0),
        filter=filter_of(options, message={"roles": options.get("roles")}),
    )
    return page_call(method.LIST_MESSAGES, request, lambda answer: [message_from(each) for each in answer.messages])


def truncate_messages(
    agent_id: str, conversation_id: str, first: int | str, expected_revision: int | None, *, erase: bool
) -> Call[Truncated]:
    """Delete a message, by its number or its id, and all messages after it."""
    request = pb.TruncateMessagesRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        conversation_id=conversation_id,
        erase=erase,
    )
    if isinstance(first, str):
        request.from_message_id = first
    else:
        request.from_number = first
    return call(method.TRUNCATE_MESSAGES, request, truncated_from, patience=erasing(erase=erase))


def compact_messages(
    agent_id: str,
    conversation_id: str,
    max_tokens: int,
    strategy: CompactionStrategy | None,
    *,
    keep_last: int | None,
    expected_revision: int | None,
) -> Call[Compacted]:
    """Delete messages of a conversation until the others have at most ``max_tokens``."""
    request = pb.CompactMessagesRequest(
        agent_id=agent_id,
        request_id=new_request_id(),
        precondition=precondition_of(expected_revision=expected_revision),
        conversation_id=conversation_id,
        max_tokens=max_tokens,
        keep_last=keep_last,
    )
    if strategy is not None:
        _write_strategy(request, strategy)
    patience = SUMMARY_PATIENCE if isinstance(strategy, Summarize) else 0.0
    return call(method.COMPACT_MESSAGES, request, compacted_from, patience=patience)


def _draft(options: ConversationOptions, conversation_id: str = "") -> conversation_pb2.ConversationDraft:
    message = conversation_pb2.ConversationDraft(
        conversation_id=conversation_id,
        user_id=options.get("user_id", ""),
        tags=strings_of("tags", options.get("tags", ())),
        title=options.get("title", ""),
    )
    write_metadata(message.metadata, options.get("metadata", {}))
    return message


def _write_strategy(request: pb.CompactMessagesRequest, strategy: CompactionStrategy) -> None:
    match strategy:
        case DropOldest():
            request.drop_oldest.SetInParent()
        case KeepImportant(min_importance):
            request.keep_important.CopyFrom(pb.CompactionKeepImportant(min_importance=min_importance))
        case ExtractToNotes(notebook, min_importance):
            notes = pb.CompactionExtractToNotes(notebook=notebook, min_importance=min_importance)
            request.extract_to_notes.CopyFrom(notes)
        case Summarize():
            request.summarize.SetInParent()
        case _:
            raise TypeError(
                f"{type(strategy).__name__} is not a strategy: use DropOldest, KeepImportant, ExtractToNotes or "
                "Summarize"
            )
