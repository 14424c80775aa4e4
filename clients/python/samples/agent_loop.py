"""An agent that remembers: it learns something in one run, and knows it in the next.

Run it twice while a daemon runs: ``python agent_loop.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600. The model is a stub, the function ``model`` below. A real model takes its place without other changes:
it gets ``prompt`` and ``TOOLKIT.to_openai()``.
"""

import asyncio
import json
import sys
from uuid import uuid4

import memoryd
from memoryd import ChatMessage

QUESTIONS = ["What may I eat?", "I am Ada, and I can't eat nuts."]
TOOLKIT = memoryd.aio.Toolkit("memories", "create_note")
PROMPT = memoryd.aio.Pipeline(
    memoryd.NotesSection(max_tokens=500),
    memoryd.MemoriesSection(max_tokens=1_000),
    memoryd.MessagesSection(max_tokens=2_000),
)


async def main() -> int:
    try:
        async with memoryd.aio.connect(origin="agent-loop") as client:
            await talk(client.agent("agent-loop"))
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def talk(agent: memoryd.aio.Agent) -> None:
    # A new conversation each time, so that everything the agent knows comes from notes and memories.
    async with memoryd.conversation(agent, f"talk-{uuid4().hex[:8]}", user_id="ada"):
        for question in QUESTIONS:
            print(f"user: {question}")
            response = await PROMPT.turn([{"role": "user", "content": question}], respond)
            print(f"assistant: {response[-1]['content']}")


async def respond(prompt: list[ChatMessage]) -> list[ChatMessage]:
    """Call the model, run the tools that it calls, and call it again, until it calls no tool."""
    messages: list[ChatMessage] = []
    while not messages or messages[-1]["role"] == "tool":
        message = model([*prompt, *messages])
        messages.append(message)
        for call in message.get("tool_calls", []):
            function = call["function"]
            answer = await TOOLKIT.dispatch(function["name"], function["arguments"])
            print(f"  {function['name']}: {answer}")
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": answer})
    return messages


def model(prompt: list[ChatMessage]) -> ChatMessage:
    """Return the response of a stub of a model, which knows what its prompt contains, and calls tools to remember."""
    if prompt[-1]["role"] == "tool":
        return {"role": "assistant", "content": "I will remember that."}
    if prompt[-1]["content"] == QUESTIONS[1]:
        calls = [
            ("remember", {"content": "Ada: I can't eat nuts.", "type": "semantic", "importance": 0.9}),
            ("create_note", {"title": "Food", "content": "Ada must not get nuts"}),
        ]
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for number, (name, given) in enumerate(calls)
            ],
        }
    known = any("nuts" in message["content"] for message in prompt if message["role"] == "system")
    return {"role": "assistant", "content": "All but nuts." if known else "I know nothing of you yet."}


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
