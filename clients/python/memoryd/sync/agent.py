"""An agent: the entries of its root, and its memory as a whole."""

from collections.abc import Iterable, Iterator
from typing import Unpack

from memoryd.model.agent import AgentInfo, AgentStats, Cleared, Ended
from memoryd.model.context import ComposedContext
from memoryd.model.event import Event, EventFilter
from memoryd.model.scope import ScopeInfo
from memoryd.model.snapshot import Restored, Snapshot
from memoryd.protocol import agent as agent_calls
from memoryd.protocol import scope as scope_calls
from memoryd.protocol import snapshot as snapshot_calls
from memoryd.protocol.context import ContextSection, compose_context
from memoryd.protocol.entry import Place
from memoryd.protocol.event import WatchOptions, list_events
from memoryd.sync.conversations import Conversations
from memoryd.sync.documents import Documents
from memoryd.sync.entity_window import EntityWindow
from memoryd.sync.fragments import Fragments
from memoryd.sync.memories import Memories
from memoryd.sync.notes import Notes
from memoryd.sync.plans import Plans
from memoryd.sync.watch import Watch
from memoryd.sync.working_memory import Scope, WorkingMemory


class Agent(WorkingMemory):
    """One agent's memory. Its own entries are those of the root; an agent begins with its first change."""

    @property
    def conversations(self) -> Conversations:
        """What the agent and others said to each other."""
        return Conversations(self._channel, self.agent_id)

    @property
    def documents(self) -> Documents:
        """Source text that is told to a model whole, or found in chunks."""
        return Documents(self._channel, self.agent_id)

    @property
    def fragments(self) -> Fragments:
        """What the agent heard and has not consolidated yet."""
        return Fragments(self._channel, self.agent_id)

    @property
    def memories(self) -> Memories:
        """What the agent is to remember for good."""
        return Memories(self._channel, self.agent_id)

    @property
    def notes(self) -> Notes:
        """Titled, editable memories that are put into prompts."""
        return Notes(self._channel, self.agent_id)

    @property
    def plans(self) -> Plans:
        """What is to be reached in conversations, and the ordered steps to it."""
        return Plans(self._channel, self.agent_id)

    def compose(
        self,
        conversation_id: str = "",
        sections: Iterable[ContextSection] = (),
        *,
        max_tokens: int = 0,
        model: str = "",
        query: str = "",
    ) -> ComposedContext:
        """Compose the messages that go to a model, within a budget of tokens, and tell what became of each record.

        Without sections: notes, memories, and the conversation. Without ``max_tokens``: the server's window, 16,000
        unless it says otherwise. ``model`` is whose tokens are counted. Memories are looked for by ``query``, or by the
        last message of the user. Raises ScopeNotFound, ScopeDisposed.
        """
        return self._channel.run(
            compose_context(self.agent_id, conversation_id, sections, max_tokens=max_tokens, model=model, query=query)
        )

    def entities(self, session_id: str) -> EntityWindow:
        """Answer the window of what was touched last in a session, without asking the daemon."""
        return EntityWindow(self._channel, self.agent_id, session_id)

    def info(self) -> AgentInfo:
        """Answer revision and times. Raises AgentNotFound."""
        return self._channel.run(agent_calls.get_agent(self.agent_id))

    def stats(self) -> AgentStats:
        """Answer how much the memory holds. Raises AgentNotFound."""
        return self._channel.run(agent_calls.get_stats(self.agent_id))

    def scopes(self) -> Iterator[ScopeInfo]:
        """Yield all active scopes in the order of their creation."""
        return self._channel.pages(scope_calls.list_scopes(self.agent_id, None))

    def attach(self, scope_id: str) -> Scope:
        """Answer a scope that is there already, without asking the daemon."""
        return Scope(self._channel, Place(self.agent_id, scope_id))

    def clear_all(self, kinds: Iterable[str] = (), *, expected_revision: int | None = None) -> Cleared:
        """Remove the memory of these kinds, such as "note" (see MemoryKind); the agent stays.

        No kinds means working memory in root and scopes, fragments, entity windows and context, never long-term
        memory.
        """
        return self._channel.run(agent_calls.clear_agent(self.agent_id, kinds, expected_revision=expected_revision))

    def end(self, *, snapshot: bool = False, expected_revision: int | None = None) -> Ended:
        """Remove the agent with all of its memory and scopes, after a last snapshot on request.

        Raises AgentNotFound when it is not there.
        """
        return self._channel.run(
            agent_calls.end_agent(
                self.agent_id,
                snapshot=snapshot,
                expected_revision=expected_revision,
                patience=self._channel.settings.snapshot_timeout,
            )
        )

    def create_snapshot(self, snapshot_id: str = "") -> Snapshot:
        """Write this agent's image to the server's disk. Without an id the server chooses one.

        Raises AgentNotFound, SnapshotExists.
        """
        timeout = self._channel.settings.snapshot_timeout
        return self._channel.run(snapshot_calls.create_snapshot(self.agent_id, snapshot_id, timeout))

    def restore_snapshot(self, snapshot_id: str) -> Restored:
        """Replace this agent's memory by what a snapshot holds of it.

        Raises SnapshotAgentMismatch for a snapshot of another agent, SnapshotDamaged; then nothing is changed.
        """
        timeout = self._channel.settings.snapshot_timeout
        return self._channel.run(snapshot_calls.restore_snapshot(snapshot_id, self.agent_id, "", timeout))

    def events(
        self, *, after_revision: int = 0, key_prefix: str = "", event_types: Iterable[str] = (), values: bool = True
    ) -> Iterator[Event]:
        """Yield the past events that the journal retains, oldest first. Raises RevisionCompacted."""
        chosen = EventFilter((self.agent_id,), key_prefix=key_prefix, event_types=tuple(event_types))
        return self._channel.pages(list_events([chosen], after_revision=after_revision, values=values))

    def watch(
        self,
        *,
        scope_ids: Iterable[str] = (),
        include_descendants: bool = False,
        key_prefix: str = "",
        event_types: Iterable[str] = (),
        **options: Unpack[WatchOptions],
    ) -> Watch:
        """Watch the agent, or some of its scopes; an empty scope id names the root."""
        chosen = EventFilter((self.agent_id,), tuple(scope_ids), include_descendants, key_prefix, tuple(event_types))
        return self._watch(chosen, options)
