"""EntityService: decode the request, call the engine, encode the response."""

from typing import cast

from memoryd.v1 import entity_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.result import RecordPut, Result
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, WINDOW_KEY, EntityWindow
from memoryd_server.domain.entities.entity_change import AddEntities, ClearEntities
from memoryd_server.domain.entities.entity_extraction import PREFIX_DEFAULT, extract_entities
from memoryd_server.domain.entities.entity_prompt import entity_prompt
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.transport.call import Call
from memoryd_server.transport.entities.entity_message import (
    drafts_of,
    entity_message,
    found_message,
    session_id_of,
    tool_result_of,
    window_message,
)
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, request_key_of


class EntityService:
    """Serves windows of entities."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections

    async def add_entities(self, request: pb.AddEntitiesRequest, call: Call) -> pb.AddEntitiesResponse:
        """Add entities to a session's window."""
        adding = AddEntities(
            session_id_of(request.session_id),
            drafts_of(request.entities),
            validation.within("window_size", request.window_size, 0, limit.ENTITIES_MAX),
            request.replace,
            precondition_of(request),
        )
        done = await self._collections.change(request.agent_id, adding, call.origin, request_key_of(request, call))
        window, revision = _kept(done)
        return pb.AddEntitiesResponse(window=window_message(request.agent_id, window), revision=revision)

    async def extract_entities(self, request: pb.ExtractEntitiesRequest, call: Call) -> pb.ExtractEntitiesResponse:
        """Extract entities from a tool's result, and add them to a session's window."""
        agent_id, session_id = request.agent_id, session_id_of(request.session_id)
        tool_name = validation.text("tool_name", request.tool_name, limit.TOOL_NAME_BYTES_MAX)
        prefix = validation.optional_text("tool_prefix", request.tool_prefix, limit.TOOL_PREFIX_BYTES_MAX)
        found = extract_entities(tool_name, tool_result_of(request), prefix or PREFIX_DEFAULT)
        request_key = request_key_of(request, call)
        if request.dry_run:
            window, revision = await self._window(agent_id, session_id)
        else:
            adding = AddEntities(session_id, tuple(found))
            window, revision = _kept(await self._collections.change(agent_id, adding, call.origin, request_key))
        return pb.ExtractEntitiesResponse(
            entities=map(found_message, found), window=window_message(agent_id, window), revision=revision
        )

    async def list_recent_entities(
        self, request: pb.ListRecentEntitiesRequest, call: Call
    ) -> pb.ListRecentEntitiesResponse:
        """List the newest entities of a session."""
        session_id = session_id_of(request.session_id)
        count_max = validation.within("limit", request.limit, 0, 2**31 - 1) or limit.ENTITIES_LISTED_DEFAULT
        window, revision = await self._window(request.agent_id, session_id, max_staleness_of(request))
        return pb.ListRecentEntitiesResponse(
            entities=map(entity_message, window.entities[:count_max]),
            total_count=len(window.entities),
            prompt_text=entity_prompt(window.entities),
            window_size=window.window_size,
            window_revision=window.revision,
            revision=revision,
        )

    async def clear_entities(self, request: pb.ClearEntitiesRequest, call: Call) -> pb.ClearEntitiesResponse:
        """Remove the window of a session, or of all sessions."""
        session_id = session_id_of(request.session_id) if request.HasField("session_id") else None
        clearing = ClearEntities(session_id, precondition_of(request))
        done = await self._collections.change(request.agent_id, clearing, call.origin, request_key_of(request, call))
        return pb.ClearEntitiesResponse(
            entities_cleared=done.entities_cleared,
            sessions_cleared=done.sessions_cleared,
            revision=done.revision,
        )

    async def _window(self, agent_id: str, session_id: str, max_staleness_ns: int = 0) -> tuple[EntityWindow, int]:
        found = await self._collections.find(agent_id, ENTITY_WINDOW, session_id, WINDOW_KEY, max_staleness_ns)
        window, revision = found
        return window or EntityWindow(session_id), revision


def _kept(done: Result) -> tuple[EntityWindow, int]:
    """Return the window after a change, and the agent's revision."""
    answer = cast("RecordPut[EntityWindow]", done)
    return answer.record, answer.revision
