"""EntityService: decode the request, call the engine, encode the response."""

from memoryd.v1 import entity_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.result import RecordPut
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, ENTITY_WINDOW_SHAPE, WINDOW_KEY, EntityWindow
from memoryd_server.domain.entities.entity_change import AddEntities, ClearEntities, EntitiesCleared, SetEntities
from memoryd_server.domain.entities.entity_extraction import PREFIX_DEFAULT, extract_entities
from memoryd_server.domain.entities.entity_prompt import entity_prompt
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.entities.entity_message import (
    conversation_id_of,
    drafts_of,
    found_message,
    tool_result_of,
    window_message,
)
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of
from memoryd_server.transport.fields.user_id import user_id_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed


class EntityService:
    """Serves windows of entities."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    async def get_entity_window(self, request: pb.GetEntityWindowRequest, call: Call) -> pb.GetEntityWindowResponse:
        """Return the window of a conversation, an empty one if it has none."""
        conversation_id = conversation_id_of(request.conversation_id)
        window, revision = await self._collections.find(
            request.agent_id, ENTITY_WINDOW, conversation_id, WINDOW_KEY, consistency_of(request)
        )
        window = window or EntityWindow(conversation_id)
        return pb.GetEntityWindowResponse(
            entity_window=window_message(request.agent_id, window),
            prompt_text=entity_prompt(window.entities),
            revision=revision,
        )

    async def list_entity_windows(
        self, request: pb.ListEntityWindowsRequest, call: Call
    ) -> pb.ListEntityWindowsResponse:
        """List windows."""
        chosen, view = record_filter_of(request.filter, ENTITY_WINDOW_SHAPE), view_of(request)
        page = await self._collections.list(
            request.agent_id,
            ENTITY_WINDOW,
            page_request_of(request, call),
            chosen=chosen,
            order=order_of(request, ListOrder.CREATE_TIME),
            consistency=consistency_of(request),
        )
        return pb.ListEntityWindowsResponse(
            entity_windows=[viewed(window_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    @change
    def add_entities(self, request: pb.AddEntitiesRequest) -> Change[RecordPut[EntityWindow]]:
        """Add entities to a conversation's window."""
        adding = AddEntities(
            conversation_id_of(request.conversation_id),
            drafts_of(request.entities),
            validation.within("window_size", request.window_size, 0, limit.ENTITIES_MAX),
            _given_user_of(request),
            precondition_of(request),
        )

        def encode(done: RecordPut[EntityWindow]) -> pb.AddEntitiesResponse:
            window = window_message(request.agent_id, done.record)
            return pb.AddEntitiesResponse(entity_window=window, changed=done.changed, revision=done.revision)

        return Change(adding, encode, log_change)

    @change
    def set_entities(self, request: pb.SetEntitiesRequest) -> Change[RecordPut[EntityWindow]]:
        """Replace the entities of a conversation's window."""
        setting = SetEntities(
            conversation_id_of(request.conversation_id),
            drafts_of(request.entities),
            validation.within("window_size", request.window_size, 0, limit.ENTITIES_MAX),
            _given_user_of(request),
            precondition_of(request),
        )

        def encode(done: RecordPut[EntityWindow]) -> pb.SetEntitiesResponse:
            window = window_message(request.agent_id, done.record)
            return pb.SetEntitiesResponse(entity_window=window, changed=done.changed, revision=done.revision)

        return Change(setting, encode, log_change)

    @change
    def extract_entities(self, request: pb.ExtractEntitiesRequest) -> Change[RecordPut[EntityWindow]]:
        """Extract entities from a tool's result, and add them to a conversation's window."""
        conversation_id = conversation_id_of(request.conversation_id)
        tool_name = validation.text("tool_name", request.tool_name, limit.TOOL_NAME_BYTES_MAX)
        prefix = validation.optional_text("tool_prefix", request.tool_prefix, limit.TOOL_PREFIX_BYTES_MAX)
        found = extract_entities(tool_name, tool_result_of(request), prefix or PREFIX_DEFAULT)
        adding = AddEntities(
            conversation_id,
            tuple(found),
            user_id=_given_user_of(request),
            precondition=precondition_of(request),
            dry_run=request.dry_run,
        )

        def encode(done: RecordPut[EntityWindow]) -> pb.ExtractEntitiesResponse:
            return pb.ExtractEntitiesResponse(
                entities=map(found_message, found),
                entity_window=window_message(request.agent_id, done.record),
                changed=done.changed,
                revision=done.revision,
            )

        return Change(adding, encode, log_change)

    @change
    def clear_entities(self, request: pb.ClearEntitiesRequest) -> Change[EntitiesCleared]:
        """Remove the window of a conversation, or all windows. Raises InvalidField for a precondition on all."""
        conversation_id = conversation_id_of(request.conversation_id) if request.HasField("conversation_id") else None
        precondition = precondition_of(request)
        if precondition and conversation_id is None:
            raise InvalidField("precondition", "needs a conversation_id: use agent_precondition for all windows")
        clearing = ClearEntities(conversation_id, precondition)

        def encode(done: EntitiesCleared) -> pb.ClearEntitiesResponse:
            return pb.ClearEntitiesResponse(
                deleted_window_count=done.deleted_window_count,
                deleted_entity_count=done.deleted_entity_count,
                revision=done.revision,
            )

        return Change(clearing, encode, log_change, erases=request.erase)


def _given_user_of(request: pb.AddEntitiesRequest | pb.SetEntitiesRequest | pb.ExtractEntitiesRequest) -> str | None:
    """Return the user to give a window, None to keep its user. Raises InvalidField."""
    return user_id_of("user_id", request.user_id) if request.HasField("user_id") else None
