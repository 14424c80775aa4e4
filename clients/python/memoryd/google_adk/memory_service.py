"""A memory service of the Agent Development Kit over long-term memory."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.adapter.name import conversation_id, part
from memoryd.adapter.transcript import METADATA_CHARS_MAX
from memoryd.aio.agent import Agent
from memoryd.aio.client import Client as AioClient
from memoryd.errors import RecordExists, RecordNotFound
from memoryd.google_adk.stored_session import text_of
from memoryd.model.listing import RecordView
from memoryd.model.memory import Memory, Provenance
from memoryd.protocol.memory_draft import MemoryDraft
from memoryd.sync.client import Client

CONTENT = "google_adk"
AUTHOR = "author"
CUSTOM = "custom_metadata"
QUERY_BYTES_MAX = 4_096
CREATED_MAX = 100


class MemorydMemoryService(Connected, BaseMemoryService):
    """A memory service that finds the events of sessions by words, meaning and time.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_prefix`` is the prefix of the ids of the apps' agents. ``limit`` is the maximum number
    of memories that a search returns, at most 100.

    Each event with a text is a memory of its user. An event that is added again changes nothing, also after its memory
    was deleted, until the daemon purges it. Every method raises CallFailed when the daemon refuses or cannot be
    reached. Close the service, or use it as an asynchronous context manager; a given client stays open.
    """

    def __init__(
        self, client: Client | AioClient | str | None = None, *, agent_prefix: str = "adk/", limit: int = 10
    ) -> None:
        super().__init__()
        self._connection = Connection(client)
        self._agent_prefix = agent_prefix
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Add the events of a session that are not there yet."""
        await self._add_events(session.app_name, session.user_id, session.id, session.events, None)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add events that are not there yet."""
        await self._add_events(app_name, user_id, session_id or "", events, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add memories. One with an id is added once."""
        drafts = []
        for memory in memories:
            text = _words(memory.content)
            if text.strip():
                metadata = _metadata(
                    memory.content, memory.author, {**memory.custom_metadata, **(custom_metadata or {})}
                )
                when = datetime.fromisoformat(memory.timestamp) if memory.timestamp else None
                drafts.append(_draft(text, user_id, memory.id, when, metadata, Provenance()))
        await self._create(self._agent(app_name), drafts)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the memories of a user that match a query best, the best first."""
        if not query.strip():
            return SearchMemoryResponse()
        asked = query.encode()[:QUERY_BYTES_MAX].decode(errors="ignore")
        found = await self._agent(app_name).memories.recall(asked, user_id=user_id, limit=self._limit)
        return SearchMemoryResponse(memories=[_entry(match.memory) for match in found.memories])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget a memory of a user. One that is missing, or another user's, is no error."""
        if not memory_id:
            return
        memories = self._agent(app_name).memories
        try:
            memory = await memories.get(memory_id)
        except RecordNotFound:
            return
        if memory.user_id == user_id:
            await memories.forget(memory_id)

    def _agent(self, app_name: str) -> Agent:
        return self._connection.agent_in_task(self._agent_prefix + part(app_name))

    async def _add_events(
        self,
        app_name: str,
        user_id: str,
        session_id: str,
        events: Iterable[Event],
        custom_metadata: Mapping[str, object] | None,
    ) -> None:
        origin = Provenance(conversation_id=conversation_id(*filter(None, [user_id]), session_id) if session_id else "")
        drafts = []
        for event in events:
            text = text_of(event)
            if text.strip() and event.content:
                when = datetime.fromtimestamp(event.timestamp, UTC)
                metadata = _metadata(event.content, event.author, custom_metadata or {})
                drafts.append(_draft(text, user_id, event.id, when, metadata, origin))
        await self._create(self._agent(app_name), drafts)

    async def _create(self, agent: Agent, drafts: Sequence[MemoryDraft]) -> None:
        for start in range(0, len(drafts), CREATED_MAX):
            group = drafts[start : start + CREATED_MAX]
            ids = [draft.memory_id for draft in group if draft.memory_id]
            found = agent.memories.get_many(ids, include_forgotten=True, view=RecordView.WITHOUT_CONTENT)
            known = {memory.memory_id async for memory in found} if ids else set()
            for draft in group:
                if draft.memory_id not in known:
                    # Another caller may have added it meanwhile, or an earlier event of the group has its id.
                    with suppress(RecordExists):
                        await agent.memories.create(draft)


def _draft(
    text: str, user_id: str, own_id: str | None, when: datetime | None, metadata: dict[str, Any], origin: Provenance
) -> MemoryDraft:
    # Events of different users may have the same id.
    memory_id = hashlib.sha256(json.dumps([user_id, own_id]).encode()).hexdigest() if own_id else ""
    return MemoryDraft(
        text,
        user_id,
        memory_id=memory_id,
        provenance=origin,
        metadata=metadata,
        occur_time=when if when is None or when.tzinfo else when.astimezone(),
        allow_duplicates=True,
        skip_contradictions=True,
    )


def _metadata(content: types.Content, author: str | None, custom: Mapping[str, object]) -> dict[str, Any]:
    written = content.model_dump_json(exclude_none=True)
    metadata: dict[str, Any] = {AUTHOR: author} if author else {}
    if len(written.encode()) <= METADATA_CHARS_MAX // 2:
        metadata[CONTENT] = written
    if custom:
        metadata[CUSTOM] = json.dumps(dict(custom), default=str)
    return metadata


def _entry(memory: Memory) -> MemoryEntry:
    written = memory.metadata.get(CONTENT)
    words = types.Content(parts=[types.Part(text=memory.content)])
    return MemoryEntry(
        id=memory.memory_id,
        content=types.Content.model_validate_json(written) if written else words,
        author=memory.metadata.get(AUTHOR),
        timestamp=memory.occur_time.isoformat(),
        custom_metadata=json.loads(memory.metadata.get(CUSTOM, "{}")),
    )


def _words(content: types.Content) -> str:
    return "\n".join(each.text for each in content.parts or [] if each.text)
