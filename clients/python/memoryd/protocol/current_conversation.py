"""Which conversation goes on here, known to all that is called inside of it."""

from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from memoryd.errors import NoConversation


class Identified(Protocol):
    """An agent of either client."""

    @property
    def agent_id(self) -> str:
        """Its id."""
        ...


@dataclass(frozen=True, slots=True)
class CurrentConversation:
    """Whose memory is meant, and in which conversation. ``user_id`` is whom the agent talks with; empty for nobody."""

    agent: Identified
    conversation_id: str
    user_id: str = ""

    @property
    def agent_id(self) -> str:
        """The agent's id."""
        return self.agent.agent_id


_current: ContextVar[CurrentConversation | None] = ContextVar("memoryd_conversation", default=None)


class OngoingConversation:
    """A conversation for as long as a block lasts; ``with`` and ``async with`` do the same."""

    def __init__(self, described: CurrentConversation) -> None:
        self._described = described
        self._token: Token[CurrentConversation | None] | None = None

    def __enter__(self) -> CurrentConversation:
        if self._token is not None:
            raise RuntimeError("this conversation goes on already: begin another by memoryd.conversation")
        self._token = _current.set(self._described)
        return self._described

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        token, self._token = self._token, None
        if token is None:
            return
        try:
            _current.reset(token)
        except ValueError:
            # An abandoned generator is closed in another context than it began in. That one is gone, and this one is
            # not ours.
            return

    async def __aenter__(self) -> CurrentConversation:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)


def conversation(agent: Identified, conversation_id: str, *, user_id: str = "") -> OngoingConversation:
    """Let toolkits and middleware know the agent and its conversation, for as long as the block lasts.

    ``agent`` is an Agent of the client whose toolkits and pipelines are used inside: of ``memoryd``, or of
    ``memoryd.aio``. ``conversation_id`` is 1 to 256 bytes. With a ``user_id``, notes and memories are those of this
    user alone, whose id is the notes' storage key. Without, they are those of all, and new memories are about the
    agent itself: their user's id is the agent's.

    A nested block goes before the outer one, which comes back after it, also by an exception. It is kept in a context
    variable: an asyncio task has the conversation in which it was created, as has ``asyncio.to_thread``; other threads
    have none, unless they get it: ``executor.submit(contextvars.copy_context().run, function)``. There is no fallback
    that all share, for it would give one conversation's memory to another. A generator that yields inside of the block
    shows it to its consumer, too, until it goes on.

    Raises ValueError when ``conversation_id`` is empty.
    """
    if not conversation_id:
        raise ValueError("a conversation has an id")
    return OngoingConversation(CurrentConversation(agent, conversation_id, user_id))


def current_conversation() -> CurrentConversation:
    """Answer the conversation that goes on here. Raises NoConversation."""
    current = _current.get()
    if current is None:
        raise NoConversation("no conversation goes on here: use `with memoryd.conversation(agent, conversation_id):`")
    return current
