"""ContextService: decode the request, call the engine, encode the response."""

from memoryd.v1 import context_service_pb2 as pb
from memoryd_server.domain import validation
from memoryd_server.domain.limit import COUNTED_TEXT_BYTES_MAX, COUNTED_TEXTS_MAX, MODEL_BYTES_MAX, Limits
from memoryd_server.engine.context.contexts import Contexts
from memoryd_server.transport.call import Call
from memoryd_server.transport.context.composition_message import composition_message, composition_request_of
from memoryd_server.transport.fields.request_fields import consistency_of


class ContextService:
    """Composes contexts for models, and counts tokens."""

    def __init__(self, contexts: Contexts, limits: Limits) -> None:
        self._contexts = contexts
        self._limits = limits

    async def compose_context(self, request: pb.ComposeContextRequest, call: Call) -> pb.ComposeContextResponse:
        """Compose a context."""
        call.require_each(section.agent_id for section in request.sections if section.agent_id)
        consistency = consistency_of(request)
        defaults = await self._contexts.defaults(request.agent_id, consistency)
        asked = composition_request_of(request, self._limits, defaults)
        composed = await self._contexts.compose(request.agent_id, asked, consistency, call.caller.tier)
        return composition_message(composed, asked, has_manifest=request.include_manifest)

    async def count_tokens(self, request: pb.CountTokensRequest, call: Call) -> pb.CountTokensResponse:
        """Count the tokens of texts."""
        validation.within("texts", len(request.texts), 0, COUNTED_TEXTS_MAX)
        size = sum(map(validation.size_bytes, request.texts))
        validation.within("texts", size, 0, COUNTED_TEXT_BYTES_MAX, " bytes together")
        model = validation.optional_text("model", request.model, MODEL_BYTES_MAX)
        counts, tokenizer = await self._contexts.count(list(request.texts), model)
        return pb.CountTokensResponse(token_counts=counts, total_token_count=sum(counts), tokenizer=tokenizer)
