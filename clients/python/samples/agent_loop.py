"""An agent that remembers: what it was told in one run it knows in the next.

Run it twice beside a daemon: ``python agent_loop.py``. MEMORYD_ADDRESS says where the daemon is, if not at
127.0.0.1:7600. There is no model in it: ``model`` below is a script that stands in for one. What is around it is the
same for a real one, which gets ``prompt`` and ``TOOLKIT.to_openai()``.
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
        print(f"it did not work: {error}", file=sys.stderr)
        return 1
    return 0


async def talk(agent: memoryd.aio.Agent) -> None:
    # A new conversation each time, so that all that is known comes out of notes and memories.
    async with memoryd.conversation(agent, f"talk-{uuid4().hex[:8]}", user_id="ada"):
        for question in QUESTIONS:
            print(f"user: {question}")
            said = await PROMPT.turn([{"role": "user", "content": question}], respond)
            print(f"assistant: {said[-1]['content']}")


async def respond(prompt: list[ChatMessage]) -> list[ChatMessage]:
    """Ask the model, do what it calls for, and ask again, until it has no more to call."""
    said: list[ChatMessage] = []
    while not said or said[-1]["role"] == "tool":
        message = model([*prompt, *said])
        said.append(message)
        for call in message.get("tool_calls", []):
            function = call["function"]
            answer = await TOOLKIT.dispatch(function["name"], function["arguments"])
            print(f"  {function['name']}: {answer}")
            said.append({"role": "tool", "tool_call_id": call["id"], "content": answer})
    return said


def model(prompt: list[ChatMessage]) -> ChatMessage:
    """The stand-in: it knows what its prompt tells, and remembers what it is told."""
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
