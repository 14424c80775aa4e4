"""A conversation with an agent of Pydantic AI that goes on where it ended, also in another process.

Run it twice while a daemon runs: ``python pydantic_conversation.py``. MEMORYD_ADDRESS is the daemon's address, by
default 127.0.0.1:7600. It needs ``pip install 'memoryd[pydantic-ai]'``. The model is a script, the function below; with
the name of a model instead, the same program calls it.
"""

import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import memoryd
from memoryd.pydantic_ai import MemorydConversationStore


def respond(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    count = sum(message.kind == "request" for message in messages)
    return ModelResponse(parts=[TextPart(f"This is message {count} of you.")])


async def main() -> int:
    assistant = Agent(FunctionModel(respond))
    try:
        async with MemorydConversationStore(agent_id="pydantic-sample") as store:
            for question in ("Hello.", "And again."):
                print(f"user: {question}")
                conversation = await store.load("talk-1", scope="ada") or Conversation(conversation_id="talk-1")
                result = await assistant.run(question, conversation=conversation)
                await store.save(result, scope="ada")
                print(f"assistant: {result.output}")
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
