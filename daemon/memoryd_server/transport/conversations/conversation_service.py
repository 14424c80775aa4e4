"""ConversationService: decode the request, call the engine, encode the response."""

from memoryd.v1 import conversation_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    MESSAGE,
    Conversation,
    ConversationMessage,
    message_alias,
    message_key,
)
from memoryd_server.domain.conversations.conversation_change import DeleteConversation, UpdateConversation
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.error import InvalidField, RecordNotFound
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.conversations.compactor import Compaction
from memoryd_server.engine.conversations.conversations import Conversations
from memoryd_server.transport.call import Call
from memoryd_server.transport.conversations.compaction_message import compaction_message, compaction_request_of
from memoryd_server.transport.conversations.conversation_message import (
    conversation_id_of,
    conversation_message,
    creation_of,
    text_of,
)
from memoryd_server.transport.conversations.message_message import drafts_of, message_message
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed


class ConversationService:
    """Serves conversations and their messages."""

    def __init__(
        self, collections: Collections, conversations: Conversations, compaction: Compaction, limits: limit.Limits
    ) -> None:
        self._collections = collections
        self._conversations = conversations
        self._compaction = compaction
        self._limits = limits

    async def create_conversation(
        self, request: pb.CreateConversationRequest, call: Call
    ) -> pb.CreateConversationResponse:
        """Create a conversation without messages."""
        creation = creation_of(request.draft, new_id())
        done = await self._collections.change(request.agent_id, creation, write_of(request, call))
        conversation = conversation_message(request.agent_id, done.record)
        return pb.CreateConversationResponse(revision=done.revision, conversation=conversation)

    async def get_conversation(self, request: pb.GetConversationRequest, call: Call) -> pb.GetConversationResponse:
        """Return one conversation."""
        conversation_id, consistency = conversation_id_of(request.conversation_id), consistency_of(request)
        conversation, revision = await self._collections.get(
            request.agent_id, CONVERSATION, conversation_id, CONVERSATION_KEY, consistency
        )
        encoded = conversation_message(request.agent_id, conversation)
        return pb.GetConversationResponse(revision=revision, conversation=encoded)

    async def update_conversation(
        self, request: pb.UpdateConversationRequest, call: Call
    ) -> pb.UpdateConversationResponse:
        """Change fields of a conversation."""
        text = text_of(request.draft, request.update_mask)
        update = UpdateConversation(conversation_id_of(request.conversation_id), text, precondition_of(request))
        done = await self._collections.change(request.agent_id, update, write_of(request, call))
        conversation = conversation_message(request.agent_id, done.record)
        return pb.UpdateConversationResponse(revision=done.revision, conversation=conversation, changed=done.changed)

    async def list_conversations(
        self, request: pb.ListConversationsRequest, call: Call
    ) -> pb.ListConversationsResponse:
        """List conversations."""
        user_id = None
        if request.HasField("user_id"):
            user_id = validation.optional_text("user_id", request.user_id, limit.USER_ID_BYTES_MAX)
        all_tags = frozenset(validation.tags("all_tags", request.all_tags))
        any_tags = frozenset(validation.tags("any_tags", request.any_tags))

        def keeps(conversation: Conversation) -> bool:
            return (
                user_id in (None, conversation.user_id)
                and all_tags.issubset(conversation.tags)
                and (not any_tags or not any_tags.isdisjoint(conversation.tags))
            )

        view = view_of(request)
        page = await self._collections.list(
            request.agent_id,
            CONVERSATION,
            page_request_of(request, call),
            keeps=keeps,
            order=order_of(request, ListOrder.CREATE_TIME),
            consistency=consistency_of(request),
        )
        return pb.ListConversationsResponse(
            revision=page.revision,
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            conversations=[viewed(conversation_message(request.agent_id, each), view) for each in page.items],
        )

    async def delete_conversation(
        self, request: pb.DeleteConversationRequest, call: Call
    ) -> pb.DeleteConversationResponse:
        """Delete a conversation with its messages."""
        deletion = DeleteConversation(
            conversation_id_of(request.conversation_id),
            precondition_of(request),
            request.include_plans,
            request.include_entities,
        )
        done = await self._collections.change(request.agent_id, deletion, write_of(request, call))
        return pb.DeleteConversationResponse(
            revision=done.revision,
            deleted=done.deleted,
            deleted_message_count=done.message_count,
            deleted_plan_count=done.plan_count,
            deleted_entity_count=done.entity_count,
        )

    async def append_messages(self, request: pb.AppendMessagesRequest, call: Call) -> pb.AppendMessagesResponse:
        """Append messages to a conversation."""
        drafts = drafts_of(request.drafts, new_id, self._limits)
        appending = AppendMessages(conversation_id_of(request.conversation_id), drafts, precondition_of(request))
        done = await self._conversations.append(request.agent_id, appending, write_of(request, call))
        return pb.AppendMessagesResponse(
            revision=done.revision,
            conversation=conversation_message(request.agent_id, done.conversation),
            first_number=done.conversation.next_number - len(done.message_ids),
            message_ids=done.message_ids,
        )

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
        roles = validation.all_known("roles", request.roles, MessageRole)

        def keeps(message: ConversationMessage) -> bool:
            return message.number > after and (not roles or message.role in roles)

        order, view = order_of(request, ListOrder.ID), view_of(request)
        consistency, page_request = consistency_of(request), page_request_of(request, call)
        if not page_request.token:
            # Only for the first page: the others are of its revision, at which the conversation existed.
            await self._collections.get(request.agent_id, CONVERSATION, conversation_id, CONVERSATION_KEY, consistency)
        page = await self._collections.list(
            request.agent_id,
            MESSAGE,
            page_request,
            group=conversation_id,
            keeps=keeps,
            order=order,
            consistency=consistency,
        )
        return pb.ListMessagesResponse(
            revision=page.revision,
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            messages=[viewed(message_message(request.agent_id, each), view) for each in page.items],
        )

    async def truncate_messages(self, request: pb.TruncateMessagesRequest, call: Call) -> pb.TruncateMessagesResponse:
        """Delete a message of a conversation and all messages after it."""
        truncation = TruncateMessages(
            conversation_id_of(request.conversation_id), *_first_of(request), precondition_of(request)
        )
        done = await self._collections.change(request.agent_id, truncation, write_of(request, call))
        return pb.TruncateMessagesResponse(
            revision=done.revision,
            conversation=conversation_message(request.agent_id, done.conversation),
            deleted_message_count=done.deleted_count,
        )

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
