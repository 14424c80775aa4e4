"""Hears a few things, and consolidates them: fragments become entries, once there are enough.

Run it beside a daemon: ``python consolidate.py``. MEMORYD_ADDRESS says where the daemon is, if not at 127.0.0.1:7600.
"""

import asyncio
import sys

import memoryd

HEARD = [
    ("Ada likes chess", ["Ada"], 0.9),
    ("Ada drinks tea", ["Ada"], 0.8),
    ("Bob is late again", ["Bob"], 0.4),
    ("Ada plays chess with Bob", ["Ada", "Bob"], 0.7),
]


async def main() -> int:
    try:
        async with memoryd.aio.connect(origin="consolidate") as client:
            memory = client.agent("consolidate")
            await memory.fragments.clear()
            await hear(memory)
            await remember(memory)
            async for key in memory.keys(key_prefix="about/"):
                print(f"{key}: {await memory.get(key, type=list)}")
    except memoryd.MemorydError as error:
        print(f"it did not work: {error}", file=sys.stderr)
        return 1
    return 0


async def hear(memory: memoryd.aio.Agent) -> None:
    for content, participants, confidence in HEARD:
        await memory.fragments.store(content, participants=participants, confidence=confidence)
    found = await memory.fragments.search("chess", min_confidence=0.5)
    print("heard of chess:", [fragment.content for fragment in found])


async def remember(memory: memoryd.aio.Agent) -> None:
    done = asyncio.Event()

    async def consolidate(fragments: list[memoryd.Fragment]) -> None:
        for fragment in fragments:
            for name in fragment.participants:
                await memory.update(f"about/{name}", lambda known, new=fragment.content: merged(known, new), default=[])
        print(f"consolidated {len(fragments)} fragments")
        if (await memory.fragments.count()).fragment_count == len(fragments):
            done.set()

    # The same fragments may come twice, such as after a crash: what is done with them must bear that.
    async with memory.fragments.on_flush(consolidate):
        await memory.fragments.flush()
        await done.wait()


def merged(known: list[str], new: str) -> list[str]:
    return known if new in known else [*known, new]


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
