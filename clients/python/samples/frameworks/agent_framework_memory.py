"""An agent of Microsoft's Agent Framework with a history and a memory that outlive its process.

Run it twice while a daemon runs: ``python agent_framework_memory.py``. MEMORYD_ADDRESS is the daemon's address, by
default 127.0.0.1:7600. It needs ``pip install 'memoryd[agent-framework]'``. The model is a script, the class below; any
other chat client of the framework takes its place.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

import memoryd
from memoryd.agent_framework import MemorydContextProvider, MemorydHistoryProvider

AGENT, USER = "agent-framework-sample", "ada"


class ScriptedModel(BaseChatClient[Any]):
    """Counts the messages of the user, and repeats what its instructions say of nuts."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def respond() -> ChatResponse:
            prompt = str(options.get("instructions")) + "".join(each.text for each in messages if each.role == "system")
            known = ", who can't eat nuts" if "- I can't eat nuts." in prompt and len(messages) > 4 else ""
            count = sum(each.role == "user" for each in messages)
            return ChatResponse(messages=[Message("assistant", [f"This is message {count} of you{known}."])])

        return respond()


async def main() -> int:
    try:
        async with (
            MemorydHistoryProvider(agent_id=AGENT, user_id=USER) as history,
            MemorydContextProvider(agent_id=AGENT, user_id=USER) as memory,
        ):
            assistant = Agent(client=ScriptedModel(), context_providers=[history, memory])
            session = assistant.create_session(session_id="talk-1")
            for question in ("I can't eat nuts.", "May I eat nuts?"):
                print(f"user: {question}")
                print(f"assistant: {(await assistant.run(question, session=session)).text}")
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
