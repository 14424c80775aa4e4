"""Has a language model extract memories from an agent's fragments, and stores them.

Run it while a daemon runs, with an endpoint of OpenAI's chat API:

    OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.2 python extract.py

OPENAI_API_KEY is sent if it is set. MEMORYD_ADDRESS is the daemon's address, by default 127.0.0.1:7600. The daemon must
run without --fragment-consolidate, with which it would consume the fragments itself.
"""

import asyncio
import json
import os
import sys
import urllib.request

import memoryd

FRAGMENTS = [
    ("Ada: I moved to Lisbon in May, for the new job.", "Ada"),
    ("Bob: Nice! How is the weather?", "Bob"),
    ("Ada: Sunny. By the way, I can't eat nuts.", "Ada"),
]
PROMPT = """From these numbered notes take what is worth remembering for long: facts, preferences, plans.
Answer a JSON array only: [{"note": the note's number, "memory": one sentence that stands alone}]"""


async def main() -> int:
    try:
        async with memoryd.aio.connect(origin="extract") as client:
            agent = client.agent("extract")
            for content, speaker in FRAGMENTS:
                await agent.fragments.create(content, participants=[speaker])
            await consolidate(agent)
            async for memory in agent.memories.list(all_users=True):
                print(f"{memory.type} of {memory.user_id}: {memory.content}")
    except (memoryd.MemorydError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def consolidate(agent: memoryd.aio.Agent) -> None:
    failure: list[Exception] = []
    done = asyncio.Event()

    async def remember(fragments: list[memoryd.Fragment]) -> None:
        try:
            notes = [fragment.content for fragment in fragments]
            for extracted in await asyncio.to_thread(ask, notes):
                fragment = fragments[int(extracted["note"])]
                # A memory that was stored before a crash is a duplicate now: it is reinforced, not repeated.
                await agent.memories.remember(
                    extracted["memory"],
                    user_id=fragment.participants[0],
                    provenance=memoryd.Provenance.explicit(f"a model's words for fragment {fragment.fragment_id}"),
                )
        except Exception as error:  # a model may return anything
            failure.append(error)
            raise
        finally:
            done.set()

    # If the handler raises, its fragments are not acknowledged, and will be delivered again.
    async with agent.fragments.on_flush(remember):
        await agent.fragments.flush()
        await done.wait()
    if failure:
        raise ValueError(f"the model's output cannot be used: {failure[0]}") from failure[0]


def ask(notes: list[str]) -> list[dict[str, str]]:
    """Return what the model extracts from the notes. Raises OSError and ValueError."""
    numbered = "\n".join(f"{number}. {note}" for number, note in enumerate(notes))
    body = {
        "model": os.environ.get("OPENAI_MODEL", "gpt-4o-mini"),
        "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": numbered}],
        "temperature": 0,
    }
    headers = {"content-type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["authorization"] = f"Bearer {key}"
    base_url = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1").rstrip("/")
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = json.load(response)["choices"][0]["message"]["content"]
    extracted: list[dict[str, str]] = json.loads(answer[answer.index("[") : answer.rindex("]") + 1])
    return extracted


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
