"""A transaction: changes of one agent that are made as one."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Unpack

from memoryd.model.agent import AgentInfo, Cleared
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.scope import ScopeInfo
from memoryd.protocol import agent as agent_calls
from memoryd.protocol import scope as scope_calls
from memoryd.protocol.agent import AgentChanges
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.option import Condition
from memoryd.transaction import working_memory
from memoryd.transaction.conversations import Conversations
from memoryd.transaction.documents import Documents
from memoryd.transaction.entity_window import EntityWindow
from memoryd.transaction.fragments import Fragments
from memoryd.transaction.memories import Memories
from memoryd.transaction.notes import Notes
from memoryd.transaction.plans import Plans
from memoryd.transaction.recorder import Recorder, Written
from memoryd.transaction.working_memory import WorkingMemory


class Scope(working_memory.Scope):
    """A nested container of entries."""

    def dispose(self, *, erase: bool = False) -> Written[int | ErasureReceipt]:
        """Dispose the scope and those below it with all their entries, and return the number of entries.

        ``erase`` erases them, and returns the receipt. Raises RecordNotFound for a scope that ended long ago.
        """
        return self._recorder.add(scope_calls.dispose_scope(self._place, erase=erase))


@checks_keywords
class Transaction(WorkingMemory):
    """Changes of one agent that are made together, or not at all, in the order in which they were collected.

    It has the nouns and the changes of an agent, each of which returns a ``Written``: its ``result`` is there after the
    block. Each change finds what the earlier ones of the transaction left. There are at most 1,000 of them.
    """

    def __init__(self, agent_id: str) -> None:
        super().__init__(Recorder(agent_id), Place(agent_id))

    def __len__(self) -> int:
        return len(self._recorder)

    @property
    def revision(self) -> int | None:
        """The agent's revision after the commit; None before, and if nothing was collected."""
        return self._recorder.revision

    @property
    def conversations(self) -> Conversations:
        """The messages between the agent and others."""
        return Conversations(self._recorder, self.agent_id)

    @property
    def documents(self) -> Documents:
        """Source texts for prompts, whole or in chunks that a search finds."""
        return Documents(self._recorder, self.agent_id)

    @property
    def fragments(self) -> Fragments:
        """Incoming text that is not consolidated yet."""
        return Fragments(self._recorder, self.agent_id)

    @property
    def memories(self) -> Memories:
        """The agent's long-term memories."""
        return Memories(self._recorder, self.agent_id)

    @property
    def notes(self) -> Notes:
        """Titled, editable texts for prompts."""
        return Notes(self._recorder, self.agent_id)

    @property
    def plans(self) -> Plans:
        """Goals in conversations, with the ordered steps to them."""
        return Plans(self._recorder, self.agent_id)

    def entities(self, conversation_id: str) -> EntityWindow:
        """Return the window of recent entities of a conversation."""
        return EntityWindow(self._recorder, self.agent_id, conversation_id)

    def attach(self, scope_id: str) -> Scope:
        """Return an existing scope."""
        return Scope(self._recorder, Place(self.agent_id, scope_id))

    def create_scope(
        self,
        name: str,
        *,
        parent_scope_id: str = "",
        user_id: str = "",
        idle_ttl: timedelta | float | None = None,
        **condition: Unpack[Condition],
    ) -> Written[ScopeInfo]:
        """Create a scope below another one, by default below the root. Its id is known after the commit."""
        place = Place(self.agent_id, parent_scope_id)
        return self._recorder.add(scope_calls.create_scope(place, name, user_id, condition, idle_ttl))

    def update_info(self, **changes: Unpack[AgentChanges]) -> Written[AgentInfo]:
        """Change the name, the labels or the defaults of the agent."""
        return self._recorder.add(
            agent_calls.update_agent(self.agent_id, changes, must_exist=False, expected_revision=None)
        )

    def clear_all(self, kinds: Iterable[str] = ()) -> Written[Cleared]:
        """Remove all records of these kinds, by default of those that ``Agent.clear_all`` names."""
        return self._recorder.add(agent_calls.clear_agent(self.agent_id, kinds, expected_revision=None))

    def pending(self, request_id: str, condition: Condition) -> Call[None] | None:
        """Return the call that commits the changes; None without changes."""
        return self._recorder.pending(request_id, condition)
