"""Lets a language model say what is worth remembering of the fragments that an agent heard, and remembers that.

Run it beside a daemon, with an endpoint that speaks OpenAI's chat API:

    OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.2 python extract.py

OPENAI_API_KEY is sent when it is set. MEMORYD_ADDRESS says where the daemon is, if not at 127.0.0.1:7600; it must run
without --fragment-consolidate, which would take the fragments itself.
"""

import asyncio
import json
import os
import sys
import urllib.request

import memoryd

HEARD = [
    ("Ada: I moved to Lisbon in May, for the new job.", "Ada"),
    ("Bob: Nice! How is the weather?", "Bob"),
    ("Ada: Sunny. By the way, I can't eat nuts.", "Ada"),
]
ASKED = """From these numbered notes take what is worth remembering for long: facts, preferences, plans.
Answer a JSON array only: [{"note": the note's number, "memory": one sentence that stands alone}]"""


async def main() -> int:
    try:
        async with memoryd.aio.connect(origin="extract") as client:
            agent = client.agent("extract")
            for content, speaker in HEARD:
                await agent.fragments.store(content, participants=[speaker])
            await consolidate(agent)
            async for memory in agent.memories.list():
                print(f"{memory.type} of {memory.user_id}: {memory.content}")
    except (memoryd.MemorydError, OSError, ValueError) as error:
        print(f"it did not work: {error}", file=sys.stderr)
        return 1
    return 0


async def consolidate(agent: memoryd.aio.Agent) -> None:
    failure: list[Exception] = []
    done = asyncio.Event()

    async def remember(fragments: list[memoryd.Fragment]) -> None:
        try:
            notes = [fragment.content for fragment in fragments]
            for told in await asyncio.to_thread(ask, notes):
                fragment = fragments[int(told["note"])]
                # What was remembered before a crash is found again as a duplicate: it is reinforced, not repeated.
                await agent.memories.remember(
                    told["memory"],
                    user_id=fragment.participants[0],
                    provenance=memoryd.Provenance.explicit(f"a model's words for fragment {fragment.fragment_id}"),
                )
        except Exception as error:  # a model may answer anything
            failure.append(error)
            raise
        finally:
            done.set()

    # A consumer that fails has acknowledged nothing: the fragments are handed out again.
    async with agent.fragments.on_flush(remember):
        await agent.fragments.flush()
        await done.wait()
    if failure:
        raise ValueError(f"nothing is remembered of what the model said: {failure[0]}") from failure[0]


def ask(notes: list[str]) -> list[dict[str, str]]:
    """What the model takes from the notes. Raises OSError and ValueError."""
    numbered = "\n".join(f"{number}. {note}" for number, note in enumerate(notes))
    body = {
        "model": os.environ.get("OPENAI_MODEL", "gpt-4o-mini"),
        "messages": [{"role": "system", "content": ASKED}, {"role": "user", "content": numbered}],
        "temperature": 0,
    }
    headers = {"content-type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["authorization"] = f"Bearer {key}"
    base_url = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1").rstrip("/")
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = json.load(response)["choices"][0]["message"]["content"]
    taken: list[dict[str, str]] = json.loads(answer[answer.index("[") : answer.rindex("]") + 1])
    return taken


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
