"""The current conversation, kept in a context variable for the code that runs inside of it."""

from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from memoryd.errors import NoConversation


class Identified(Protocol):
    """An agent of either client."""

    @property
    def agent_id(self) -> str:
        """The agent's id."""
        ...


@dataclass(frozen=True, slots=True)
class CurrentConversation:
    """The agent and conversation that toolkits and pipelines use. ``user_id`` is the agent's user; empty for none."""

    agent: Identified
    conversation_id: str
    user_id: str = ""

    @property
    def agent_id(self) -> str:
        """The agent's id."""
        return self.agent.agent_id


_current: ContextVar[CurrentConversation | None] = ContextVar("memoryd_conversation", default=None)


def shared_with(user_id: str) -> list[str]:
    """Return the users whose documents a user may use: the user, and the empty id of those of no user."""
    return sorted({user_id, ""})


class OngoingConversation:
    """The context manager that makes a conversation the current one; ``with`` and ``async with`` do the same."""

    def __init__(self, described: CurrentConversation) -> None:
        self._described = described
        self._token: Token[CurrentConversation | None] | None = None

    def __enter__(self) -> CurrentConversation:
        if self._token is not None:
            raise RuntimeError("this block is entered already: call memoryd.conversation again for a nested one")
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
            # An abandoned generator is closed in another context than the one in which it entered this block. That
            # context no longer exists, and the current one must not be changed.
            return

    async def __aenter__(self) -> CurrentConversation:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)


def conversation(agent: Identified, conversation_id: str, *, user_id: str = "") -> OngoingConversation:
    """Return a context manager that makes a conversation the current one, for toolkits and middleware in its block.

    ``agent`` is an Agent of the client whose toolkits and pipelines are used inside: of ``memoryd``, or of
    ``memoryd.aio``. ``conversation_id`` is 1 to 256 bytes. Only the notes and the memories of the user with ``user_id``
    are used, and new ones are of this user; of documents also those of no user, which all users share. Without a
    ``user_id``, only records of no user are used.

    A nested block overrides the outer one until it ends, also by an exception. The conversation is kept in a context
    variable: an asyncio task inherits it from the code that creates it, as does ``asyncio.to_thread``. Other threads
    need a copy: ``executor.submit(contextvars.copy_context().run, function)``. There is no global fallback, which
    would give one conversation's memory to another. While a generator is suspended inside of the block, its consumer
    has the same current conversation.

    Raises ValueError when ``conversation_id`` is empty.
    """
    if not conversation_id:
        raise ValueError("conversation_id is empty: give it 1 to 256 bytes")
    return OngoingConversation(CurrentConversation(agent, conversation_id, user_id))


def current_conversation() -> CurrentConversation:
    """Return the current conversation. Raises NoConversation."""
    current = _current.get()
    if current is None:
        raise NoConversation("there is no current conversation: use `with memoryd.conversation(agent, id):`")
    return current
