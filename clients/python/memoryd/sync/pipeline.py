"""What happens to the messages on their way to a model, for ordinary code."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from memoryd.protocol.chat_message import ChatMessage, Said, drafts_of, messages_of
from memoryd.protocol.context import ContextSection
from memoryd.protocol.current_conversation import current_conversation
from memoryd.protocol.injection import Injection, OnCompose, record
from memoryd.sync.conversation import perform

Proceed = Callable[[list[ChatMessage]], list[ChatMessage]]


class Middleware(Protocol):
    """One step on the way: takes messages, changes them, and answers what those behind it make of them."""

    def __call__(self, messages: list[ChatMessage], proceed: Proceed, /) -> list[ChatMessage]:
        """Answer ``proceed(messages)`` with other messages, or other messages than it answers."""
        ...


class Compose:
    """Middleware that puts a context in front of the messages, composed of sections as one by ``Agent.compose``.

    ``max_tokens`` is the budget of all sections together; the server's window when left out. ``model`` is whose tokens
    are counted. ``on_compose`` gets each context with its manifest. Memories are looked for by the user's last message.
    Raises NoConversation, CallFailed.
    """

    def __init__(
        self, *sections: ContextSection, max_tokens: int = 0, model: str = "", on_compose: OnCompose | None = None
    ) -> None:
        self._injection = Injection(sections, max_tokens, model, on_compose)

    def __call__(self, messages: list[ChatMessage], proceed: Proceed, /) -> list[ChatMessage]:
        """Put the context in front."""
        return proceed(perform(lambda here: self._injection.flow(here, messages)))


class Pipeline:
    """Middleware in its order: messages in, messages with what memory tells out. Pipelines may be shared.

    A section alone stands for ``Compose(section)``: its messages come in front, in the order of the steps. A step gets
    what those before it made of the messages.
    """

    def __init__(self, *steps: Middleware | ContextSection) -> None:
        self._steps = [Compose(step) if isinstance(step, ContextSection) else step for step in steps]

    def __call__(self, messages: Iterable[ChatMessage]) -> list[ChatMessage]:
        """Answer what goes to the model. The given messages stay as they are."""
        return self._proceed(0, list(messages))

    def turn(self, messages: Iterable[ChatMessage], respond: Callable[[list[ChatMessage]], Said]) -> list[ChatMessage]:
        """Let a model respond to what is new, and append both to the conversation as one change.

        ``messages`` are those of this turn; those before it come out of the daemon by a MessagesSection. ``respond``
        gets what goes to the model, and answers what was said: a text, a message, or several, such as calls of tools
        and what they answered. It is answered as messages. Those of the system are not appended. When it raises,
        nothing is.

        Raises NoConversation, CallFailed, and ValueError for a message of an unknown role.
        """
        current_conversation()
        given = list(messages)
        asked = drafts_of(given)
        said = messages_of(respond(self(given)))
        perform(lambda here: record(here, asked + drafts_of(said)))
        return said

    def _proceed(self, place: int, messages: list[ChatMessage]) -> list[ChatMessage]:
        if place == len(self._steps):
            return messages
        return self._steps[place](messages, partial(self._proceed, place + 1))
