"""An agent of the OpenAI Agents SDK whose conversation goes on where it ended, also in another process.

Run it twice while a daemon runs: ``python openai_session.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600. It needs ``pip install 'memoryd[openai-agents]'``. The model is a script, the class below; without
``model``, the same program calls OpenAI.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

import memoryd
from memoryd.openai_agents import MemorydSession


class ScriptedModel(Model):
    """Counts the messages of the user."""

    async def get_response(self, *positional: Any, **named: Any) -> ModelResponse:
        items = named["input"] if "input" in named else positional[1]
        count = sum(item.get("role") == "user" for item in items)
        text = ResponseOutputText(text=f"This is message {count} of you.", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id=f"msg_{count}", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError("the script does not stream")


async def main() -> int:
    set_tracing_disabled(True)
    assistant = Agent(name="assistant", instructions="Count.", model=ScriptedModel())
    try:
        async with MemorydSession("talk-1", agent_id="openai-sample", user_id="ada") as session:
            for question in ("Hello.", "And again."):
                print(f"user: {question}")
                result = await Runner.run(assistant, question, session=session)
                print(f"assistant: {result.final_output}")
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
