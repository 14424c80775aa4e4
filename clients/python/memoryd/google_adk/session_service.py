"""A session service of the Agent Development Kit: sessions are conversations of the app's agent."""

import time
from typing import Any
from uuid import uuid4

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse
from google.adk.sessions.session import Session

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.adapter.listing import Flow, collected
from memoryd.adapter.name import part
from memoryd.adapter.transcript import committed
from memoryd.aio.client import Client as AioClient
from memoryd.errors import RecordExists, RecordNotFound, RevisionMismatch
from memoryd.google_adk import stored_session
from memoryd.google_adk.state import Changes, SharedState
from memoryd.google_adk.stored_session import StoredSession, transcript_of
from memoryd.model.entry import Entry
from memoryd.protocol.conversation import get_message, list_conversations
from memoryd.protocol.update import RACES_MAX
from memoryd.sync.client import Client
from memoryd.transaction.transaction import Transaction

USERS_READ_MAX = 50


class MemorydSessionService(Connected, BaseSessionService):
    """A session service whose sessions are conversations.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_prefix`` is the prefix of the ids of the apps' agents.

    An event, what it changes of the state of its session, of the user and of the app, and the time of the session are
    one change. State is stored as JSON. Several services may append to one session at once: all events are kept, and
    an event that is appended twice is kept once. An event, and a session's state, have at most about 8 MB as JSON, the
    state of a user and of an app 1 MiB, else TooLarge is raised.

    Every method raises CallFailed when the daemon refuses or cannot be reached. Close the service, or use it as an
    asynchronous context manager; a given client stays open.
    """

    def __init__(self, client: Client | AioClient | str | None = None, *, agent_prefix: str = "adk/") -> None:
        super().__init__()
        self._connection = Connection(client)
        self._agent_prefix = agent_prefix

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """Create a session. Raises AlreadyExistsError if the user has one of this id."""
        name = (session_id or "").strip() or str(uuid4())
        return await self._connection.run_in_task(self._create(app_name, user_id, state or {}, name))

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events, or with those that ``config`` selects; None if there is none."""
        return await self._connection.run_in_task(self._get(app_name, user_id, session_id.strip(), config))

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Return the sessions of a user, or of all users, without events, the longest unused first."""
        return await self._connection.run_in_task(self._list(app_name, user_id))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Delete a session with its events. The state of its user stays."""
        transcript = transcript_of(self._agent_id(app_name), user_id, session_id.strip())
        await self._connection.run_in_task(transcript.clear())

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state of a user, under keys without a prefix."""
        shared = SharedState(self._agent_id(app_name))
        return shared.user(await self._connection.run_in_task(shared.read(user_id)), user_id)

    async def append_event(self, session: Session, event: Event) -> Event:
        """Append an event to a session, and apply the changes of the state. Raises SessionNotFoundError."""
        if event.partial:
            return event
        if await self._connection.run_in_task(self._append(session, event)):
            event = await super().append_event(session, event)
            session.last_update_time = event.timestamp
        return event

    def _agent_id(self, app_name: str) -> str:
        return self._agent_prefix + part(app_name)

    def _create(self, app_name: str, user_id: str, state: dict[str, Any], session_id: str) -> Flow[Session]:
        shared = SharedState(self._agent_id(app_name))
        transcript = transcript_of(self._agent_id(app_name), user_id, session_id)
        changes, now = Changes.of(state), time.time()
        for race in range(1, RACES_MAX + 1):
            entries = yield from shared.read(user_id)
            transaction = Transaction(transcript.agent_id)
            stored_session.write(transcript, session_id, changes.session, now, None, transaction)
            shared.write(changes, entries, user_id, transaction)
            try:
                yield committed(transaction)
            except RecordExists:
                raise AlreadyExistsError(f"Session with id {session_id} already exists.") from None
            except RevisionMismatch:
                if race == RACES_MAX:
                    raise
            else:
                break
        created = yield from self._get(app_name, user_id, session_id, GetSessionConfig(num_recent_events=0))
        if created is None:
            raise SessionNotFoundError(f"Session {session_id} not found.")
        return created

    def _get(
        self, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None
    ) -> Flow[Session | None]:
        shared = SharedState(self._agent_id(app_name))
        transcript = transcript_of(self._agent_id(app_name), user_id, session_id)
        stored = yield from stored_session.read(transcript)
        if stored is None:
            return None
        events = yield from stored_session.read_events(transcript, config)
        entries = yield from shared.read(user_id)
        return _session(app_name, stored, shared.merged(stored.state, entries, user_id), events)

    def _list(self, app_name: str, user_id: str | None) -> Flow[ListSessionsResponse]:
        agent_id = self._agent_id(app_name)
        whose: Any = {"all_users": True} if user_id is None else {"user_id": user_id}
        conversations = yield from collected(lambda: list_conversations(agent_id, whose))
        found: list[StoredSession] = []
        for info in conversations:
            # The id of the session is in the metadata; pieces are named by that of the conversation.
            transcript = transcript_of(agent_id, info.user_id, "")
            transcript.conversation_id = info.conversation_id
            stored = yield from stored_session.session_in(info, transcript)
            if stored is not None:
                found.append(stored)
        shared = SharedState(agent_id)
        users = sorted({stored.user_id for stored in found})
        entries: dict[str, Entry] = {}
        for start in range(0, len(users), USERS_READ_MAX):
            entries |= yield from shared.read(*users[start : start + USERS_READ_MAX])
        sessions = [_session(app_name, each, shared.merged(each.state, entries, each.user_id), []) for each in found]
        sessions.sort(key=lambda session: (session.last_update_time, session.user_id, session.id))
        return ListSessionsResponse(sessions=sessions)

    def _append(self, session: Session, event: Event) -> Flow[bool]:
        """Store an event, and return False if the session has it already."""
        shared = SharedState(self._agent_id(session.app_name))
        transcript = transcript_of(self._agent_id(session.app_name), session.user_id, session.id)
        data = stored_session.event_data(event)
        changes = Changes.of(event.actions.state_delta if event.actions else {})
        keeps_id = True
        for race in range(1, RACES_MAX + 1):
            stored = yield from stored_session.read(transcript)
            if stored is None:
                raise SessionNotFoundError(f"Session {session.id} not found.")
            entries: dict[str, Entry] = {}
            if changes.app or changes.user:
                entries = yield from shared.read(session.user_id)
            transaction = Transaction(transcript.agent_id)
            state = {**stored.state, **changes.session}
            stored_session.write(transcript, stored.session_id, state, event.timestamp, stored, transaction)
            transcript.write([stored_session.stored_event(event, data, keeps_id=keeps_id)], transaction)
            shared.write(changes, entries, session.user_id, transaction)
            try:
                yield committed(transaction)
            except RecordExists:
                message = yield get_message(transcript.agent_id, transcript.conversation_id, event.id)
                if (yield from transcript.data_of(message)) == data:
                    return False
                keeps_id = False
            except (RecordNotFound, RevisionMismatch):
                if race == RACES_MAX:
                    raise
            else:
                return True
        raise AssertionError("unreachable: the last race returns or raises")


def _session(app_name: str, stored: StoredSession, state: dict[str, Any], events: list[Event]) -> Session:
    return Session(
        id=stored.session_id,
        app_name=app_name,
        user_id=stored.user_id,
        state=state,
        events=events,
        last_update_time=stored.update_time,
    )
