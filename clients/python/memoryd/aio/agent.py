"""An agent: the entries of its root scope, and everything else that it remembers."""

from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Unpack

from memoryd.aio.watch import Watch
from memoryd.aio.working_memory import Scope, WorkingMemory
from memoryd.model.agent import AgentInfo, AgentStats, Cleared, Ended, ForgottenUser
from memoryd.model.entity import EntityWindowInfo
from memoryd.model.event import Event, EventFilter
from memoryd.model.scope import ScopeInfo
from memoryd.model.snapshot import Restored, Snapshot
from memoryd.protocol import agent as agent_calls
from memoryd.protocol import entity as entity_calls
from memoryd.protocol import scope as scope_calls
from memoryd.protocol import snapshot as snapshot_calls
from memoryd.protocol.agent import AgentChanges
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.entity import WindowListOptions
from memoryd.protocol.entry import Place
from memoryd.protocol.event import EventListOptions, WatchOptions, list_events
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.near_option import NearCacheOptions, settings_of
from memoryd.protocol.option import Condition
from memoryd.protocol.record_filter import UserOptions

# What only some programs use of an agent is imported when they use it: the others start faster.
if TYPE_CHECKING:
    from memoryd.aio.conversations import Conversations
    from memoryd.aio.documents import Documents
    from memoryd.aio.entity_window import EntityWindow
    from memoryd.aio.fragments import Fragments
    from memoryd.aio.memories import Memories
    from memoryd.aio.near_cache import NearCache
    from memoryd.aio.notes import Notes
    from memoryd.aio.plans import Plans
    from memoryd.model.context import ComposedContext
    from memoryd.protocol.context import ContextSection
    from memoryd.transaction.transaction import Transaction


@checks_keywords
class Agent(WorkingMemory):
    """One agent. Its own entries are those of its root scope. The first change creates it."""

    def user(self, user_id: str) -> "Agent":
        """Return the same agent with a bound user; with none if the id is empty.

        What it writes is about this user, and what it lists, recalls, searches, composes and watches is this user's
        alone, unless a call names other users. Reads by id and key are the same, and so are the lists of the messages
        of a conversation and of the links of a memory. A conversation that ``append`` creates is of no user: create one
        of the user with ``conversations.create``.
        """
        from memoryd.aio.user_channel import UserChannel

        channel = UserChannel(self._channel, user_id)
        return Agent(channel if user_id else channel.whole, self._place)

    @property
    def conversations(self) -> "Conversations":
        """The messages between the agent and others."""
        from memoryd.aio.conversations import Conversations

        return Conversations(self._channel, self.agent_id)

    @property
    def documents(self) -> "Documents":
        """Source texts for prompts, whole or in chunks that a search finds."""
        from memoryd.aio.documents import Documents

        return Documents(self._channel, self.agent_id)

    @property
    def fragments(self) -> "Fragments":
        """Incoming text that is not consolidated yet."""
        from memoryd.aio.fragments import Fragments

        return Fragments(self._channel, self.agent_id)

    @property
    def memories(self) -> "Memories":
        """The agent's long-term memories."""
        from memoryd.aio.memories import Memories

        return Memories(self._channel, self.agent_id)

    @property
    def notes(self) -> "Notes":
        """Titled, editable texts for prompts."""
        from memoryd.aio.notes import Notes

        return Notes(self._channel, self.agent_id)

    @property
    def plans(self) -> "Plans":
        """Goals in conversations, with the ordered steps to them."""
        from memoryd.aio.plans import Plans

        return Plans(self._channel, self.agent_id)

    async def compose(
        self,
        conversation_id: str = "",
        sections: "Iterable[ContextSection]" = (),
        *,
        max_tokens: int | None = None,
        model: str = "",
        query: str = "",
        include_manifest: bool = False,
        reserve_tokens: int | None = None,
        strict_budgets: bool = False,
        **options: Unpack[UserOptions],
    ) -> "ComposedContext":
        """Compose the messages for a model within a budget of tokens, if asked for with a manifest of what is included.

        Default sections: notes, documents, memories and the conversation. Default budget: the server's window, which is
        16,000 tokens unless configured, of which 2,500 stay free. ``reserve_tokens`` stay free of ``max_tokens``, for a
        system prompt, the user's message and the answer. With ``strict_budgets``, no section uses what others left of
        their budgets. ``model`` names the model whose tokens are counted. Memories are searched for by ``query``, or by
        the last message of the user. The options select the notes, entries, memories and documents of
        the sections that have no filter of their own: without a user, those of no user. Raises RecordNotFound,
        ScopeDisposed.
        """
        from memoryd.protocol.context import compose_context

        compose = compose_context(
            self.agent_id,
            conversation_id,
            sections,
            max_tokens=max_tokens,
            model=model,
            query=query,
            include_manifest=include_manifest,
            reserve_tokens=reserve_tokens,
            strict_budgets=strict_budgets,
            options=options,
        )
        return await self._channel.run(reading(compose, options))

    def near_cache(self, **options: Unpack[NearCacheOptions]) -> "NearCache":
        """Return a live copy of the agent's entries, scopes and notes in this process, for a block.

        ``async with agent.near_cache() as cache: await cache.get("key")``. A read costs no call, and has every write of
        this client: see NearCache. The block begins once the copy is complete. Raises CallFailed, and CacheFull if the
        records take more memory than ``max_bytes``.
        """
        from memoryd.aio.near_cache import NearCache

        return NearCache(self._channel, self.agent_id, settings_of(options))

    @asynccontextmanager
    async def transaction(
        self, *, request_id: str = "", **condition: Unpack[Condition]
    ) -> AsyncIterator["Transaction"]:
        """Collect changes of all kinds in the block, and make them as one at its end: all of them, or none.

        ``async with agent.transaction() as tx: tx.set("done", True); tx.notes.create("Title", "Text")``. An exception
        in the block sends nothing. ``request_id`` makes the transaction safe to repeat from another process; retries of
        this client always are. The condition is the agent's. Raises what the refused change raises, with its position
        in ``metadata["write_index"]``, and RevisionMismatch, AgentNotFound or RecordExists for the agent's condition.
        """
        from memoryd.transaction.transaction import Transaction

        transaction = Transaction(self.agent_id)
        yield transaction
        if (pending := transaction.pending(request_id, condition)) is not None:
            await self._channel.run(pending)

    def entities(self, conversation_id: str) -> "EntityWindow":
        """Return the window of recent entities of a conversation, without a call to the daemon."""
        from memoryd.aio.entity_window import EntityWindow

        return EntityWindow(self._channel, self.agent_id, conversation_id)

    def entity_windows(self, **options: Unpack[WindowListOptions]) -> AsyncIterator[EntityWindowInfo]:
        """Yield the windows of recent entities of the conversations, all at one revision."""
        return self._channel.pages(reading(entity_calls.list_entity_windows(self.agent_id, options), options))

    async def info(self, **options: Unpack[ReadOptions]) -> AgentInfo:
        """Return the agent's revision, times, name, labels and defaults. Raises AgentNotFound."""
        return await self._channel.run(reading(agent_calls.get_agent(self.agent_id), options))

    async def update_info(
        self, *, must_exist: bool = False, expected_revision: int | None = None, **changes: Unpack[AgentChanges]
    ) -> AgentInfo:
        """Change the name, the labels or the defaults of the agent, which is created if it does not exist.

        Raises AgentNotFound with ``must_exist``, and RevisionMismatch when another writer was faster.
        """
        return await self._channel.run(
            agent_calls.update_agent(self.agent_id, changes, must_exist=must_exist, expected_revision=expected_revision)
        )

    async def stats(self, **options: Unpack[ReadOptions]) -> AgentStats:
        """Return the numbers and sizes of the agent's records. Raises AgentNotFound."""
        return await self._channel.run(reading(agent_calls.get_stats(self.agent_id), options))

    def scopes(self, **options: Unpack[UserOptions]) -> AsyncIterator[ScopeInfo]:
        """Yield the active scopes of all parents in the order of their creation."""
        return self._channel.pages(reading(scope_calls.list_scopes(self.agent_id, None, options), options))

    def attach(self, scope_id: str) -> Scope:
        """Return an existing scope, without a call to the daemon."""
        return Scope(self._channel, Place(self.agent_id, scope_id))

    async def clear_all(
        self,
        kinds: Iterable[str] | None = None,
        *,
        must_exist: bool = False,
        expected_revision: int | None = None,
        erase: bool = False,
    ) -> Cleared:
        """Remove all records of these kinds, such as "note" (see RecordKind). The agent remains.

        Without kinds: entries with their scopes, fragments, entity windows and conversations, and nothing else.
        ``erase`` erases all records of these kinds, also from past events; the result has the receipt. Raises
        AgentNotFound or RevisionMismatch if the condition on the agent is not met.
        """
        return await self._channel.run(
            agent_calls.clear_agent(
                self.agent_id, kinds, must_exist=must_exist, expected_revision=expected_revision, erase=erase
            )
        )

    async def end(
        self,
        *,
        snapshot: bool = False,
        must_exist: bool = False,
        expected_revision: int | None = None,
        erase: bool = False,
    ) -> Ended:
        """Remove the agent with all of its records and scopes. ``snapshot`` takes a snapshot first.

        ``erase`` erases all that the agent ever had, also from past events; the result has the receipt.

        An agent that does not exist is not an error, unless the condition on it says so: raises AgentNotFound or
        RevisionMismatch.
        """
        return await self._channel.run(
            agent_calls.end_agent(
                self.agent_id,
                snapshot=snapshot,
                must_exist=must_exist,
                expected_revision=expected_revision,
                patience=self._channel.settings.snapshot_timeout,
                erase=erase,
            )
        )

    async def forget_user(
        self, user_id: str, *, block_reimport: bool = False, expected_revision: int | None = None
    ) -> ForgottenUser:
        """Remove all records of a user, of all kinds, and erase what the server still has of deleted ones.

        Records that mention the user without the user's id are not found. ``block_reimport`` refuses the contents of
        the removed memories from now on. The result names the snapshots that may still contain records of the user.
        """
        return await self._channel.run(
            agent_calls.forget_user(
                self.agent_id,
                user_id,
                block_reimport=block_reimport,
                expected_revision=expected_revision,
                patience=self._channel.settings.snapshot_timeout,
            )
        )

    async def create_snapshot(
        self, snapshot_id: str = "", *, label: str = "", expected_revision: int | None = None
    ) -> Snapshot:
        """Write this agent's image to the server's disk. Without an id the server chooses one.

        ``label`` is words for people, at most 256 bytes. Raises AgentNotFound, SnapshotExists, and RevisionMismatch
        unless the agent has the expected revision.
        """
        timeout = self._channel.settings.snapshot_timeout
        return await self._channel.run(
            snapshot_calls.create_snapshot(self.agent_id, snapshot_id, label, expected_revision, timeout)
        )

    async def restore_snapshot(
        self, snapshot_id: str, *, expected_revision: int | None = None, dry_run: bool = False
    ) -> Restored:
        """Replace all records of this agent by those in a snapshot.

        ``dry_run`` checks everything, and changes nothing. Raises SnapshotAgentMismatch for a snapshot of another
        agent, SnapshotDamaged, and RevisionMismatch unless the agent has the expected revision. Then nothing changes.
        """
        timeout = self._channel.settings.snapshot_timeout
        return await self._channel.run(
            snapshot_calls.restore_snapshot(
                snapshot_id, self.agent_id, timeout, expected_revision=expected_revision, dry_run=dry_run
            )
        )

    def events(
        self, *, key_prefix: str = "", event_types: Collection[str] | None = None, **options: Unpack[EventListOptions]
    ) -> AsyncIterator[Event]:
        """Yield past events that the journal still retains. Raises RevisionCompacted."""
        chosen = EventFilter((self.agent_id,), key_prefix=key_prefix, event_types=event_types)
        return self._channel.pages(reading(list_events([chosen], options), options))

    def watch(
        self,
        *,
        scope_ids: Collection[str] | None = None,
        include_descendants: bool = False,
        key_prefix: str = "",
        event_types: Collection[str] | None = None,
        **options: Unpack[WatchOptions],
    ) -> Watch:
        """Watch the agent, or some of its scopes; an empty scope id names the root."""
        chosen = EventFilter((self.agent_id,), scope_ids, include_descendants, key_prefix, event_types)
        return self._watch(chosen, options)
