"""A chat engine of LlamaIndex whose memory goes on where it ended, also in another process.

Run it twice while a daemon runs: ``python llama_chat.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600. It needs ``pip install 'memoryd[llama-index]'``. The model is a script, the class below; any other model
of LlamaIndex takes its place.
"""

import sys
from collections.abc import Sequence
from typing import Any

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.core.memory import ChatMemoryBuffer

import memoryd
from memoryd.llama_index import MemorydChatStore


class ScriptedModel(MockLLM):
    """Counts the messages of the user."""

    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        count = sum(message.role == "user" for message in messages)
        return ChatResponse(message=ChatMessage(role="assistant", content=f"This is message {count} of you."))


def main() -> int:
    store = MemorydChatStore(agent_id="llama-sample", user_id="ada")
    memory = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="talk-1", token_limit=3_000)
    engine = SimpleChatEngine(llm=ScriptedModel(), memory=memory, prefix_messages=[])
    try:
        for question in ("Hello.", "And again."):
            print(f"user: {question}")
            print(f"assistant: {engine.chat(question).response}")
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
