"""Stores a few fragments, flushes them, and consolidates them into entries.

Run it while a daemon runs: ``python consolidate.py``. MEMORYD_ADDRESS is the daemon's address, by default
127.0.0.1:7600.
"""

import asyncio
import sys
from functools import partial

import memoryd

FRAGMENTS = [
    ("Ada likes chess", ["Ada"], 0.9),
    ("Ada drinks tea", ["Ada"], 0.8),
    ("Bob is late again", ["Bob"], 0.4),
    ("Ada plays chess with Bob", ["Ada", "Bob"], 0.7),
]


async def main() -> int:
    try:
        async with memoryd.aio.connect(origin="consolidate") as client:
            agent = client.agent("consolidate")
            await agent.fragments.clear()
            await store(agent)
            await remember(agent)
            async for key in agent.keys(key_prefix="about/"):
                print(f"{key}: {await agent.get(key, type=list)}")
    except memoryd.MemorydError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def store(agent: memoryd.aio.Agent) -> None:
    for content, participants, confidence in FRAGMENTS:
        await agent.fragments.create(content, participants=participants, confidence=confidence)
    found = await agent.fragments.search("chess", min_confidence=0.5)
    print("fragments about chess:", [fragment.content for fragment in found])


async def remember(agent: memoryd.aio.Agent) -> None:
    done = asyncio.Event()

    async def consolidate(fragments: list[memoryd.Fragment]) -> None:
        for fragment in fragments:
            for name in fragment.participants:
                await agent.update(f"about/{name}", partial(merged, fragment.content), default=[])
        print(f"consolidated {len(fragments)} fragments")
        if (await agent.fragments.count()).fragment_count == len(fragments):
            done.set()

    # Fragments may be delivered twice, for example after a crash: consolidating them again must change nothing.
    async with agent.fragments.on_flush(consolidate):
        await agent.fragments.flush()
        await done.wait()


def merged(new: str, known: list[str]) -> list[str]:
    return known if new in known else [*known, new]


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
