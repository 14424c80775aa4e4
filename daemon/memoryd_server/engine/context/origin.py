"""The messages that memories were made of, so that a context renders only one of the two."""

import re
from collections.abc import Callable, Iterable, Mapping

from memoryd_server.domain.conversations.conversation import ConversationMessage
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.values.message import words

_WORD = re.compile(r"\w+")
_SPEAKER = re.compile(r"\w+(?: \w+)?: ")

Origin = tuple[str, ...]


class Origins:
    """The origins of memories among the messages of some conversations, which are returned by conversation.

    A memory's origin is the message that its provenance names. Without one, it is the message of its conversation that
    has the same words, with or without the name of the speaker before them: "ada: I moved" is "I moved" by ada.
    """

    def __init__(self, messages: Mapping[str, Callable[[], Iterable[ConversationMessage]]]) -> None:
        self._messages = messages
        self._by_words: dict[str, Mapping[str, int]] = {}

    def of(self, memory: Memory) -> tuple[Origin, ...]:
        """Return the kind and the ids of the memory's origin; nothing if it has none."""
        conversation_id, number = memory.provenance.conversation_id, memory.provenance.message_number
        if conversation_id not in self._messages:
            return ()
        if not number:
            number = self._said(conversation_id, memory.content)
        return (("message", conversation_id, str(number)),) if number else ()

    def _said(self, conversation_id: str, content: str) -> int:
        if conversation_id not in self._by_words:
            spoken = self._messages[conversation_id]()
            said = {_words(words(each.content, each.parts)): each.number for each in spoken}
            self._by_words[conversation_id] = {text: number for text, number in said.items() if text}
        known = self._by_words[conversation_id]
        return known.get(_words(content), 0) or known.get(_words(_SPEAKER.sub("", content, count=1)), 0)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
