"""ConversationService: decode the request, call the engine, encode the response."""

import msgspec

from memoryd.v1 import conversation_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.result import RecordPut
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    CONVERSATION_SHAPE,
    MESSAGE,
    MESSAGE_SHAPE,
    Conversation,
    message_alias,
    message_key,
)
from memoryd_server.domain.conversations.conversation_change import (
    ConversationDeleted,
    DeleteConversation,
    UpdateConversation,
)
from memoryd_server.domain.conversations.message_change import (
    AppendMessages,
    MessagesAppended,
    MessagesTruncated,
    TruncateMessages,
)
from memoryd_server.domain.error import InvalidField, RecordNotFound
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.engine.conversations.compactor import Compaction
from memoryd_server.engine.conversations.token_counts import counted
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, Preparation, change
from memoryd_server.transport.conversations.compaction_message import compaction_message, compaction_request_of
from memoryd_server.transport.conversations.conversation_message import (
    conversation_id_of,
    conversation_message,
    creation_of,
    text_of,
)
from memoryd_server.transport.conversations.message_message import drafts_of, message_message
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed


class ConversationService:
    """Serves conversations and their messages.

    ``ingest_ns`` is the time at rest after which a conversation is ingested in the background; None for never.
    """

    def __init__(
        self, collections: Collections, compaction: Compaction, limits: limit.Limits, ingest_ns: int | None
    ) -> None:
        self._collections = collections
        self._compaction = compaction
        self._limits = limits
        self._ingest_ns = ingest_ns

    @change
    def create_conversation(self, request: pb.CreateConversationRequest) -> Change[RecordPut[Conversation]]:
        """Create a conversation without messages."""
        creation = creation_of(request.draft, new_id())

        def encode(done: RecordPut[Conversation]) -> pb.CreateConversationResponse:
            conversation = conversation_message(request.agent_id, done.record)
            return pb.CreateConversationResponse(revision=done.revision, conversation=conversation)

        return Change(creation, encode, log_change)

    async def get_conversation(self, request: pb.GetConversationRequest, call: Call) -> pb.GetConversationResponse:
        """Return one conversation."""
        conversation_id, consistency = conversation_id_of(request.conversation_id), consistency_of(request)
        conversation, revision = await self._collections.get(
            request.agent_id, CONVERSATION, conversation_id, CONVERSATION_KEY, consistency
        )
        encoded = conversation_message(request.agent_id, conversation)
        return pb.GetConversationResponse(revision=revision, conversation=encoded)

    @change
    def update_conversation(self, request: pb.UpdateConversationRequest) -> Change[RecordPut[Conversation]]:
        """Change fields of a conversation."""
        text = text_of(request.draft, request.update_mask)
        update = UpdateConversation(conversation_id_of(request.conversation_id), text, precondition_of(request))

        def encode(done: RecordPut[Conversation]) -> pb.UpdateConversationResponse:
            conversation = conversation_message(request.agent_id, done.record)
            return pb.UpdateConversationResponse(
                revision=done.revision, conversation=conversation, changed=done.changed
            )

        return Change(update, encode, log_change)

    async def list_conversations(
        self, request: pb.ListConversationsRequest, call: Call
    ) -> pb.ListConversationsResponse:
        """List conversations."""
        chosen = record_filter_of(request.filter, CONVERSATION_SHAPE)
        view = view_of(request)
        page = await self._collections.list(
            request.agent_id,
            CONVERSATION,
            page_request_of(request, call),
            chosen=chosen,
            order=order_of(request, ListOrder.CREATE_TIME),
            consistency=consistency_of(request),
        )
        return pb.ListConversationsResponse(
            revision=page.revision,
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            conversations=[viewed(conversation_message(request.agent_id, each), view) for each in page.items],
        )

    @change
    def delete_conversation(self, request: pb.DeleteConversationRequest) -> Change[ConversationDeleted]:
        """Delete a conversation with its messages."""
        deletion = DeleteConversation(
            conversation_id_of(request.conversation_id),
            precondition_of(request),
            request.include_plans,
            request.include_entities,
        )

        def encode(done: ConversationDeleted) -> pb.DeleteConversationResponse:
            return pb.DeleteConversationResponse(
                revision=done.revision,
                deleted=done.deleted,
                deleted_message_count=done.message_count,
                deleted_plan_count=done.plan_count,
                deleted_entity_count=done.entity_count,
            )

        return Change(deletion, encode, log_change, erases=request.erase)

    @change
    def append_messages(self, request: pb.AppendMessagesRequest) -> Change[MessagesAppended]:
        """Append messages to a conversation."""
        drafts = drafts_of(request.drafts, new_id, self._limits)
        conversation_id = conversation_id_of(request.conversation_id)
        appending = AppendMessages(conversation_id, drafts, precondition_of(request), self._ingest_ns)

        def encode(done: MessagesAppended) -> pb.AppendMessagesResponse:
            return pb.AppendMessagesResponse(
                revision=done.revision,
                conversation=conversation_message(request.agent_id, done.conversation),
                first_number=done.conversation.next_number - len(done.message_ids),
                message_ids=done.message_ids,
            )

        return Change(Preparation(lambda is_alone: counted(appending)), encode, log_change)

    async def get_message(self, request: pb.GetMessageRequest, call: Call) -> pb.GetMessageResponse:
        """Return one message of a conversation."""
        agent_id, conversation_id = request.agent_id, conversation_id_of(request.conversation_id)
        consistency = consistency_of(request)
        named = request.WhichOneof("which")
        if named is None:
            raise InvalidField("which", "must be set: a message_id or a number")
        if named == "number":
            key = message_key(_number_of("number", request.number))
            message, revision = await self._collections.get(agent_id, MESSAGE, conversation_id, key, consistency)
        else:
            message_id = record_id_of("message_id", request.message_id)
            alias = message_alias(conversation_id, message_id)
            found, revision = await self._collections.aliased(agent_id, MESSAGE, alias, consistency)
            if found is None:
                raise RecordNotFound(agent_id, MESSAGE.name, message_id, **MESSAGE.place(conversation_id))
            message = found
        return pb.GetMessageResponse(revision=revision, message=message_message(agent_id, message))

    async def list_messages(self, request: pb.ListMessagesRequest, call: Call) -> pb.ListMessagesResponse:
        """List the messages of a conversation."""
        conversation_id = conversation_id_of(request.conversation_id)
        after = validation.within("after_number", request.after_number, 0, 2**63 - 1)
        chosen = record_filter_of(request.filter, MESSAGE_SHAPE, default_users=None)
        order, view = order_of(request, ListOrder.ID, rated=True), view_of(request)
        consistency, page_request = consistency_of(request), page_request_of(request, call)
        conversation, _ = await self._collections.find(
            request.agent_id, CONVERSATION, conversation_id, CONVERSATION_KEY, consistency
        )
        # Only for the first page: the others are of its revision, at which the conversation existed.
        if conversation is None and not page_request.token:
            raise RecordNotFound(request.agent_id, CONVERSATION.name, conversation_id)
        user_id = "" if conversation is None else conversation.user_id
        page = await self._collections.list(
            request.agent_id,
            MESSAGE,
            page_request,
            group=conversation_id,
            chosen=chosen,
            shape=msgspec.structs.replace(MESSAGE_SHAPE, user_of=lambda _: user_id),
            keeps=lambda message: message.number > after,
            order=order,
            consistency=consistency,
        )
        return pb.ListMessagesResponse(
            revision=page.revision,
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            messages=[viewed(message_message(request.agent_id, each), view) for each in page.items],
        )

    @change
    def truncate_messages(self, request: pb.TruncateMessagesRequest) -> Change[MessagesTruncated]:
        """Delete a message of a conversation and all messages after it."""
        truncation = TruncateMessages(
            conversation_id_of(request.conversation_id), *_first_of(request), precondition_of(request)
        )

        def encode(done: MessagesTruncated) -> pb.TruncateMessagesResponse:
            return pb.TruncateMessagesResponse(
                revision=done.revision,
                conversation=conversation_message(request.agent_id, done.conversation),
                deleted_message_count=done.deleted_count,
            )

        return Change(truncation, encode, log_change, erases=request.erase)

    async def compact_messages(self, request: pb.CompactMessagesRequest, call: Call) -> pb.CompactMessagesResponse:
        """Compact a conversation."""
        asked, write = compaction_request_of(request), write_of(request, call)
        done = await self._compaction.compact(request.agent_id, asked, write)
        return compaction_message(request.agent_id, done)


def _first_of(request: pb.TruncateMessagesRequest) -> tuple[int, str]:
    """Return the number or the id of the first message to delete; the other is 0 or empty."""
    match request.WhichOneof("start"):
        case "from_number":
            return _number_of("from_number", request.from_number), ""
        case "from_message_id":
            return 0, record_id_of("from_message_id", request.from_message_id)
        case _:
            raise InvalidField("start", "must be set: a from_message_id or a from_number")


def _number_of(field: str, number: int) -> int:
    return validation.within(field, number, 1, 2**63 - 1)
