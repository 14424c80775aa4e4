"""An agent of Google's Agent Development Kit whose sessions and memory outlive its process.

Run it twice while a daemon runs: ``python adk_agent.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600. It needs ``pip install 'memoryd[google-adk]'``. The model is a script, the class below; with the name of
a model instead, the same program calls it.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.tools import preload_memory
from google.genai import types

import memoryd
from memoryd.google_adk import MemorydMemoryService, MemorydSessionService

APP, USER, SESSION = "adk-sample", "ada", "talk-1"
QUESTIONS = ("I can't eat nuts.", "What may I eat, nuts?")


class ScriptedModel(BaseLlm):
    """Counts the messages of the user, and repeats what the memory has of nuts."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part.text or "" for content in llm_request.contents for part in content.parts or []]
        count = sum(part in QUESTIONS for part in parts)
        prompt = "".join(part for part in [*parts, str(llm_request.config.system_instruction)] if part not in QUESTIONS)
        known = QUESTIONS[0] if "PAST_CONVERSATIONS" in prompt and QUESTIONS[0] in prompt else "nothing."
        text = f"{count} messages, and I remember: {known}"
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


async def main() -> int:
    try:
        async with MemorydSessionService() as sessions, MemorydMemoryService() as memories:
            await talk(sessions, memories)
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def talk(sessions: MemorydSessionService, memories: MemorydMemoryService) -> None:
    assistant = LlmAgent(name="assistant", model=ScriptedModel(model="script"), tools=[preload_memory])
    runner = Runner(app_name=APP, agent=assistant, session_service=sessions, memory_service=memories)
    if await sessions.get_session(app_name=APP, user_id=USER, session_id=SESSION) is None:
        await sessions.create_session(app_name=APP, user_id=USER, session_id=SESSION)
    for question in QUESTIONS:
        print(f"user: {question}")
        message = types.Content(role="user", parts=[types.Part(text=question)])
        async for event in runner.run_async(user_id=USER, session_id=SESSION, new_message=message):
            if event.content and event.content.parts:
                print(f"assistant: {event.content.parts[0].text}")
    session = await sessions.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    if session is not None:
        await memories.add_session_to_memory(session)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
