"""ContextService: decode the request, call the engine, encode the response."""

from memoryd.v1 import context_service_pb2 as pb
from memoryd_server.domain import validation
from memoryd_server.domain.conversations.conversation import CONVERSATION, MESSAGE, ConversationMessage
from memoryd_server.domain.conversations.conversation_change import AppendMessages, DeleteConversation
from memoryd_server.domain.limit import (
    COUNTED_TEXT_BYTES_MAX,
    COUNTED_TEXTS_MAX,
    MODEL_BYTES_MAX,
    Limits,
)
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.context.compactor import Compaction
from memoryd_server.engine.context.contexts import Contexts
from memoryd_server.transport.call import Call
from memoryd_server.transport.context.compaction_message import compaction_message, compaction_request_of
from memoryd_server.transport.context.composition_message import composition_message, composition_request_of
from memoryd_server.transport.context.conversation_message import (
    conversation_id_of,
    conversation_message,
    drafts_of,
    message_message,
)
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of


class ContextService:
    """Serves conversations, and composes contexts for models."""

    def __init__(self, collections: Collections, contexts: Contexts, compaction: Compaction, limits: Limits) -> None:
        self._collections = collections
        self._contexts = contexts
        self._compaction = compaction
        self._limits = limits

    async def append_messages(self, request: pb.AppendMessagesRequest, call: Call) -> pb.AppendMessagesResponse:
        """Append messages to a conversation."""
        drafts = drafts_of(list(request.messages), self._limits)
        precondition = precondition_of(request, allow_must_not_exist=True)
        appending = AppendMessages(conversation_id_of(request.conversation_id), drafts, precondition)
        answer = await self._contexts.append(request.agent_id, appending, call.origin, request_key_of(request, call))
        conversation = answer.record
        return pb.AppendMessagesResponse(
            first_number=conversation.next_number - len(drafts),
            conversation=conversation_message(request.agent_id, conversation),
            revision=answer.revision,
        )

    async def list_messages(self, request: pb.ListMessagesRequest, call: Call) -> pb.ListMessagesResponse:
        """List the messages of a conversation."""
        after = validation.within("after_number", request.after_number, 0, 2**63 - 1)

        def keeps(message: ConversationMessage) -> bool:
            return message.number > after

        page = await self._collections.list(
            request.agent_id,
            MESSAGE,
            page_request_of(request, call),
            group=conversation_id_of(request.conversation_id),
            keeps=keeps,
            newest_first=request.newest_first,
            max_staleness_ns=max_staleness_of(request),
        )
        return pb.ListMessagesResponse(
            messages=[message_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def list_conversations(
        self, request: pb.ListConversationsRequest, call: Call
    ) -> pb.ListConversationsResponse:
        """List conversations."""
        page = await self._collections.list(
            request.agent_id, CONVERSATION, page_request_of(request, call), max_staleness_ns=max_staleness_of(request)
        )
        return pb.ListConversationsResponse(
            conversations=[conversation_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def delete_conversation(
        self, request: pb.DeleteConversationRequest, call: Call
    ) -> pb.DeleteConversationResponse:
        """Delete a conversation with its messages."""
        deleting = DeleteConversation(conversation_id_of(request.conversation_id), precondition_of(request))
        done = await self._collections.change(request.agent_id, deleting, call.origin, request_key_of(request, call))
        return pb.DeleteConversationResponse(messages_deleted=done.count, revision=done.revision)

    async def compose_context(self, request: pb.ComposeContextRequest, call: Call) -> pb.ComposeContextResponse:
        """Compose a context."""
        asked = composition_request_of(request, self._limits)
        composed = await self._contexts.compose(request.agent_id, asked, max_staleness_of(request))
        return composition_message(composed, asked.tokens_max)

    async def compact_messages(self, request: pb.CompactMessagesRequest, call: Call) -> pb.CompactMessagesResponse:
        """Compact a conversation."""
        asked, key = compaction_request_of(request), request_key_of(request, call)
        done = await self._compaction.compact(request.agent_id, asked, call.origin, key)
        return compaction_message(request.agent_id, done)

    async def count_tokens(self, request: pb.CountTokensRequest, call: Call) -> pb.CountTokensResponse:
        """Count the tokens of texts."""
        validation.agent_id(request.agent_id)
        validation.within("texts", len(request.texts), 0, COUNTED_TEXTS_MAX)
        size = sum(map(validation.size_bytes, request.texts))
        validation.within("texts", size, 0, COUNTED_TEXT_BYTES_MAX, " bytes together")
        model = validation.optional_text("model", request.model, MODEL_BYTES_MAX)
        counts, tokenizer = await self._contexts.count(list(request.texts), model)
        return pb.CountTokensResponse(counts=counts, total=sum(counts), tokenizer=tokenizer)
