"""Middleware for the messages that go to a model."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Protocol

from memoryd.aio.conversation import perform
from memoryd.protocol.chat_message import ChatMessage, ModelOutput, drafts_of, messages_of
from memoryd.protocol.context import ContextSection
from memoryd.protocol.current_conversation import current_conversation
from memoryd.protocol.injection import Injection, OnCompose, extract, record

Proceed = Callable[[list[ChatMessage]], Awaitable[list[ChatMessage]]]


class Middleware(Protocol):
    """One step of a pipeline: changes the messages, and returns what the later steps make of them."""

    async def __call__(self, messages: list[ChatMessage], proceed: Proceed, /) -> list[ChatMessage]:
        """Return ``await proceed(messages)``, with the messages or the result changed as needed."""
        ...


class Compose:
    """Middleware that puts one context of several sections in front of the messages, as ``Agent.compose`` does.

    ``max_tokens`` is the budget of all sections together (default: the server's window). ``model`` names the model
    whose tokens are counted. ``on_compose`` receives each context with its manifest. Memories are searched for by the
    user's last message. Raises NoConversation, CallFailed.
    """

    def __init__(
        self,
        *sections: ContextSection,
        max_tokens: int | None = None,
        model: str = "",
        on_compose: OnCompose | None = None,
    ) -> None:
        self._injection = Injection(sections, max_tokens, model, on_compose)

    async def __call__(self, messages: list[ChatMessage], proceed: Proceed, /) -> list[ChatMessage]:
        """Put the context in front of the messages."""
        return await proceed(await perform(lambda here: self._injection.flow(here, messages)))


class Pipeline:
    """A sequence of middleware that adds what an agent remembers to the messages for a model. Pipelines may be shared.

    A section stands for ``Compose(section)``. The messages of sections come first, in the order of the steps. Each step
    receives the messages as the earlier steps changed them.
    """

    def __init__(self, *steps: Middleware | ContextSection) -> None:
        self._steps = [Compose(step) if isinstance(step, ContextSection) else step for step in steps]

    async def __call__(self, messages: Iterable[ChatMessage]) -> list[ChatMessage]:
        """Return the messages for the model. The given messages are not modified."""
        return await self._proceed(0, list(messages))

    async def turn(
        self,
        messages: Iterable[ChatMessage],
        respond: Callable[[list[ChatMessage]], Awaitable[ModelOutput]],
        *,
        extract_entities: bool = False,
    ) -> list[ChatMessage]:
        """Run one turn: have a model respond to messages, and append both to the conversation as one change.

        ``messages`` are those of this turn; a MessagesSection adds the earlier ones. ``respond`` receives the messages
        for the model and returns its response: a text, a message, or several messages, such as tool calls with their
        results. Returns the response as messages. System messages are not appended. If ``respond`` raises, nothing is
        appended. ``extract_entities`` adds the entities in the results of tools to the conversation's window first, as
        ``EntityWindow.extract`` does.

        Raises NoConversation, CallFailed, and ValueError for a message of an unknown role.
        """
        current_conversation()
        given = list(messages)
        # Before the model is called: a message of an unknown role is an error that must not cost a call.
        drafts = drafts_of(given)
        response = messages_of(await respond(await self(given)))
        if extract_entities:
            await perform(lambda here: extract(here, given + response))
        await perform(lambda here: record(here, drafts + drafts_of(response)))
        return response

    async def _proceed(self, place: int, messages: list[ChatMessage]) -> list[ChatMessage]:
        if place == len(self._steps):
            return messages
        return await self._steps[place](messages, partial(self._proceed, place + 1))
